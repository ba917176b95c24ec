/**
 * States whether the SQL statements of the stores have spans. By default they have none, because each call would get a
 * dozen more spans.
 *
 * This is a reference with a default, so it never appears in requirements. The backend's own statements are not
 * affected.
 */
import * as Context from "effect/Context"

/** True if the SQL statements of the stores have spans. Default false. */
export const StatementTracing = Context.Reference<boolean>("effect-toolguard/StatementTracing", {
  defaultValue: () => false
})
