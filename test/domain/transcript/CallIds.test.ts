import { assert, describe, it } from "@effect/vitest"
import * as Transcript from "#domain/transcript/Transcript"
import { assistant, call, conversation, result, tool, user } from "../../support/conversation.ts"

describe("Transcript.callIds", () => {
  it("9.1 lists the ids of the calls, or only those from a message on", () => {
    const prompt = conversation(user("u"), assistant(call("a"), call("b")), tool(result("a")), assistant(call("c")))
    assert.deepStrictEqual([...Transcript.callIds(prompt)], ["a", "b", "c"])
    assert.deepStrictEqual([...Transcript.callIds(prompt, 2)], ["c"])
  })
})

describe("Transcript.freshIds", () => {
  it("9.1 replaces empty and repeated ids of a reply before its calls run", () => {
    const own = { type: "tool-call", id: "", name: "web", params: {}, providerExecuted: true }
    const parts = [{ type: "text", text: "x" }, call(""), call("a"), call("a"), call("b"), own]
    assert.deepStrictEqual(Transcript.freshIds(parts, new Set(["b", "call_4"])), {
      parts: [
        { type: "text", text: "x" },
        { ...call(""), id: "call_5" },
        call("a"),
        { ...call("a"), id: "call_6" },
        { ...call("b"), id: "call_7" },
        own
      ],
      changes: [
        { _tag: "CallIdReplaced", message: 1, callId: "call_5", was: "" },
        { _tag: "CallIdReplaced", message: 3, callId: "call_6", was: "a" },
        { _tag: "CallIdReplaced", message: 4, callId: "call_7", was: "b" }
      ]
    })
  })

  it("9.1 replaces an id that is empty, in the conversation, or repeated", () => {
    const idsOf = (ids: ReadonlyArray<string>, ...seen: ReadonlyArray<string>) =>
      Transcript.freshIds(
        ids.map((id) => call(id)),
        new Set(seen)
      ).parts.map(({ id }) => id)
    assert.deepStrictEqual(idsOf([""]), ["call_1"])
    assert.deepStrictEqual(idsOf(["a", "b"], "b"), ["a", "call_3"])
    assert.deepStrictEqual(idsOf(["a", "a"]), ["a", "call_2"])
    assert.deepStrictEqual(idsOf(["", "call_1", ""]), ["call_2", "call_1", "call_3"])
  })

  it("9.1 returns a reply with valid ids unchanged", () => {
    const parts = [{ type: "text", text: "x" }, { type: "text", text: "x" }, call("a"), call("b")]
    const fresh = Transcript.freshIds(parts, Transcript.callIds(conversation(assistant(call("c")))))
    assert.strictEqual(fresh.parts, parts)
    assert.deepStrictEqual(fresh.changes, [])
  })
})
