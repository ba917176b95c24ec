/**
 * Keeps the rows of durable runs in this process, for engines without a database. The rows belong to the engine, so that
 * two engines of one process do not share them.
 */
import { clear } from "#services/AtRest"
import {
  cursorOf,
  DurableRuns,
  type DurableRunsListing,
  type DurableRunsStore,
  type DurableRunSummary,
  isEnded,
  limitOf,
  readCursor
} from "#services/DurableRuns"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { WorkflowEngine } from "effect/workflow/WorkflowEngine"

const stores = new WeakMap<WorkflowEngine["Service"], DurableRunsStore>()

/** Returns the rows that the engine's layer provides, or those of this process. */
export const current: Effect.Effect<DurableRunsStore, never, WorkflowEngine> = Effect.flatMap(DurableRuns, (provided) =>
  provided !== undefined
    ? Effect.succeed(provided)
    : Effect.map(WorkflowEngine, (engine) => {
        const store = stores.get(engine) ?? make()
        stores.set(engine, store)
        return store
      })
)

const make = (): DurableRunsStore => {
  const rows = new Map<string, DurableRunSummary>()
  const change = (execution: string, changed: (row: DurableRunSummary, now: number) => DurableRunSummary) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const row = rows.get(execution)
      if (row === undefined) return undefined
      const next = changed(row, now)
      rows.set(execution, next)
      return next
    })
  return {
    cipher: clear,
    register: (run) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const row = rows.get(run.execution) ?? { ...run, state: "Running", startedAt: now, changedAt: now }
        rows.set(run.execution, row)
        return row
      }),
    move: (execution, state) =>
      Effect.asVoid(
        change(execution, (row, now) =>
          row.state !== state && (row.state === "Running" || row.state === "Suspended")
            ? { ...row, state, changedAt: now }
            : row
        )
      ),
    end: (execution, state, end) =>
      Effect.asVoid(
        change(execution, (row, now) =>
          isEnded(row) ? row : { ...row, state, changedAt: now, endedAt: now, ...(end === undefined ? {} : { end }) }
        )
      ),
    cancel: (_, execution) =>
      change(execution, (row, now) =>
        isEnded(row) || row.state === "Cancelling" ? row : { ...row, state: "Cancelling", changedAt: now }
      ),
    find: (_, execution) => Effect.sync(() => rows.get(execution)),
    cancelling: (agent) =>
      Effect.sync(() =>
        [...rows.values()]
          .filter((row) => row.agent === agent && row.state === "Cancelling")
          .map(({ execution }) => execution)
      ),
    list: (listing) =>
      Effect.sync(() => {
        const limit = limitOf(listing)
        const found = [...rows.values()].filter(isListed(listing)).sort(newestFirst)
        const runs = found.slice(0, limit)
        const last = runs.at(-1)
        return { runs, ...(last === undefined || found.length <= limit ? {} : { next: cursorOf(last) }) }
      }),
    forget: ({ execution }) =>
      Effect.sync(() => {
        const count = rows.delete(execution) ? 1 : 0
        return { removed: [{ store: "durable runs", count }], left: [], turns: [] }
      }),
    sweep: (agent, retention) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const until = now - Duration.toMillis(retention)
        const old = [...rows.values()].filter((row) => row.agent === agent && (row.endedAt ?? Infinity) <= until)
        for (const { execution } of old) rows.delete(execution)
        return old.length
      })
  }
}

const fields = ["state", "agent", "tenant", "principal", "run"] as const

const isListed = (listing: DurableRunsListing) => {
  const cursor = listing.before === undefined ? undefined : readCursor(listing.before)
  return (row: DurableRunSummary): boolean =>
    fields.every((field) => listing[field] === undefined || (row[field] ?? null) === listing[field]) &&
    (listing.before === undefined || (cursor !== undefined && newestFirst(cursor, row) < 0))
}

type Place = Pick<DurableRunSummary, "execution" | "startedAt">

const newestFirst = (a: Place, b: Place): number =>
  b.startedAt - a.startedAt || (a.execution < b.execution ? 1 : a.execution > b.execution ? -1 : 0)
