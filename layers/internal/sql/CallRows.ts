/** Selects the rows of `toolguard_calls` that can belong to a scope. */
import type { ForgetScope } from "#services/Forget"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { columnText } from "./ColumnText.ts"

/**
 * Returns the condition. It can select rows of other scopes, because columns shorten names and rows of older versions
 * have no principal. The caller checks each record.
 */
export const inScope = (sql: SqlClient, { conversation, principal, tenant, turn }: ForgetScope): Fragment =>
  sql.and([
    sql`tenant = ${columnText(tenant)}`,
    ...(conversation === undefined ? [] : [sql`conversation = ${columnText(conversation)}`]),
    ...(turn === undefined ? [] : [sql`turn = ${columnText(turn)}`]),
    ...(principal === undefined ? [] : [sql`(principal = ${columnText(principal)} OR principal IS NULL)`])
  ])
