/** Tests that stores use their own clock, not the clock of a process that uses them. */
import type { Outcome } from "#domain/call/Outcome"
import type { Turn } from "#domain/turn/Turn"
import * as ApprovalsSql from "#layers/ApprovalsSql"
import * as ArtifactsSql from "#layers/ArtifactsSql"
import * as CheckpointsSql from "#layers/CheckpointsSql"
import { Approvals } from "#services/Approvals"
import { Artifacts } from "#services/Artifacts"
import { Budgets } from "#services/Budgets"
import { Checkpoints } from "#services/Checkpoints"
import { Circuits } from "#services/Circuits"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { type Claim, IdempotencyKeys } from "#services/IdempotencyKeys"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { opening } from "./Approvals.ts"
import { actionOf } from "./IdempotencyKeys.ts"
import { done, transient, turn } from "./values.ts"

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

/** Runs an effect with a clock that is `hours` ahead, or behind if `hours` is negative. */
const at =
  (hours: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Clock.Clock, clockAt(hours))

const skews = [25, -25] as const
const nameOf = (skew: number) => (skew > 0 ? `${skew} hours ahead` : `${-skew} hours behind`)

/** Waits in real time until a check is true. */
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

      it.live(`8.2 a key that either process finished stays finished with a clock ${nameOf(skew)}`, () =>
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

      it.live(`8.3 a running claim is taken over after its lease, not before, with a clock ${nameOf(skew)}`, () =>
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

/** Defines the tests of budgets. */
export const clientClockOfBudgets = <E>(name: string, layer: Layer.Layer<Budgets, E>): void => {
  let count = 0
  describe(`the budgets of processes with wrong clocks (${name})`, () => {
    for (const skew of skews) {
      const one = { limit: 1, onlyAfterTransient: false }
      /** Makes a call whose attempt fails. Its unit is returned after `millis`. */
      const failing = (budgets: Budgets["Service"], where: Turn, millis: number) =>
        Effect.gen(function* () {
          yield* budgets.spend(where, "a", one, { now: yield* Clock.currentTimeMillis })
          const readyAt = (yield* Clock.currentTimeMillis) + millis
          yield* budgets.settle(where, "a", { outcome: transient(), digest: "", isLast: false, readyAt })
        })
      /** Makes a call, and returns 0 if it got a unit, or its wait in milliseconds. */
      const wait = (budgets: Budgets["Service"], where: Turn) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const spending = yield* budgets.spend(where, "a", one, { now, isFirst: true })
          if (spending._tag === "Spent") return 0
          return (spending.back?.at ?? assert.fail("no unit is returned")) - now
        })
      const using = <A, F>(
        use: (one: Budgets["Service"], two: Budgets["Service"], turn: Turn) => Effect.Effect<A, F>
      ) =>
        Effect.gen(function* () {
          const one = Context.get(yield* Layer.build(Layer.fresh(layer)), Budgets)
          const two = Context.get(yield* at(skew)(Layer.build(Layer.fresh(layer))), Budgets)
          return yield* use(one, two, { ...turn, conversation: `${name} ${nameOf(skew)} ${(count += 1)}` })
        })
      const hour = 3_600_000

      it.live(
        `4.7 both processes wait an hour for a unit that is returned in an hour with a clock ${nameOf(skew)}`,
        () =>
          using((one, two, turn) =>
            Effect.gen(function* () {
              yield* failing(one, turn, hour)
              const other = { ...turn, turn: "other" }
              yield* at(skew)(failing(two, other, hour))
              const waits = [
                yield* at(skew)(wait(two, turn)),
                yield* wait(one, turn),
                yield* wait(one, other),
                yield* at(skew)(wait(two, other))
              ]
              for (const millis of waits) assert.approximately(millis, hour, 60_000)
            })
          )
      )

      it.live(`4.7 both processes can use a returned unit when its wait is over with a clock ${nameOf(skew)}`, () =>
        using((one, two, turn) =>
          Effect.gen(function* () {
            yield* failing(one, turn, 50)
            yield* eventually(at(skew)(Effect.map(wait(two, turn), (millis) => millis === 0)))
            const other = { ...turn, turn: "other" }
            yield* at(skew)(failing(two, other, 50))
            yield* eventually(Effect.map(wait(one, other), (millis) => millis === 0))
          })
        )
      )
    }
  })
}

/** Defines the tests of circuits. */
export const clientClockOfCircuits = <E>(name: string, layer: Layer.Layer<Circuits, E>): void => {
  describe(`the circuits of processes with wrong clocks (${name})`, () => {
    for (const skew of skews) {
      const policyOf = (openMillis: number) => ({
        share: 0.5,
        window: 20,
        minimum: 3,
        openMillis,
        capMillis: openMillis
      })
      /** Makes an attempt, and returns the wait if it is rejected. */
      const attempt = (circuits: Circuits["Service"], tool: string, openMillis: number, outcome: Outcome) =>
        Effect.suspend(() => {
          let rejected: number | undefined
          const execution = circuits.execute(tool, policyOf(openMillis), Effect.succeed(outcome), ({ retryAfter }) => {
            rejected = Duration.toMillis(retryAfter)
            return outcome
          })
          return Effect.map(execution, () => rejected)
        })
      const open = (circuits: Circuits["Service"], tool: string, openMillis: number) =>
        Effect.replicateEffect(attempt(circuits, tool, openMillis, transient()), 3)

      it.live(
        `4.11 with a clock ${nameOf(skew)}, an open circuit stays open for both processes by the clock of Redis`,
        () =>
          Effect.gen(function* () {
            const one = Context.get(yield* Layer.build(Layer.fresh(layer)), Circuits)
            const two = Context.get(yield* at(skew)(Layer.build(Layer.fresh(layer))), Circuits)
            const skewed = at(skew)
            const ours = `ours ${nameOf(skew)}`
            const theirs = `theirs ${nameOf(skew)}`
            yield* open(one, ours, 600_000)
            yield* skewed(open(two, theirs, 600_000))
            const waits = [
              yield* skewed(attempt(two, ours, 600_000, done(1))),
              yield* attempt(one, theirs, 600_000, done(1))
            ]
            for (const wait of waits) {
              // half of the open time is random, and the stated wait has up to 5 seconds of jitter
              assert.isAtLeast(wait ?? 0, 290_000)
              assert.isAtMost(wait ?? 0, 606_000)
            }
            yield* open(one, `short ${ours}`, 100)
            yield* skewed(open(two, `short ${theirs}`, 100))
            const isAdmitted = Effect.map((wait: number | undefined) => wait === undefined)
            yield* eventually(isAdmitted(skewed(attempt(two, `short ${ours}`, 100, done(1)))))
            yield* eventually(isAdmitted(attempt(one, `short ${theirs}`, 100, done(1))))
          })
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
        `10.4, 11.2, 12.1 with a clock ${nameOf(skew)}, leases, approvals and artifacts in a database do not expire early`,
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
