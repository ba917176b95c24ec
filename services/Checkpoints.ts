/**
 * Stores the journals of runs: one row for each finished step, committed before the run continues [12.1].
 *
 * **Details**
 *
 * - One process owns a run at a time, under a lease that it renews. After the lease another process can take over the
 *   run, and rows of the former owner are refused.
 * - A journal is read completely or not at all. If a row is missing, changed or of another format, the run is refused
 *   and left unchanged.
 * - A run id is any text of 1 to 200 characters. Each principal of a tenant, and calls without a principal, have
 *   their own runs: a run of another owner is unknown, even to a caller that knows its id [8.3].
 *
 * Contract: `test/contracts/Checkpoints.ts`.
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * The store of checkpoints does not respond. A run with a journal then stops, because a step is finished only when it
 * is in the journal.
 */
export class CheckpointsUnavailable extends Schema.TaggedError<CheckpointsUnavailable>(
  "effect-toolguard/CheckpointsUnavailable"
)("CheckpointsUnavailable", { cause: Schema.Defect() }) {}

/** A run cannot be opened, continued or stored by this process. The store leaves the run unchanged. */
export class CheckpointRefused extends Schema.TaggedError<CheckpointRefused>("effect-toolguard/CheckpointRefused")(
  "CheckpointRefused",
  {
    run: Schema.String,
    /**
     * The reason for the refusal.
     *
     * - `in_use`: another process owns the run, or has taken it over.
     * - `damaged`: a row is missing or was changed.
     * - `older_format`, `newer_format`: another version of this package wrote the run.
     * - `other_run`: the id belongs to a run with another prompt or turn.
     * - `unknown_run`: no run has this id.
     * - `invalid_id`: the id or the tenant is not a string of 1 to 200 characters, or the principal is not a string
     *   of 1 to 255 characters.
     * - `exists`: a run with this id exists, and is not replaced.
     */
    reason: Schema.Literals([
      "in_use",
      "damaged",
      "older_format",
      "newer_format",
      "other_run",
      "unknown_run",
      "invalid_id",
      "exists"
    ]),
    detail: Schema.String
  }
) {
  override get message(): string {
    return `The checkpoint of run ${JSON.stringify(this.run)} is refused (${this.reason}): ${this.detail}`
  }
}

/** An operation on a run failed. */
export type CheckpointError = CheckpointsUnavailable | CheckpointRefused

/** Identifies a run by its owner and its id. Stores compare all three. */
export interface RunKey {
  readonly tenant: string
  /** Absent if the run has no principal. */
  readonly principal?: string
  readonly run: string
}

/** One finished step. */
export interface JournalRow {
  /** The number of the row in the journal, from 1. */
  readonly seq: number
  readonly body: string
  /** The SHA-256 of the previous sum, `seq` and `body`, which reveals a missing or changed row. */
  readonly sum: string
}

/** A run that this process owns. */
export interface OpenRun {
  readonly owner: string
  /** The rows of the run in order; empty for a new run. */
  readonly rows: ReadonlyArray<JournalRow>
  /** The number of rows that were written. With the sum of the last row, it reveals a journal that lost its end. */
  readonly written: number
  readonly lastSum: string
  /** The version of the journal format that the run started with. */
  readonly format: number
  /** The end of the run, if the run is completed. */
  readonly end: string | undefined
}

/** The options for opening a run. */
export interface OpenOptions {
  /** If true, a run that does not exist is created instead of refused as `unknown_run`. */
  readonly mayMake: boolean
  /** The journal format of a new run. */
  readonly format: number
  /** How long the run is owned without renewal. */
  readonly lease: Duration.Duration
  /** If true, the run is taken over before its lease ends. The caller must know that the previous owner has crashed. */
  readonly takeOver: boolean
}

/** A stored run with its rows, for operators. */
export interface StoredRun extends RunKey, Omit<OpenRun, "owner"> {
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** A stored run without its rows. */
export interface RunSummary extends RunKey, Pick<OpenRun, "format" | "written"> {
  readonly isCompleted: boolean
  /** True if a process owns the run. */
  readonly isInUse: boolean
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
}

export class Checkpoints extends Context.Service<
  Checkpoints,
  {
    /**
     * False if the journals are only in this process, where tools with the same id can be kept apart. Default true
     * [2.10].
     */
    readonly isShared?: boolean
    /** Creates or resumes a run. Fails as `in_use` if another process owns the run. */
    readonly open: (key: RunKey, options: OpenOptions) => Effect.Effect<OpenRun, CheckpointError>
    /**
     * Writes the next row. Writing the last row again changes nothing. Fails as `in_use` if another process has taken
     * over the run.
     */
    readonly append: (key: RunKey, owner: string, row: JournalRow) => Effect.Effect<void, CheckpointError>
    /** Renews the lease. */
    readonly renew: (key: RunKey, owner: string, lease: Duration.Duration) => Effect.Effect<void, CheckpointError>
    /** Releases the run. With `end` the run is completed: its rows are deleted, and its end is kept. */
    readonly close: (key: RunKey, owner: string, end: string | undefined) => Effect.Effect<void, CheckpointError>
    /** Deletes a run in any state. */
    readonly remove: (key: RunKey) => Effect.Effect<void, CheckpointsUnavailable>
    /** Returns the runs of all principals of a tenant that are not completed, oldest first. */
    readonly unfinished: (tenant: string) => Effect.Effect<ReadonlyArray<RunKey>, CheckpointsUnavailable>
    /** The runs of all tenants, completed or not, oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<RunSummary>, CheckpointsUnavailable>
    /** Returns a run with its rows, without opening the run. */
    readonly find: (key: RunKey) => Effect.Effect<StoredRun | undefined, CheckpointsUnavailable>
    /** Stores a copy of a run, without an owner. Fails as `exists` if a run with its id exists. */
    readonly put: (run: StoredRun) => Effect.Effect<void, CheckpointError>
  }
>()("effect-toolguard/Checkpoints") {}
