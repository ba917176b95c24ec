/** Tests that the lines in the help for unreadable logs are detected and read. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Mapping from "#kit/traffic/Mapping"
import { names } from "#kit/traffic/Format"
import * as FormatDetector from "#kit/traffic/formats/FormatDetector"
import { shortestLines, shortestMapping } from "#kit/traffic/ShortestLines"
import { readAll } from "./lines.ts"

describe("the shortest line of a format", () => {
  for (const name of names) {
    it(`13.1 of ${name} has a call, and is detected`, () => {
      const reader = FormatDetector.make()
      const [item, ...rest] = readAll(reader, JSON.parse(shortestLines[name]))
      assert.deepStrictEqual([reader.found(), rest], [{ _tag: "Known", format: name }, []])
      const messages = item?._tag === "Conversation" ? item.messages : []
      const calls = messages.flatMap((message) => (message.role === "assistant" ? message.calls : []))
      assert.deepStrictEqual(
        calls.map((call) => call.name),
        ["x"],
        JSON.stringify(item)
      )
    })
  }
})

describe("the shortest mapping", () => {
  it("13.1 reads a call and its result from one line", () => {
    const mapping = Result.getOrThrow(Mapping.read(JSON.parse(shortestMapping)))
    const [item] = readAll(FormatDetector.mapped(mapping), { tool: "x", args: {}, result: "1" })
    assert.deepStrictEqual(item?._tag === "Conversation" ? item.messages : [], [
      { role: "assistant", text: "", calls: [{ id: "1.1", name: "x", arguments: {} }] },
      { role: "tool", callId: "1.1", text: "1" }
    ])
  })
})
