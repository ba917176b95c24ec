/** Makes a run whose prompt, arguments, results, approvals and unknown outcomes contain planted words. */
import type { Layer } from "effect"
import { Approvals } from "#services/Approvals"
import { Artifacts } from "#services/Artifacts"
import { Checkpoints } from "#services/Checkpoints"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import { assert } from "@effect/vitest"
import { Duration, Effect, Redacted, Schema } from "effect"
import { opening } from "../contracts/Approvals.ts"
import { response, tool } from "../pipeline/support.ts"
import { begin, byPlace, onStores, resume, type World } from "./processes.ts"
import { call } from "./support.ts"

/** The planted words. None of them looks like a secret that the redactor would remove. */
export const planted = {
  prompt: "zebrafinch prompt",
  argument: "kookaburra argument",
  result: "wombat result",
  unknown: "platypus argument",
  hidden: "echidna hidden",
  reason: "quokka reason",
  artifact: "bandicoot artifact"
}

/** Returns the planted words that a dump of a store contains. */
export const wordsIn = (dump: string): ReadonlyArray<string> =>
  Object.values(planted).filter((word) => dump.includes(word) || dump.includes(word.split(" ")[0]!))

/** Makes a run that needs a person, resumes it to its end, and uses the other stores. */
export const plantedRun = (stores: Layer.Layer<any, any>): Effect.Effect<void, any> => {
  const success = Schema.Struct({ text: Schema.String })
  const refund = tool("refund", { access: "write", idempotency: "derived", success }, { text: planted.result })
  const send = tool("send", { access: "write", success }, response(500, "{}"), { text: planted.result })
  const world: World = {
    tools: [refund, send],
    model: byPlace([
      call("refund", { q: planted.argument }, "c1"),
      call("send", { q: planted.unknown }, "c2"),
      `It is done: ${planted.result}`
    ])
  }
  return Effect.gen(function* () {
    const { end } = yield* begin(world, { prompt: planted.prompt })
    assert.strictEqual(end._tag, "NeedsPerson")
    const outcomes = yield* UnknownOutcomes
    const [open] = yield* outcomes.open({ limit: 10 })
    assert.deepStrictEqual(open?.arguments, { q: planted.unknown })
    const approvals = yield* Approvals
    const { request } = yield* approvals.open(
      opening("planted", { arguments: { q: planted.argument }, revealed: Redacted.make(planted.hidden) })
    )
    assert.strictEqual(yield* approvals.reveal(request.id, "ana"), planted.hidden)
    const artifacts = yield* Artifacts
    const turn = { tenant: "t", conversation: "c", turn: "1" }
    const id = yield* artifacts.put({ turn, text: JSON.stringify(planted.artifact), timeToLive: Duration.hours(1) })
    assert.strictEqual(yield* artifacts.read(turn, id), JSON.stringify(planted.artifact))
  }).pipe(
    Effect.andThen(
      Effect.gen(function* () {
        const outcomes = yield* UnknownOutcomes
        const [open] = yield* outcomes.open({ limit: 10 })
        const { id } = yield* (yield* Approvals).open(opening("decided")).pipe(Effect.map(({ request }) => request))
        yield* (yield* Approvals).decide(id, { verdict: "deny", by: "ana", reason: planted.reason })
        yield* outcomes.settle(open!.id, { finding: "done", by: "ana", reason: planted.reason, result: { text: "x" } })
        const { end } = yield* resume(world)
        assert.strictEqual(end._tag, "Answered")
        assert.strictEqual((yield* (yield* Checkpoints).list).length, 1)
      })
    ),
    onStores(stores)
  )
}
