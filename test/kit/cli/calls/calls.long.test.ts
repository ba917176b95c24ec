/** Runs `toolguard calls` as a process on real SQLite files and on PostgreSQL. */
import type { CallRecord } from "#domain/call/CallRecord"
import * as CallLogSql from "#layers/CallLogSql"
import * as SqliteNode from "#layers/SqliteNode"
import { CallLog } from "#services/CallLog"
import * as Traffic from "#kit/cli/traffic/Traffic"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { recordOf } from "../../../contracts/CallLog.ts"
import { needs } from "../../../support/prerequisites.ts"
import { postgres, scratchDatabase, scratchUrl } from "../../../support/servers.ts"
import { toolguard } from "../toolguard.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-calls-"))
afterAll(() => rmSync(folder, { recursive: true }))
const path = (name: string) => join(folder, name)

/** Writes records. */
const write = <E>(
  client: Layer.Layer<SqlClient.SqlClient, E>,
  records: ReadonlyArray<Partial<CallRecord>>
): Promise<void> => {
  const layer = CallLogSql.layerWith({ keep: "full", waiting: records.length }).pipe(Layer.provide(client))
  const add = Effect.map(CallLog, ({ append }) => {
    records.forEach((fields, i) => append({ ...recordOf(`${i}`), startedAt: Date.now(), ...fields }))
  })
  return Effect.runPromise(Effect.provide(add, layer))
}

/** Writes `count` records. */
const fill = <E>(client: Layer.Layer<SqlClient.SqlClient, E>, count: number): Promise<void> =>
  write(
    client,
    Array.from({ length: count }, (_, i) => ({ conversation: `c${i % 7}` }))
  )

/** Records of two tenants and two conversations, with and without a principal. Their call ids name the owners. */
const owned = ["default", "acme"].flatMap((tenant) =>
  ["c1", "c2"].flatMap((conversation) =>
    [undefined, "ann"].map((principal) => ({
      tenant,
      conversation,
      ...(principal === undefined ? {} : { principal }),
      callId: `${tenant} ${conversation} ${principal ?? "-"}`
    }))
  )
)

const selections: ReadonlyArray<readonly [flags: string, expected: ReadonlyArray<string>]> = [
  ["", owned.map(({ callId }) => callId)],
  ["--tenant acme", ["acme c1 -", "acme c1 ann", "acme c2 -", "acme c2 ann"]],
  ["--principal ann", ["default c1 ann", "default c2 ann"]],
  ["--conversation c1", ["default c1 -", "default c1 ann"]],
  ["--tenant acme --conversation c1 --principal ann", ["acme c1 ann"]]
]

const callIds = (lines: string): ReadonlyArray<unknown> =>
  lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line).callId)

/** Creates a database with `count` records. */
const filled = async (name: string, count: number): Promise<string> => {
  const database = path(name)
  await fill(SqliteNode.layer({ filename: database }), count)
  return database
}

describe("toolguard calls", () => {
  it("15.2 exports all records to a file that replay can read, and that only its owner can read", async () => {
    const database = await filled("many.db", 1_203)
    const file = path("calls.jsonl")
    const ended = await toolguard(["calls", "export", file, "--database", database])
    assert.deepStrictEqual(ended, { code: 0, stdout: `Wrote 1203 call records to ${file}.\n`, stderr: "" })
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    const ids: Array<string> = []
    for await (const { format, items } of Stream.toAsyncIterable(Traffic.stream([file]))) {
      for (const item of items) {
        assert.strictEqual(format, "toolguard")
        if (item._tag === "Skipped") assert.fail(item.reason)
        for (const message of item.messages) {
          if (message.role === "assistant") ids.push(...message.calls.map(({ id }) => id))
        }
      }
    }
    assert.deepStrictEqual(
      ids.map(Number).sort((a, b) => a - b),
      Array.from({ length: 1_203 }, (_, i) => i)
    )
    const printed = await toolguard(["calls", "export", "-", "--database", database])
    assert.deepStrictEqual([printed.code, printed.stderr], [0, ""])
    assert.strictEqual(printed.stdout, readFileSync(file, "utf8"))
  })

  it("15.2 does not change an existing file, and reports what prevents the export", async () => {
    const database = await filled("one.db", 1)
    const file = path("there.jsonl")
    writeFileSync(file, "mine")
    const taken = await toolguard(["calls", "export", file, "--database", database])
    assert.deepStrictEqual(taken, {
      code: 1,
      stdout: "",
      stderr: `toolguard: ${file} already exists.\nIt was not changed. Choose another file.\n`
    })
    assert.strictEqual(readFileSync(file, "utf8"), "mine")
    const nowhere = await toolguard(["calls", "export", path("none/x.jsonl"), "--database", database])
    assert.match(
      nowhere.stderr,
      /^toolguard: The folder of .* does not exist\.\nCreate it, or choose another file\.\n$/u
    )
    const absent = await toolguard(["calls", "export", path("x.jsonl"), "--database", path("none.db")])
    assert.match(absent.stderr, /^toolguard: There is no file .*none\.db\.\nCorrect the path/u)
    assert.isFalse(existsSync(path("x.jsonl")))
    const one = await toolguard(["calls", "export", path("one.jsonl"), "--database", database])
    assert.strictEqual(one.stdout, `Wrote one call record to ${path("one.jsonl")}.\n`)
  })

  it("15.2 exports the records that match all given owners: tenant, conversation and principal", async () => {
    const database = path("owned.db")
    await write(SqliteNode.layer({ filename: database }), owned)
    for (const [flags, expected] of selections) {
      const ended = await toolguard([
        "calls",
        "export",
        "-",
        ...flags.split(" ").filter(Boolean),
        "--database",
        database
      ])
      assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
      assert.deepStrictEqual(callIds(ended.stdout), expected, flags)
    }
  })

  it("15.2 finds a principal that only the text of an older record names", async () => {
    const database = path("older.db")
    const client = SqliteNode.layer({ filename: database })
    await write(client, owned)
    const clear = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE toolguard_calls SET principal = NULL`)
    await Effect.runPromise(Effect.provide(clear, client))
    const ended = await toolguard(["calls", "export", "-", "--principal", "ann", "--database", database])
    assert.deepStrictEqual(callIds(ended.stdout), ["default c1 ann", "default c2 ann"])
  })

  it("15.2 refuses an empty name, and says so if a name has no records", async () => {
    const database = path("owned.db")
    const empty = await toolguard(["calls", "export", "-", "--tenant", "", "--database", database])
    assert.strictEqual(empty.code, 2)
    assert.include(
      empty.stderr,
      "toolguard: A name is empty.\nGive the tenant, conversation or principal as the host names it.\n"
    )
    const file = path("nobody.jsonl")
    assert.deepStrictEqual(await toolguard(["calls", "export", file, "--principal", "bob", "--database", database]), {
      code: 0,
      stdout: `Wrote 0 call records to ${file}.\n`,
      stderr:
        'toolguard: The database has no call record of tenant "default", principal "bob".\nCheck the names; --tenant is "default" unless it is set.\n'
    })
  })

  it("13.8 prints help in lines of at most 100 characters", async () => {
    for (const args of [["calls"], ["calls", "export"]]) {
      const { code, stdout } = await toolguard([...args, "--help"])
      assert.strictEqual(code, 0)
      assert.include(stdout, args.length === 1 ? "Write the call records to a file" : "toolguard calls export - |")
      for (const line of stdout.split("\n")) assert.isAtMost(line.length, 100, line)
    }
  })
})

describe("toolguard calls on PostgreSQL", needs(postgres), () => {
  const database = scratchDatabase("cli_calls")

  it("15.2 exports all records, or those that match all given owners", async () => {
    await fill(database, 1_001)
    const file = path("postgres.jsonl")
    const url = scratchUrl("cli_calls")
    const ended = await toolguard(["calls", "export", file, "--database", url])
    assert.deepStrictEqual(ended, { code: 0, stdout: `Wrote 1001 call records to ${file}.\n`, stderr: "" })
    const ids = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).callId)
    assert.deepStrictEqual(
      ids,
      Array.from({ length: 1_001 }, (_, i) => `${i}`)
    )
    await write(database, owned)
    for (const [flags, expected] of selections.slice(1)) {
      const selected = await toolguard(["calls", "export", "-", ...flags.split(" "), "--database", url])
      assert.deepStrictEqual(callIds(selected.stdout), expected, flags)
    }
  })
})
