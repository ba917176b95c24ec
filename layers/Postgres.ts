/**
 * Provides a `SqlClient` over PostgreSQL: `@effect/sql-pg` with errors that name the address and a remedy. A server on
 * another machine is reached with TLS, unless the options or the address say otherwise.
 *
 * The stores also accept any other `SqlClient` for PostgreSQL, such as the backend's `PgClient`.
 */
import { DatabasePlace, databaseUnavailable, type DatabaseUnavailable } from "#services/DatabaseUnavailable"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { ConnectionOptions } from "node:tls"
import * as SqlClient from "effect/sql/SqlClient"
import * as Secret from "#domain/text/Secret"
import * as OptionalPeer from "#layers/internal/peer/OptionalPeer"
import * as PostgresTls from "#layers/internal/sql/PostgresTls"
import { remedyOf } from "#layers/internal/sql/DialectPostgres"

/** How to reach PostgreSQL. */
export interface PostgresOptions {
  /**
   * `postgres://user:password@host:port/database`. `?sslmode=` decides about TLS as in libpq: `disable`, `prefer`,
   * `require` … Certificates are always verified.
   */
  readonly url: Redacted.Redacted
  /**
   * Whether to use TLS, or its options, such as `{ ca }` for your own certificate authority. Overrides the address.
   * Default: `sslmode` decides; without it, true for other machines, and false for sockets, `localhost`, `127.0.0.0/8`
   * and `::1`.
   */
  readonly ssl?: boolean | ConnectionOptions
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
      Effect.map((PgClient) => {
        const ssl = options.ssl ?? PostgresTls.requiredBy(Redacted.value(options.url))
        const tls = ssl === undefined ? {} : { ssl }
        return PgClient.layer({ ...options, ...tls, applicationName: "effect-toolguard" })
      }),
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
