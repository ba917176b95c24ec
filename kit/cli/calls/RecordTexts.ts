/** Reads the call records of a database as JSON texts, oldest first, page by page, so that memory stays bounded. */
import * as CallRows from "effect-toolguard/internal/layers/sql/CallRows"
import { remedyOf } from "effect-toolguard/internal/layers/sql/Database"
import { ownerOfFields, parsed } from "effect-toolguard/internal/layers/stores/StoredOwner"
import { AtRest, type AtRestUnreadable, callPlace } from "effect-toolguard/services/AtRest"
import { type ForgetScope, isOf } from "effect-toolguard/services/Forget"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import * as Json from "#kit/cli/console/Json"

const pageSize = 500

/** The reason why records cannot be read: the remedy if the database is down, or the error of an encrypted record. */
type ReadFailure = string | AtRestUnreadable

/** Reads the records and writes nothing. */
export class RecordTexts extends Context.Service<
  RecordTexts,
  {
    /**
     * Returns the records of a scope, or all records. A page is one text with a line for each of its records, and can
     * be empty.
     */
    readonly pages: (scope: ForgetScope | undefined) => Stream.Stream<string, ReadFailure>
  }
>()("effect-toolguard/cli/RecordTexts") {}

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
    const read = (scope: ForgetScope | undefined, after: Row["id"]) =>
      Effect.mapError(
        sql<Row>`SELECT id, trace_id, record FROM toolguard_calls
          WHERE kind = 'call' AND ${scope === undefined ? sql`1 = 1` : CallRows.inScope(sql, scope)} AND id > ${after}
          ORDER BY id LIMIT ${pageSize}`,
        (error) => remedyOf(sql, error)
      )
    const lineOf = (scope: ForgetScope | undefined, { record, trace_id }: Row) =>
      Result.map(cipher.open(record, callPlace("call", trace_id)), (text) =>
        scope === undefined || isOf(scope, ownerOfFields(parsed(text))) ? `${Json.visible(text)}\n` : ""
      )
    return {
      pages: (scope) =>
        Stream.paginate<Row["id"], string, ReadFailure>(0, (after) =>
          Effect.flatMap(read(scope, after), (rows) =>
            Effect.map(Effect.fromResult(Result.all(rows.map((row) => lineOf(scope, row)))), (lines) => {
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
