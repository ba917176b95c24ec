/**
 * Renews the lease of this process on a run, and proves that the process still owns the run [12.1].
 *
 * A process that was paused for longer than its lease may have lost the run to another process without noticing it. So
 * the process proves that it still owns the run before it starts a call, if its last proof is older than half of the
 * lease. Every row that the store accepts and every renewal is a proof.
 */
import type { CheckpointError, Checkpoints, RunKey } from "#services/Checkpoints"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** The lease of this process on one run. */
export interface RunLease {
  /** Runs a request that only the owner may make, and counts its success as a proof. */
  readonly proving: <A>(request: Effect.Effect<A, CheckpointError>) => Effect.Effect<A, CheckpointError>
  /** Renews the lease if the last proof is older than half of the lease. */
  readonly ensure: Effect.Effect<void, CheckpointError>
  /** Renews the lease repeatedly. Ends only with a failure. */
  readonly keep: Effect.Effect<never, CheckpointError>
}

interface LeaseOptions {
  readonly store: Checkpoints["Service"]
  readonly key: RunKey
  readonly owner: string
  /** How long the run is owned without renewal. */
  readonly time: Duration.Duration
  /** When this process requested the run, in epoch milliseconds. */
  readonly since: number
}

/** Creates the lease of a run that this process has opened. */
export const make = ({ key, owner, since, store, time }: LeaseOptions): RunLease => {
  // wall clock: a monotonic clock stops while the machine sleeps
  let provenAt = since
  // a request that is answered proves the ownership at the time at which it was sent, or later
  const proving: RunLease["proving"] = (request) =>
    Effect.flatMap(Clock.currentTimeMillis, (sentAt) =>
      Effect.tap(request, () =>
        Effect.sync(() => {
          provenAt = sentAt
        })
      )
    )
  const renew = proving(store.renew(key, owner, time))
  const interval = Duration.divideUnsafe(time, 3)
  return {
    proving,
    ensure: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Math.abs(now - provenAt) > Duration.toMillis(time) / 2 ? renew : Effect.void
    ),
    keep: Effect.andThen(
      Effect.delay(Effect.repeat(renew, Schedule.spaced(interval)), interval),
      Effect.never // the schedule has no end
    )
  }
}
