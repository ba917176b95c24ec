/** The call records of a database as they lie there, JSON texts, oldest first: page by page, so that any number fits. */
import { remedyOf } from "effect-toolguard/internal/layers/sql/Database"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"

const pageSize = 500

/** Reads the records; nothing is written. A page fails with what to do about it. */
export class CallTexts extends Context.Service<CallTexts, { readonly pages: Stream.Stream<string, string> }>()(
  "effect-toolguard/cli/CallTexts"
) {}

interface Row {
  readonly id: number | bigint | string
  readonly record: string
}

/** In whatever database the `SqlClient` has. A page is one text, a line for each record. */
export const layer: Layer.Layer<CallTexts, never, SqlClient.SqlClient> = Layer.effect(
  CallTexts,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    pages: Stream.paginate<Row["id"], string, string>(0, (after) =>
      Effect.mapBoth(
        sql<Row>`SELECT id, record FROM toolguard_calls WHERE kind = 'call' AND id > ${after} ORDER BY id LIMIT ${pageSize}`,
        {
          onFailure: (error) => remedyOf(sql, error),
          onSuccess: (rows) => {
            const last = rows.at(-1)
            return [
              rows.length === 0 ? [] : [rows.map(({ record }) => `${record}\n`).join("")],
              last === undefined || rows.length < pageSize ? Option.none() : Option.some(last.id)
            ] as const
          }
        }
      )
    )
  }))
)
