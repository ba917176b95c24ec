/** Checks that the compiler of `npm run check` reports Effect diagnostics and checks the files of the repository. */
import { assert, describe, it } from "@effect/vitest"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { paths, root } from "./support/sources.ts"
import { run } from "./support/children.ts"
import { node } from "./support/tools.ts"

/** Runs the TypeScript compiler with Effect diagnostics on a project. */
const compile = async (folder: string, ...more: ReadonlyArray<string>) => {
  const { stdout } = await node([join(root, "node_modules/@effect/tsgo/dist/effect-tsgo.cjs"), "get-exe-path"])
  return run(stdout.trim(), ["-p", ".", "--pretty", "false", ...more], { cwd: folder })
}

/** Checks one source in a temporary folder, with a copy of the project's configuration. */
const planted = async (source: string) => {
  const folder = mkdtempSync(join(tmpdir(), "toolguard-planted-"))
  try {
    cpSync(join(root, "tsconfig.json"), join(folder, "tsconfig.json"))
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction")
    writeFileSync(join(folder, "package.json"), `{ "type": "module" }`)
    mkdirSync(join(folder, "src"))
    writeFileSync(join(folder, "src/planted.ts"), source)
    const { code, stdout } = await compile(folder)
    const found = [...stdout.matchAll(/\((\d+),\d+\): error .* effect\((\w+)\)$/gm)].map(([, line, rule]) => [
      line,
      rule
    ])
    return { code, found }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe("Effect diagnostics", () => {
  it("report a floating Effect, a failure without return, a try in a generator and use of the real clock", async () => {
    const { code, found } = await planted(`import * as Effect from "effect/Effect"
export const floating = (): void => {
  Effect.log("never runs")
}
export const failing = Effect.gen(function* () {
  yield* Effect.fail("no return")
})
export const caught = Effect.gen(function* () {
  try {
    yield* Effect.void
  } catch {}
})
export const now = (): number => Date.now()
`)
    assert.deepStrictEqual(found, [
      ["3", "floatingEffect"],
      ["6", "missingReturnYieldStar"],
      ["9", "tryCatchInEffectGen"],
      ["13", "globalDate"]
    ])
    assert.strictEqual(code, 1)
  })

  it("accept a correct file", async () => {
    assert.deepStrictEqual(
      await planted(`import * as Effect from "effect/Effect"\nexport const correct = Effect.log("runs")\n`),
      { code: 0, found: [] }
    )
  })

  it("check every source, test, example and script, except test/interop and the negative type tests", async () => {
    const { stdout } = await compile(root, "--listFilesOnly")
    const ours = stdout
      .split("\n")
      .filter((path) => path.startsWith(root) && path.endsWith(".ts") && !path.includes("/node_modules/"))
    const seen = ours.map((path) => path.slice(root.length + 1))
    const expected = paths("{src,services,layers,kit,test,examples,scripts}/**/*.ts", "vitest.config.ts")
    assert.deepStrictEqual(
      seen.sort(),
      expected.filter((path) => !/^test\/(interop|types\/negative)\//.test(path))
    )
  })
})
