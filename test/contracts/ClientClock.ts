/** Tests that the clock of a process that uses a store decides nothing: only the clock of the store does. */
import * as ApprovalsSql from "#layers/ApprovalsSql"
import * as ArtifactsSql from "#layers/ArtifactsSql"
import * as CheckpointsSql from "#layers/CheckpointsSql"
import { Approvals } from "#services/Approvals"
import { Artifacts } from "#services/Artifacts"
import { Checkpoints } from "#services/Checkpoints"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { type Claim, IdempotencyKeys } from "#services/IdempotencyKeys"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { opening } from "./Approvals.ts"
import { actionOf } from "./IdempotencyKeys.ts"

const clockAt = (hours: number): Clock.Clock => {
  const clock = Context.get(Context.empty(), Clock.Clock)
  const millis = () => clock.currentTimeMillisUnsafe() + hours * 3_600_000
  const nanos = () => clock.currentTimeNanosUnsafe() + BigInt(hours * 3_600_000) * 1_000_000n
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

/** Runs an effect in a process whose clock is ahead, or behind. */
const at =
  (hours: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Clock.Clock, clockAt(hours))

const skews = [25, -25] as const
const nameOf = (skew: number) => (skew > 0 ? `${skew} hours ahead` : `${-skew} hours behind`)

/** Waits until a check holds: the store's clock moves by itself. */
const eventually = (check: Effect.Effect<boolean, unknown>): Effect.Effect<void> =>
  Effect.flatMap(Effect.orDie(check), (isTrue) =>
    isTrue ? Effect.void : Effect.andThen(Effect.sleep("20 millis"), eventually(check))
  )

/** Defines the tests of keys. */
export const clientClockOfKeys = <E>(name: string, layer: Layer.Layer<IdempotencyKeys, E>): void => {
  let count = 0
  describe(`the keys of processes with wrong clocks (${name})`, () => {
    for (const skew of skews) {
      const using = <A, F>(
        use: (one: IdempotencyKeys["Service"], two: IdempotencyKeys["Service"]) => Effect.Effect<A, F>
      ) =>
        Effect.gen(function* () {
          const one = Context.get(yield* Layer.build(Layer.fresh(layer)), IdempotencyKeys)
          const two = Context.get(yield* at(skew)(Layer.build(Layer.fresh(layer))), IdempotencyKeys)
          return yield* use(one, two)
        })
      const action = () => actionOf(`${name} ${nameOf(skew)} ${(count += 1)}`)

      it.live(`8.2 ${nameOf(skew)} → a key that either process finished stays finished`, () =>
        using((one, two) =>
          Effect.gen(function* () {
            const skewed = at(skew)
            const [ours, theirs] = [action(), action()]
            const ownerOf = ({ _tag, ...rest }: Claim) => ("owner" in rest ? rest.owner : assert.fail(_tag))
            yield* one.complete(ours, ownerOf(yield* one.claim(ours)), "done", true)
            assert.strictEqual((yield* skewed(two.find(ours)))?._tag, "Done")
            yield* skewed(two.complete(theirs, ownerOf(yield* skewed(two.claim(theirs))), "done", true))
            assert.strictEqual((yield* one.find(theirs))?._tag, "Done")
          })
        )
      )

      it.live(`8.3 ${nameOf(skew)} → a running claim is taken over after its lease, not before`, () =>
        using((one, two) =>
          Effect.gen(function* () {
            const long = action()
            yield* one.claim(long)
            assert.strictEqual((yield* at(skew)(two.claim(long)))._tag, "InFlight")
            const short = { ...action(), lease: Duration.millis(100) }
            yield* at(skew)(two.claim(short))
            yield* eventually(Effect.map(one.find(short), (found) => found?._tag === "Lapsed"))
            assert.strictEqual((yield* one.claim(short))._tag, "Claimed")
          })
        )
      )
    }
  })
}

/** Defines the tests of runs, approvals and artifacts in a database. */
export const clientClockOfDatabase = (
  name: string,
  database: Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable>
): void => {
  const layer = Layer.mergeAll(ApprovalsSql.layer, ArtifactsSql.layer, CheckpointsSql.layer).pipe(
    Layer.provide(database),
    Layer.orDie
  )
  describe(`a database of processes with wrong clocks (${name})`, () => {
    for (const skew of skews) {
      it.live(
        `10.4, 11.2, 12.1 ${nameOf(skew)} → leases, approvals and artifacts hold as long as the database says`,
        () =>
          Effect.gen(function* () {
            const [approvals, artifacts, checkpoints] = yield* Effect.all([Approvals, Artifacts, Checkpoints])
            const skewed = at(skew)
            const key = { tenant: "t", run: nameOf(skew) }
            const options = { mayMake: true, format: 1, lease: Duration.minutes(10), takeOver: false }
            yield* checkpoints.open(key, options)
            const refused = yield* Effect.flip(skewed(checkpoints.open(key, options)))
            assert.strictEqual(refused._tag === "CheckpointRefused" && refused.reason, "in_use")
            assert.deepStrictEqual(
              (yield* skewed(checkpoints.list)).flatMap(({ isInUse, run }) => (run === key.run ? [isInUse] : [])),
              [true]
            )
            const { request } = yield* approvals.open(opening(nameOf(skew), { lifetime: Duration.hours(1) }))
            yield* skewed(approvals.expire)
            const decided = yield* skewed(approvals.decide(request.id, { verdict: "approve", by: "ana", reason: "" }))
            assert.strictEqual(decided._tag, "Taken")
            assert.isTrue(yield* approvals.consume(request.id, request.binding))
            const turn = { tenant: "t", conversation: "c", turn: "t" }
            const id = yield* artifacts.put({ text: "{}", timeToLive: Duration.hours(1), turn })
            assert.strictEqual(yield* skewed(artifacts.read(turn, id)), "{}")
          }).pipe(Effect.provide(layer))
      )
    }
  })
}
