/**
 * The servers that tests run against, on this machine. Redis is one more line: `await find("Redis", 6379)`.
 *
 * A suite whose server does not answer skips, and says so in its name; with `REQUIRE_SERVERS=1` it runs, and fails.
 */
import * as Postgres from "#layers/Postgres"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { afterAll, beforeAll, describe } from "@effect/vitest"
import { Effect, type Layer, Redacted, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { connect } from "node:net"

const isRequired = process.env["REQUIRE_SERVERS"] === "1"

export interface Server {
  readonly name: string
  readonly isThere: boolean
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, timeout: 2_000 })
    const settle = (isThere: boolean) => {
      socket.destroy()
      resolve(isThere)
    }
    socket.once("connect", () => settle(true))
    socket.once("error", () => settle(false))
    socket.once("timeout", () => settle(false))
  })

const find = async (name: string, port: number): Promise<Server> => ({
  name,
  isThere: isRequired || (await answers(port))
})

export const postgres = await find("PostgreSQL", 5432)
export const redis = await find("Redis", 6379)

/** Tests that need a server. */
export const describeOn = (server: Server, name: string, tests: () => void): void => {
  if (server.isThere) describe(name, tests)
  else describe.skip(`${name} (skipped: ${server.name} does not answer on 127.0.0.1)`, tests)
}

const urlOf = (database: string) => Redacted.make(`postgres://postgres@127.0.0.1:5432/${database}`)

const run = (statement: string): Promise<unknown> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
    Effect.provide(Postgres.layer({ url: urlOf("postgres") })),
    Effect.runPromise
  )

/** A database of the suite's own, made before its tests and dropped after them. Each use of the layer has its own pool. */
export const scratchDatabase = (name: string): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> => {
  const database = `toolguard_${name}_${process.pid}`
  beforeAll(async () => {
    await run(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
    await run(`CREATE DATABASE ${database}`)
  })
  afterAll(() => run(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`))
  return Postgres.layer({ url: urlOf(database) })
}

let made = 0

/** The URL of a database of one test's own, for processes that share it; dropped when the scope closes. */
export const freshDatabase = (name: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const database = `toolguard_${name}_${process.pid}_${(made += 1)}`
        await run(`CREATE DATABASE ${database}`)
        return database
      }),
      (database) => Effect.promise(() => run(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`))
    ),
    (database) => Redacted.value(urlOf(database))
  )
