/**
 * Whether the SQL statements of the stores have spans. By default they have none: a call would have a dozen more.
 *
 * A reference with a default, so that it never appears in requirements. The backend's own statements are not affected.
 */
import * as Context from "effect/Context"

/** Default false. */
export const StatementTracing = Context.Reference<boolean>("effect-toolguard/StatementTracing", {
  defaultValue: () => false
})
