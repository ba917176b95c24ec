/** Keeps checkpoints in this process, for tests: they are lost when the layer closes. */
import { CheckpointRefused, Checkpoints, type RunKey, type RunSummary, type StoredRun } from "#services/Checkpoints"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { unguessableId } from "#services/Unguessable"

interface Run extends StoredRun {
  readonly owner: string
  readonly leaseUntil: number
}

export const layer: Layer.Layer<Checkpoints> = Layer.sync(Checkpoints, () => {
  const runs = new Map<string, Run>()
  const idOf = ({ run, tenant }: RunKey) => JSON.stringify([tenant, run])
  const refused = ({ run }: RunKey, reason: CheckpointRefused["reason"], detail: string) =>
    Effect.fail(new CheckpointRefused({ run, reason, detail }))
  const inUse = (key: RunKey) => refused(key, "in_use", "Another process owns the run.")
  /** Changes a run. Fails with `in_use` if the run has another owner, or if `f` returns undefined. */
  const change = (key: RunKey, owner: string, f: (run: Run, now: number) => Run | undefined) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const run = runs.get(idOf(key))
      const changed = run?.owner === owner ? f(run, now) : undefined
      return changed === undefined ? inUse(key) : Effect.sync(() => void runs.set(idOf(key), changed))
    })
  const oldestFirst = () => [...runs.values()].sort((a, b) => a.createdAt - b.createdAt)
  return {
    open: (key, { format, lease, mayMake, takeOver }) =>
      Effect.flatMap(Effect.all([Clock.currentTimeMillis, unguessableId]), ([now, owner]) => {
        const before = runs.get(idOf(key))
        if (before === undefined && !mayMake) return refused(key, "unknown_run", "No run has this id.")
        if (before !== undefined && before.leaseUntil > now && !takeOver) return inUse(key)
        const created = { format, rows: [], written: 0, lastSum: "", end: undefined, createdAt: now, updatedAt: now }
        // a completed run is read without a lease
        const leaseUntil = before?.end === undefined ? now + Duration.toMillis(lease) : 0
        const run: Run = { ...key, ...created, ...before, owner, leaseUntil }
        runs.set(idOf(key), run)
        return Effect.succeed(run)
      }),
    append: (key, owner, row) =>
      change(key, owner, (run, updatedAt) => {
        if (run.written === row.seq && run.lastSum === row.sum) return run
        if (run.written !== row.seq - 1) return undefined
        return { ...run, rows: [...run.rows, row], written: row.seq, lastSum: row.sum, updatedAt }
      }),
    renew: (key, owner, lease) =>
      change(key, owner, (run, now) =>
        run.leaseUntil === 0 ? undefined : { ...run, leaseUntil: now + Duration.toMillis(lease) }
      ),
    close: (key, owner, end) =>
      change(key, owner, (run, updatedAt) => {
        const closed = { ...run, leaseUntil: 0, updatedAt }
        return end === undefined ? closed : { ...closed, end, rows: [], written: 0, lastSum: "" }
      }),
    remove: (key) => Effect.sync(() => void runs.delete(idOf(key))),
    unfinished: (tenant) =>
      Effect.sync(() =>
        oldestFirst()
          .filter((run) => run.tenant === tenant && run.end === undefined)
          .map(({ run }) => run)
      ),
    list: Effect.map(Clock.currentTimeMillis, (now) =>
      oldestFirst().map(({ createdAt, end, format, leaseUntil, run, tenant, updatedAt, written }): RunSummary => {
        const [isCompleted, isInUse] = [end !== undefined, leaseUntil > now]
        return { tenant, run, format, written, isCompleted, isInUse, createdAt, updatedAt }
      })
    ),
    find: (key) =>
      Effect.sync(() => {
        const found = runs.get(idOf(key))
        if (found === undefined) return undefined
        const { leaseUntil: _, owner: __, ...run } = found
        return run
      }),
    put: (run) =>
      Effect.suspend(() => {
        if (runs.has(idOf(run))) return refused(run, "exists", "A run with this id already exists.")
        runs.set(idOf(run), { ...run, owner: "", leaseUntil: 0 })
        return Effect.void
      })
  }
})
