/**
 * Writes the rows of durable runs, and finds and removes the rows of a tenant, a conversation, a principal or a turn.
 */
import * as DurableTurn from "#domain/turn/DurableTurn"
import { key } from "#domain/turn/Turn"
import { type ForgetScope, isOf } from "#services/Forget"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { NewDurableRun } from "#services/DurableRuns"
import type { Database } from "./Database.ts"
import * as EngineRows from "./EngineRows.ts"
import * as IdText from "./IdText.ts"

/** The durable runs of a scope. */
export interface DurableRunsOf {
  /** The ended runs, by their ids in the workflow engine. */
  readonly executions: ReadonlyArray<string>
  /** The number of runs that have not ended. */
  readonly unended: number
  /** The keys of the turns of all these runs. */
  readonly turns: ReadonlyArray<string>
}

interface DurableRunRows {
  /** Inserts the row of a run unless the run has a row. */
  readonly insert: (run: NewDurableRun, startedAt?: number) => Effect.Effect<boolean, SqlError>
  /** Inserts the row of a run that the engine has stored. */
  readonly adopt: (run: EngineRows.EngineRun) => Effect.Effect<boolean, SqlError>
  /** Finds the runs of a scope. A scope with a turn names one run, and no other run is read. */
  readonly find: (scope: ForgetScope) => Effect.Effect<DurableRunsOf, SqlError>
  readonly remove: (executions: ReadonlyArray<string>) => Effect.Effect<void, SqlError>
}

/** The number of runs that are removed at a time. */
const batch = 200

export const make = ({ dialect, sql, time }: Pick<Database["Service"], "dialect" | "sql" | "time">): DurableRunRows => {
  const engine = EngineRows.make(sql)
  const insert = (run: NewDurableRun, startedAt?: number) =>
    Effect.flatMap(time, ({ now }) =>
      dialect.insertIfAbsent("toolguard_durable_runs", {
        execution_id: run.execution,
        agent: IdText.encode(run.agent),
        run: IdText.encode(run.run),
        tenant: IdText.encode(run.tenant),
        principal: run.principal === undefined ? null : IdText.encode(run.principal),
        conversation: IdText.encode(run.conversation),
        state: "Running",
        run_end: null,
        started_at: startedAt ?? now,
        changed_at: startedAt ?? now,
        ended_at: null
      })
    )
  const adopt = (found: EngineRows.EngineRun) => insert(newRunOf(found), found.startedAt)
  return {
    insert,
    adopt,
    find: Effect.fnUntraced(function* (scope) {
      const hasEngine = yield* engine.exists
      const named = scope.turn === undefined ? undefined : DurableTurn.read(scope.turn)
      if (scope.turn !== undefined && named === undefined) return { executions: [], unended: 0, turns: [] }
      if (hasEngine && named === undefined) {
        yield* engine.eachUnregistered(undefined, (run) =>
          run.payload["tenant"] === scope.tenant ? adopt(run) : Effect.void
        )
      }
      const rows = yield* sql<{
        readonly execution_id: string
        readonly agent: string
        readonly run: string
        readonly principal: string | null
        readonly conversation: string
        readonly ended_at: unknown
      }>`SELECT execution_id, agent, run, principal, conversation, ended_at FROM toolguard_durable_runs
        WHERE tenant = ${IdText.encode(scope.tenant)} ${
          named === undefined
            ? sql``
            : sql`AND run = ${IdText.encode(named.run)} AND agent = ${IdText.encode(named.agent)}`
        }`
      const executions: Array<string> = []
      const turns: Array<string> = []
      let unended = 0
      for (const { agent, conversation, ended_at, execution_id, principal, run } of rows) {
        const owner = {
          tenant: scope.tenant,
          conversation: IdText.decode(conversation),
          turn: DurableTurn.idOf(IdText.decode(agent), IdText.decode(run)),
          ...(principal === null ? {} : { principal: IdText.decode(principal) })
        }
        if (!isOf(scope, owner)) continue
        turns.push(key(owner))
        // a run whose row has an end may still be writing its end to the engine
        const isEnded = hasEngine ? yield* engine.hasEnded(IdText.decode(agent), execution_id) : ended_at !== null
        if (isEnded) executions.push(execution_id)
        else unended += 1
      }
      return { executions, unended, turns }
    }),
    remove: (executions) =>
      Effect.gen(function* () {
        const hasEngine = yield* engine.exists
        for (let from = 0; from < executions.length; from += batch) {
          const some = executions.slice(from, from + batch)
          if (hasEngine) yield* engine.remove(some)
          yield* sql`DELETE FROM toolguard_durable_runs WHERE ${sql.in("execution_id", some)}`
        }
      })
  }
}

/** Returns the row of a run that the engine has stored. The fields of its payload are texts. */
const newRunOf = ({ agent, execution, payload }: EngineRows.EngineRun): NewDurableRun => {
  const { conversation, principal, run, tenant } = payload
  return {
    agent,
    execution,
    run: String(run),
    tenant: String(tenant),
    conversation: String(conversation),
    ...(typeof principal === "string" ? { principal } : {})
  }
}
