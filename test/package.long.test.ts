/** Installs the tarballs of the built packages in empty folders with only their dependencies, as users do. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Sbom from "../scripts/sbom.ts"
import { root } from "./support/sources.ts"
import { node, npm, tsc } from "./support/tools.ts"

const temporary = mkdtempSync(join(tmpdir(), "toolguard-package-"))
/** A folder with the library and effect, as in a backend. */
const embedder = join(temporary, "embedder")
/** A folder with both packages. */
const operator = join(temporary, "operator")

interface Entry {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** The entries of the lock file. */
const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  readonly packages: Readonly<Record<string, Entry>>
}

/** The dependencies of the kit, without the library, whose tarball is installed alongside it. */
const kitDependencies = Object.keys(packages["kit"]?.dependencies ?? {}).filter((name) => name !== "effect-toolguard")

/** Returns the folders of packages and of their dependencies in `node_modules`. Copying them avoids the network. */
const closure = (names: ReadonlyArray<string>, found = new Set<string>()): ReadonlySet<string> => {
  for (const name of names) {
    const path = `node_modules/${name}`
    if (found.has(path) || !existsSync(join(root, path))) continue
    found.add(path)
    const entry = packages[path] ?? {}
    closure(Object.keys({ ...entry.dependencies, ...entry.peerDependencies }), found)
    for (const nested of Object.keys(packages)) if (nested.startsWith(`${path}/node_modules/`)) found.add(nested)
  }
  return found
}

/** Installs tarballs in a new folder that contains the named packages with their dependencies. */
const install = async (folder: string, names: ReadonlyArray<string>, tarballs: ReadonlyArray<string>) => {
  mkdirSync(folder)
  for (const path of closure(names)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path), { recursive: true })
  }
  writeFileSync(join(folder, "package.json"), `{ "name": "user", "private": true, "type": "module" }`)
  const files = tarballs.map((name) => join(temporary, `${name}-0.1.0.tgz`))
  const { code, stderr } = await npm(["install", "--offline", "--ignore-scripts", "--no-save", ...files], folder)
  assert.strictEqual(code, 0, stderr)
}

/** Runs the command that is installed in the operator's folder. */
const toolguard = (...args: ReadonlyArray<string>) =>
  node([join(operator, "node_modules/.bin/toolguard"), ...args], { cwd: operator })

const filesOf = (folder: string, name: string) =>
  readdirSync(join(folder, "node_modules", name), { recursive: true, encoding: "utf8" })

const manifestOf = (folder: string, name: string) =>
  JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")) as Record<string, unknown>

beforeAll(async () => {
  const build = await node(["scripts/build.ts", temporary])
  assert.strictEqual(build.code, 0, build.stdout + build.stderr)
  for (const name of ["library", "kit"]) {
    const pack = await npm(["pack", "--pack-destination", temporary], join(temporary, name))
    assert.strictEqual(pack.code, 0, pack.stderr)
  }
  await install(embedder, ["effect"], ["effect-toolguard"])
  await install(operator, ["effect", ...kitDependencies], ["effect-toolguard", "toolguard"])
})

afterAll(() => rmSync(temporary, { recursive: true, force: true }))

describe("both packages", () => {
  it("have an SBOM that is equal in each build, and a table of the licences of its components", () => {
    for (const [name, needed] of [
      ["library", ["effect", "@effect/platform-node", "@effect/sql-pg", "redis"]],
      ["kit", ["effect", "effect-toolguard", "gpt-tokenizer", "@effect/platform-node", "@effect/sql-pg"]]
    ] as const) {
      const text = readFileSync(join(temporary, name, "sbom.cdx.json"), "utf8")
      const sbom = JSON.parse(text) as {
        readonly bomFormat: string
        readonly metadata: { readonly component: { readonly name: string; readonly version: string } }
        readonly components: ReadonlyArray<{
          readonly name: string
          readonly licenses?: ReadonlyArray<unknown>
          readonly hashes?: ReadonlyArray<unknown>
        }>
      }
      assert.strictEqual(sbom.bomFormat, "CycloneDX")
      assert.strictEqual(sbom.metadata.component.name, name === "kit" ? "toolguard" : "effect-toolguard")
      const names = sbom.components.map((component) => component.name)
      assert.includeMembers(names, [...needed])
      assert.notInclude(names, "vitest")
      for (const { hashes = [], licenses = [], name } of sbom.components) {
        assert.isNotEmpty(licenses, name)
        if (name !== "effect-toolguard") assert.isNotEmpty(hashes, name)
      }
      const licences = readFileSync(join(temporary, name, "LICENCES.md"), "utf8")
      for (const each of names) assert.include(licences, `| ${each} | `)
      assert.notMatch(text, /https?:\/\/(?!cyclonedx\.org)/)
      // the build makes it from these two, some seconds earlier and in another process
      const manifest = JSON.parse(readFileSync(join(temporary, name, "package.json"), "utf8")) as Parameters<
        typeof Sbom.make
      >[1]
      assert.strictEqual(Sbom.make(root, manifest).sbom, text)
    }
  })
})

describe("effect-toolguard", () => {
  it("installs only itself, effect and the dependencies of effect", () => {
    const names = (folder: string) =>
      readdirSync(folder)
        .filter((name) => !name.startsWith("."))
        .flatMap((name) =>
          name.startsWith("@") ? readdirSync(join(folder, name)).map((sub) => `${name}/${sub}`) : name
        )
    const expected = [...closure(["effect"])].filter((path) => path.lastIndexOf("node_modules/") === 0)
    assert.sameMembers(names(join(embedder, "node_modules")), [
      "effect-toolguard",
      ...expected.map((path) => path.slice("node_modules/".length))
    ])
    assert.doesNotHaveAnyKeys(manifestOf(embedder, "effect-toolguard"), ["dependencies", "bin"])
  })

  it("contains JavaScript, declarations and documents, but no sources or development files", () => {
    const files = filesOf(embedder, "effect-toolguard")
    const expected = [
      "README.md",
      "CHANGELOG.md",
      "SECURITY.md",
      "LICENSE",
      "docs/tools.md",
      "src/index.js",
      "src/index.d.ts"
    ]
    for (const path of expected) assert.include(files, path)
    assert.deepStrictEqual(
      files.filter((path) => /(?<!\.d)\.ts$|^test|^scripts|^kit|^examples|tsbuildinfo/.test(path)),
      []
    )
    const manifest = manifestOf(embedder, "effect-toolguard")
    assert.containsAllKeys(manifest, ["name", "version", "license", "engines", "peerDependencies", "exports"])
    assert.doesNotHaveAnyKeys(manifest, [
      "private",
      "scripts",
      "devDependencies",
      "optionalDependencies",
      "workspaces",
      "imports"
    ])
  })

  it("contains no module that imports a missing package or a `#` path", async () => {
    const files = filesOf(operator, "effect-toolguard").filter((path) => /\.js$|\.d\.ts$/.test(path))
    const folder = join(operator, "node_modules/effect-toolguard")
    const paths = files.filter((path) =>
      /"#(domain|pipeline|services|layers|src)\//.test(readFileSync(join(folder, path), "utf8"))
    )
    assert.deepStrictEqual(paths, [])
    const modules = files.filter((path) => path.endsWith(".js")).map((path) => `./${path}`)
    const program = `await Promise.all(${JSON.stringify(modules)}.map((path) => import(path)))`
    const { code, stderr } = await node(["--input-type=module", "--eval", program], { cwd: folder })
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
  })

  it("type-checks a program that uses only the library and effect, including its declarations", async () => {
    const modules = ["consumer.ts", "declarations.ts"]
    for (const module of modules) cpSync(join(root, "test/pack", module), join(embedder, module))
    assert.deepStrictEqual(await compile(embedder, modules), { code: 0, stdout: "" })
  })

  it("runs a program that uses only the library and effect", async () => {
    const ended = await node(["consumer.js"], { cwd: embedder })
    assert.deepStrictEqual(ended, { code: 0, stdout: "ok\n", stderr: "" })
  })

  it("does not export an internal module of the layers", async () => {
    const { code, stderr } = await node(
      ["--input-type=module", "-e", `await import("effect-toolguard/layers/internal/sql/Database")`],
      { cwd: embedder }
    )
    assert.notStrictEqual(code, 0)
    assert.match(stderr, /ERR_PACKAGE_PATH_NOT_EXPORTED/)
  })
})

describe("toolguard", () => {
  it("contains the command, its skill, the example that it runs and a public manifest, but no sources", () => {
    const files = filesOf(operator, "toolguard")
    assert.include(files, "kit/skills/tool-use-schema-review/SKILL.md")
    for (const path of ["README.md", "LICENSE", "kit/cli/main.js", "kit/testing.d.ts", "examples/orders/main.js"])
      assert.include(files, path)
    assert.deepStrictEqual(
      files.filter((path) => /(?<!\.d)\.ts$|^test|^scripts|^src|^kit\/package/.test(path)),
      []
    )
    assert.doesNotHaveAnyKeys(manifestOf(operator, "toolguard"), ["private"])
  })

  it("pins the library to its own version", () => {
    const { dependencies, version } = manifestOf(operator, "toolguard") as {
      readonly dependencies: Readonly<Record<string, string>>
      readonly version: string
    }
    assert.strictEqual(dependencies["effect-toolguard"], version)
    assert.strictEqual(manifestOf(operator, "effect-toolguard")["version"], version)
  })

  it("type-checks and runs a test that uses its checks", async () => {
    cpSync(join(root, "test/pack/fuzzConsumer.ts"), join(operator, "fuzzConsumer.ts"))
    assert.deepStrictEqual(await compile(operator, ["fuzzConsumer.ts"]), { code: 0, stdout: "" })
    assert.deepStrictEqual(await node(["fuzzConsumer.js"], { cwd: operator }), { code: 0, stdout: "ok\n", stderr: "" })
  })

  it("installs the command with its version and help", async () => {
    const main = readFileSync(join(operator, "node_modules/.bin/toolguard"), "utf8")
    assert.match(main, /^#!\/usr\/bin\/env node\n/)
    const help = await toolguard("--help")
    assert.strictEqual(help.code, 0)
    assert.match(help.stdout, /USAGE\n\s+toolguard /)
    assert.match((await toolguard("--version")).stdout, /0\.1\.0/)
  })

  it("runs the example, replays a log and lints a list", async () => {
    const { code, stdout, stderr } = await toolguard("run", "--json")
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.containsAllKeys(JSON.parse(stdout), ["bare", "guarded", "decisions"])
    for (const path of ["examples/traffic/week.jsonl", "examples/lint/tools.json"])
      cpSync(join(root, path), join(operator, path), { recursive: true })
    assert.match((await toolguard("replay", "examples/traffic/week.jsonl")).stdout, /calls/)
    assert.match((await toolguard("lint", "examples/lint/tools.json")).stdout, /error|warning/)
  })
})

/** Compiles with the settings of a strict consumer. */
const compile = async (folder: string, modules: ReadonlyArray<string>) => {
  const options = ["--strict", "--declaration", "--exactOptionalPropertyTypes", "--module", "nodenext"]
  const { code, stdout } = await tsc(
    [...options, "--target", "es2024", "--skipLibCheck", "false", "--types", "", ...modules],
    folder
  )
  return { code, stdout }
}
