/** Tests that a replay prints nothing: standard output has only the report, which may be JSON. */
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import * as Replay from "#kit/replay/Replay"
import { call, conversation, user } from "./logs.ts"

describe("a recorded answer of a tool that crashed", () => {
  it.effect.each(["TypeError: a is not a function", "ReferenceError: require is not defined"])(
    "13.1 is classified as tool_crashed, and nothing is printed: %s",
    (answer) =>
      Effect.gen(function* () {
        const print = vi.spyOn(console, "log").mockImplementation(() => {})
        const warn = vi.spyOn(console, "error").mockImplementation(() => {})
        const { play } = yield* Replay.make()
        const { calls } = play(conversation([], [user("Go"), ...call("get_a", {}, answer, true)]))
        const printed = [...print.mock.calls, ...warn.mock.calls]
        vi.restoreAllMocks()
        const { outcome } = calls[0]!.record // the conversation has one call
        assert.strictEqual(outcome._tag === "Failure" ? outcome.failure.code : "", "tool_crashed")
        assert.deepStrictEqual(printed, [])
      }).pipe(Effect.scoped)
  )
})
