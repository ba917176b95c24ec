/** Checks that no action is done twice, that the model reads no secret, and that no call hangs. */
import { CallObserver } from "#services/CallObserver"
import { Escalation } from "#services/Escalation"
import { TurnMemory } from "#services/TurnMemory"
import * as EscalationScripted from "#layers/EscalationScripted"
import * as TurnMemoryMemory from "#layers/TurnMemoryMemory"
import * as Approval from "#domain/tool/Approval"
import * as Verdict from "#domain/tool/Verdict"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
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

describe("one action only", () => {
  it.effect("8.4 the outcome is unknown if a lookup finds nothing while a late handler still runs", () => {
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

  it.effect("8.1 a second key for the same arguments needs a person, however often the model sends it", () => {
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

const token = ["ghp", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].join("_")

class ListPages extends GuardedTool.Service<ListPages>()("list_pages", {
  description: "Lists pages. Read-only.",
  access: "read",
  parameters: Schema.Struct({ cursor: Schema.optionalKey(Schema.String) }),
  success: Answer,
  checks: { more: () => Verdict.partial({ next: { cursor: `https://files.example/?access_token=${token}` } }) }
}) {}

class ReadBig extends GuardedTool.Service<ReadBig>()("read_big", {
  description: "Reads a number. Read-only.",
  access: "read",
  parameters,
  success: Schema.Unknown
}) {}

describe("the envelope that the model reads", () => {
  it.effect("4.15 a continuation that contains a secret is left out, and the hint suggests a smaller part", () =>
    Effect.gen(function* () {
      const { text } = yield* Toolbox.make(ListPages).answer({ name: "list_pages", arguments: "{}", callId: "1" })
      assert.strictEqual(text.includes(token), false)
      const { error, status } = JSON.parse(text)
      assert.strictEqual(status, "partial")
      assert.isUndefined(error.next)
      assert.include(error.hint, "smaller part")
    }).pipe(Effect.provide([ListPages.layerTest(() => Effect.succeed({ n: 1 })), Guard.layerMemory]))
  )

  it.effect("5.3 a success that cannot be shown counts as a failure for hosts too", () =>
    Effect.gen(function* () {
      const answer = yield* Toolbox.make(ReadBig).answer({ name: "read_big", arguments: `{"q":"a"}`, callId: "1" })
      assert.strictEqual(JSON.parse(answer.text).status, "error")
      assert.strictEqual(answer.isFailure, true)
    }).pipe(Effect.provide([ReadBig.layerTest(() => Effect.succeed(1n)), Guard.layerMemory]))
  )

  it.effect("4.5 an empty id, or an id that occurs only inside a longer id, counts as unseen", () =>
    Effect.gen(function* () {
      const memory = yield* TurnMemory
      const turn = { tenant: "t", conversation: "c", turn: "1" }
      yield* memory.saw(turn, `{"customer":"C-9921","orders":["O-77"]}`)
      const seen = yield* Effect.forEach(["C-9921", "O-77", "C-99", "7", "77", "", "9921"], (id) =>
        memory.hasSeen(turn, id)
      )
      assert.deepStrictEqual(seen, [true, true, false, false, false, false, false])
    }).pipe(Effect.provide(TurnMemoryMemory.layer))
  )
})

describe("every call ends", () => {
  it.effect("10.1 a notice that hangs delays the call by at most a minute", () => {
    const hangs = Layer.succeed(Escalation, { inform: () => Effect.never, ask: () => Effect.never })
    return Effect.gen(function* () {
      const call = yield* Effect.forkChild(Announce.call({ q: "a" }))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Fiber.join(call), { n: 1 })
    }).pipe(Effect.provide([Announce.layerTest(() => Effect.succeed({ n: 1 })), Guard.layerMemoryWith(hangs)]))
  })

  it.effect("4.9 an observer that throws affects neither the call nor its slot", () =>
    Effect.gen(function* () {
      const observed = Announce.call({ q: "a" }).pipe(
        Effect.provideService(CallObserver, () => {
          throw new Error("the user interface broke")
        })
      )
      assert.deepStrictEqual(yield* observed, { n: 1 })
      assert.deepStrictEqual(yield* observed, { n: 1 })
    }).pipe(Effect.provide([Announce.layerTest(() => Effect.succeed({ n: 1 })), Guard.layerMemory]))
  )
})
