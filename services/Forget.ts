/**
 * Erases the data of a tenant, a conversation, a principal or a turn from the stores, and reports what was removed and
 * what was not.
 *
 * **Details**
 *
 * - A scope has a tenant, and optionally a conversation, a principal and a turn: all of them must match.
 * - Everything is searched before anything is removed. Rows that are written in the meantime are not found: end the
 *   calls of the scope first, or erase again.
 * - Actions in flight and runs in use are kept, because removing them could make an action happen twice. The report
 *   names them.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A store cannot be searched or changed. Earlier removals are not undone. */
export class ForgetUnavailable extends Schema.TaggedError<ForgetUnavailable>("effect-toolguard/ForgetUnavailable")(
  "ForgetUnavailable",
  { cause: Schema.Defect() }
) {}

/** Whose data to erase. */
export interface ForgetScope {
  readonly tenant: string
  readonly conversation?: string | undefined
  readonly principal?: string | undefined
  /** The id of one turn. A scope with a turn and without a principal includes only data without a principal. */
  readonly turn?: string | undefined
}

/** How to erase. */
export interface ForgetOptions {
  /** True to report without removing anything. Default false. */
  readonly dryRun?: boolean
  /**
   * The keys of turns (`Turn.key`) that another store found. A store that keeps only digests of turn keys needs them.
   */
  readonly turns?: ReadonlyArray<string>
  /**
   * Whether a SQLite file is rebuilt without the bytes of removed rows, which takes as long for one row as for many.
   * Use false for all but the last erasure of a batch. Default: true if this process has removed rows since the file
   * was last rebuilt.
   */
  readonly compact?: boolean
}

/** The report of an erasure. */
export interface ForgetReport {
  /** The number of rows or lines of each store that were removed, or would be. */
  readonly removed: ReadonlyArray<{ readonly store: string; readonly count: number }>
  /** The stores with data that was not removed, with the reason and the remedy in one sentence. */
  readonly left: ReadonlyArray<{ readonly store: string; readonly reason: string }>
  /** The keys of the turns that were found. */
  readonly turns: ReadonlyArray<string>
}

/** Returns true if a scope includes the data of this owner. */
export const isOf = (
  scope: ForgetScope,
  owner: {
    readonly tenant?: string | undefined
    readonly conversation?: string | undefined
    readonly principal?: string | undefined
    readonly turn?: string | undefined
  }
): boolean =>
  owner.tenant === scope.tenant &&
  (scope.conversation === undefined || owner.conversation === scope.conversation) &&
  ((scope.principal === undefined && scope.turn === undefined) || owner.principal === scope.principal) &&
  (scope.turn === undefined || owner.turn === scope.turn)

export class Forget extends Context.Service<
  Forget,
  {
    /** Erases the data of the scope. */
    readonly forget: (scope: ForgetScope, options?: ForgetOptions) => Effect.Effect<ForgetReport, ForgetUnavailable>
  }
>()("effect-toolguard/Forget") {}
