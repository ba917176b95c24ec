/** Tests how lists of tools and configurations are read: problems, and positions in the source. */
import * as Configuration from "#kit/cli/lint/Configuration"
import * as Sources from "#kit/cli/lint/Sources"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folder = mkdtempSync(join(tmpdir(), "toolguard-sources-"))
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, content: unknown): string => {
  const path = join(folder, name)
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
  return path
}

/** Returns the exit code and the message for a file that cannot be read, without the name of its folder. */
const refusal = (path: string) =>
  Effect.map(Effect.flip(Sources.file(path)), ({ exitCode, message }) => [
    exitCode,
    message.replaceAll(`${folder}/`, "")
  ])

describe("Sources", () => {
  it.effect("13.3 reports in one line why a file is not a list of tools", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [string, string]> = [
        [join(folder, "gone.json"), "There is no file gone.json."],
        [folder, `${folder} is a folder.`],
        [write("text.json", "hello"), "text.json:1:1 is not valid JSON: the text is plain text, not JSON."],
        [
          write("cut.json", '[\n  {"name": "x",'),
          "cut.json:2:16 is not valid JSON: the JSON ends too early, at position 17 (line 2, column 16); last complete field: [0].name."
        ],
        [write("other.json", { a: 1 }), "other.json is not a list of tools. It has no `tools`; its fields are a."],
        [
          write("deep.json", "[".repeat(300) + "]".repeat(300)),
          "deep.json:1:201 is not valid JSON: nested more than 200 levels deep, at position 200."
        ]
      ]
      for (const [path, message] of cases) assert.deepStrictEqual(yield* refusal(path), [1, message])
      const proto = yield* refusal(write("proto.json", '[{"name":"x","parameters":{"__proto__":{}}}]'))
      assert.include(String(proto[1]), 'the key "__proto__" is not accepted')
      assert.include(String((yield* refusal(write("none.mjs", "export const x = 1")))[1]), "none.mjs exports no tools.")
      assert.include(
        String((yield* refusal(write("throws.mjs", 'throw new Error("boom")')))[1]),
        "cannot be loaded: boom"
      )
    })
  )

  it.effect("13.3 locates each part of a list, even after a byte order mark", () =>
    Effect.gen(function* () {
      const { regionOf } = yield* Sources.file(
        write("marked.json", '\ufeff[\n {"name": "x", "description": "y", "parameters": {}}\n]')
      )
      assert.deepStrictEqual(regionOf([0, "description"], "x"), { line: 2, column: 31, endLine: 2, endColumn: 34 })
      assert.deepStrictEqual(regionOf([0, "parameters"], "x"), { line: 2, column: 36, endLine: 2, endColumn: 48 })
    })
  )
})

describe("Configuration", () => {
  const refused = (content: unknown) =>
    Effect.map(Effect.flip(Configuration.find(Option.some(write("wrong.json", content)))), ({ exitCode, message }) => [
      exitCode,
      message.replace(/^.*wrong\.json/, "")
    ])

  it.effect("13.3 is refused with exit code 2 and the nearest name if it is invalid", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* refused({ rules: { "string-bound": "off" } }), [
        2,
        ": rules.string-bound: unknown field; nearest: string-bounds"
      ])
      assert.deepStrictEqual(yield* refused("{"), [
        2,
        ":1:2 is not valid JSON: the JSON ends too early, at position 1; no field is complete."
      ])
      assert.deepStrictEqual(yield* refused([]), [2, " is not a configuration: it is not an object."])
      assert.strictEqual((yield* Effect.flip(Configuration.find(Option.some(join(folder, "gone.json"))))).exitCode, 2)
    })
  )

  it.effect("13.3 can be part of a package.json", () =>
    Effect.gen(function* () {
      const path = write("package.json", {
        name: "x",
        toolguard: { lint: { ignore: [{ tool: "a", rules: ["nesting-depth"], reason: "" }] } }
      })
      const { regionOf, settings } = yield* Configuration.find(Option.some(path))
      assert.lengthOf(settings.ignore, 1)
      assert.deepStrictEqual(regionOf(["ignore", 0, "reason"]).line, 1)
      assert.isAbove(regionOf(["ignore", 0, "reason"]).column, 50)
    })
  )
})
