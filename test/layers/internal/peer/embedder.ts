/**
 * A backend with only the library and `effect` installed. Builds layers with optional peers, and prints the results as
 * JSON with one entry for each layer.
 */
import { Cause, Effect, Exit, Layer, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import * as ApprovalsMemory from "effect-toolguard/layers/ApprovalsMemory"
import * as UnknownOutcomesMemory from "effect-toolguard/layers/UnknownOutcomesMemory"
import * as ApproversList from "effect-toolguard/layers/ApproversList"
import * as DurablePostgres from "effect-toolguard/layers/DurablePostgres"
import * as DurableSqlite from "effect-toolguard/layers/DurableSqlite"
import * as EscalationHttp from "effect-toolguard/layers/EscalationHttp"
import * as Postgres from "effect-toolguard/layers/Postgres"
import * as RedisNode from "effect-toolguard/layers/RedisNode"
import * as SqliteNode from "effect-toolguard/layers/SqliteNode"

const inbox = Layer.mergeAll(ApprovalsMemory.layer, ApproversList.layer([]), UnknownOutcomesMemory.layer)
const publicUrl = "http://127.0.0.1:1"

/** Returns `built`, or the kind, name and message of the error. */
const building = <A, E>(layer: Layer.Layer<A, E>): Effect.Effect<string> =>
  Effect.map(Effect.exit(Effect.scoped(Layer.build(layer))), (exit) => {
    if (Exit.isSuccess(exit)) return "built"
    const error = Cause.squash(exit.cause) as Error
    return `${Cause.hasDies(exit.cause) ? "defect" : "failure"} ${error.name}: ${error.message}`
  })

const handled = Effect.gen(function* () {
  const routes = EscalationHttp.routes({ publicUrl }).pipe(
    Layer.provide(inbox),
    Layer.provide(HttpServer.layerServices)
  )
  const { dispose, handler } = HttpRouter.toWebHandler(routes, { disableLogger: true })
  const response = yield* Effect.promise(() => handler(new Request(`${publicUrl}/api/openapi.json`)))
  yield* Effect.promise(dispose)
  return `status ${response.status}`
})

const results = Effect.all({
  Postgres: building(Postgres.layer({ url: Redacted.make("postgres://postgres:hunter22@127.0.0.1:9/test") })),
  "Postgres without an address": building(Postgres.layer({ url: Redacted.make("test") })),
  RedisNode: building(RedisNode.layer({ url: Redacted.make("redis://:hunter22@127.0.0.1:9/0") })),
  DurablePostgres: building(
    DurablePostgres.layer({ host: "127.0.0.1", port: 1 }).pipe(
      Layer.provide(SqliteNode.layer({ filename: ":memory:" }))
    )
  ),
  "DurablePostgres client": building(
    DurablePostgres.client().pipe(Layer.provide(SqliteNode.layer({ filename: ":memory:" })))
  ),
  DurableSqlite: building(DurableSqlite.layer({ filename: ":memory:" })),
  "EscalationHttp layer": building(EscalationHttp.layer({ publicUrl }).pipe(Layer.provide(inbox))),
  "EscalationHttp routes": handled,
  "EscalationHttp serve": building(EscalationHttp.serve({ publicUrl, port: 0 }).pipe(Layer.provide(inbox)))
})

process.stdout.write(JSON.stringify(await Effect.runPromise(results)))
