/** Runs `toolguard runs` and `toolguard forget` as processes on the database of a running durable agent. */
import * as DurableSqlite from "#layers/DurableSqlite"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { join } from "node:path"
import { type Agent, agentOf, needsOf, until, type World, world } from "../../../durable/runsWorld.ts"
import { folder } from "../../../support/sqliteFile.ts"
import { toolguard } from "../toolguard.ts"

/**
 * Runs an effect alongside a runner in this process, and passes it a function that runs a command on the runner's file.
 */
const within = (
  use: (
    agent: Agent,
    world: World,
    command: (...args: ReadonlyArray<string>) => Effect.Effect<Awaited<ReturnType<typeof toolguard>>>
  ) => Effect.Effect<void, unknown, any>
) =>
  Effect.gen(function* () {
    const filename = join(yield* folder, "agents.db")
    const [agent, seen] = [agentOf(), world()]
    const runner = agent.layer.pipe(
      Layer.provide(needsOf(seen)),
      Layer.provideMerge(DurableSqlite.layer({ filename, interval: "50 millis" }))
    )
    const command = (...args: ReadonlyArray<string>) =>
      Effect.promise(() => toolguard([...args, "--database", filename]))
    yield* Effect.provide(use(agent, seen, command), runner)
  }).pipe(Effect.scoped) as Effect.Effect<void>

const key = { run: "job\u202e 17", tenant: "acme" }

describe("toolguard runs with durable runs", () => {
  it.live("12.4 list, show, cancel and forget follow a run from its wait to its removal", () =>
    within((agent, { asked }, command) =>
      Effect.gen(function* () {
        yield* agent.start({ ...key, prompt: "refund" })
        yield* agent.start({ ...key, principal: "ann", prompt: "answer" })
        yield* until(agent, key, "Suspended")
        yield* until(agent, { ...key, principal: "ann" }, "Ended")
        const { code, stderr, stdout } = yield* command("runs", "list", "--tenant", "acme")
        assert.deepStrictEqual([code, stderr], [0, ""])
        assert.match(
          stdout,
          /job\[U\+202E\] 17 {2}tenant acme {2}agent Clerk\n {2}suspended: waits for a person, started \d+ m?s ago, changed /u
        )
        assert.match(stdout, /principal ann {2}agent Clerk\n {2}ended \(Answered\), /u)
        assert.match(stdout, /\n2 runs\.\n$/u)
        const waiting = yield* command("runs", "list", "--state", "suspended", "--limit", "1", "--json")
        assert.deepStrictEqual(
          JSON.parse(waiting.stdout).durable.runs.map(({ run, state }: any) => [run, state]),
          [[key.run, "Suspended"]]
        )
        const early = yield* command("runs", "forget", key.run, "--tenant", "acme")
        assert.deepStrictEqual([early.code, /has not ended.\n.*runs cancel/su.test(early.stderr)], [1, true])
        const cancelled = yield* command("runs", "cancel", key.run, "--tenant", "acme")
        assert.strictEqual(
          cancelled.stdout,
          "Cancellation of job[U+202E] 17 requested. An active runner stops it within a second; otherwise it ends when a runner starts.\n"
        )
        assert.strictEqual((yield* agent.result(key, 20))._tag, "Interrupted")
        yield* agent.decide(asked[0]!.token, { _tag: "Approved", by: "ann" })
        const again = yield* command("runs", "cancel", key.run, "--tenant", "acme")
        assert.strictEqual(again.stdout, "job[U+202E] 17 had already ended. Nothing was changed.\n")
        const shown = yield* command("runs", "show", key.run, "--tenant", "acme", "--json")
        assert.deepInclude(JSON.parse(shown.stdout).run, { state: "Cancelled", end: "Interrupted" })
        const forgotten = yield* command("runs", "forget", key.run, "--tenant", "acme")
        assert.match(forgotten.stdout, /removed 1 {2}durable runs\n/u)
        const unknown = yield* command("runs", "show", key.run, "--tenant", "acme")
        assert.deepStrictEqual(
          [unknown.code, /There is no durable run job\[U\+202E\] 17/u.test(unknown.stderr)],
          [1, true]
        )
        assert.strictEqual((yield* agent.poll({ ...key, principal: "ann" }))._tag, "Ended")
      })
    )
  )

  it.live(
    "12.4 forget erases the durable runs of a principal and of a tenant, and counts those that have not ended",
    () =>
      within((agent, { gate }, command) =>
        Effect.gen(function* () {
          yield* Deferred.succeed(gate, undefined)
          const keys = [
            { run: "a", tenant: "acme", principal: "ann" },
            { run: "a", tenant: "acme" },
            { run: "a", tenant: "other" }
          ]
          for (const each of keys) {
            yield* agent.start({ ...each, prompt: "write" })
            yield* until(agent, each, "Ended")
          }
          const waiting = { run: "waiting", tenant: "acme" }
          yield* agent.start({ ...waiting, prompt: "refund" })
          yield* until(agent, waiting, "Suspended")
          const states = Effect.forEach([...keys, waiting], (each) => Effect.map(agent.poll(each), ({ _tag }) => _tag))
          const counted = (stdout: string) =>
            JSON.parse(stdout).removed.find(({ store }: any) => store === "durable runs").count as number
          const ann = yield* command("forget", "--tenant", "acme", "--principal", "ann", "--json")
          assert.deepStrictEqual([counted(ann.stdout), yield* states], [1, ["Unknown", "Ended", "Ended", "Suspended"]])
          const acme = yield* command("forget", "--tenant", "acme", "--json")
          assert.deepStrictEqual(
            [counted(acme.stdout), yield* states],
            [1, ["Unknown", "Unknown", "Ended", "Suspended"]]
          )
          assert.include(acme.stdout, "Durable runs that have not ended: 1. Cancel them")
          yield* agent.cancel(waiting)
          yield* agent.result(waiting, 20)
          yield* command("forget", "--tenant", "acme", "--json")
          assert.deepStrictEqual(yield* states, ["Unknown", "Unknown", "Ended", "Unknown"])
          const sql = yield* SqlClient.SqlClient
          const left = yield* sql<{ readonly n: number }>`SELECT COUNT(DISTINCT entity_id) AS n FROM cluster_messages`
          assert.deepStrictEqual(left, [{ n: 1 }])
        })
      )
  )
})
