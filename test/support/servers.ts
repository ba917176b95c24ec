/**
 * Connects tests to servers. Tests use only servers that an environment variable names:
 *
 * - `TOOLGUARD_POSTGRES_URL`, for example `postgres://user:password@host:5432/postgres`. The user must be allowed to create
 *   databases: each suite creates a database and drops it.
 * - `TOOLGUARD_REDIS_URL`, for example `redis://user:password@host:6379/0`. Each suite prefixes its keys, and removes them
 *   at its end.
 *
 * Tests of a server that is not named are skipped, or fail with `REQUIRE_SERVERS=1`. Tests of a named server that cannot be used
 * fail with the error of the server.
 */
import * as Postgres from "#layers/Postgres"
import * as RedisNode from "#layers/RedisNode"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { afterAll, beforeAll } from "@effect/vitest"
import { Effect, Layer, Redacted, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { onTestTime } from "./storeTime.ts"
import { isSet, type Prerequisite } from "./prerequisites.ts"

export interface Server extends Prerequisite {
  /** The address of the server. If no variable names a server, an address that cannot be reached. */
  readonly url: string
}

/** Returns the message of the error, followed by those of its causes. */
const messageOf = ({ cause, message }: DatabaseUnavailable): string => {
  const causes: Array<string> = []
  for (let at: unknown = cause; at instanceof Error && causes.length < 5; at = at.cause) causes.push(at.message)
  return [message, ...new Set(causes)].filter((each) => each !== "").join(" ")
}

const find = async (
  variable: string,
  unreachable: string,
  connect: (url: Redacted.Redacted) => Layer.Layer<never, DatabaseUnavailable>
): Promise<Server> => {
  const url = process.env[variable]
  if (url === undefined || url === "") {
    return { url: unreachable, absent: `${variable} is not set`, isRequired: isSet("REQUIRE_SERVERS") }
  }
  // the layers of both servers send a request when they connect
  const absent = await Layer.build(connect(Redacted.make(url))).pipe(
    Effect.scoped,
    Effect.as(undefined),
    Effect.catch((error) => Effect.succeed(`${variable}: ${messageOf(error)}`)),
    Effect.runPromise
  )
  return { url, absent, isRequired: true }
}

export const postgres = await find("TOOLGUARD_POSTGRES_URL", "postgres://127.0.0.1:9/postgres", (url) =>
  Layer.effectDiscard(Effect.provide(SqlClient.SqlClient, Postgres.layer({ url, maxConnections: 1 })))
)

export const redis = await find("TOOLGUARD_REDIS_URL", "redis://127.0.0.1:9", (url) =>
  Layer.effectDiscard(Effect.provide(Effect.void, RedisNode.layer({ url })))
)

const urlOf = (database: string): string => {
  const url = new URL(postgres.url)
  url.pathname = `/${database}`
  return url.href
}

const run = (statement: string): Promise<unknown> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
    Effect.provide(Postgres.layer({ url: Redacted.make(postgres.url) })),
    Effect.runPromise
  )

/** Returns the address of the database that `scratchDatabase` creates for a name. */
export const scratchUrl = (name: string): string => urlOf(`toolguard_${name}_${process.pid}`)

/**
 * Creates a database before the tests of a suite and drops it after them. Each use of the layer has its own pool. The
 * stores of the database use the test clock.
 */
export const scratchDatabase = (name: string): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> => {
  const database = `toolguard_${name}_${process.pid}`
  beforeAll(async () => {
    await run(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
    await run(`CREATE DATABASE ${database}`)
  })
  afterAll(() => run(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`))
  return onTestTime(Postgres.layer({ url: Redacted.make(scratchUrl(name)) }))
}

let created = 0

/** Creates a database for one test and returns its address, for processes that share it. It is dropped when the scope closes. */
export const freshDatabase = (name: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const database = `toolguard_${name}_${process.pid}_${(created += 1)}`
        await run(`CREATE DATABASE ${database}`)
        return database
      }),
      (database) => Effect.promise(() => run(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`))
    ),
    urlOf
  )
