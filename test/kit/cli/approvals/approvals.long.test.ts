/** Runs `toolguard approvals` as a process on real SQLite files and on PostgreSQL. */
import * as ApprovalsSql from "#layers/ApprovalsSql"
import * as ApproversList from "#layers/ApproversList"
import * as SqliteNode from "#layers/SqliteNode"
import { Approvals, type ApprovalQuestion } from "#services/Approvals"
import { Approvers } from "#services/Approvers"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { DatabaseSync } from "node:sqlite"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { opening } from "../../../contracts/Approvals.ts"
import { turn } from "../../../contracts/values.ts"
import { api, freePort } from "../../../inbox/support.ts"
import { endWithTest } from "../../../support/children.ts"
import { needs } from "../../../support/prerequisites.ts"
import { postgres, scratchDatabase, scratchUrl } from "../../../support/servers.ts"
import { commandLine } from "../../../support/command.ts"
import { toolguard } from "../toolguard.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-cli-"))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
const fresh = () => join(folder, `${(files += 1)}.db`)

const inFile = <A>(filename: string, use: (approvals: Approvals["Service"]) => Effect.Effect<A, unknown>): Promise<A> =>
  inDatabase(Layer.orDie(SqliteNode.layer({ filename })), use)

const inDatabase = <A>(
  database: Layer.Layer<SqlClient.SqlClient>,
  use: (approvals: Approvals["Service"]) => Effect.Effect<A, unknown>
): Promise<A> =>
  Effect.flatMap(Approvals, use).pipe(
    Effect.provide(Layer.orDie(Layer.provide(ApprovalsSql.layer, database))),
    Effect.runPromise
  )

const opened = (filename: string, binding = "one", over: Partial<ApprovalQuestion> = {}): Promise<string> =>
  inFile(filename, ({ open }) => Effect.map(open(opening(binding, over)), ({ request }) => request.id))

const stateOf = (filename: string, id: string) =>
  inFile(filename, ({ find }) => Effect.map(find(id), (it) => [it?.state, it?.decision?.by, it?.decision?.reason]))

const run = (filename: string, ...args: ReadonlyArray<string>) =>
  toolguard(["approvals", ...args, "--database", filename])

describe("toolguard approvals", () => {
  it("13.8 lists pending requests with their question and expiry", async () => {
    const file = fresh()
    const id = await opened(file, "one", { sentence: "Refund \u202e\u001b[31m20000", level: "block" })
    const { code, stderr, stdout } = await run(file, "list")
    assert.deepStrictEqual([code, stderr], [0, ""])
    for (const text of [
      id,
      "Refund [U+202E][U+001B][31m20000",
      "refund_order",
      '  Arguments, complete:\n  {\n    "order_id": "O-1",\n    "cents": 20000\n  }\n',
      "stopped until decided",
      "tenant tenant",
      "One request is waiting for a decision."
    ])
      assert.include(stdout, text)
    assert.match(stdout, /asked \d+ s ago · expires in (?:1 h|59 min)/)
    assert.notMatch(stdout, /[\u001b\u202e]/)
    const json = await run(file, "list", "--json")
    assert.include(json.stdout, "Refund \\u202e\\u001b[31m20000")
    const { requests, total } = JSON.parse(json.stdout) as {
      readonly total: number
      readonly requests: ReadonlyArray<{ readonly id: string }>
    }
    assert.deepStrictEqual(
      [total, requests.map(({ id }) => id), json.stdout.trimEnd().split("\n").length],
      [1, [id], 1]
    )
  })

  it("13.8 counts the requests beyond the limit", async () => {
    const file = fresh()
    for (const binding of ["1", "2", "3"]) await opened(file, binding)
    assert.include(
      (await run(file, "list", "--limit", "2")).stdout,
      "3 requests are waiting for a decision; 1 more with --limit 3."
    )
  })

  it("13.8 lists the requests beside one whose row was damaged, and names that one", async () => {
    const file = fresh()
    const [damaged, whole] = [await opened(file, "1"), await opened(file, "2")]
    const database = new DatabaseSync(file)
    database.exec(`UPDATE toolguard_approvals SET request = '{}' WHERE id = '${damaged}'`)
    database.close()
    const { code, stderr, stdout } = await run(file, "list")
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.include(
      stdout.replace(/\s+/gu, " "),
      `One pending request cannot be read, and nobody can decide it: ${damaged}.`
    )
    assert.include(stdout, whole)
    assert.include(stdout, "2 requests are waiting for a decision.")
    assert.deepStrictEqual(JSON.parse((await run(file, "list", "--json")).stdout).unreadable, [damaged])
  })

  it("13.8 approves a request by URL, denies one by id with a reason, and denies one by id with an answer", async () => {
    const file = fresh()
    const ids = [await opened(file, "1"), await opened(file, "2"), await opened(file, "3")] as const
    const approved = await run(file, "approve", `https://agents.example.com/approvals/${ids[0]}`, "--by", "ana")
    assert.deepStrictEqual(approved, { code: 0, stderr: "", stdout: "ana approved refund_order: Refund 20000 cents\n" })
    const denied = await run(file, "deny", ids[1], "--reason", "too much", "--by", "ben", "--json")
    assert.strictEqual((JSON.parse(denied.stdout) as { readonly state: string }).state, "denied")
    assert.strictEqual((await run(file, "answer", ids[2], "Use O-2.", "--by", "ben")).code, 0)
    const states = [await stateOf(file, ids[0]), await stateOf(file, ids[1]), await stateOf(file, ids[2])]
    assert.deepStrictEqual(states, [
      ["approved", "ana", ""],
      ["denied", "ben", "too much"],
      ["denied", "ben", "Use O-2."]
    ])
    assert.include((await run(file, "list")).stdout, "No requests are waiting for a decision.")
  })

  it("10.3 refuses a decision with the binding of another call, and changes nothing", async () => {
    const file = fresh()
    const id = await opened(file)
    const other = await run(file, "approve", id, "--by", "ana", "--binding", "f".repeat(64))
    assert.strictEqual(other.code, 1)
    assert.include(other.stderr, "The request is for a different call.")
    assert.deepStrictEqual(await stateOf(file, id), ["pending", undefined, undefined])
    const { requests } = JSON.parse((await run(file, "list", "--json")).stdout)
    const seen = await run(file, "approve", id, "--by", "ana", "--binding", requests[0].binding)
    assert.strictEqual(seen.code, 0)
    assert.deepStrictEqual(await stateOf(file, id), ["approved", "ana", ""])
  })

  it("10.3 reports to the later of two approvers who decided first", async () => {
    const file = fresh()
    const id = await opened(file)
    const both = await Promise.all(["ana", "ben"].map((by) => run(file, "approve", id, "--by", by)))
    const lost = both.find(({ code }) => code === 1)
    assert.deepStrictEqual(both.map(({ code }) => code).sort(), [0, 1])
    const [, winner] = await stateOf(file, id)
    assert.match(
      lost?.stderr ?? "",
      new RegExp(`^toolguard: ${winner} already approved the request \\d+ s ago\\.\nThe first decision counts`)
    )
  })

  it("10.5 does not decide a withdrawn request, and says that its run has ended", async () => {
    const file = fresh()
    const id = await opened(file)
    assert.strictEqual(await inFile(file, ({ withdraw }) => withdraw(turn)), 1)
    for (const args of [
      ["approve", id],
      ["deny", id],
      ["answer", id, "Use O-2."]
    ] as const) {
      const { code, stderr, stdout } = await run(file, ...args)
      assert.deepStrictEqual(
        [code, stdout, stderr],
        [
          1,
          "",
          "toolguard: The request was withdrawn: its run has ended.\nNothing was changed. If the run is resumed, it asks again.\n"
        ]
      )
    }
    assert.deepStrictEqual(await stateOf(file, id), ["withdrawn", undefined, undefined])
    assert.include((await run(file, "list")).stdout, "No requests are waiting for a decision.")
  })

  it("13.8 creates a token, and an approver entry that holds only the token's digest", async () => {
    const { code, stdout } = await toolguard(["approvals", "token", "ana", "--tool", "refund_order", "--json"])
    const { entry, token } = JSON.parse(stdout) as { readonly token: string; readonly entry: ApproversList.Entry }
    assert.deepStrictEqual([code, entry.name, entry.tools], [0, "ana", ["refund_order"]])
    assert.match(token, /^tga_[0-9a-f]{32}$/)
    assert.notInclude(JSON.stringify(entry), token.slice(4))
    const verify = (text: string) =>
      Effect.flatMap(Approvers, (approvers) => approvers.verify(Redacted.make(text))).pipe(
        Effect.provide(ApproversList.layer([entry])),
        Effect.runSync
      )
    assert.deepStrictEqual([verify(token)?.name, verify(`${token}0`)], ["ana", undefined])
    const text = (await toolguard(["approvals", "token", "ana"])).stdout
    assert.match(text, /not shown again:\n {2}tga_/)
  })

  it("13.8 serves the inbox, which accepts the token of an approver", async () => {
    const file = fresh()
    const id = await opened(file)
    const { entry, token } = Effect.runSync(ApproversList.issue({ name: "ana" }))
    const port = await Effect.runPromise(freePort)
    const args = ["approvals", "serve", "--port", String(port), "--database", file]
    const child = endWithTest(
      spawn(process.execPath, commandLine(args), {
        env: { ...process.env, TOOLGUARD_APPROVERS: JSON.stringify([entry]) },
        stdio: ["ignore", "pipe", "inherit"]
      })
    )
    const ended = new Promise((resolve) => child.on("close", resolve))
    try {
      await new Promise((resolve) => child.stdout.once("data", resolve))
      const url = `http://127.0.0.1:${port}`
      const answer = await Effect.runPromise(api(url, Redacted.value(token), "POST", `/${id}/approve`, {}))
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(await stateOf(file, id), ["approved", "ana", ""])
    } finally {
      child.kill("SIGINT")
      assert.strictEqual(await ended, 130)
    }
  })

  it("13.8 prints help in lines of at most 100 characters", async () => {
    for (const command of [[], ["deny"], ["serve"]]) {
      const { code, stdout } = await toolguard(["approvals", ...command, "--help"])
      assert.strictEqual(code, 0)
      assert.include(stdout, `toolguard approvals${command.length === 0 ? "" : ` ${command[0]}`}`)
      for (const line of stdout.split("\n")) assert.isAtMost(line.length, 100)
    }
  })

  it("13.8 reports a problem and its remedy in at most two lines", async () => {
    const file = fresh()
    await opened(file)
    const other = fresh()
    writeFileSync(other, "this is not a database, and must not change".repeat(50))
    const empty = fresh()
    Effect.runSync(Effect.scoped(Effect.asVoid(Layer.build(SqliteNode.layer({ filename: empty })))))
    const used = await Effect.runPromise(freePort)
    const problems: ReadonlyArray<readonly [ReadonlyArray<string>, number, RegExp]> = [
      [["list"], 2, /No database is named\.\nName the database of the guard's stores: --database FILE/],
      [["list", "-d", join(folder, "nowhere.db")], 1, /There is no file .*nowhere\.db\.\n/],
      [["list", "-d", other], 1, /Cannot use the SQLite file .*\.\nIt is not a SQLite database/],
      [["list", "-d", empty], 1, /This database has no approvals\.\n/],
      [
        ["list", "-d", `postgres://user@127.0.0.1:${used}/x`],
        1,
        /Cannot use PostgreSQL at 127\.0\.0\.1:\d+\/x\.\nNo server answers at this address/
      ],
      [["list", "-d", `postgres://user:hunter2@127.0.0.1:${used}/x`], 2, /--database contains a password/],
      [["list", "-d", file, "--limit", "0"], 2, /--limit/],
      [["approve", "4f3a", "-d", file], 1, /There is no request 4f3a\.\nSee toolguard approvals list\./],
      [["deny", "x", "--reason", "x".repeat(2_001), "-d", file], 2, /has 2001 characters\.\nWrite at most 2000/],
      [["serve", "-d", file], 2, /TOOLGUARD_APPROVERS is not a list of approvers\.\nSet it to a JSON array/],
      [["serve", "-d", file, "--public-url", "ftp://x"], 2, /--public-url ftp:\/\/x is not an http\(s\) URL/]
    ]
    for (const [args, exit, message] of problems) {
      const { code, stderr, stdout } = await toolguard(["approvals", ...args])
      assert.deepStrictEqual([code, stdout], [exit, ""], stderr)
      assert.match(stderr, message)
      assert.notInclude(stderr, "hunter2")
      assert.notInclude(stderr, "\n    at ")
      assert.isAtMost(stderr.trimEnd().split("\n").length, 2)
    }
  })
})

describe("toolguard approvals on PostgreSQL", needs(postgres), () => {
  const database = Layer.orDie(scratchDatabase("cli"))
  it("13.8 lists and decides requests in the database named in the environment", async () => {
    const id = await inDatabase(database, ({ open }) => Effect.map(open(opening("one")), ({ request }) => request.id))
    const env = { TOOLGUARD_DATABASE: scratchUrl("cli") }
    assert.include((await toolguard(["approvals", "list"], { env })).stdout, id)
    assert.strictEqual((await toolguard(["approvals", "approve", id], { env })).code, 0)
    assert.include((await toolguard(["approvals", "list"], { env })).stdout, "No requests are waiting for a decision.")
  })
})
