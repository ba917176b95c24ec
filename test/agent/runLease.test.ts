/** Tests the lease on a run, also while its process is paused. */
import { Checkpoints, CheckpointsUnavailable } from "#services/Checkpoints"
import * as RunLease from "#src/agent/RunLease"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { tool } from "../pipeline/support.ts"
import { begin, byPlace, onStores, resume } from "./processes.ts"
import { call } from "./support.ts"

const key = { tenant: "default", run: "run" }

/** Creates the lease of a new run, and counts its renewals. */
const leased = Effect.gen(function* () {
  const store = yield* Checkpoints
  const time = Duration.seconds(30)
  const { owner } = yield* store.open(key, { mayMake: true, format: 1, lease: time, takeOver: false })
  let renewals = 0
  const counting = {
    ...store,
    renew: (...args: Parameters<typeof store.renew>) =>
      Effect.suspend(() => {
        renewals += 1
        return store.renew(...args)
      })
  }
  const lease = RunLease.make({ store: counting, key, owner, time, since: 0 })
  return { lease, renewals: () => renewals, store, time }
})

describe("the lease on a run", () => {
  it.effect("12.1 is renewed before a call only if the last proof of ownership is older than half of the lease", () =>
    Effect.gen(function* () {
      const { lease, renewals } = yield* leased
      yield* TestClock.adjust("15 seconds")
      yield* lease.ensure
      assert.strictEqual(renewals(), 0)
      yield* TestClock.adjust("1 second")
      yield* lease.ensure
      yield* lease.ensure
      assert.strictEqual(renewals(), 1)
      yield* TestClock.adjust("14 seconds")
      yield* lease.proving(Effect.void)
      yield* TestClock.adjust("14 seconds")
      yield* lease.ensure
      assert.strictEqual(renewals(), 1)
    }).pipe(onStores())
  )

  it.effect("12.1 cannot be proved after another process has taken over the run", () =>
    Effect.gen(function* () {
      const { lease, store, time } = yield* leased
      yield* TestClock.adjust("31 seconds")
      yield* store.open(key, { mayMake: false, format: 1, lease: time, takeOver: false })
      const refused = yield* Effect.flip(lease.ensure)
      assert.deepInclude(refused, { _tag: "CheckpointRefused", reason: "in_use" })
    }).pipe(onStores())
  )
})

describe("a process that is paused after it has opened a run", () => {
  it.effect("12.1 no call is made if another process has taken over the run in the meantime", () => {
    const write = tool("write", { access: "write" }, { n: 1 }, { n: 2 })
    const world = { tools: [write], model: byPlace([call("write", { q: "a" }, "c1"), "Done."]) }
    return Effect.gen(function* () {
      const store = yield* Checkpoints
      // the first process ends after the model's reply was stored
      const ending = {
        ...store,
        append: (...args: Parameters<typeof store.append>) =>
          Effect.andThen(
            store.append(...args),
            args[2].body.startsWith(`{"kind":"reply"`)
              ? Effect.fail(new CheckpointsUnavailable({ cause: "down" }))
              : Effect.void
          )
      }
      assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.provideService(begin(world), Checkpoints, ending))))
      assert.strictEqual(write.runs(), 0)
      const pausing = {
        ...store,
        open: (...args: Parameters<typeof store.open>) =>
          Effect.tap(store.open(...args), () =>
            Effect.andThen(
              TestClock.adjust("60 seconds"),
              store.open(key, { mayMake: false, format: 1, lease: Duration.seconds(30), takeOver: true })
            )
          )
      }
      const exit = yield* Effect.exit(Effect.provideService(resume(world, { takeOver: true }), Checkpoints, pausing))
      assert.isTrue(Exit.isFailure(exit))
      assert.strictEqual(write.runs(), 0)
    }).pipe(onStores())
  })
})
