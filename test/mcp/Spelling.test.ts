/** Tests which methods a tolerant server may read as a request. */
import * as Spelling from "#src/mcp/wire/Spelling"
import { assert, describe, it } from "@effect/vitest"

describe("the spelling of a method", () => {
  it("13.7 reads a method with spaces, other case, invisible or wide characters as a tolerant server reads it", () => {
    const spellings = [
      "tools/call",
      "tools/call ",
      "\ttools/call\n",
      "Tools/Call",
      "TOOLS/CALL",
      "tools/call\0",
      "tools/call\0notifications/x",
      "tools\u200b/call",
      "\ufefftools/call",
      "tools/\u00adcall",
      "tools／call",
      "ｔools/call"
    ]
    for (const method of spellings) assert.strictEqual(Spelling.requestOf(method), "tools/call", JSON.stringify(method))
    assert.strictEqual(Spelling.requestOf("LOGGING/SETLEVEL"), "logging/setLevel")
  })

  it("13.7 a notification or an unknown method is not a request", () => {
    for (const method of [
      "notifications/initialized",
      "notifications/tools/call",
      "x/call",
      "",
      "toString",
      "__proto__"
    ])
      assert.strictEqual(Spelling.requestOf(method), undefined, method)
  })
})
