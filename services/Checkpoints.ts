/**
 * Where runs are journaled: one row for each step that is finished, committed before the run goes on (SPEC 12.1).
 *
 * **Details**
 *
 * - A run belongs to one process at a time, under a lease that it renews; the process that opens it next takes it over
 *   when the lease is over. Rows of an owner that has lost the run are refused.
 * - Rows are read back whole or not at all: a row that is missing, changed or of another format refuses the run, and
 *   leaves it as it is.
 * - Run ids are data: any text of at most 200 characters, in the scope of a tenant.
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The store of the checkpoints does not answer. A run that keeps a journal stops then: what is not written is not done. */
export class CheckpointsUnavailable extends Schema.TaggedError<CheckpointsUnavailable>(
  "effect-toolguard/CheckpointsUnavailable"
)("CheckpointsUnavailable", { cause: Schema.Defect() }) {}

/** A checkpoint that is not gone on from. It is kept as it is. */
export class CheckpointRefused extends Schema.TaggedError<CheckpointRefused>("effect-toolguard/CheckpointRefused")(
  "CheckpointRefused",
  {
    run: Schema.String,
    /**
     * - `in_use`: another process has the run, or has taken it over
     * - `damaged`: a row is missing or not as it was written
     * - `older_format`, `newer_format`: written by another version of this package
     * - `other_run`: the id belongs to a run with another prompt or turn
     * - `unknown_run`: there is none to resume
     * - `invalid_id`: no text of 1 to 200 characters
     * - `exists`: there is one already, so that none can be put in its place
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

export type CheckpointError = CheckpointsUnavailable | CheckpointRefused

/** Which run. */
export interface RunKey {
  readonly tenant: string
  readonly run: string
}

/** One finished step, as text. */
export interface JournalRow {
  /** Its place in the journal, from 1. */
  readonly seq: number
  readonly body: string
  /** SHA-256 over the sum of the row before, and this body: a row that is missing or changed shows. */
  readonly sum: string
}

/** A run that this process has now. */
export interface OpenRun {
  readonly owner: string
  /** Its rows in order; empty where it is new. */
  readonly rows: ReadonlyArray<JournalRow>
  /** How many rows were written, and the sum of the last: also a journal that lost its end is damaged. */
  readonly written: number
  readonly lastSum: string
  /** The version of the journal's form in which it was begun. */
  readonly format: number
  /** How it ended, where it was completed. */
  readonly end: string | undefined
}

export interface OpenOptions {
  /** Makes a run where there is none; else it is refused as `unknown_run`. */
  readonly mayMake: boolean
  /** The form in which a new run's rows are written. */
  readonly format: number
  readonly lease: Duration.Duration
  /** The caller knows that the process which had the run is dead: its lease is not waited for. */
  readonly takeOver: boolean
}

/** A run as it lies in the store, read by whoever looks after it. */
export interface StoredRun extends RunKey, Omit<OpenRun, "owner"> {
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** What is known of a run without its rows. */
export interface RunSummary extends RunKey, Pick<OpenRun, "format" | "written"> {
  readonly isCompleted: boolean
  /** A process has it now. */
  readonly isInUse: boolean
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
}

export class Checkpoints extends Context.Service<
  Checkpoints,
  {
    /** Makes a run, or goes on with it. Refused as `in_use` where another process has it. */
    readonly open: (key: RunKey, options: OpenOptions) => Effect.Effect<OpenRun, CheckpointError>
    /** Writes the next row; the last one again changes nothing. Refused as `in_use` where the run was taken over. */
    readonly append: (key: RunKey, owner: string, row: JournalRow) => Effect.Effect<void, CheckpointError>
    /** Holds the run for another lease. */
    readonly renew: (key: RunKey, owner: string, lease: Duration.Duration) => Effect.Effect<void, CheckpointError>
    /** Lets the run go. With `end` it is completed: its rows are cleared, and its end is kept. */
    readonly close: (key: RunKey, owner: string, end: string | undefined) => Effect.Effect<void, CheckpointError>
    /** Forgets a run, whatever state it is in. */
    readonly remove: (key: RunKey) => Effect.Effect<void, CheckpointsUnavailable>
    /** The runs of a tenant that are not completed, oldest first. */
    readonly unfinished: (tenant: string) => Effect.Effect<ReadonlyArray<string>, CheckpointsUnavailable>
    /** The runs of all tenants, completed or not, oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<RunSummary>, CheckpointsUnavailable>
    /** A run with its rows, as it is now, for a copy of it. It is not opened by that. */
    readonly find: (key: RunKey) => Effect.Effect<StoredRun | undefined, CheckpointsUnavailable>
    /** Puts a copy of a run where there is none; nobody has it then. Refused as `exists` where there is one. */
    readonly put: (run: StoredRun) => Effect.Effect<void, CheckpointError>
  }
>()("effect-toolguard/Checkpoints") {}
