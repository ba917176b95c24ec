/** What users install: the tarball of the built package, in an empty folder with nothing but its dependencies. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "./support/sources.ts"
import { node, npm, tsc } from "./support/tools.ts"

const temporary = mkdtempSync(join(tmpdir(), "toolguard-package-"))
const built = join(temporary, "built")
const user = join(temporary, "user")
const installed = join(user, "node_modules/effect-toolguard")

/** What the lock file holds for each installed package. */
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly optional?: boolean }>>
}

/** The packages that users get with ours, taken from here so that no network is needed. */
const dependencies = Object.entries(lock.packages).flatMap(([path, entry]) =>
  path !== "" && !entry.dev && !entry.optional && existsSync(join(root, path)) ? [path] : []
)

/** Runs the command as it is linked in the user's folder. */
const toolguard = (...args: ReadonlyArray<string>) =>
  node([join(user, "node_modules/.bin/toolguard"), ...args], { cwd: user })

beforeAll(async () => {
  const build = await node(["scripts/build.ts", built])
  assert.strictEqual(build.code, 0, build.stdout + build.stderr)
  const pack = await npm(["pack", "--pack-destination", temporary], built)
  assert.strictEqual(pack.code, 0, pack.stderr)
  mkdirSync(user)
  for (const path of dependencies) cpSync(join(root, path), join(user, path), { recursive: true })
  const tarball = readdirSync(temporary).find((name) => name.endsWith(".tgz")) ?? ""
  writeFileSync(join(user, "package.json"), `{ "name": "user", "private": true, "type": "module" }`)
  const install = await npm(["install", "--offline", "--ignore-scripts", join(temporary, tarball)], user)
  assert.strictEqual(install.code, 0, install.stderr)
}, 120_000)

afterAll(() => rmSync(temporary, { recursive: true, force: true }))

describe("the published package", { timeout: 120_000 }, () => {
  it("holds JavaScript, declarations and texts, and nothing of the workshop", () => {
    const files = readdirSync(installed, { recursive: true, encoding: "utf8" })
    for (const path of ["README.md", "CHANGELOG.md", "LICENSE", "docs/tools.md", "src/index.js", "src/index.d.ts"])
      assert.include(files, path)
    assert.deepStrictEqual(
      files.filter((path) => /(?<!\.d)\.ts$|^test|^scripts|tsbuildinfo/.test(path)),
      []
    )
    const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Record<string, unknown>
    assert.containsAllKeys(manifest, [
      "name",
      "version",
      "license",
      "engines",
      "dependencies",
      "exports",
      "imports",
      "bin"
    ])
    assert.doesNotHaveAnyKeys(manifest, ["private", "scripts", "devDependencies", "optionalDependencies"])
  })

  it("type-checks a consumer that knows only it and effect, declarations included", async () => {
    const modules = ["consumer.ts", "elsewhere.ts"]
    for (const module of modules) cpSync(join(root, "test/pack", module), join(user, module))
    const options = [
      "--strict",
      "--declaration",
      "--exactOptionalPropertyTypes",
      "--module",
      "nodenext",
      "--target",
      "es2024"
    ]
    const { code, stdout } = await tsc([...options, "--skipLibCheck", "false", "--types", "", ...modules], user)
    assert.deepStrictEqual({ code, stdout }, { code: 0, stdout: "" })
  })

  it("runs that consumer", async () => {
    const ended = await node(["consumer.js"], { cwd: user })
    assert.deepStrictEqual(ended, { code: 0, stdout: "ok\n", stderr: "" })
  })

  it("brings the command toolguard", async () => {
    const main = readFileSync(join(user, "node_modules/.bin/toolguard"), "utf8")
    assert.match(main, /^#!\/usr\/bin\/env node\n/)
    const help = await toolguard("--help")
    assert.strictEqual(help.code, 0)
    assert.match(help.stdout, /USAGE\n\s+toolguard /)
  })

  it("brings the example that toolguard run shows", async () => {
    const { code, stdout, stderr } = await toolguard("run", "--json")
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.containsAllKeys(JSON.parse(stdout), ["bare", "guarded", "decisions"])
  })
})
