/**
 * Keeps checkpoints in this process, for tests: they are lost when the layer closes.
 *
 * The runs of each tenant are bounded. At a limit, the tenant's oldest completed runs are forgotten. A run that is not
 * completed is never forgotten, because it must be resumed: without a completed run, new runs and rows are refused.
 */
import { ownerValues } from "#domain/turn/Turn"
import {
  type CheckpointError,
  CheckpointRefused,
  Checkpoints,
  CheckpointsUnavailable,
  type RunKey,
  type RunSummary,
  type StoredRun
} from "#services/Checkpoints"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { unguessableId } from "#services/Unguessable"

interface Run extends StoredRun {
  readonly owner: string
  readonly leaseUntil: number
}

/** The limits of each tenant. */
export interface CheckpointsMemoryOptions {
  /** The maximum number of runs. Default 10,000. */
  readonly maxRuns?: number
  /** The maximum size of all rows and ends, in UTF-16 code units. Default 64,000,000. */
  readonly maxCharacters?: number
}

/** The runs of a tenant. */
interface Usage {
  /** The ids of all runs. */
  readonly ids: Set<string>
  /** The ids of the completed runs, in the order in which they were completed. */
  readonly completed: Set<string>
  characters: number
}

const keyOf = ({ principal, run, tenant }: RunKey): RunKey => ({
  tenant,
  ...(principal === undefined ? {} : { principal }),
  run
})

const charactersOf = ({ end = "", rows }: StoredRun): number =>
  rows.reduce((sum, { body }) => sum + body.length, end.length)

/**
 * Keeps runs within custom limits. At a limit without a completed run, runs and rows fail with
 * `CheckpointsUnavailable`.
 */
export const layerWith = (options: CheckpointsMemoryOptions): Layer.Layer<Checkpoints> =>
  Layer.sync(Checkpoints, () => make(options))

/** Keeps at most 10,000 runs for each tenant, with rows and ends of at most 64,000,000 characters in total. */
export const layer: Layer.Layer<Checkpoints> = layerWith({})

const make = ({ maxCharacters = 64_000_000, maxRuns = 10_000 }: CheckpointsMemoryOptions): Checkpoints["Service"] => {
  const runs = new Map<string, Run>()
  const usages = new Map<string, Usage>()
  const idOf = ({ principal, run, tenant }: RunKey) =>
    JSON.stringify(ownerValues({ tenant, principal, conversation: run }))
  const refused = (
    { run }: RunKey,
    reason: CheckpointRefused["reason"],
    detail: string
  ): Effect.Effect<never, CheckpointError> => Effect.fail(new CheckpointRefused({ run, reason, detail }))
  const inUse = (key: RunKey) => refused(key, "in_use", "Another process owns the run.")
  const remove = (id: string): void => {
    const run = runs.get(id)
    const usage = run === undefined ? undefined : usages.get(run.tenant)
    if (run === undefined || usage === undefined) return
    runs.delete(id)
    usage.ids.delete(id)
    usage.completed.delete(id)
    usage.characters -= charactersOf(run)
    if (usage.ids.size === 0) usages.delete(run.tenant)
  }
  /** Stores a run, and forgets completed runs of its tenant at a limit. Fails if there are too few of them. */
  const store = (run: Run): Effect.Effect<void, CheckpointError> =>
    Effect.suspend(() => {
      const id = idOf(run)
      const before = runs.get(id)
      const usage = usages.get(run.tenant) ?? { ids: new Set(), completed: new Set(), characters: 0 }
      const added = charactersOf(run) - (before === undefined ? 0 : charactersOf(before))
      const count = before === undefined ? 1 : 0
      const isFull = () =>
        (count > 0 && usage.ids.size >= maxRuns) || (added > 0 && usage.characters + added > maxCharacters)
      for (const oldest of usage.completed) {
        if (!isFull()) break
        if (oldest !== id) remove(oldest)
      }
      if (isFull()) {
        const limit = count > 0 && usage.ids.size >= maxRuns ? `${maxRuns} runs` : `${maxCharacters} characters`
        return Effect.fail(full(limit))
      }
      runs.set(id, run)
      usages.set(run.tenant, usage)
      usage.ids.add(id)
      usage.characters += added
      if (run.end !== undefined) usage.completed.add(id)
      return Effect.void
    })
  /** Changes a run. Fails with `in_use` if the run has another owner, or if `f` returns undefined. */
  const change = (key: RunKey, owner: string, f: (run: Run, now: number) => Run | undefined) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const run = runs.get(idOf(key))
      const changed = run?.owner === owner ? f(run, now) : undefined
      return changed === undefined ? inUse(key) : store(changed)
    })
  const oldestFirst = () => [...runs.values()].sort((a, b) => a.createdAt - b.createdAt)
  return {
    isShared: false,
    open: (key, { format, lease, mayMake, takeOver }) =>
      Effect.flatMap(Effect.all([Clock.currentTimeMillis, unguessableId]), ([now, owner]) => {
        const before = runs.get(idOf(key))
        if (before === undefined && !mayMake) return refused(key, "unknown_run", "No run has this id.")
        if (before !== undefined && before.leaseUntil > now && !takeOver) return inUse(key)
        const created = { format, rows: [], written: 0, lastSum: "", end: undefined, createdAt: now, updatedAt: now }
        // a completed run is read without a lease
        const leaseUntil = before?.end === undefined ? now + Duration.toMillis(lease) : 0
        const run: Run = { ...key, ...created, ...before, owner, leaseUntil }
        return Effect.as(store(run), run)
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
    remove: (key) => Effect.sync(() => remove(idOf(key))),
    unfinished: (tenant) =>
      Effect.sync(() =>
        oldestFirst()
          .filter((run) => run.tenant === tenant && run.end === undefined)
          .map(keyOf)
      ),
    list: Effect.map(Clock.currentTimeMillis, (now) =>
      oldestFirst().map((run): RunSummary => {
        const { createdAt, end, format, leaseUntil, updatedAt, written } = run
        const [isCompleted, isInUse] = [end !== undefined, leaseUntil > now]
        return { ...keyOf(run), format, written, isCompleted, isInUse, createdAt, updatedAt }
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
        return store({ ...run, owner: "", leaseUntil: 0 })
      })
  }
}

const full = (limit: string): CheckpointsUnavailable =>
  new CheckpointsUnavailable({
    cause: new RangeError(
      `This tenant has reached the limit of CheckpointsMemory: ${limit} in runs that are not completed. CheckpointsSql has no such limit.`
    )
  })
