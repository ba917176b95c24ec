/** Tests that no seeded or constant `Random` decides what grants access: each id and token is unguessable. */
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as ApproversList from "#layers/ApproversList"
import * as ArtifactsMemory from "#layers/ArtifactsMemory"
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as SqliteNode from "#layers/SqliteNode"
import * as StoresSql from "#layers/StoresSql"
import * as UnguessableSeeded from "#layers/UnguessableSeeded"
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import * as InboxSessions from "#layers/internal/inbox/Sessions"
import { Approvals } from "#services/Approvals"
import { Artifacts } from "#services/Artifacts"
import { Checkpoints } from "#services/Checkpoints"
import { CurrentTurn } from "#services/CurrentTurn"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import { Guard, newTurn } from "#src/guard/Guard"
import * as Elicitation from "#src/mcp/serve/Elicitation"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Random, Redacted } from "effect"
import { outside, settled, tool } from "../pipeline/support.ts"

const turn = { tenant: "t", conversation: "c", turn: "1" }

const artifact = Effect.flatMap(Artifacts, (artifacts) =>
  artifacts.put({ turn, text: "a", timeToLive: Duration.hours(1) })
)

const approval = Effect.flatMap(Approvals, (approvals) =>
  Effect.map(
    approvals.open({
      level: "confirm",
      reason: "approval",
      tool: "refund",
      sentence: "Refund",
      arguments: {},
      binding: "b",
      turn: undefined,
      traceId: "tr",
      lifetime: Duration.hours(1)
    }),
    ({ request }) => request.id
  )
)

const unknownOutcome = Effect.flatMap(UnknownOutcomes, (outcomes) =>
  Effect.map(
    outcomes.add({
      binding: "b",
      isAnswered: false,
      tool: "refund",
      code: "outcome_unknown",
      sentence: "It is not known.",
      arguments: {},
      idempotencyKey: "",
      traceId: "tr"
    }),
    ({ id }) => id
  )
)

const owner = Effect.flatMap(Checkpoints, (checkpoints) =>
  Effect.map(
    checkpoints.open(
      { tenant: "t", run: "r" },
      { mayMake: true, format: 1, lease: Duration.seconds(30), takeOver: true }
    ),
    ({ owner }) => owner
  )
)

const stores = StoresSql.layer.pipe(Layer.provide(SqliteNode.layer({ filename: ":memory:" })))

/** Returns the idempotency key of a write outside a turn. */
const keyed = Effect.suspend(() => {
  const pay = tool("pay", { access: "write", idempotency: "derived" }, { n: 1 })
  return Effect.map(
    outside([pay.layer])(settled(pay.tool.call({ q: "a" }))),
    () => pay.calls[0]?.context.idempotencyKey ?? ""
  )
})

/** Creates each value that grants access or must not collide, by its name. Each use starts without state. */
const credentials: { readonly [what: string]: Effect.Effect<string, unknown> } = {
  conversation: Effect.map(newTurn(), ({ conversation }) => conversation),
  turn: Effect.map(newTurn(), ({ turn }) => turn),
  "conversation of Guard.turn": Guard.turn(Effect.map(CurrentTurn, (it) => it?.conversation ?? "")).pipe(
    Effect.provide(Layer.fresh(Guard.layerMemory))
  ),
  "idempotency key outside a turn": keyed,
  "artifact in memory": artifact.pipe(Effect.provide(Layer.fresh(ArtifactsMemory.layer))),
  "artifact in SQL": artifact.pipe(Effect.provide(Layer.fresh(stores))),
  "approval in memory": approval.pipe(Effect.provide(Layer.fresh(ApprovalsMemory.layer))),
  "approval in SQL": approval.pipe(Effect.provide(Layer.fresh(stores))),
  "outcome in memory": unknownOutcome.pipe(Effect.provide(Layer.fresh(UnknownOutcomesMemory.layer))),
  "outcome in SQL": unknownOutcome.pipe(Effect.provide(Layer.fresh(stores))),
  "owner of a run in memory": owner.pipe(Effect.provide(Layer.fresh(CheckpointsMemory.layer))),
  "owner of a run in SQL": owner.pipe(Effect.provide(Layer.fresh(stores))),
  "session of the inbox": Effect.suspend(() => InboxSessions.make().open("Ana", Redacted.make("t"), 0)),
  "form token of the inbox": Effect.suspend(() => {
    const sessions = InboxSessions.make()
    return Effect.map(sessions.open("Ana", Redacted.make("t"), 0), (cookie) => {
      const session = sessions.find(cookie, 0)
      return session === undefined ? "" : InboxSessions.formToken(session, "decide")
    })
  }),
  "token of an approver": Effect.map(ApproversList.issue({ name: "ana" }), ({ token }) => Redacted.value(token)),
  "state of a question over MCP": Effect.suspend(() => Elicitation.questions().open("b", "o"))
}

const constant: typeof Random.Random.Service = { nextIntUnsafe: () => 4, nextDoubleUnsafe: () => 0.5 }

describe("values that grant access", () => {
  for (const [what, make] of Object.entries(credentials)) {
    it.effect(`with a constant Random, each ${what} is different`, () =>
      Effect.gen(function* () {
        const made = Effect.provideService(make, Random.Random, constant)
        const [one, two] = [yield* made, yield* made]
        assert.notStrictEqual(one, two)
        assert.isAtLeast(one.length, 26) // 128 bits in base 32
      })
    )

    it.effect(`a seeded source gives the same ${what} each time`, () =>
      Effect.gen(function* () {
        const made = Effect.provide(make, UnguessableSeeded.layer(1))
        assert.strictEqual(yield* made, yield* made)
      })
    )
  }
})
