/** Tests that equal answers to equal calls are classified once, and that any difference is classified by itself. */
import { assert, describe, it } from "@effect/vitest"
import * as EqualAnswers from "#kit/replay/EqualAnswers"
import type { CallableTool } from "#kit/replay/CallableTool"
import type { TimelineCall } from "#kit/traffic/Timeline"

const failed = "Error: 503 Service Unavailable"

const callOf = (
  change: Partial<Record<"name" | "arguments" | "text", string>> & { readonly isError?: boolean } = {}
) => {
  const { arguments: args = '{"id":1}', isError = false, name = "get_order", text = failed } = change
  // only these fields are read
  return { call: { id: "c", name, arguments: args }, answer: { text, isError }, number: 1 } as unknown as TimelineCall
}

/** Returns a classifier, and a function that counts how often it has classified. */
const counting = (characters?: number) => {
  let reads = 0
  const endOf = EqualAnswers.make(characters)
  const end = (call: TimelineCall, source: EqualAnswers.ArgumentSource = "logged", tool?: CallableTool) =>
    endOf(call, tool, source, () => {
      reads += 1
      return { id: 1 }
    })
  return { end, reads: () => reads }
}

describe("EqualAnswers", () => {
  it("13.1 classifies an equal answer to an equal call once", () => {
    const { end, reads } = counting()
    const first = end(callOf())
    assert.deepInclude(first, { _tag: "Failure", class: "Transient", code: "unavailable" })
    assert.strictEqual(end(callOf()), first)
    assert.strictEqual(reads(), 1)
  })

  it("13.1 classifies calls that differ in anything by themselves", () => {
    const { end, reads } = counting()
    const calls = [
      callOf(),
      callOf({ name: "get_orders" }),
      callOf({ arguments: '{"id":2}' }),
      callOf({ text: "ok" }),
      callOf({ isError: true }),
      // the same characters, divided in another way
      callOf({ name: "get_order1", arguments: "a", text: "b" }),
      callOf({ name: "get_order1", arguments: "", text: "ab" })
    ]
    for (const call of calls) end(call)
    end(callOf(), "decoded")
    assert.strictEqual(reads(), calls.length + 1)
    assert.deepStrictEqual(end(callOf({ text: "ok" })), { _tag: "Success" })
  })

  it("13.1 has no end for a call without an answer", () => {
    const { end } = counting()
    assert.isUndefined(end({ ...callOf(), answer: undefined }))
  })

  it("13.1 forgets everything at a number of characters, and keeps no long text", () => {
    const few = counting(100)
    for (const id of [1, 2, 3, 1]) few.end(callOf({ arguments: `{"id":${id}}` }))
    assert.strictEqual(few.reads(), 4)
    const many = counting()
    const long = callOf({ text: `${failed} ${"x".repeat(8_000)}` })
    many.end(long)
    many.end(long)
    assert.strictEqual(many.reads(), 2)
  })
})
