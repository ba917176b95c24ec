/**
 * A `SqlClient` over PostgreSQL: `@effect/sql-pg` with errors that name the address and a remedy.
 *
 * The stores also accept any other `SqlClient` for PostgreSQL, such as the backend's `PgClient`.
 */
import { DatabasePlace, databaseUnavailable, type DatabaseUnavailable } from "#services/DatabaseUnavailable"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as Secret from "#domain/text/Secret"
import * as OptionalPeer from "#layers/internal/peer/OptionalPeer"
import { remedyOf } from "#layers/internal/sql/DialectPostgres"

/** How to reach PostgreSQL. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: Redacted.Redacted
  /** The maximum number of connections. Default 10. */
  readonly maxConnections?: number
}

/** Connects to PostgreSQL. Fails if it cannot be reached or refuses the user. */
export const layer = (options: PostgresOptions): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  Layer.suspend(() => {
    const fault = Secret.fault("url", options.url)
    if (fault !== undefined) return failed("PostgreSQL", fault, undefined)
    if (!URL.canParse(Redacted.value(options.url))) {
      return failed(
        "PostgreSQL",
        "Its address is not a URL like postgres://user:password@host:5432/database.",
        undefined
      )
    }
    const place = placeOf(options.url)
    const client = OptionalPeer.load("layers/Postgres", () => import("@effect/sql-pg/PgClient")).pipe(
      Effect.mapError((missing) => databaseUnavailable(place, missing.message, missing.cause)),
      Effect.map((PgClient) => PgClient.layer({ ...options, applicationName: "effect-toolguard" })),
      Layer.unwrap
    )
    return connectionTest.pipe(
      Layer.provideMerge(client),
      Layer.catchTag("SqlError", (error) => failed(place, remedyOf(error), error)),
      Layer.merge(Layer.succeed(DatabasePlace, place))
    )
  })

/** Runs a statement when the layer is built, because a pool connects only when it is used. */
const connectionTest = Layer.effectDiscard(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1`))

const failed = (place: string, remedy: string, cause: unknown) =>
  Layer.effect(SqlClient.SqlClient, Effect.fail(databaseUnavailable(place, remedy, cause)))

/** Returns the address without user and password. */
const placeOf = (url: Redacted.Redacted): string => {
  const { host, pathname } = new URL(Redacted.value(url))
  return `PostgreSQL at ${host}${pathname}`
}
