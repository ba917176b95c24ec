import { assert, describe, it } from "@effect/vitest"
import * as TextResults from "#domain/transcript/TextResults"

const search = { id: "call_1", name: "search" }
const read = { id: "call_2", name: "read_file" }

const found = (text: string, ...waiting: ReadonlyArray<TextResults.UnansweredCall>) =>
  TextResults.results(text, waiting).map(({ call, result }) => [call.id, result])

describe("TextResults", () => {
  it("9.2 reads tool_response blocks, one for each waiting call", () => {
    assert.deepStrictEqual(
      found('<tool_response>\n{"a":1}\n</tool_response>\n<tool_response>two</tool_response>', search, read),
      [
        ["call_1", '{"a":1}'],
        ["call_2", "two"]
      ]
    )
    assert.deepStrictEqual(found("<tool_response>a</tool_response><tool_response>b</tool_response>", search), [])
    assert.deepStrictEqual(found("I saw <tool_response>a</tool_response>", search), [])
  })

  it("9.2 reads a labelled result by the call's id or the tool's name", () => {
    assert.deepStrictEqual(found("Tool result for call_2: ok", search, read), [["call_2", "ok"]])
    assert.deepStrictEqual(found("[tool_result call_1] ok: yes", search, read), [["call_1", "ok: yes"]])
    assert.deepStrictEqual(found("Function output (read_file):\na\nb", search, read), [["call_2", "a\nb"]])
  })

  it("9.2 reads an unnamed result if only one call waits", () => {
    assert.deepStrictEqual(found("Observation: 3 rows", search), [["call_1", "3 rows"]])
    assert.deepStrictEqual(found("Tool output:\n", search), [["call_1", ""]])
    assert.deepStrictEqual(found("Observation: 3 rows", search, read), [])
  })

  it("9.2 ignores ordinary texts, including those that mention results", () => {
    for (const text of [
      "Tool results show that search is slow",
      "Observation of birds: nice",
      "The tool result for call_1: wrong",
      "Tool result for call_9: x",
      "search",
      ""
    ]) {
      assert.deepStrictEqual(found(text, search), [], text)
    }
    assert.deepStrictEqual(found("Observation: x"), [])
  })
})
