/** What every layer of Escalation promises. */
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

/** A layer, and the person whom it asks. */
export interface Asked {
  readonly layer: Layer.Layer<Escalation>
  /** Answers the next question, which may be pending already. */
  readonly answers: (answer: "approve" | "deny") => Effect.Effect<void>
}

/** Each test calls `make`. */
export const escalationContract = (name: string, make: () => Asked): void => {
  const test = (what: string, use: (escalation: Escalation["Service"], asked: Asked) => Effect.Effect<void>) =>
    it.effect(what, () => {
      const asked = make()
      return Effect.flatMap(Escalation, (escalation) => use(escalation, asked)).pipe(Effect.provide(asked.layer))
    })

  describe(`Escalation (${name})`, () => {
    test("10.3 an approval names who gave it", (escalation, { answers }) =>
      Effect.gen(function* () {
        yield* answers("approve")
        const asking = yield* Effect.forkChild(escalation.ask(request), { startImmediately: true })
        const answer = yield* Fiber.join(asking)
        assert.isTrue(answer._tag === "Approved" && answer.by !== "")
      }))

    test("10.3 a denial names who gave it", (escalation, { answers }) =>
      Effect.gen(function* () {
        yield* answers("deny")
        const answer = yield* escalation.ask({ ...request, level: "block" })
        assert.isTrue(answer._tag === "Denied" && answer.by !== "")
      }))

    test("10.3 each question gets its own answer", (escalation, { answers }) =>
      Effect.gen(function* () {
        yield* answers("approve")
        assert.strictEqual((yield* escalation.ask(request))._tag, "Approved")
        yield* answers("deny")
        assert.strictEqual((yield* escalation.ask({ ...request, binding: "other" }))._tag, "Denied")
      }))

    test("10.1 a notice does not wait", (escalation) =>
      Effect.asVoid(escalation.inform({ ...request, level: "inform" })))
  })
}

/** For layers that reach no person. */
export const unreachableContract = (name: string, layer: Layer.Layer<Escalation>): void => {
  describe(`Escalation (${name})`, () => {
    it.effect("10.1 if no person can be reached, the answer comes at once", () =>
      Effect.gen(function* () {
        const escalation = yield* Escalation
        yield* escalation.inform({ ...request, level: "inform" })
        assert.deepStrictEqual(yield* escalation.ask(request), { _tag: "NoPerson" })
        assert.deepStrictEqual(yield* escalation.ask({ ...request, level: "block" }), { _tag: "NoPerson" })
      }).pipe(Effect.provide(layer))
    )
  })
}
