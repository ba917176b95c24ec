/** The Effect diagnostics of `npm run check` really see the files: they pass with exit code 0 where they check none. */
import { assert, describe, it } from "@effect/vitest"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { paths, root } from "./support/sources.ts"
import { node } from "./support/tools.ts"

const diagnose = (project: string, ...more: ReadonlyArray<string>) =>
  node(
    [join(root, "node_modules/@effect/tsgo/dist/effect-tsgo.cjs"), "diagnostics", "--project", project].concat(
      ["--format", "text", "--strict", "--severity", "error,warning"],
      more
    )
  )

/** Checks one source in a folder of its own, by a copy of the project's configuration. */
const planted = async (source: string) => {
  const folder = mkdtempSync(join(tmpdir(), "toolguard-planted-"))
  try {
    cpSync(join(root, "tsconfig.json"), join(folder, "tsconfig.json"))
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction")
    mkdirSync(join(folder, "src"))
    writeFileSync(join(folder, "src/planted.ts"), source)
    const { code, stdout } = await diagnose(join(folder, "tsconfig.json"))
    const found = [...stdout.matchAll(/\((\d+),\d+\): error effect\((\w+)\)/g)].map(([, line, rule]) => [line, rule])
    return { code, found }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe("Effect diagnostics", { timeout: 120_000 }, () => {
  it("report a floating Effect, a failure without return, try in a generator and the real clock", async () => {
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

  it("pass a sound file", async () => {
    assert.deepStrictEqual(
      await planted(`import * as Effect from "effect/Effect"\nexport const sound = Effect.log("runs")\n`),
      { code: 0, found: [] }
    )
  })

  it("check every source, test and example", async () => {
    const { stdout } = await diagnose("tsconfig.json", "--list-files")
    const seen = [...stdout.matchAll(/^ {2}(.+): detected=v4/gm)].map(([, path = ""]) => path.slice(root.length + 1))
    const expected = paths("{src,services,layers,kit,test,examples,scripts}/**/*.ts", "vitest.config.ts")
    assert.deepStrictEqual(
      seen.sort(),
      expected.filter((path) => !/^test\/(interop|types\/negative)\//.test(path))
    )
  })
})
