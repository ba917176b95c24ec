/** Checks the call log in SQL. If its database fails, calls do not fail, and dropped records are reported. */
import type { CallRecord } from "#domain/call/CallRecord"
import * as CallLogSql from "#layers/CallLogSql"
import * as SqliteNode from "#layers/SqliteNode"
import { CallLog } from "#services/CallLog"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { tool, within, settled, ask } from "../pipeline/support.ts"
import { folder } from "../support/sqliteFile.ts"
import { recorded } from "../support/logs.ts"

const recordOf = (callId: string, over: Partial<CallRecord> = {}): CallRecord => ({
  tenant: "tenant",
  conversation: "conversation",
  turn: "turn",
  round: 1,
  callId,
  tool: "search_it",
  keyDigest: "ab",
  startedAt: 1,
  durationMillis: 1,
  decisions: [],
  attempts: [],
  outcome: { _tag: "Success" },
  sideEffect: "none",
  traceId: `trace ${callId}`,
  ...over
})

const withFile = (filename: string, options: CallLogSql.CallLogSqlOptions = {}) =>
  CallLogSql.layerWith(options).pipe(Layer.provideMerge(SqliteNode.layer({ filename, busyTimeout: 0 })))

/** Opens the log in a new file, with a second connection to the file. */
const opened = (options: CallLogSql.CallLogSqlOptions = {}) =>
  Effect.gen(function* () {
    const filename = join(yield* folder, "stores.db")
    const scope = yield* Scope.fork(yield* Effect.scope)
    const context = yield* Layer.buildWithScope(withFile(filename, options), scope)
    const other = yield* Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(filename)),
      (db) => Effect.sync(() => db.close())
    )
    const ids = () =>
      other
        .prepare("SELECT record FROM toolguard_calls ORDER BY id")
        .all()
        .map(({ record }) => JSON.parse(String(record)).callId)
    return {
      log: yield* Effect.provide(CallLog, context),
      ids,
      lock: () => other.exec("BEGIN IMMEDIATE"),
      free: () => other.exec("ROLLBACK"),
      close: Scope.close(scope, Exit.void)
    }
  })

describe("CallLogSql", () => {
  it.effect("15.2 waiting records are written when the layer closes", () =>
    Effect.gen(function* () {
      const { close, ids, log } = yield* opened()
      for (let i = 0; i < 250; i += 1) log.append(recordOf(String(i)))
      assert.lengthOf(ids(), 0) // the records wait in memory
      yield* close
      assert.deepStrictEqual(
        ids(),
        Array.from({ length: 250 }, (_, i) => String(i))
      )
    })
  )

  it.effect("15.2 records wait while the file is locked, with a warning that says why, and are written later", () => {
    const { layer, messages } = recorded()
    return Effect.gen(function* () {
      const { free, ids, lock, log } = yield* opened()
      lock()
      log.append(recordOf("1"))
      yield* TestClock.adjust("10 seconds")
      log.append(recordOf("2"))
      free()
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(ids(), ["1", "2"])
      assert.lengthOf(messages, 1)
      assert.match(
        messages[0] ?? "",
        /^Warn Cannot use the SQLite file .*stores\.db\. Another process holds its lock: .* Call records waiting: 1; dropped: 0\.$/u
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "15.2 records over the limit are dropped, all records are dropped after a minute, and a warning counts them",
    () => {
      const { layer, messages } = recorded()
      return Effect.gen(function* () {
        const { close, free, ids, lock, log } = yield* opened({ waiting: 10 })
        lock()
        for (let i = 0; i < 15; i += 1) log.append(recordOf(String(i)))
        yield* TestClock.adjust("1 second")
        yield* TestClock.adjust("60 seconds")
        assert.deepStrictEqual(
          messages.map((message) => message.replace(/^.*`\. /u, "")),
          [
            "Call records waiting: 10; dropped: 5.",
            "Call records waiting: 0; dropped: 15. Similar warnings omitted since the last one: 59."
          ]
        )
        free()
        log.append(recordOf("later"))
        yield* TestClock.adjust("1 second")
        yield* close
        assert.deepStrictEqual(ids(), ["later"])
        assert.strictEqual(messages.at(-1), "Warn Call records dropped, missing from the call log: 15.")
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("15.2 a locked file does not delay the closing of the layer, and the loss is reported", () => {
    const { layer, messages } = recorded()
    return Effect.gen(function* () {
      const { close, ids, lock, log } = yield* opened()
      lock()
      for (let i = 0; i < 250; i += 1) log.append(recordOf(String(i)))
      yield* close
      assert.deepStrictEqual(ids(), [])
      assert.strictEqual(messages.at(-1), "Warn Call records dropped, missing from the call log: 250.")
    }).pipe(Effect.provide(layer))
  })

  it.effect("15.2 only the record that cannot be encoded is dropped", () => {
    const { layer, messages } = recorded()
    return Effect.gen(function* () {
      const { close, ids, log } = yield* opened()
      log.append(recordOf("1", { arguments: 1n }))
      log.append(recordOf("2"))
      yield* close
      assert.deepStrictEqual(ids(), ["2"])
      assert.strictEqual(messages.at(-1), "Warn Call records dropped, missing from the call log: 1.")
    }).pipe(Effect.provide(layer))
  })

  it.effect("15.2 long names, and names with NUL or lone surrogates, are stored", () =>
    Effect.gen(function* () {
      const { log } = yield* opened()
      const strange = recordOf("1", { tool: "\u0000\ud800".repeat(1_000), conversation: "\u0000", traceId: "\udc00" })
      log.append(strange)
      assert.deepStrictEqual(yield* log.records, [strange])
    })
  )

  it.effect("15.2 reading fails if the database fails", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { lateOutcomes, records } = yield* CallLog
      yield* sql`DROP TABLE toolguard_calls`
      const error = yield* Effect.flip(records)
      assert.strictEqual(error._tag, "CallLogUnavailable")
      assert.match(
        String((error.cause as Error).message),
        /^Cannot use the SQLite database in memory\. SQLite says: no such/u
      )
      assert.strictEqual((yield* Effect.flip(lateOutcomes))._tag, "CallLogUnavailable")
    }).pipe(Effect.provide(withFile(":memory:")))
  )

  it.effect("15.2 the latest records are read, and records past their time to live are deleted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { append, records } = yield* CallLog
      const idsOf = Effect.map(records, (all) => all.map(({ callId }) => callId))
      for (const [callId, startedAt] of [
        ["1", 0],
        ["2", 3_600_000],
        ["3", 3_600_000]
      ] as const) {
        append(recordOf(callId, { startedAt }))
      }
      assert.deepStrictEqual(yield* idsOf, ["2", "3"])
      yield* TestClock.adjust("24 hours")
      assert.lengthOf(yield* sql`SELECT id FROM toolguard_calls`, 2)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* idsOf, [])
    }).pipe(Effect.provide(withFile(":memory:", { limit: 2, timeToLive: "24 hours" })))
  )

  it.effect("8.3 a read of one tenant returns its latest records, however many records other tenants have", () =>
    Effect.gen(function* () {
      const { append, records, recordsOf } = yield* CallLog
      append(recordOf("first", { tenant: "other" }))
      for (const callId of ["1", "2", "3"]) append(recordOf(callId, { tenant: "acme" }))
      const idsOf = (all: ReadonlyArray<{ readonly callId: string }>) => all.map(({ callId }) => callId)
      assert.deepStrictEqual(idsOf(yield* records), ["2", "3"])
      assert.deepStrictEqual(idsOf(yield* recordsOf({ tenant: "other" })), ["first"])
      assert.deepStrictEqual(idsOf(yield* recordsOf({ tenant: "acme" })), ["2", "3"])
    }).pipe(Effect.provide(withFile(":memory:", { limit: 2 })))
  )

  it.effect("15.2 records that cannot be decoded are omitted with a warning", () => {
    const { layer, messages } = recorded()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { append, records } = yield* CallLog
      append(recordOf("1"))
      append(recordOf("2"))
      yield* records
      yield* sql`UPDATE toolguard_calls SET record = '{}' WHERE id = 1`
      assert.deepStrictEqual(yield* records, [recordOf("2")])
      assert.deepStrictEqual(messages, ["Warn Omitted call records that cannot be decoded: 1."])
    }).pipe(Effect.provide([withFile(":memory:"), layer]))
  })

  it.effect("15.2 calls of the guard are found by tenant, turn, tool and trace, without their secrets", () => {
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { traceId } = yield* ask([search.tool], "search", '{"q":"postgres://admin:hunter2-hunter2@db.internal/x"}')
      const [record] = yield* Effect.flatMap(CallLog, ({ records }) => records)
      assert.strictEqual(record?.traceId, traceId)
      const rows = yield* sql<{ record: string }>`SELECT record FROM toolguard_calls WHERE tenant = 'tenant'
        AND conversation = 'conversation' AND turn = 'turn' AND tool = 'search' AND trace_id = ${traceId}`
      assert.lengthOf(rows, 1)
      assert.notInclude(rows[0]?.record ?? "hunter2", "hunter2")
    }).pipe(within([search.layer], Layer.orDie(Guard.layerMemoryWith(withFile(":memory:")))))
  })

  it.effect("15.2 a call succeeds if its record cannot be written", () => {
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`DROP TABLE toolguard_calls`
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), { n: 1 })
    }).pipe(within([search.layer], Layer.orDie(Guard.layerMemoryWith(withFile(":memory:")))))
  })
})
