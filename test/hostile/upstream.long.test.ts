/**
 * Real guarded tools on a real hostile server, in processes of their own: a backend with a heap of 256 MB, and the
 * upstream. Real time: sockets hang and reset by the clock of the operating system.
 *
 * What comes is compared with `upstream/cases.ts`. `HOSTILE_TABLE=1` prints a line a behaviour: outcome and memory.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawn, type ChildProcessByStdio } from "node:child_process"
import { join } from "node:path"
import type { Readable, Writable } from "node:stream"
import { run as runToEnd } from "../support/children.ts"
import { root } from "../support/sources.ts"
import { forbidden } from "./upstream/behaviours.ts"
import { clients, columns, expected, heavy } from "./upstream/cases.ts"
import type { Ending, Finished, Told } from "./upstream/program.ts"

const folder = join(root, "test/hostile/upstream")

/** Most MiB above idle. Source: the promise that memory stays bounded. */
const mostMemory = 150

let server: ChildProcessByStdio<Writable, Readable, null>
let port = ""

beforeAll(async () => {
  server = spawn(process.execPath, [join(folder, "server.ts")], { cwd: root, stdio: ["pipe", "pipe", "inherit"] })
  port = await new Promise((resolve) => server.stdout.once("data", (data: Buffer) => resolve(String(data).trim())))
})
afterAll(() => {
  server.stdin.end()
})

/** What a process told, and how it ended. */
interface Run {
  readonly told: ReadonlyArray<Told>
  readonly finished: Finished | undefined
  readonly end: string
}

const run = async (client: string, tool: string, names: ReadonlyArray<string>): Promise<Run> => {
  const limits = ["--expose-gc", "--max-old-space-size=256"]
  const program = [...limits, join(folder, "program.ts"), client, port, tool, ...names]
  const { code, stderr, stdout } = await runToEnd(process.execPath, program)
  const lines = stdout
    .trim()
    .split("\n")
    .filter((line) => line !== "")
  const all: ReadonlyArray<Told | Finished> = lines.map((line) => JSON.parse(line))
  return {
    told: all.filter((one): one is Told => "calls" in one),
    finished: all.find((one): one is Finished => "finished" in one),
    end: code === 0 ? "ended well" : `code ${code} ${stderr.slice(-600)}`
  }
}

const print = (client: string, { calls, name, peak }: Told): void => {
  if (process.env["HOSTILE_TABLE"] !== "1") return
  const ends = Object.entries(calls).map(([tool, { typed }]) => `${tool} ${typed}`)
  process.stdout.write(`${client} ${name}: +${peak} MiB; ${ends.join("; ")}\n`)
}

const openConnections = async (): Promise<number> =>
  Number(await (await fetch(`http://127.0.0.1:${port}/connections`)).text())

/** What holds of every call, whatever the upstream did. */
const isSound = (ending: Ending, what: string): void => {
  const { after, model, text, typed } = ending
  assert.strictEqual(model, typed, `${what}: the envelope and the typed channel agree`)
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
  for (const client of clients) {
    it(`4.9 each comes to a typed end through the ${client} client, and the next call works`, async () => {
      const table = expected(client)
      const { end, finished, told } = await run(client, columns.join(","), [...table.keys()])
      assert.strictEqual(end, "ended well")
      assert.deepStrictEqual(told.map(({ name }) => name).sort(), [...table.keys()].sort())
      for (const one of told) {
        print(client, one)
        const outcomes = Object.entries(one.calls).map(([tool, { typed }]) => [tool, typed])
        assert.deepStrictEqual(Object.fromEntries(outcomes), Object.fromEntries(table.get(one.name) ?? []), one.name)
        for (const [tool, ending] of Object.entries(one.calls)) isSound(ending, `${one.name}, ${tool}`)
      }
      assert.deepStrictEqual(finished?.rejections, [])
      assert.deepStrictEqual(finished?.polluted, [])
    })
  }

  for (const [name, tool, outcome] of heavy) {
    it(`16 memory stays within ${mostMemory} MiB of idle: ${name}, ${tool}`, async () => {
      const { end, finished, told } = await run("fetch", tool, [name])
      assert.strictEqual(end, "ended well")
      const [one] = told
      const ending = one?.calls[tool]
      if (one === undefined || ending === undefined) return assert.fail("The program told nothing.")
      print("fetch", one)
      assert.strictEqual(ending.typed, outcome)
      isSound(ending, name)
      assert.isAtMost(one.peak, mostMemory)
      assert.deepStrictEqual(finished?.rejections, [])
    })
  }

  it("4.11 a wait that is asked for ever is not made, and is told; what flaps is tried again", async () => {
    const { told } = await run("fetch", "get_order", ["rate_limited_for_ever", "rate_limited_future", "flapping"])
    const [forEver, future, flapping] = told.map(({ calls }) => calls["get_order"])
    for (const ending of [forEver, future]) {
      assert.strictEqual(ending?.attempts, 1)
      assert.strictEqual(JSON.parse(ending?.text ?? "{}").error.retry_after_ms, 366 * 86_400_000)
    }
    assert.deepStrictEqual([flapping?.typed, flapping?.attempts], ["ok", 2])
  })

  it("4.9 no connection stays open behind a call that was given up", async () => {
    const names = ["hang_before_headers", "hang_in_body", "drip_body", "endless", "big_with_length", "endless_error"]
    const { end } = await run("fetch", "get_order", names)
    assert.strictEqual(end, "ended well")
    assert.strictEqual(await openConnections(), 0)
  })
})
