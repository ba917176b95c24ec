/**
 * Tests that a replay of a log decides as the guard did when the log was recorded, and that a changed rule of the core
 * changes the live run, the replay and the explanation.
 */
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import type { RecordedMessage } from "#kit/traffic/Conversation"
import { conversation } from "./logs.ts"

afterEach(() => {
  vi.doUnmock("#domain/tool/LoopThresholds")
  vi.resetModules()
})

interface Step {
  readonly tool: "get_a" | "list_b" | "update_c"
  readonly arguments: string
  /** The tool's answer: a text, or an error. */
  readonly answer: { readonly text: string } | { readonly error: string }
}

/** Runs steps with a freshly loaded guard, then replays and explains their log. */
const runAndReplay = async (steps: ReadonlyArray<Step>) => {
  const [{ Guard }, GuardedTool, Toolbox, Replay, { explain }, CallTally, EscalationMemory] = await Promise.all([
    import("#src/guard/Guard"),
    import("#src/tool/GuardedTool"),
    import("#src/tool/Toolbox"),
    import("#kit/replay/Replay"),
    import("#kit/explain/Explain"),
    import("#domain/call/CallTally"),
    import("#layers/EscalationMemory")
  ])
  const policy = { success: Schema.String, retry: { attempts: 1 }, circuit: false, budget: 3 } as const
  class GetA extends GuardedTool.Service<GetA>()("get_a", {
    ...policy,
    description: "Reads a.",
    access: "read",
    parameters: Schema.Struct({ n: Schema.Int, x: Schema.optionalKey(Schema.String) })
  }) {}
  class ListB extends GuardedTool.Service<ListB>()("list_b", {
    ...policy,
    description: "Lists b.",
    access: "read",
    parameters: Schema.Struct({ n: Schema.Int, x: Schema.optionalKey(Schema.String) })
  }) {}
  class UpdateC extends GuardedTool.Service<UpdateC>()("update_c", {
    success: Schema.String,
    budget: 3,
    circuit: false,
    description: "Updates c. Writes.",
    access: "write",
    parameters: Schema.Struct({ n: Schema.Int, x: Schema.optionalKey(Schema.String) })
  }) {}
  let current: Step | undefined
  const handler = () =>
    Effect.suspend(() => {
      const { answer } = current ?? { answer: { error: "no step is running" } }
      return "text" in answer ? Effect.succeed(answer.text) : Effect.fail(new Error(answer.error))
    })
  const box = Toolbox.make(GetA, ListB, UpdateC)
  const live = await Effect.runPromise(
    Guard.turn(
      Effect.forEach(steps, (step, index) => {
        current = step
        return box.answer({ name: step.tool, arguments: step.arguments, callId: `${index}`, round: index + 1 })
      })
    ).pipe(
      Effect.provide([
        GetA.layerTest(handler),
        ListB.layerTest(handler),
        UpdateC.layerTest(handler),
        Layer.provideMerge(Guard.layerMemory, EscalationMemory.layer)
      ])
    )
  )
  const messages: ReadonlyArray<RecordedMessage> = steps.flatMap((step, index): ReadonlyArray<RecordedMessage> => [
    { role: "assistant", text: "", calls: [{ id: `${index}`, name: step.tool, arguments: step.arguments }] },
    "text" in step.answer
      ? { role: "tool", callId: `${index}`, text: step.answer.text }
      : { role: "tool", callId: `${index}`, text: step.answer.error, isError: true }
  ])
  const replay = await Effect.runPromise(Effect.scoped(Replay.make({ tools: box.tools })))
  const replayed = replay.play(conversation([], [{ role: "user", text: "go" }, ...messages])).calls
  const outcome = (of: { readonly _tag: string; readonly failure?: { readonly code: string } }) =>
    of.failure?.code ?? of._tag
  return {
    live: live.map((answer) => `${outcome(answer.outcome)} ${answer.attempts}`),
    replayed: replayed.map(({ record }) => `${outcome(record.outcome)} ${record.attempts.length}`),
    explained: replayed.map(
      ({ record }) => explain(record, { name: "", arguments: "", issues: [], earlier: [], isSuspect: false }).verdict
    ),
    savings: replayed.map(({ record }) => CallTally.of(record).saving)
  }
}

const Steps = Schema.Array(
  Schema.Struct({
    tool: Schema.Literals(["get_a", "list_b", "update_c"]),
    arguments: Schema.Literals(['{"n":1}', '{"n":2}', '{"n":1,"x":"y"}', '{"n":"1"}', '{"n":1', "[]"]),
    answer: Schema.Union([
      Schema.Struct({ text: Schema.Literals(["all well", "other", ""]) }),
      Schema.Struct({ error: Schema.Literals(["connect ECONNREFUSED 10.0.0.1:1", "403 Forbidden", "no such id"]) })
    ])
  })
).check(Schema.isMaxLength(14))

describe("replay and production", () => {
  it.effect.prop(
    "13.1 a replay makes the same decision on each call as the guard that recorded the log",
    { steps: Steps },
    ({ steps }) =>
      Effect.promise(async () => {
        const { live, replayed } = await runAndReplay(steps)
        assert.deepStrictEqual(replayed, live)
      }),
    { arbitrary: { runs: 150 } }
  )

  it("13.1 a read that is repeated before its stated time waits in the replay, as in the live run", async () => {
    const read = { tool: "get_a", arguments: '{"n":1}' } as const
    const { live, replayed } = await runAndReplay([
      { ...read, answer: { error: "connect ECONNREFUSED 10.0.0.1:1" } },
      { ...read, answer: { text: "all well" } }
    ])
    assert.deepStrictEqual(live, ["connection_failed 1", "Success 1"])
    assert.deepStrictEqual(replayed, live)
  })

  const again = (count: number): ReadonlyArray<Step> =>
    Array.from({ length: count }, () => ({ tool: "get_a", arguments: '{"n":1}', answer: { text: "all well" } }))

  it("13.1 a changed rule of the core changes the live run, the replay and the explanation", async () => {
    const usual = await runAndReplay(again(4))
    assert.deepStrictEqual(usual.live, ["Success 1", "Success 1", "loop_detected 0", "loop_detected 0"])
    assert.deepStrictEqual(usual.replayed, usual.live)
    assert.deepStrictEqual(usual.explained, ["passed", "passed", "stopped", "stopped"])

    vi.resetModules()
    vi.doMock("#domain/tool/LoopThresholds", async (original) => ({
      ...(await original<object>()),
      defaults: { identical: 1, cycles: 3, sameFailure: 4, noProgress: 8, repeats: 10 }
    }))
    const altered = await runAndReplay(again(4))
    assert.deepStrictEqual(altered.live, ["Success 1", "loop_detected 0", "loop_detected 0", "loop_detected 0"])
    assert.deepStrictEqual(altered.replayed, altered.live)
    assert.deepStrictEqual(altered.explained, ["passed", "stopped", "stopped", "stopped"])
    assert.deepStrictEqual(altered.savings, [undefined, "loop", "loop", "loop"])
  })
})
