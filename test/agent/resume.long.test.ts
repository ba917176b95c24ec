/** Tests of a run whose PostgreSQL server becomes unreachable: the run waits for a short time, and then stops with an error. */
import * as CheckpointsSql from "#layers/CheckpointsSql"
import * as Postgres from "#layers/Postgres"
import { CheckpointsUnavailable } from "#services/Checkpoints"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { tool } from "../pipeline/support.ts"
import { needs } from "../support/prerequisites.ts"
import { proxyTo } from "../support/proxy.ts"
import { postgres, scratchDatabase, scratchUrl } from "../support/servers.ts"
import { begin, byPlace, onStores, resume, storesWith, type World } from "./processes.ts"
import { call } from "./support.ts"

describe("PostgreSQL that becomes unreachable during a run", needs(postgres), () => {
  const database = scratchDatabase("run_unreachable")

  it.live(
    "12.1 the run continues after a short outage, and stops after a long outage with an error that names the server",
    () =>
      Effect.gen(function* () {
        yield* Layer.build(database)
        const proxy = yield* proxyTo(scratchUrl("run_unreachable"))
        const { host, pathname } = new URL(proxy.url)
        const url = Redacted.make(proxy.url)
        const checkpoints = CheckpointsSql.layer.pipe(Layer.provide(Postgres.layer({ url })))
        const calls: Array<string> = []
        const read = tool("read_it", {}, ({ q }: { readonly q: string }) => {
          calls.push(q)
          return Effect.succeed({ n: q.length })
        })
        const cuttingModel: World["model"] = byPlace([
          call("read_it", { q: "a" }, "c1"),
          () => {
            proxy.cut()
            setTimeout(proxy.restore, 500)
            return call("read_it", { q: "b" }, "c2")
          },
          () => {
            proxy.cut()
            return call("read_it", { q: "c" }, "c3")
          },
          "done"
        ])
        const world: World = { tools: [read], model: cuttingModel }
        const error = yield* Effect.flip(begin(world).pipe(onStores(storesWith(checkpoints))))
        assert.deepStrictEqual(calls, ["a", "b"])
        assert.instanceOf(error, CheckpointsUnavailable)
        assert.include(
          String(error.cause),
          `Cannot use PostgreSQL at ${host}${pathname}. No server answers at this address`
        )
        proxy.restore()
        const { asked, end } = yield* resume(
          { ...world, model: byPlace(["", "", call("read_it", { q: "c" }, "c3"), "done"]) },
          { takeOver: true }
        ).pipe(onStores(storesWith(checkpoints)))
        assert.deepStrictEqual([end._tag, asked, calls], ["Answered", 2, ["a", "b", "c"]])
      }).pipe(Effect.scoped)
  )
})
