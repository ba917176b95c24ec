/** What every layer of Escalation promises. */
import { Escalation, type EscalationRequest } from "#services/Escalation"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type * as Layer from "effect/Layer"
import { turn } from "./outcomes.ts"

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

export interface EscalationLayers {
  /** Where nobody can be reached. */
  readonly nobody?: Layer.Layer<Escalation>
  /** Where a person says yes to every question. */
  readonly agreeing?: Layer.Layer<Escalation>
  /** Where a person says no to every question. */
  readonly denying?: Layer.Layer<Escalation>
}

export const escalationContract = (name: string, layers: EscalationLayers): void => {
  const test = (
    what: string,
    layer: Layer.Layer<Escalation> | undefined,
    use: (escalation: Escalation["Service"]) => Effect.Effect<void>
  ) => {
    if (layer !== undefined) it.effect(what, () => Effect.flatMap(Escalation, use).pipe(Effect.provide(layer)))
  }

  describe(`Escalation (${name})`, () => {
    test("10.1 where nobody can be reached, the answer comes at once", layers.nobody, (escalation) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* escalation.ask(request), { _tag: "NoPerson" })
        assert.deepStrictEqual(yield* escalation.ask({ ...request, level: "block" }), { _tag: "NoPerson" })
      })
    )

    test("10.3 a yes says who gave it", layers.agreeing, (escalation) =>
      Effect.gen(function* () {
        const answer = yield* escalation.ask(request)
        assert.strictEqual(answer._tag, "Approved")
        assert.isTrue(answer._tag === "Approved" && answer.by !== "")
      })
    )

    test("10.3 a no says who gave it", layers.denying, (escalation) =>
      Effect.gen(function* () {
        const answer = yield* escalation.ask(request)
        assert.isTrue(answer._tag === "Denied" && answer.by !== "")
      })
    )

    for (const [which, layer] of Object.entries(layers)) {
      test(`10.1 a notice waits for nobody (${which})`, layer, (escalation) =>
        Effect.asVoid(escalation.inform({ ...request, level: "inform" }))
      )
    }
  })
}
