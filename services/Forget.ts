/**
 * Erases what the stores keep of a tenant, a conversation or a principal, and reports what was removed and what was not.
 *
 * **Details**
 *
 * - A scope has a tenant, and optionally a conversation, a principal and a turn: all of them must match.
 * - Everything is searched before anything is removed. Rows that are written meanwhile are not found: end the calls of
 *   the scope first, or erase again.
 * - Actions in flight and runs in use are kept, because removing them could make an action happen twice. The report
 *   names them.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A store cannot be searched or changed. What was removed before stays removed. */
export class ForgetUnavailable extends Schema.TaggedError<ForgetUnavailable>("effect-toolguard/ForgetUnavailable")(
  "ForgetUnavailable",
  { cause: Schema.Defect() }
) {}

/** Whose data to erase. */
export interface ForgetScope {
  readonly tenant: string
  readonly conversation?: string | undefined
  readonly principal?: string | undefined
  /**
   * The id of one turn. A scope with a turn and without a principal includes only what has no principal.
   */
  readonly turn?: string | undefined
}

/** How to erase. */
export interface ForgetOptions {
  /** True to report without removing anything. Default false. */
  readonly dryRun?: boolean
  /** The keys of turns (`Turn.key`) that another store found. A store that keeps only digests of turn keys needs them. */
  readonly turns?: ReadonlyArray<string>
}

/** What was removed, and what was not. */
export interface Forgotten {
  /** The number of rows or lines of each store that were removed, or would be. */
  readonly removed: ReadonlyArray<{ readonly store: string; readonly count: number }>
  /** What was not removed, with the reason and what to do, in one sentence. */
  readonly left: ReadonlyArray<{ readonly store: string; readonly reason: string }>
  /** The keys of the turns that were found. */
  readonly turns: ReadonlyArray<string>
}

/** Returns true if a scope includes what belongs to this owner. */
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
    /** Erases what belongs to the scope. */
    readonly forget: (scope: ForgetScope, options?: ForgetOptions) => Effect.Effect<Forgotten, ForgetUnavailable>
  }
>()("effect-toolguard/Forget") {}
