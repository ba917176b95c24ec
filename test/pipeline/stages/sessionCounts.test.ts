/** Tests when the counts of identical calls lapse in a session, and what a person's approval of a repetition permits. */
import * as EscalationScripted from "#layers/EscalationScripted"
import { EscalationPolicy } from "#services/Policies"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ask, start, tool, turn, within } from "../support.ts"

type Fixture = ReturnType<typeof tool>

const session = { ...turn, isSession: true }

/** Makes the identical call. Returns what the model reads: a code, or the result and its marks. */
const called = ({ tool }: Fixture, wait?: number) =>
  Effect.gen(function* () {
    const call = yield* start(ask([tool], tool.toolName, '{"q":"a"}'))
    if (wait !== undefined) yield* TestClock.adjust(`${wait} seconds`)
    const { envelope } = yield* Fiber.join(call)
    if (envelope.status === "error") return envelope.error.code as string
    return envelope.unchanged === true ? "unchanged" : envelope.executed === false ? "not executed" : "made"
  })

describe("loop: the counts of a session", () => {
  for (const [host, owner, seconds, expected] of [
    ["a session", session, 60, ["made", "unchanged"]],
    ["a session", session, 59, ["loop_detected", "loop_detected"]],
    ["a turn", turn, 3_600, ["loop_detected", "loop_detected"]]
  ] as const) {
    it.effect(
      `7.1 after ${seconds} seconds without the call, the calls of ${host} read ${expected.join(" and ")}`,
      () => {
        const search = tool("search", { budget: 9 }, { n: 1 })
        return Effect.gen(function* () {
          assert.deepStrictEqual(
            [yield* called(search), yield* called(search), yield* called(search)],
            ["made", "unchanged", "loop_detected"]
          )
          yield* TestClock.adjust(`${seconds} seconds`)
          const later: ReadonlyArray<string> = [yield* called(search), yield* called(search)]
          assert.deepStrictEqual(later, expected)
        }).pipe(within([search.layer], undefined, owner))
      }
    )
  }

  it.effect("7.1 the 60 seconds begin when the call has ended", () => {
    const slow = { budget: 9, timeout: "2 minutes", deadline: "2 minutes" }
    const search = tool("search", slow, Effect.delay(Effect.succeed({ n: 1 }), "50 seconds"))
    return Effect.gen(function* () {
      assert.strictEqual(yield* called(search, 50), "made")
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* called(search, 50), "unchanged")
    }).pipe(within([search.layer], undefined, session))
  })

  it.effect("7.1 the counts lapse more than once", () => {
    const search = tool("search", { budget: 9 }, { n: 1 })
    return Effect.gen(function* () {
      for (const runs of [2, 4, 6]) {
        assert.deepStrictEqual([yield* called(search), yield* called(search)], ["made", "unchanged"])
        assert.strictEqual(search.runs(), runs)
        yield* TestClock.adjust("60 seconds")
      }
    }).pipe(within([search.layer], undefined, session))
  })

  it.effect("4.7 a write that did nothing has its budget again once its counts have lapsed", () => {
    const save = tool("save", { access: "write" }, Effect.fail(GuardedTool.nothingDone(new Error("closed"))))
    return Effect.gen(function* () {
      yield* called(save)
      yield* called(save)
      assert.strictEqual(save.runs(), 1)
      yield* TestClock.adjust("60 seconds")
      yield* called(save)
      assert.strictEqual(save.runs(), 2)
    }).pipe(within([save.layer], undefined, session))
  })
})

describe("loop: a person's approval of a write that was repeated as often as it may", () => {
  const runsOf = (press: Fixture) =>
    Effect.gen(function* () {
      for (let n = 0; n < 10; n++) assert.strictEqual(yield* called(press), "made")
      // the next call is answered with the first result, and a person is asked about the one after it
      yield* called(press)
      assert.strictEqual(press.runs(), 10)
      yield* called(press)
      return press.runs()
    })
  const key = () => tool("press_key", { access: "write", idempotency: "none", repeats: "allowed" }, { n: 1 })

  it.effect("7.3 makes the write again", () => {
    const press = key()
    return Effect.gen(function* () {
      assert.strictEqual(yield* runsOf(press), 11)
    }).pipe(within([press.layer], Guard.layerMemoryWith(EscalationScripted.layer(["approve"]))))
  })

  it.effect("7.3 is not given by a policy that lets the repetition pass", () => {
    const press = key()
    return Effect.gen(function* () {
      assert.strictEqual(yield* runsOf(press), 10)
    }).pipe(
      Effect.provideService(EscalationPolicy, () => "auto" as const),
      within([press.layer])
    )
  })
})
