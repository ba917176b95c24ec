/** Ways in which one effect could become two, or a call never end: each is closed. */
import { CallObserver } from "#services/CallObserver"
import { Escalation } from "#services/Escalation"
import * as EscalationScripted from "#layers/EscalationScripted"
import * as Approval from "#domain/Approval"
import { Guard } from "#src/Guard"
import * as GuardedTool from "#src/GuardedTool"
import * as Toolbox from "#src/Toolbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Schema } from "effect"
import { TestClock } from "effect/testing"

const parameters = Schema.Struct({ q: Schema.String })
const Answer = Schema.Struct({ n: Schema.Int })

class FindRow extends GuardedTool.Service<FindRow>()("find_row", {
  description: "Finds a row. Read-only.",
  access: "read",
  parameters,
  success: Schema.Struct({ rows: Schema.Array(Answer) })
}) {}

class AddRow extends GuardedTool.Service<AddRow>()("add_row", {
  description: "Adds a row. Writes.",
  access: "write",
  parameters,
  success: Answer,
  reconcile: {
    tool: FindRow,
    arguments: ({ q }) => ({ q }),
    found: ({ rows }) => Option.fromUndefinedOr(rows[0])
  },
  retry: { attempts: 3 }
}) {}

class AddKeyed extends GuardedTool.Service<AddKeyed>()("add_keyed", {
  description: "Adds a row under a key. Writes.",
  access: "write",
  parameters,
  success: Answer,
  idempotency: "key"
}) {}

class Announce extends GuardedTool.Service<Announce>()("announce", {
  description: "Announces something. Read-only.",
  access: "read",
  parameters,
  success: Answer,
  approval: () => Approval.inform("It is announced."),
  concurrency: 1
}) {}

const code = <A, E extends { readonly code: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onSuccess: () => "success", onFailure: (failure) => failure.code })

describe("one effect stays one", () => {
  it.effect("8.4 an absent effect is not believed while the handler that was left behind still runs", () => {
    let effects = 0
    const slow = AddRow.layerTest(() =>
      Effect.uninterruptible(
        Effect.andThen(
          Effect.sleep("6 seconds"),
          Effect.sync(() => ({ n: (effects += 1) }))
        )
      )
    )
    const nothing = FindRow.layerTest(() => Effect.succeed({ rows: [] }))
    return Effect.gen(function* () {
      const call = yield* Effect.forkChild(code(AddRow.call({ q: "a" })))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Fiber.join(call), "outcome_unknown")
      assert.strictEqual(effects, 1)
    }).pipe(Guard.turn, Effect.provide([slow, nothing, Guard.layerMemory]))
  })

  it.effect("8.1 a second key for the same arguments needs a person however often it is sent", () => {
    let runs = 0
    const add = AddKeyed.layerTest(() => Effect.sync(() => ({ n: (runs += 1) })))
    const tools = Toolbox.make(AddKeyed)
    const send = (key: string) =>
      Effect.map(
        tools.answer({
          name: "add_keyed",
          arguments: JSON.stringify({ q: "a", idempotency_key: key.repeat(16) }),
          callId: key
        }),
        ({ outcome }) => (outcome._tag === "Success" ? "success" : outcome.failure.code)
      )
    return Effect.gen(function* () {
      assert.strictEqual(yield* send("1"), "success")
      assert.strictEqual(yield* send("2"), "approval_denied")
      assert.strictEqual(yield* send("2"), "approval_denied")
      assert.strictEqual(runs, 1)
    }).pipe(Guard.turn, Effect.provide([add, Guard.layerMemoryWith(EscalationScripted.layer(["deny"]))]))
  })
})

describe("every call ends", () => {
  it.effect("10.1 a notice that hangs does not hold up the call for ever", () => {
    const hangs = Layer.succeed(Escalation, { inform: () => Effect.never, ask: () => Effect.never })
    return Effect.gen(function* () {
      const call = yield* Effect.forkChild(Announce.call({ q: "a" }))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Fiber.join(call), { n: 1 })
    }).pipe(Effect.provide([Announce.layerTest(() => Effect.succeed({ n: 1 })), Guard.layerMemoryWith(hangs)]))
  })

  it.effect("4.9 an observer that throws costs neither the call nor its slot", () =>
    Effect.gen(function* () {
      const observed = Announce.call({ q: "a" }).pipe(
        Effect.provideService(CallObserver, () => {
          throw new Error("a user interface that breaks")
        })
      )
      assert.deepStrictEqual(yield* observed, { n: 1 })
      assert.deepStrictEqual(yield* observed, { n: 1 })
    }).pipe(Effect.provide([Announce.layerTest(() => Effect.succeed({ n: 1 })), Guard.layerMemory]))
  )
})
