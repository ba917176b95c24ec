/** Tests the loading of backends, and the errors for modules that do not export a valid backend. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { load } from "#kit/cli/console/LoadBackend"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "toolguard-backend-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Writes a module, expects loading to fail, and returns the error's message and exit code. */
const refused = (name: string, source: string, settings = {}) =>
  Effect.suspend(() => {
    const path = join(folder, name)
    writeFileSync(path, source)
    return Effect.map(Effect.flip(load(path, settings)), ({ exitCode, message }) => [
      message.replace(path, "FILE"),
      exitCode
    ])
  })

const withoutLayer = `{ name: "mine", tools: { tools: new Map() }, prompt: "?" }`

describe("LoadBackend", () => {
  it.effect("loads the example with the settings if there is no path", () =>
    Effect.gen(function* () {
      const backend = yield* load(undefined, { gatewayLimit: 17 })
      assert.strictEqual(backend.name, "orders")
      assert.include(backend.note, "17 bytes")
      assert.deepStrictEqual(Object.keys(backend.models ?? {}), ["stubborn", "deaf", "obedient"])
    })
  )

  it.effect("reports a problem with a module in one line", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(load("nowhere.ts", {}))
      assert.strictEqual(missing.message, "There is no file nowhere.ts.")
      assert.strictEqual((yield* Effect.flip(load(folder, {}))).message, `${folder} is not a file.`)
      assert.deepStrictEqual(yield* refused("none.mjs", "export const other = 1"), [
        "FILE does not export `backend`.",
        1
      ])
      assert.deepStrictEqual(yield* refused("throws.mjs", `throw new Error("boom\\n at x")`), [
        "FILE cannot be loaded: boom",
        1
      ])
      assert.deepStrictEqual(yield* refused("made.mjs", `export const backend = () => { throw new Error("bad") }`), [
        "FILE: its backend cannot be created: bad",
        1
      ])
      assert.deepStrictEqual(yield* refused("empty.mjs", "export const backend = 1"), [
        "The backend of FILE lacks name, tools, layer, prompt.",
        1
      ])
      assert.deepStrictEqual(yield* refused("lacks.mjs", `export const backend = ${withoutLayer}`), [
        "The backend of FILE lacks layer.",
        1
      ])
    })
  )

  it.effect("refuses settings for a backend without settings, with the exit code 2", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* refused("fixed.mjs", `export const backend = ${withoutLayer}`, { gatewayLimit: 1 }),
        ["--gateway-limit does not apply to FILE: its backend has no settings.", 2]
      )
    })
  )
})
