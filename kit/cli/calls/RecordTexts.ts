/** Reads the call records of a database as JSON texts, oldest first, page by page, so that memory stays bounded. */
import { remedyOf } from "effect-toolguard/internal/layers/sql/Database"
import { AtRest, type AtRestUnreadable, callPlace } from "effect-toolguard/services/AtRest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import * as Json from "#kit/cli/console/Json"

const pageSize = 500

/** Why the records cannot be read: the remedy for a database that is down, or the reason for an encrypted record. */
type Unreadable = string | AtRestUnreadable

/** Reads the records and writes nothing. A page is one text with a line for each record. */
export class RecordTexts extends Context.Service<RecordTexts, { readonly pages: Stream.Stream<string, Unreadable> }>()(
  "effect-toolguard/cli/RecordTexts"
) {}

interface Row {
  readonly id: number | bigint | string
  readonly trace_id: string
  readonly record: string
}

/** Reads the records with an `SqlClient`. Encrypted records are decrypted. */
export const layer: Layer.Layer<RecordTexts, never, SqlClient.SqlClient> = Layer.effect(
  RecordTexts,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const cipher = yield* AtRest
    const read = (after: Row["id"]) =>
      Effect.mapError(
        sql<Row>`SELECT id, trace_id, record FROM toolguard_calls WHERE kind = 'call' AND id > ${after} ORDER BY id LIMIT ${pageSize}`,
        (error) => remedyOf(sql, error)
      )
    const lineOf = ({ record, trace_id }: Row) =>
      Result.map(cipher.open(record, callPlace("call", trace_id)), (text) => `${Json.visible(text)}\n`)
    return {
      pages: Stream.paginate<Row["id"], string, Unreadable>(0, (after) =>
        Effect.flatMap(read(after), (rows) =>
          Effect.map(Effect.fromResult(Result.all(rows.map(lineOf))), (lines) => {
            const last = rows.at(-1)
            return [
              lines.length === 0 ? [] : [lines.join("")],
              last === undefined || rows.length < pageSize ? Option.none() : Option.some(last.id)
            ] as const
          })
        )
      )
    }
  })
)
