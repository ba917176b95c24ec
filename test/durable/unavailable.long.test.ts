/** Tests durable runs whose database fails, stops answering, or becomes unreachable. */
import type { DurableRunsUnavailable } from "#services/DurableRuns"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { needs } from "../support/prerequisites.ts"
import { proxyTo } from "../support/proxy.ts"
import { freshDatabase, postgres } from "../support/servers.ts"
import { folder } from "../support/sqliteFile.ts"
import { asClient, type Engines, postgresEngines, running, sqliteEngines } from "./engines.ts"
import { agentOf, world } from "./runsWorld.ts"

const run = { run: "run", prompt: "write" }

/** Makes a database unavailable and available again. `says` matches the error meanwhile. */
interface Outage {
  readonly breaks: Effect.Effect<void>
  readonly restored: Effect.Effect<void>
  readonly says: RegExp
}

/** Starts a run during and after an outage. `client` is the address at which the client reaches the database. */
const startsAgain = (engines: Engines, database: string, client: string, { breaks, restored, says }: Outage) =>
  Effect.gen(function* () {
    const [agent, seen] = [agentOf(), world()]
    yield* running(agent, seen, engines, database)
    yield* Deferred.succeed(seen.gate, undefined)
    yield* asClient(
      engines,
      client
    )(
      Effect.gen(function* () {
        yield* breaks
        for (const started of [agent.start(run), Effect.asVoid(agent.execute(run))]) {
          const error: DurableRunsUnavailable = yield* Effect.flip(started)
          assert.strictEqual(error._tag, "DurableRunsUnavailable")
          assert.match(error.message, says)
        }
        assert.deepStrictEqual(seen.written, [])
        yield* restored
        yield* agent.start(run)
        assert.strictEqual((yield* agent.result(run, 20))._tag, "Answered")
        assert.deepStrictEqual(seen.written, ["write-0"])
      })
    )
  })

describe("starting a durable run", () => {
  it.live("12.4 fails while the table of the runs in a SQLite file is gone, and starts once it is back", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "agents.db")
      const rename = (from: string, to: string) =>
        Effect.sync(() => {
          const db = new DatabaseSync(file)
          db.exec(`ALTER TABLE ${from} RENAME TO ${to}`)
          db.close()
        })
      yield* startsAgain(sqliteEngines, file, file, {
        breaks: rename("toolguard_durable_runs", "gone"),
        restored: rename("gone", "toolguard_durable_runs"),
        says: /^The rows of the durable runs cannot be read or written\. .*no such table: toolguard_durable_runs/
      })
    }).pipe(Effect.scoped)
  )
})

describe("starting a durable run on PostgreSQL", needs(postgres), () => {
  for (const [what, state, says] of [
    ["cannot be reached", "cut", /^The rows of the durable runs cannot be read or written\. Cannot use /],
    ["does not answer", "hang", /(?:The database did not respond in time|No server answers at this address)/]
  ] as const) {
    it.live(
      `12.4 fails if the server ${what}, and starts once the server is back`,
      () =>
        Effect.gen(function* () {
          const url = yield* freshDatabase("unavailable")
          const proxy = yield* proxyTo(url)
          yield* startsAgain(postgresEngines, url, proxy.url, {
            breaks: Effect.sync(proxy[state]),
            restored: Effect.sync(proxy.restore),
            says
          })
        }).pipe(Effect.scoped),
      60_000
    )
  }
})
