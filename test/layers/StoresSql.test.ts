/** Checks the spans of the stores in SQL. */
import * as SqliteNode from "#layers/SqliteNode"
import * as StoresSql from "#layers/StoresSql"
import { Approvals } from "#services/Approvals"
import { Artifacts } from "#services/Artifacts"
import { Budgets } from "#services/Budgets"
import { CallLog } from "#services/CallLog"
import { Checkpoints } from "#services/Checkpoints"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { StatementTracing } from "#services/StatementTracing"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Tracer } from "effect"
import { opening } from "../contracts/Approvals.ts"
import { actionOf } from "../contracts/IdempotencyKeys.ts"
import { turn } from "../contracts/values.ts"

describe("StoresSql", () => {
  it.effect("15.1 methods that not every call uses are spans, and statements are spans on request", () =>
    Effect.gen(function* () {
      const [approvals, artifacts, budgets, log, checkpoints, keys] = yield* Effect.all([
        Approvals,
        Artifacts,
        Budgets,
        CallLog,
        Checkpoints,
        IdempotencyKeys
      ])
      const names: Array<string> = []
      const tracer = Tracer.make({
        span: (options) => {
          names.push(options.name)
          return new Tracer.NativeSpan(options)
        }
      })
      const run = { tenant: "t", run: "r" }
      const use = Effect.gen(function* () {
        const { request } = yield* approvals.open(opening("spans"))
        yield* approvals.find(request.id)
        yield* approvals.expire
        yield* artifacts.read(turn, yield* artifacts.put({ turn, text: "{}", timeToLive: Duration.hours(1) }))
        yield* log.records
        const lease = Duration.seconds(30)
        const { owner } = yield* checkpoints.open(run, { mayMake: true, format: 1, lease, takeOver: false })
        yield* checkpoints.append(run, owner, { seq: 1, body: "{}", sum: "sum" })
        yield* checkpoints.list
        yield* budgets.spend(turn, "key", { limit: 1, onlyAfterTransient: false }, { now: 0 })
        yield* keys.claim(actionOf("spans"))
      }).pipe(Effect.provideService(Tracer.Tracer, tracer))
      yield* use
      assert.deepStrictEqual(names, [
        "Approvals.open",
        "Approvals.find",
        "Approvals.expire",
        "Artifacts.put",
        "Artifacts.read",
        "CallLog.records",
        "Checkpoints.open",
        "Checkpoints.append",
        "Checkpoints.list"
      ])
      yield* budgets
        .spend(turn, "other", { limit: 1, onlyAfterTransient: false }, { now: 0 })
        .pipe(Effect.provideService(StatementTracing, true), Effect.provideService(Tracer.Tracer, tracer))
      assert.include(names.slice(9), "sqlite")
      names.length = 0
      const traced = Layer.fresh(Layer.provide(StoresSql.layer, SqliteNode.layer({ filename: ":memory:" }))).pipe(
        Layer.provide(Layer.succeed(StatementTracing, true))
      )
      yield* Effect.flatMap(Approvals, (store) => store.expire).pipe(
        Effect.provide(traced),
        Effect.provideService(Tracer.Tracer, tracer)
      )
      assert.includeMembers(names, ["Approvals.expire", "sqlite"])
    }).pipe(Effect.provide(Layer.provide(StoresSql.layer, SqliteNode.layer({ filename: ":memory:" }))))
  )
})
