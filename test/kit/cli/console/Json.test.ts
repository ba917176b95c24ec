import * as Json from "#kit/cli/console/Json"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../../support/sources.ts"

const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u

describe("JSON that commands print", () => {
  it("10.6 writes hidden and direction-changing characters as escapes, and line breaks only between values", () => {
    const value = { "a\u202e": "\u009b\u001b[2J\u200b\u2028\n" }
    assert.strictEqual(Json.text(value), '{"a\\u202e":"\\u009b\\u001b[2J\\u200b\\u2028\\n"}')
    assert.strictEqual(Json.text({ a: ["\u2060"] }, 1), '{\n "a": [\n  "\\u2060"\n ]\n}')
  })

  it.prop("10.6 parses to the same value", [Schema.Json], ([value]) => {
    const text = Json.text(value)
    assert.deepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)))
    assert.notMatch(text, hidden)
  })

  it("10.6 is written by every command in place of `JSON.stringify`", () => {
    const folder = join(root, "kit/cli")
    const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
    const printing = sources.filter((file) =>
      /(?:log|line|write)\(\s*JSON\.stringify/u.test(readFileSync(join(folder, file), "utf8"))
    )
    assert.deepStrictEqual(printing, [])
  })
})
