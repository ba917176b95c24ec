/**
 * Keeps one row for each durable run, so that runs can be listed, cancelled and forgotten.
 *
 * **Details**
 *
 * - This is a reference whose default is `undefined`: a run is then known only to the process that started it, as with
 *   `WorkflowEngine.layerMemory`. `DurableSqlite` and `DurablePostgres` provide it. With your own engine, provide
 *   `DurableRunsSql`.
 * - A row is written before its run starts, and again, without effect, whenever a runner executes the run. A run
 *   therefore never exists without its row. A row whose run was never stored, because its process crashed, is not
 *   listed.
 * - `cipher` encrypts the data of the runs that the workflow engine stores.
 */
import type { AtRestCipher } from "#services/AtRest"
import type { ForgetOptions, ForgetReport } from "#services/Forget"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The rows of durable runs cannot be read or written. */
export class DurableRunsUnavailable extends Schema.TaggedError<DurableRunsUnavailable>(
  "effect-toolguard/DurableRunsUnavailable"
)("DurableRunsUnavailable", { cause: Schema.Defect() }) {
  override get message(): string {
    const cause = this.cause instanceof Error ? ` ${this.cause.message}` : ""
    return `The rows of the durable runs cannot be read or written.${cause}`
  }
}

/** A run to register. */
export interface NewDurableRun {
  /** The id of the run in the workflow engine. */
  readonly execution: string
  readonly agent: string
  readonly run: string
  readonly tenant: string
  /** Absent if the run has no principal. */
  readonly principal?: string
  readonly conversation: string
}

/**
 * The state of a run.
 *
 * - `Running`: a runner executes the run, or will.
 * - `Suspended`: the run waits for a person.
 * - `Cancelling`: the run was cancelled, and its runner has not stopped it yet.
 * - `Ended`, `Cancelled`: the run has an end.
 * - `Failed`: the run ended with a defect, which is a mistake in the host's code.
 */
export type DurableRunState = "Running" | "Suspended" | "Cancelling" | "Ended" | "Cancelled" | "Failed"

/** The row of a run. Times are epoch milliseconds of the store. */
export interface DurableRunSummary extends NewDurableRun {
  readonly state: DurableRunState
  readonly startedAt: number
  /** When the state last changed. */
  readonly changedAt: number
  readonly endedAt?: number
  /** How the run ended: the tag of its `AgentEnd`. */
  readonly end?: string
}

/** Selects runs. Every field that is present must match. */
export interface DurableRunsListing {
  readonly state?: DurableRunState | undefined
  readonly agent?: string | undefined
  readonly tenant?: string | undefined
  /** Null selects runs without a principal. */
  readonly principal?: string | null | undefined
  readonly run?: string | undefined
  /** The `next` of the previous page. A text that is not the `next` of a page selects nothing. */
  readonly before?: string | undefined
  /** The maximum number of runs, at most 500. Default 50. */
  readonly limit?: number | undefined
}

/** Runs, newest first. Runs that start later do not change the following pages. */
export interface DurableRunsPage {
  readonly runs: ReadonlyArray<DurableRunSummary>
  /** Selects the next page as `before`; absent on the last page. */
  readonly next?: string
}

/** True if the run has ended. */
export const isEnded = ({ state }: Pick<DurableRunSummary, "state">): boolean =>
  state === "Ended" || state === "Cancelled" || state === "Failed"

/** Returns the position of a run in the list. */
export const cursorOf = ({ execution, startedAt }: Pick<DurableRunSummary, "execution" | "startedAt">): string =>
  `${startedAt}-${execution}`

/** Reads a position in the list. */
export const readCursor = (text: string): { readonly startedAt: number; readonly execution: string } | undefined => {
  const [, startedAt, execution] = /^(\d{1,16})-(.+)$/.exec(text) ?? []
  return startedAt === undefined || execution === undefined ? undefined : { startedAt: Number(startedAt), execution }
}

/** Returns the maximum number of runs of a page. */
export const limitOf = ({ limit = 50 }: DurableRunsListing): number => Math.min(500, Math.max(1, Math.floor(limit)))

/** How to erase a run. */
export type DurableForgetOptions = Pick<ForgetOptions, "compact">

type Result<A> = Effect.Effect<A, DurableRunsUnavailable>

/** Stores the rows of durable runs. */
export interface DurableRunsStore {
  /** Encrypts the data of runs that the workflow engine stores. */
  readonly cipher: AtRestCipher
  /** How often a runner looks for cancelled runs. Absent if no other process can cancel them. */
  readonly interval?: Duration.Input
  /** Stores a run as `Running` unless it has a row, and returns its row. */
  readonly register: (run: NewDurableRun) => Result<DurableRunSummary>
  /** Moves a run between `Running` and `Suspended`. A run in another state is not changed. */
  readonly move: (execution: string, state: "Running" | "Suspended") => Result<void>
  /** Ends a run. A run that has ended is not changed. */
  readonly end: (execution: string, state: "Ended" | "Cancelled" | "Failed", end?: string) => Result<void>
  /** Cancels a run unless it has ended. Returns its row, or undefined if it is unknown. */
  readonly cancel: (agent: string, execution: string) => Result<DurableRunSummary | undefined>
  readonly find: (agent: string, execution: string) => Result<DurableRunSummary | undefined>
  /** Returns the runs of an agent in the state `Cancelling`. */
  readonly cancelling: (agent: string) => Result<ReadonlyArray<string>>
  readonly list: (listing: DurableRunsListing) => Result<DurableRunsPage>
  /** Erases an ended run, with its data in the stores of its database. */
  readonly forget: (run: DurableRunSummary, options?: DurableForgetOptions) => Result<ForgetReport>
  /**
   * Removes the runs of an agent that ended longer ago than `retention` and whose end the engine has stored, in
   * batches. Returns the number of removed runs.
   */
  readonly sweep: (agent: string, retention: Duration.Duration) => Result<number>
}

/** The rows of durable runs. Default `undefined`: only the process that started a run knows it. */
export const DurableRuns = Context.Reference<DurableRunsStore | undefined>("effect-toolguard/DurableRuns", {
  defaultValue: () => undefined
})
