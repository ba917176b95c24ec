/** The condition that a column has one of several values, which are stored as JSON texts. */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** Returns the condition as a list of at most one fragment: empty if `values` is undefined, which allows every value. */
export const among = (
  sql: SqlClient,
  column: "tenant" | "tool",
  values: ReadonlyArray<string> | undefined
): ReadonlyArray<Fragment> => {
  if (values === undefined) return []
  const texts = values.map((value) => JSON.stringify(value))
  return [texts.length === 0 ? sql`1 = 0` : sql.in(column, texts)]
}
