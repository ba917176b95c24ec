/** Tests what a turn reports about writes whose results it no longer holds, and about writes before very many other calls. */
import * as CallMap from "#domain/turn/CallMap"
import * as Verdict from "#domain/tool/Verdict"
import * as SessionHistory from "#domain/turn/SessionHistory"
import * as TurnHistory from "#domain/turn/TurnHistory"
import * as TurnMemoryMemory from "#layers/TurnMemoryMemory"
import { TurnMemory } from "#services/TurnMemory"
import { Guard } from "#src/guard/Guard"
import * as Pipeline from "#pipeline/Pipeline"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { ask, response, tool, turn, within } from "../support.ts"

const write = (definition: object, ...answers: ReadonlyArray<unknown>) =>
  tool("close_ticket", { access: "write", ...definition }, ...answers)

const without = (...stages: ReadonlyArray<"loop" | "recall">): Layer.Layer<any> =>
  Guard.layerOf(stages.reduce<any>((all, stage) => Pipeline.remove(stage)(all), Pipeline.stages) as never).pipe(
    Layer.provide(Guard.memory)
  ) as Layer.Layer<any>

type Fixture = ReturnType<typeof tool>

/** Makes the identical call twice. Returns code, class, side effect and hint of the second answer. */
const again = ({ tool }: Fixture) =>
  Effect.gen(function* () {
    yield* ask([tool], tool.toolName, '{"q":"a"}', { callId: "c1" })
    const { attempts, envelope } = yield* ask([tool], tool.toolName, '{"q":"a"}', { callId: "c2" })
    const { code, error_class, hint, next_step, retryable, side_effect = "none" } = envelope.error
    return { attempts, code, error_class, hint, next_step, retryable, side_effect }
  })

const refused = { attempts: 0, code: "retry_budget_exceeded", error_class: "transient", retryable: false }

describe("a write whose result is no longer held", () => {
  const half = { checks: { half: () => Verdict.partial({ narrow: "Close fewer tickets." }) } }

  it.effect("3.3 after a partial result of a 202, the repetition is refused with `unknown`, never `committed`", () => {
    const close = write(half, response(202, '{"n":1}'))
    return Effect.gen(function* () {
      const { hint, ...second } = yield* again(close)
      assert.deepStrictEqual(second, { ...refused, next_step: "ask_user", side_effect: "unknown" })
      assert.match(hint, /It is not known what was done\. Do not repeat the call/)
      assert.strictEqual(close.runs(), 1)
    }).pipe(within([close.layer], without("loop", "recall")))
  })

  it.effect("3.3 after a large result that proves the action, the repetition is refused with `committed`", () => {
    const text = "x".repeat(300_000)
    const close = write({ success: Schema.Struct({ text: Schema.String }) }, response(200, JSON.stringify({ text })))
    return Effect.gen(function* () {
      const { side_effect } = yield* again(close)
      assert.strictEqual(side_effect, "committed")
      assert.strictEqual(close.runs(), 1)
    }).pipe(within([close.layer], without("loop", "recall")))
  })
})

describe("a turn with very many calls", () => {
  it.effect(
    `4.6 after ${CallMap.maxCalls} different writes, the next write is refused, and a known write keeps its report`,
    () => {
      const add = tool("add_row", { access: "write" }, { n: 1 })
      return Effect.gen(function* () {
        yield* ask([add.tool], "add_row", { q: "known" }, { callId: "c0" })
        const { modifyTurn } = yield* TurnMemory
        yield* modifyTurn(turn, (history) => [undefined, filled(history)])
        const { attempts, decisions, envelope, outcome } = yield* ask(
          [add.tool],
          "add_row",
          { q: "new" },
          { callId: "c1" }
        )
        assert.deepStrictEqual([attempts, outcome._tag === "Failure" && outcome.isFinal], [0, true])
        assert.deepInclude(decisions, {
          stage: "recall",
          decision: "refused",
          reason: "the turn has made as many different writes as it may"
        })
        assert.deepInclude(envelope.error, { error_class: "resource", code: "limit_exceeded", retryable: false })
        assert.strictEqual(
          envelope.error.message,
          `This turn has made ${CallMap.maxCalls} different writes, the maximum that the guard distinguishes; add_row was not called.`
        )
        const known = yield* ask([add.tool], "add_row", { q: "known" }, { callId: "c2" })
        assert.strictEqual(known.envelope.executed, false)
        assert.strictEqual(add.runs(), 1)
      }).pipe(within([add.layer], Guard.layerMemory.pipe(Layer.provideMerge(TurnMemoryMemory.layer))))
    }
  )

  it("7.1 in a session with as many writes, those whose counts have lapsed make room", () => {
    const session = filled(SessionHistory.begin(TurnHistory.empty, "recent", 0)[1])
    const isFull = (history: TurnHistory.TurnHistory) => TurnHistory.begin(history, "new", question("new"))[0]?._tag
    assert.strictEqual(isFull(session), "Full")
    const [, later] = SessionHistory.begin(session, "new", 30_000)
    assert.isUndefined(isFull(later))
  })
})

const question = (call: string) => ({
  call,
  repeats: "once" as const,
  maxRepeats: 10,
  isKeyed: false,
  modelKey: "",
  isContinued: false,
  resumedId: undefined
})

/** Adds different writes that did nothing, until the turn refuses further writes. */
const filled = (history: TurnHistory.TurnHistory): TurnHistory.TurnHistory => {
  let after = history
  for (let n = 0; n < CallMap.maxCalls; n++) {
    const [, running] = TurnHistory.begin(after, `other ${n}`, question(`other ${n}`))
    after = TurnHistory.stopped(running, `other ${n}`)
  }
  return after
}
