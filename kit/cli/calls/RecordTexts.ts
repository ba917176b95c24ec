/** Reads the call records of a database as JSON texts, oldest first, page by page, so that memory stays bounded. */
import { remedyOf } from "effect-toolguard/internal/layers/sql/Database"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import * as Json from "#kit/cli/console/Json"

const pageSize = 500

/** Reads the records and writes nothing. A page is one text with a line for each record. The error is the remedy. */
export class RecordTexts extends Context.Service<RecordTexts, { readonly pages: Stream.Stream<string, string> }>()(
  "effect-toolguard/cli/RecordTexts"
) {}

interface Row {
  readonly id: number | bigint | string
  readonly record: string
}

/** Reads the records with an `SqlClient`. */
export const layer: Layer.Layer<RecordTexts, never, SqlClient.SqlClient> = Layer.effect(
  RecordTexts,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    pages: Stream.paginate<Row["id"], string, string>(0, (after) =>
      Effect.mapBoth(
        sql<Row>`SELECT id, record FROM toolguard_calls WHERE kind = 'call' AND id > ${after} ORDER BY id LIMIT ${pageSize}`,
        {
          onFailure: (error) => remedyOf(sql, error),
          onSuccess: (rows) => {
            const last = rows.at(-1)
            return [
              rows.length === 0 ? [] : [rows.map(({ record }) => `${Json.visible(record)}\n`).join("")],
              last === undefined || rows.length < pageSize ? Option.none() : Option.some(last.id)
            ] as const
          }
        }
      )
    )
  }))
)
