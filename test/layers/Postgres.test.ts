/** Checks the errors for PostgreSQL addresses that cannot be used, and which addresses require TLS. */
import * as Postgres from "#layers/Postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as PostgresTls from "#layers/internal/sql/PostgresTls"
import { type AddressInfo, createServer, type Server } from "node:net"

const messageOf = (url: string) =>
  SqlClient.SqlClient.pipe(
    Effect.provide(Postgres.layer({ url: Redacted.make(url) })),
    Effect.flip,
    Effect.map(({ message }) => message)
  )

describe("Postgres", () => {
  it.effect("12.3 an address that is not a URL is reported with an example", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* messageOf("127.0.0.1:5432/test"),
        "Cannot use PostgreSQL. Its address is not a URL like postgres://user:password@host:5432/database."
      )
    })
  )

  it.effect("12.3 a port without a server is reported with the address but without the password", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* messageOf("postgres://somebody:hunter22@127.0.0.1:9/test"),
        "Cannot use PostgreSQL at 127.0.0.1:9/test. No server answers at this address: check the host and port, and whether the server is running."
      )
    })
  )

  it.effect("12.3 an address that is not Redacted text is reported with the remedy and without the address", () =>
    Effect.gen(function* () {
      // plain JavaScript may pass any value
      for (const url of ["postgres://a:hunter22@127.0.0.1/test", undefined, Redacted.make(undefined)]) {
        const error = yield* Effect.flip(Effect.provide(SqlClient.SqlClient, Postgres.layer({ url: url as never })))
        assert.strictEqual(
          error.message,
          "Cannot use PostgreSQL. `url` is not a Redacted text: pass `Redacted.make(text)`."
        )
      }
    })
  )

  it("12.3 TLS is required unless the address is a socket, is loopback or has sslmode", () => {
    const elsewhere = [
      "postgres://u:p@db.example/x",
      "postgresql://u:p@10.0.0.1:5432/x",
      "postgres://u:p@[2001:db8::1]/x",
      "postgres://localhost@db.example/x",
      "postgres://u:p@localhost.example/x",
      "postgres://u:p@127.0.0.1.example/x",
      "postgres://u:p@localhost/x?host=db.example",
      "postgres://u:p@db.example/x?host=localhost&host=db.example",
      "postgres://u:p@0.0.0.0/x",
      "postgres://u:p@db.example/x?SSLMODE=disable",
      "postgres://u:p@db.example/x#?sslmode=disable"
    ]
    for (const address of elsewhere) assert.strictEqual(PostgresTls.requiredBy(address), true, address)
    const decided = [
      "postgres://u:p@localhost/x",
      "postgres://u:p@LOCALHOST:5432/x",
      "postgres://u:p@127.0.0.53/x",
      "postgres://u:p@[::1]:5432/x",
      "postgres:///x?host=/var/run/postgresql",
      "postgres://%2Fvar%2Frun%2Fpostgresql/x",
      "postgres:///x",
      "postgres://u:p@db.example/x?host=127.0.0.1",
      "postgres://u:p@db.example/x?sslmode=disable",
      "postgres://u:p@db.example/x?sslmode=verify-full"
    ]
    for (const address of decided) assert.isUndefined(PostgresTls.requiredBy(address), address)
  })

  it.live("12.3 a server without TLS on another machine gets no password, and the error names the setting", () =>
    Effect.gen(function* () {
      const received: Array<string> = []
      const listening = Effect.callback<Server>((resume) => {
        const server = createServer((socket) => {
          socket.on("error", () => {})
          socket.on("data", (bytes) => {
            received.push(bytes.toString("latin1"))
            socket.write("N")
          })
        })
        server.listen(0, "0.0.0.0", () => resume(Effect.succeed(server)))
      })
      const server = yield* Effect.acquireRelease(listening, (server) => Effect.sync(() => server.close()))
      const { port } = server.address() as AddressInfo
      // this machine, under an address that is not recognised as loopback
      const message = yield* messageOf(`postgres://somebody:hunter22@0.0.0.0:${port}/test`)
      assert.strictEqual(
        message,
        `Cannot use PostgreSQL at 0.0.0.0:${port}/test. The server offers no TLS: switch it on, or add ?sslmode=disable to the address if no one else can read the network.`
      )
      // the server has received only the request for TLS
      assert.deepStrictEqual([...new Set(received)], ["\0\0\0\b\u0004\u00d2\u0016/"])
    }).pipe(Effect.scoped)
  )
})
