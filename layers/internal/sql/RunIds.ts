/**
 * Stores the key of a run in the columns `tenant` and `run` of `toolguard_runs` and `toolguard_journal`, and names the
 * places of its encrypted texts.
 *
 * `run` holds the id of a run without a principal, and a JSON list of the id and the principal otherwise. The two cannot
 * be confused, because `IdText` escapes every quotation mark. So the principal is part of the primary key, and of every
 * condition that finds a run [8.3].
 */
import type { Place } from "#services/AtRest"
import type { RunKey } from "#services/Checkpoints"
import * as IdText from "./IdText.ts"

/** The columns that identify a run. */
export interface RunIds {
  readonly tenant: string
  readonly run: string
}

export const encode = ({ principal, run, tenant }: RunKey): RunIds => ({
  tenant: IdText.encode(tenant),
  run: principal === undefined ? IdText.encode(run) : JSON.stringify([run, { principal }])
})

export const decode = ({ run, tenant }: RunIds): RunKey => {
  const own = { tenant: IdText.decode(tenant) }
  if (!run.startsWith('["')) return { ...own, run: IdText.decode(run) }
  const [id, { principal }] = JSON.parse(run) as readonly [string, { readonly principal: string }]
  return { ...own, principal, run: id }
}

const placeOf = ({ principal, run, tenant }: RunKey): ReadonlyArray<string> => [
  tenant,
  run,
  ...(principal === undefined ? [] : [principal])
]

/** The place of the end of a run. */
export const endPlace = (key: RunKey): Place => ["run_end", ...placeOf(key)]

/** The place of a row of a run's journal. */
export const rowPlace = (key: RunKey, seq: number): Place => ["journal", ...placeOf(key), String(seq)]
