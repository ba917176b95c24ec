/**
 * Tests that runners of this version and of version 0.1.0 work on one database at the same time.
 *
 * - `version-0.1.0.json` contains the rows of three runs that a runner of version 0.1.0 executed on PostgreSQL, until it was
 *   killed during the call `b`: one run had ended, one waited for a person, and one was in two calls of a round.
 * - A runner of version 0.1.0 makes each step an activity of the engine, with the same names and schemas. This version
 *   does so too without a `StepStore`. `TOOLGUARD_PREVIOUS_RUNNER` names a bundle of `runner.ts` of another version, which
 *   is then used instead.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import * as Postgres from "#layers/Postgres"
import { codes } from "../agent/support.ts"
import { needs } from "../support/prerequisites.ts"
import { freshDatabase, postgres } from "../support/servers.ts"
import * as Processes from "./Processes.ts"
import { agent, client, promptOf } from "./World.ts"

type Row = Readonly<Record<string, unknown>>
interface Rows {
  /** The token of the question of the run `waiting`. */
  readonly token: string
  readonly cluster_messages: ReadonlyArray<Row>
  readonly cluster_replies: ReadonlyArray<Row>
  readonly toolguard_durable_runs: ReadonlyArray<Row>
}
const tables = ["cluster_messages", "cluster_replies", "toolguard_durable_runs"] as const

const stored = JSON.parse(readFileSync(new URL("version-0.1.0.json", import.meta.url), "utf8")) as Rows
const waitingPlan = promptOf([
  [["look", "d"]],
  [
    ["refund", "e"],
    ["pay", "f"]
  ],
  [["pay", "g"]]
])

const previous = process.env["TOOLGUARD_PREVIOUS_RUNNER"]
const previousRunner = (url: string, ledger: Parameters<typeof Processes.runner>[1]) =>
  Processes.runner(url, ledger, { hasActivities: true }, previous)

const connection = (url: string) => Postgres.layer({ url: Redacted.make(url) })

const read = (run: string) => Effect.map(agent.result({ run }, 50), (end) => [end._tag, codes(end.transcript)] as const)

const suspended = (run: string) =>
  Effect.repeat(Effect.delay(agent.poll({ run }), 20), { until: ({ _tag }) => _tag === "Suspended" })

/** The columns of the requests of a run's steps that do not depend on the time. */
const requests = (rows: ReadonlyArray<Row>, execution: unknown) =>
  rows
    .filter((row) => row["entity_id"] === execution && row["tag"] === "activity")
    .map((row) =>
      Object.fromEntries(
        [
          "message_id",
          "shard_id",
          "entity_type",
          "entity_id",
          "kind",
          "tag",
          "payload",
          "headers",
          "processed",
          "deliver_at",
          "reply_id"
        ].map((column) => [column, row[column]])
      )
    )
    .sort((a, b) => (String(a["message_id"]) < String(b["message_id"]) ? -1 : 1))

const traceId = /tr_[0-9a-f]+_\d+/gu

/** Replaces the times, ids and counters of a reply. */
const shapeOf = (payload: unknown) =>
  JSON.parse(String(payload).replaceAll(traceId, ""), (key, value: unknown) =>
    typeof value === "number" || ["body", "key", "contracts", "text", "binding", "name", "callId"].includes(key)
      ? typeof value
      : value
  ) as unknown

const shapes = ({ cluster_messages, cluster_replies }: Omit<Rows, "token">, execution: unknown) =>
  cluster_messages
    .filter((row) => row["entity_id"] === execution && row["tag"] === "activity")
    .map((row) => [
      row["payload"],
      cluster_replies
        .filter((reply) => String(reply["id"]) === String(row["last_reply_id"]))
        .map((reply) => [reply["kind"], reply["sequence"], reply["acked"], shapeOf(reply["payload"])])
    ])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))

describe("a rolling deploy on PostgreSQL", needs(postgres), () => {
  it.live("12.3 continues the runs that version 0.1.0 has stored, and repeats none of their completed steps", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("deploy")
      const ledger = yield* Processes.ledger
      yield* Effect.gen(function* () {
        yield* agent.poll({ run: "ended" }) // the client has created the tables
        const sql = yield* SqlClient.SqlClient
        for (const table of tables)
          for (const row of stored[table]) yield* sql`INSERT INTO ${sql(table)} ${sql.insert(row)}`
        const before = yield* read("ended")
        yield* Processes.runner(url, ledger)
        assert.deepStrictEqual(yield* read("killed"), ["Answered", ["success", "success", "success", "success"]])
        yield* agent.decide(stored.token, { _tag: "Approved", by: "ann" })
        assert.deepStrictEqual(yield* read("waiting"), ["Answered", ["success", "success", "success", "success"]])
        assert.deepStrictEqual(
          [before, yield* read("ended")],
          [
            ["Answered", ["success"]],
            ["Answered", ["success"]]
          ]
        )
      }).pipe(Effect.provide(Layer.merge(client(url), connection(url))))
      // `b` was in progress when its runner was killed; `e` waited for the decision; `c` and `g` come after them
      assert.deepStrictEqual(
        ["a", "b", "c", "d", "e", "f", "g", "h"].filter((action) => ledger.requests(action) > 0),
        ["b", "c", "e", "g"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("12.3 writes the rows of steps that version 0.1.0 writes", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("deploy")
      const ledger = yield* Processes.ledger
      yield* Processes.runner(url, ledger)
      yield* Effect.gen(function* () {
        yield* agent.start({ run: "waiting", prompt: waitingPlan })
        yield* suspended("waiting")
        const sql = yield* SqlClient.SqlClient
        const written = {
          cluster_messages: yield* sql<Row>`SELECT * FROM cluster_messages`,
          cluster_replies: yield* sql<Row>`SELECT * FROM cluster_replies`,
          toolguard_durable_runs: yield* sql<Row>`SELECT * FROM toolguard_durable_runs`
        }
        const { execution_id } = stored.toolguard_durable_runs.find(({ run }) => run === "waiting") ?? {}
        const steps = requests(written.cluster_messages, execution_id)
        assert.strictEqual(steps.length, 5)
        assert.deepStrictEqual(steps, requests(stored.cluster_messages, execution_id))
        assert.deepStrictEqual(shapes(written, execution_id), shapes(stored, execution_id))
      }).pipe(Effect.provide(Layer.merge(client(url), connection(url))))
    }).pipe(Effect.scoped)
  )

  for (const [what, first, second] of [
    ["a runner of version 0.1.0 is killed, a runner of this version", previousRunner, Processes.runner],
    ["a runner of this version is killed, a runner of version 0.1.0", Processes.runner, previousRunner]
  ] as const)
    it.live(`12.3 if ${what} continues its run, with one effect of each call`, () =>
      Effect.gen(function* () {
        const url = yield* freshDatabase("deploy")
        const ledger = yield* Processes.ledger
        const killed = yield* first(url, ledger)
        yield* Effect.gen(function* () {
          yield* agent.start({ run: "waiting", prompt: waitingPlan })
          const { token } = yield* Effect.promise(ledger.asked)
          yield* suspended("waiting")
          const reached = ledger.hold("b")
          yield* agent.start({
            run: "killed",
            prompt: promptOf([[["pay", "a"]], [["pay", "b"]], [["pay", "c"]]])
          })
          yield* Effect.promise(() => reached)
          const other = yield* second(url, ledger)
          yield* Processes.kill(killed)
          ledger.release()
          assert.deepStrictEqual(yield* read("killed"), ["Answered", ["success", "success", "success"]])
          yield* agent.decide(token, { _tag: "Approved", by: "ann" })
          assert.deepStrictEqual(yield* read("waiting"), ["Answered", ["success", "success", "success", "success"]])
          assert.strictEqual(ledger.lastCaller(), other.pid)
        }).pipe(Effect.provide(client(url)))
        assert.deepStrictEqual(["a", "b", "c", "e", "f", "g"].map(ledger.effects), [1, 1, 1, 1, 1, 1])
        assert.deepStrictEqual(["a", "c", "d", "e", "f", "g"].map(ledger.requests), [1, 1, 1, 1, 1, 1])
      }).pipe(Effect.scoped)
    )
})
