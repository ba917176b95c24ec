/**
 * Calls real guarded tools against a hostile HTTP server. The server and the backend, whose heap is limited to 256 MB,
 * run in separate processes. Uses real time, because sockets hang and reset by the clock of the operating system.
 *
 * Outcomes are compared with `upstream/cases.ts`. `HOSTILE_TABLE=1` prints one line per behaviour: outcome and memory.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawn, type ChildProcessByStdio } from "node:child_process"
import { join } from "node:path"
import type { Readable, Writable } from "node:stream"
import { run as runToEnd } from "../support/children.ts"
import { root } from "../support/sources.ts"
import { forbidden } from "./upstream/behaviours.ts"
import { type Client, clients, expected, heavy } from "./upstream/cases.ts"
import type { BehaviourReport, CallOutcome, FinishedReport } from "./upstream/program.ts"

const folder = join(root, "test/hostile/upstream")

/** The limit of memory above idle, in MiB. */
const maxMemory = 150

let server: ChildProcessByStdio<Writable, Readable, null>
let port = ""

beforeAll(async () => {
  server = spawn(process.execPath, [join(folder, "server.ts")], { cwd: root, stdio: ["pipe", "pipe", "inherit"] })
  port = await new Promise((resolve) => server.stdout.once("data", (data: Buffer) => resolve(String(data).trim())))
})
afterAll(() => {
  server.stdin.end()
})

/** The reports of a process, and how it exited. */
interface Run {
  readonly reports: ReadonlyArray<BehaviourReport>
  readonly finished: FinishedReport | undefined
  readonly exit: string
}

const run = async (client: string, tool: string, names: ReadonlyArray<string>): Promise<Run> => {
  const limits = ["--expose-gc", "--max-old-space-size=256"]
  const program = [...limits, join(folder, "program.ts"), client, port, tool, ...names]
  const { code, stderr, stdout } = await runToEnd(process.execPath, program)
  const lines = stdout
    .trim()
    .split("\n")
    .filter((line) => line !== "")
  const all: ReadonlyArray<BehaviourReport | FinishedReport> = lines.map((line) => JSON.parse(line))
  return {
    reports: all.filter((one): one is BehaviourReport => "calls" in one),
    finished: all.find((one): one is FinishedReport => "finished" in one),
    exit: code === 0 ? "success" : `code ${code} ${stderr.slice(-600)}`
  }
}

const print = (client: string, { calls, name, peak }: BehaviourReport): void => {
  if (process.env["HOSTILE_TABLE"] !== "1") return
  const outcomes = Object.entries(calls).map(([tool, { typed }]) => `${tool} ${typed}`)
  process.stdout.write(`${client} ${name}: +${peak} MiB; ${outcomes.join("; ")}\n`)
}

const openConnections = async (): Promise<number> =>
  Number(await (await fetch(`http://127.0.0.1:${port}/connections`)).text())

/** Asserts what holds for every call, whatever the upstream did. */
const assertSound = (outcome: CallOutcome, what: string): void => {
  const { after, model, text, typed } = outcome
  assert.strictEqual(model, typed, `${what}: the envelope and the typed outcome agree`)
  assert.strictEqual(after, "ok", `${what}: the next call works`)
  const envelope = JSON.parse(text)
  assert.isBelow(Buffer.byteLength(text), 10_240 + 700, what)
  if (envelope.status === "error") {
    assert.isAtMost(text.length, 640, what)
    for (const host of forbidden.hosts) assert.notInclude(text, host, what)
  }
  for (const secret of forbidden.secrets) assert.notInclude(text, secret, what)
}

describe("hostile upstreams", () => {
  it("4.9 each behaviour has a typed outcome through each client, and the next call works", async () => {
    const check = async (client: Client): Promise<void> => {
      const table = expected(client)
      const { exit, finished, reports } = await run(client, clients[client].join(","), [...table.keys()])
      assert.strictEqual(exit, "success", client)
      assert.deepStrictEqual(reports.map(({ name }) => name).sort(), [...table.keys()].sort(), client)
      for (const report of reports) {
        print(client, report)
        const outcomes = Object.entries(report.calls).map(([tool, { typed }]) => [tool, typed])
        assert.deepStrictEqual(
          Object.fromEntries(outcomes),
          Object.fromEntries(table.get(report.name) ?? []),
          `${client}: ${report.name}`
        )
        for (const [tool, outcome] of Object.entries(report.calls))
          assertSound(outcome, `${client}: ${report.name}, ${tool}`)
      }
      assert.deepStrictEqual(finished?.rejections, [], client)
      assert.deepStrictEqual(finished?.polluted, [], client)
    }
    // each client has its own process, which mostly waits
    await Promise.all((["fetch", "undici", "http"] as const).map(check))
  }, 900_000)

  for (const [name, tool, typed] of heavy) {
    it(`16 memory stays within ${maxMemory} MiB of idle: ${name}, ${tool}`, async () => {
      const { exit, finished, reports } = await run("fetch", tool, [name])
      assert.strictEqual(exit, "success")
      const [report] = reports
      const outcome = report?.calls[tool]
      if (report === undefined || outcome === undefined) return assert.fail("The program printed no report.")
      print("fetch", report)
      assert.strictEqual(outcome.typed, typed)
      assertSound(outcome, name)
      assert.isAtMost(report.peak, maxMemory)
      assert.deepStrictEqual(finished?.rejections, [])
    })
  }

  it("4.11 a very long Retry-After is reported and not waited for; a flapping upstream is retried", async () => {
    const { reports } = await run("fetch", "get_order", ["rate_limited_endless", "rate_limited_future", "flapping"])
    const [endless, future, flapping] = reports.map(({ calls }) => calls["get_order"])
    for (const outcome of [endless, future]) {
      assert.strictEqual(outcome?.attempts, 1)
      // the jitter of a stated wait is at most the cap of retries
      const wait = JSON.parse(outcome?.text ?? "{}").error.retry_after_ms - 366 * 86_400_000
      assert.isAtLeast(wait, 0)
      assert.isAtMost(wait, 20_000)
    }
    assert.deepStrictEqual([flapping?.typed, flapping?.attempts], ["ok", 2])
  })

  it("4.9 no connection stays open after a call that was abandoned", async () => {
    const names = ["hang_before_headers", "hang_in_body", "drip_body", "endless", "big_with_length", "endless_error"]
    const { exit } = await run("fetch", "get_order", names)
    assert.strictEqual(exit, "success")
    assert.strictEqual(await openConnections(), 0)
  })
})
