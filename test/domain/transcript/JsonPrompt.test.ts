import { assert, describe, it } from "@effect/vitest"
import { Prompt } from "effect/ai"
import * as JsonPrompt from "#domain/transcript/JsonPrompt"
import { assistant, call, conversation, result, system, text, tool, user } from "../../support/conversation.ts"

describe("JsonPrompt", () => {
  it("9.5 converts the arguments and results of a conversation to JSON, and keeps everything else", () => {
    const cyclic: { self?: unknown } = {}
    cyclic.self = cyclic
    const values = [{ at: new Date(0), none: undefined }, { n: 12n }, cyclic, () => 1]
    const expected = [{ at: "1970-01-01T00:00:00.000Z" }, { n: "12" }, null, null]
    const ids = values.map((_, n) => `c${n}`)
    const messages = (given: ReadonlyArray<unknown>) => [
      system("s"),
      user("u"),
      assistant(text("t"), ...ids.map((id, n) => call(id, "search", given[n]))),
      tool(
        Prompt.toolApprovalResponsePart({ approvalId: "p", approved: true }),
        ...ids.map((id, n) => result(id, given[n]))
      )
    ]
    assert.deepStrictEqual(JsonPrompt.make(conversation(...messages(values))).content, messages(expected))
  })
})
