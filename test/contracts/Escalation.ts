/** Tests that every layer of Escalation must pass. */
import { Escalation, type EscalationRequest } from "#services/Escalation"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type * as Layer from "effect/Layer"
import { turn } from "./values.ts"

export const request: EscalationRequest = {
  level: "confirm",
  reason: "approval",
  tool: "refund_order",
  sentence: "Refund 20000 cents",
  arguments: { cents: 20_000 },
  binding: "digest",
  turn,
  traceId: "trace"
}

/** A layer, and a function that sets the answers of its person. */
export interface ScriptedPerson {
  readonly layer: Layer.Layer<Escalation>
  /** Answers the pending question, or else the next question. */
  readonly answers: (answer: "approve" | "deny") => Effect.Effect<void>
}

/** Defines the tests. Each test calls `make`. */
export const escalationContract = (name: string, make: () => ScriptedPerson): void => {
  const test = (
    what: string,
    use: (escalation: Escalation["Service"], person: ScriptedPerson) => Effect.Effect<void>
  ) =>
    it.effect(what, () => {
      const person = make()
      return Effect.flatMap(Escalation, (escalation) => use(escalation, person)).pipe(Effect.provide(person.layer))
    })

  describe(`Escalation (${name})`, () => {
    test("10.3 an approval names the approver", (escalation, { answers }) =>
      Effect.gen(function* () {
        yield* answers("approve")
        const asking = yield* Effect.forkChild(escalation.ask(request), { startImmediately: true })
        const answer = yield* Fiber.join(asking)
        assert.isTrue(answer._tag === "Approved" && answer.by !== "")
      }))

    test("10.3 a denial names the approver", (escalation, { answers }) =>
      Effect.gen(function* () {
        yield* answers("deny")
        const answer = yield* escalation.ask({ ...request, level: "block" })
        assert.isTrue(answer._tag === "Denied" && answer.by !== "")
      }))

    test("10.3 each question has a separate answer", (escalation, { answers }) =>
      Effect.gen(function* () {
        yield* answers("approve")
        assert.strictEqual((yield* escalation.ask(request))._tag, "Approved")
        yield* answers("deny")
        assert.strictEqual((yield* escalation.ask({ ...request, binding: "other" }))._tag, "Denied")
      }))

    test("10.1 a notification does not wait", (escalation) =>
      Effect.asVoid(escalation.inform({ ...request, level: "inform" })))
  })
}

/** Defines the tests of layers that cannot reach a person. */
export const unreachableContract = (name: string, layer: Layer.Layer<Escalation>): void => {
  describe(`Escalation (${name})`, () => {
    it.effect("10.1 if no person can be reached, the answer is immediate", () =>
      Effect.gen(function* () {
        const escalation = yield* Escalation
        yield* escalation.inform({ ...request, level: "inform" })
        assert.deepStrictEqual(yield* escalation.ask(request), { _tag: "NoPerson" })
        assert.deepStrictEqual(yield* escalation.ask({ ...request, level: "block" }), { _tag: "NoPerson" })
      }).pipe(Effect.provide(layer))
    )
  })
}
