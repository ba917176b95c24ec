import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import { Checkpoints } from "#services/Checkpoints"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { row } from "../contracts/Checkpoints.ts"

const options = { mayMake: true, format: 1, lease: Duration.seconds(30), takeOver: false }

/** Opens a run, and completes it if `end` is given. */
const add = (tenant: string, run: string, end?: string) =>
  Effect.flatMap(Checkpoints, (store) =>
    Effect.flatMap(store.open({ tenant, run }, options), ({ owner }) =>
      end === undefined ? Effect.void : store.close({ tenant, run }, owner, end)
    )
  )

const stored = Effect.flatMap(Checkpoints, ({ list }) =>
  Effect.map(list, (runs) => runs.map(({ run, tenant }) => `${tenant} ${run}`))
)

describe("CheckpointsMemory at a limit of a tenant", () => {
  it.effect(
    "10.5 if a tenant has the maximum number of runs, its oldest completed run is forgotten, but no open run",
    () =>
      Effect.gen(function* () {
        yield* add("other", "first", "an end")
        yield* add("full", "open")
        yield* add("full", "second", "an end")
        yield* add("full", "third", "an end")
        yield* add("full", "fourth")
        assert.sameMembers(yield* stored, ["other first", "full open", "full third", "full fourth"])
      }).pipe(Effect.provide(CheckpointsMemory.layerWith({ maxRuns: 3 })))
  )

  it.effect("10.5 if all runs of a tenant are open, a new run is refused, and another tenant may open runs", () =>
    Effect.gen(function* () {
      const store = yield* Checkpoints
      yield* add("full", "first")
      yield* add("full", "second")
      assert.strictEqual((yield* Effect.flip(add("full", "third")))._tag, "CheckpointsUnavailable")
      const copy = { tenant: "full", run: "copy", format: 1, rows: [], written: 0, lastSum: "", end: undefined }
      const error = yield* Effect.flip(store.put({ ...copy, createdAt: 0, updatedAt: 0 }))
      assert.strictEqual(error._tag, "CheckpointsUnavailable")
      yield* add("other", "first")
      yield* store.remove({ tenant: "full", run: "first" })
      yield* add("full", "third")
      assert.sameMembers(yield* stored, ["full second", "other first", "full third"])
    }).pipe(Effect.provide(CheckpointsMemory.layerWith({ maxRuns: 2 })))
  )

  it.effect("10.5 if the rows of a tenant exceed the limit, completed runs are forgotten, then rows are refused", () =>
    Effect.gen(function* () {
      const store = yield* Checkpoints
      const key = { tenant: "full", run: "open" }
      yield* add("full", "completed", "e".repeat(60))
      const { owner } = yield* store.open(key, options)
      yield* store.append(key, owner, row(1, "b".repeat(50)))
      assert.deepStrictEqual(yield* stored, ["full open"])
      const error = yield* Effect.flip(store.append(key, owner, row(2, "b".repeat(51))))
      assert.strictEqual(error._tag, "CheckpointsUnavailable")
      yield* store.append(key, owner, row(2, "b".repeat(50)))
      // the end fits because it replaces the rows
      yield* store.close(key, owner, "e".repeat(100))
      yield* add("full", "next")
      assert.sameMembers(yield* stored, ["full open", "full next"])
    }).pipe(Effect.provide(CheckpointsMemory.layerWith({ maxCharacters: 100 })))
  )

  it.effect("10.5 if a tenant opens 10,001 runs, the last one is refused by the default limit", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 10_000; n += 1) yield* add("full", String(n))
      assert.strictEqual((yield* Effect.flip(add("full", "one more")))._tag, "CheckpointsUnavailable")
      yield* add("other", "0")
    }).pipe(Effect.provide(CheckpointsMemory.layer))
  )
})
