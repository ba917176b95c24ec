import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Prompt } from "effect/ai"
import * as IncrementalRepair from "#domain/transcript/IncrementalRepair"
import * as Transcript from "#domain/transcript/Transcript"
import {
  assistant,
  call,
  conversation,
  Damage,
  damage,
  fromPlan,
  Plan,
  result,
  system,
  text,
  tool,
  user
} from "../../support/conversation.ts"

const interrupted = (id: string, name = "search") =>
  Prompt.toolResultPart({
    id,
    name,
    isFailure: true,
    result: Transcript.interrupted({ id, name }),
    providerExecuted: false
  })

/** Asserts the repaired form of a damaged conversation and the reported changes, and that the form is valid. */
const repairs = (
  damaged: Prompt.Prompt,
  expected: ReadonlyArray<Prompt.Message>,
  changes: ReadonlyArray<Transcript.Change>
) => {
  const repaired = Transcript.repair(damaged)
  assert.deepStrictEqual(repaired.prompt.content, expected)
  assert.deepStrictEqual(repaired.changes, changes)
  assert.deepStrictEqual(Transcript.validate(repaired.prompt), [])
}

describe("Transcript.repair", () => {
  it("9.4 returns a valid conversation as the same object", () => {
    const valid = conversation(
      system("s"),
      user("u"),
      assistant(call("a"), call("b")),
      tool(result("a")),
      tool(result("b")),
      assistant(text("done"))
    )
    const repaired = Transcript.repair(valid)
    assert.strictEqual(repaired.prompt, valid)
    assert.deepStrictEqual(repaired.changes, [])
  })

  it("9.4 assigns a result to the latest earlier call with the same id", () => {
    const first = { ...call("a"), params: { n: 1 } }
    const second = { ...call("a"), params: { n: 2 } }
    const { prompt } = Transcript.repair(
      conversation(user("u"), assistant(first), assistant(second), tool(result("a")), assistant(text("done")))
    )
    const results = prompt.content.flatMap((message) =>
      message.role === "tool" ? message.content.flatMap((part) => (part.type === "tool-result" ? [part] : [])) : []
    )
    assert.deepStrictEqual(
      results.map(({ isFailure, result: value }) => [isFailure, value]),
      [
        [true, Transcript.interrupted({ id: "a", name: "search" })],
        [false, result("a").result]
      ]
    )
  })

  it("9.4 answers a call without a result with an envelope that reports it as interrupted", () => {
    repairs(
      conversation(user("u"), assistant(call("a"), call("b")), tool(result("b"))),
      [user("u"), assistant(call("a"), call("b")), tool(interrupted("a"), result("b"))],
      [{ _tag: "OrphanCallAnswered", message: 1, callId: "a" }]
    )
    assert.deepStrictEqual(JSON.parse(String(Transcript.interrupted({ id: "a", name: "search" }))), {
      status: "error",
      error: {
        error_class: "transient",
        code: "interrupted",
        message: "The call was interrupted before its result was recorded.",
        hint: "If it only reads, call it again. If it changes something, check first whether it was done.",
        next_step: "continue",
        side_effect: "unknown"
      }
    })
  })

  it("9.4 uses the result that the caller of repair provides for a call without a result", () => {
    const { prompt } = Transcript.repair(conversation(assistant(call("a"))), ({ id, name }) => ({
      lost: `${name} ${id}`
    }))
    assert.deepStrictEqual(prompt.content[1], tool({ ...interrupted("a"), result: { lost: "search a" } }))
  })

  it("9.4 drops results without a call, and all but the first result of a call", () => {
    repairs(
      conversation(
        tool(result("x")),
        user("u"),
        assistant(call("a")),
        tool(result("a", "first"), result("a", "second")),
        assistant(text("ok")),
        tool(result("a", "third"))
      ),
      [user("u"), assistant(call("a")), tool(result("a", "first")), assistant(text("ok"))],
      [
        { _tag: "OrphanResultDropped", message: 0, callId: "x" },
        { _tag: "DuplicateResultDropped", message: 3, callId: "a" },
        { _tag: "DuplicateResultDropped", message: 5, callId: "a" }
      ]
    )
  })

  it("9.1 sorts results into the order of their calls", () => {
    repairs(
      conversation(assistant(call("a"), call("b"), call("c")), tool(result("c"), result("a")), tool(result("b"))),
      [assistant(call("a"), call("b"), call("c")), tool(result("a"), result("b"), result("c"))],
      [{ _tag: "ResultsReordered", message: 1 }]
    )
  })

  it("9.4 moves a result directly after its call, from before it or after other messages", () => {
    repairs(
      conversation(
        tool(result("b")),
        assistant(call("a")),
        user("and now?"),
        assistant(text("wait"), call("b")),
        tool(result("a"))
      ),
      [
        assistant(call("a")),
        tool(result("a")),
        user("and now?"),
        assistant(text("wait"), call("b")),
        tool(result("b"))
      ],
      [
        { _tag: "ResultMoved", message: 0, callId: "b" },
        { _tag: "ResultMoved", message: 4, callId: "a" }
      ]
    )
  })

  it("9.4 moves results in assistant messages to the role tool, except results of the provider's calls", () => {
    const own = Prompt.toolCallPart({ id: "p", name: "web", params: {}, providerExecuted: true })
    const ownResult = { ...result("p", "found", "web"), providerExecuted: true }
    repairs(
      conversation(assistant(own, ownResult, call("a"), result("a")), user("u")),
      [assistant(own, ownResult, call("a")), tool(result("a")), user("u")],
      [{ _tag: "RoleCorrected", message: 0, callId: "a" }]
    )
  })

  it("9.2 recognises results in user messages if a call has no result yet", () => {
    repairs(
      conversation(
        assistant(call("a"), call("b", "read")),
        user("Tool result for a: 3 rows"),
        user("Function output (read):\nline 1\nline 2"),
        user("Tool result for a: this is my own text")
      ),
      [
        assistant(call("a"), call("b", "read")),
        tool(result("a", "3 rows"), result("b", "line 1\nline 2", "read")),
        user("Tool result for a: this is my own text")
      ],
      [
        { _tag: "RoleCorrected", message: 1, callId: "a" },
        { _tag: "RoleCorrected", message: 2, callId: "b" }
      ]
    )
  })

  it("9.4 removes empty content, and adds a text to an empty user message", () => {
    repairs(
      conversation(
        system(""),
        user(""),
        assistant(text(""), text("hi")),
        assistant(Prompt.reasoningPart({ text: "hm" })),
        tool(),
        assistant()
      ),
      [user("(empty message)"), assistant(text("hi"))],
      [0, 1, 2, 3, 4, 5].map((message) => ({ _tag: "EmptyContentRemoved", message }))
    )
  })

  it("9.4 removes only the empty texts of a user message", () => {
    repairs(
      conversation(Prompt.userMessage({ content: [text(""), text("u"), text("")] })),
      [user("u")],
      [{ _tag: "EmptyContentRemoved", message: 0 }]
    )
  })

  it("9.1 replaces empty and repeated ids in call and result alike", () => {
    repairs(
      conversation(
        assistant(call("", "search", 1), call("", "read", 2), call("a", "search", 3)),
        tool(result("", 1), result("", 2, "read"), result("a", 3)),
        assistant(call("a", "search", 4)),
        tool(result("a", 4))
      ),
      [
        assistant(call("call_2", "search", 1), call("call_3", "read", 2), call("a", "search", 3)),
        tool(result("call_2", 1), result("call_3", 2, "read"), result("a", 3)),
        assistant(call("call_4", "search", 4)),
        tool(result("call_4", 4))
      ],
      [
        { _tag: "CallIdReplaced", message: 0, callId: "call_2", was: "" },
        { _tag: "CallIdReplaced", message: 0, callId: "call_3", was: "" },
        { _tag: "CallIdReplaced", message: 2, callId: "call_4", was: "a" }
      ]
    )
  })

  it("9.1 matches a result to a call by tool name if either lost its id", () => {
    repairs(
      conversation(assistant(call("", "search"), call("b", "read")), tool(result("a", 1), result("", 2, "read"))),
      [
        assistant(call("call_2", "search", { q: "" }), call("b", "read")),
        tool(result("call_2", 1), result("b", 2, "read"))
      ],
      [
        { _tag: "CallIdReplaced", message: 0, callId: "call_2", was: "" },
        { _tag: "CallIdReplaced", message: 1, callId: "call_2", was: "a" },
        { _tag: "CallIdReplaced", message: 1, callId: "b", was: "" }
      ]
    )
  })

  it("9.4 fills a result without a value, because such a result cannot be stored", () => {
    repairs(
      conversation(assistant(call("a")), tool(result("a", null), { ...result("a"), result: undefined })),
      [assistant(call("a")), tool(result("a", null))],
      [{ _tag: "DuplicateResultDropped", message: 1, callId: "a" }]
    )
    repairs(
      conversation(assistant(call("a")), tool({ ...result("a"), result: undefined })),
      [assistant(call("a")), tool(result("a", null))],
      [{ _tag: "ResultFilled", message: 1, callId: "a" }]
    )
  })

  it("9.4 keeps approvals, and updates their call id if it is replaced", () => {
    const request = Prompt.toolApprovalRequestPart({ approvalId: "p", toolCallId: "a" })
    const response = Prompt.toolApprovalResponsePart({ approvalId: "p", approved: true })
    repairs(
      conversation(assistant(call("a")), tool(result("a")), assistant(call("a"), request), tool(response, result("a"))),
      [
        assistant(call("a")),
        tool(result("a")),
        assistant(call("call_2", "search", { q: "a" }), { ...request, toolCallId: "call_2" }),
        tool(result("call_2", "result of a")),
        tool(response)
      ],
      [{ _tag: "CallIdReplaced", message: 2, callId: "call_2", was: "a" }]
    )
  })

  it("9.4 does not change valid rounds while others are repaired", () => {
    const fine = [assistant(call("a"), call("b")), tool(result("a")), tool(result("b"))] as const
    const { prompt } = Transcript.repair(conversation(...fine, assistant(call("c"))))
    assert.strictEqual(prompt.content[0], fine[0])
    assert.strictEqual(prompt.content[1], fine[1])
    assert.strictEqual(prompt.content[2], fine[2])
  })

  it.prop("9.1 accepts every conversation of a well-behaved loop", [Plan], ([plan]) => {
    assert.deepStrictEqual(Transcript.validate(fromPlan(plan)), [])
  })

  it.prop(
    "9.4 makes any damaged conversation valid, and a second repair changes nothing",
    [Plan, Schema.Array(Damage).check(Schema.isMaxLength(10))],
    ([plan, damages]) => {
      const damaged = damages.reduce(damage, fromPlan(plan))
      const first = Transcript.repair(damaged)
      assert.deepStrictEqual(Transcript.validate(first.prompt), [])
      const second = Transcript.repair(first.prompt)
      assert.strictEqual(second.prompt, first.prompt)
      assert.deepStrictEqual(second.changes, [])
      assert.strictEqual(first.changes.length === 0, Transcript.validate(damaged).length === 0)
      const stored = Schema.encodeSync(Prompt.Prompt)(first.prompt)
      assert.deepStrictEqual(Schema.decodeSync(Prompt.Prompt)(JSON.parse(JSON.stringify(stored))), first.prompt)
    },
    { arbitrary: { runs: 400 } }
  )

  /** The number of conversations that the next test compares. It skips a conversation that is cut in a round or repeats an id. */
  let compared = 0

  it.prop(
    "9.4 repairs added messages as a repair of the whole conversation would",
    [Plan, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 })), Schema.Array(Damage)],
    ([plan, at, damages]) => {
      const { content } = fromPlan(plan)
      const before = Prompt.fromMessages(content.slice(0, at))
      if (Transcript.validate(before).length > 0) return // the cut is within a round
      const grown = damages.reduce(damage, Prompt.fromMessages(content.slice(at)))
      const seen = Transcript.callIds(before)
      if ([...Transcript.callIds(grown)].some((id) => seen.has(id))) return // an id is repeated
      const whole = Prompt.concat(before, grown)
      compared += 1
      assert.deepStrictEqual(IncrementalRepair.repair(whole, before), Transcript.repair(whole))
    },
    { arbitrary: { runs: 400 } }
  )

  it("9.4 the previous test compared more than 40 conversations", () => assert.isAbove(compared, 40))
})
