/**
 * Calls real guarded tools against a hostile HTTP server and measures their memory. The server and the backend, whose
 * heap is limited to 256 MB, run in separate processes.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { join } from "node:path"
import type { Readable, Writable } from "node:stream"
import { run as runToEnd } from "../support/children.ts"
import { root } from "../support/sources.ts"
import type { BehaviourReport, FinishedReport } from "./upstream/program.ts"

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

const run = async (client: string, tool: string, names: ReadonlyArray<string>) => {
  const limits = ["--expose-gc", "--max-old-space-size=256"]
  const program = [...limits, join(folder, "program.ts"), client, port, tool, ...names]
  const { code, stderr, stdout } = await runToEnd(process.execPath, program)
  assert.strictEqual(code, 0, stderr)
  const lines: ReadonlyArray<BehaviourReport | FinishedReport> = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  return {
    reports: lines.filter((one): one is BehaviourReport => "calls" in one),
    finished: lines.find((one): one is FinishedReport => "finished" in one)
  }
}

const heavy = [
  ["http", "big_without_length", "get_anything", "Permanent response_too_large none"],
  ["http", "endless", "get_text", "Permanent response_too_large none"],
  ["fetch", "gzip_bomb", "get_anything", "Permanent response_too_large none"],
  ["undici", "deep_unclosed", "get_anything", "SchemaMismatch invalid_result_json none"],
  ["fetch", "million_keys", "get_anything", "Permanent response_too_large none"]
] as const

const light = [
  ["html", "SchemaMismatch unexpected_content none"],
  ["empty", "SchemaMismatch invalid_result_json none"],
  ["proto", "SchemaMismatch invalid_result none"],
  ["bom", "ok"],
  ["unavailable", "Transient unavailable none"]
] as const

const assertSound = ({ calls, name }: BehaviourReport, tool: string, expected: string): void => {
  const outcome = calls[tool]
  assert.strictEqual(outcome?.typed, expected, name)
  assert.strictEqual(outcome?.model, outcome?.typed, `${name}: the envelope and the typed outcome agree`)
  assert.strictEqual(outcome?.after, "ok", `${name}: the tool still works`)
}

describe("hostile upstreams", () => {
  for (const [client, name, tool, expected] of heavy) {
    it(`4.9 ${name} has a typed outcome within ${maxMemory} MiB above idle and a heap of 256 MB`, async () => {
      const { finished, reports } = await run(client, tool, [name])
      const [report] = reports
      assert.isDefined(report)
      if (report !== undefined) assertSound(report, tool, expected)
      assert.isAtMost(report?.peak ?? Infinity, maxMemory)
      assert.deepStrictEqual([finished?.rejections, finished?.polluted], [[], []])
    })
  }

  it("4.9 pages, empty bodies, prototype pollution, byte order marks and outages have the expected outcomes", async () => {
    const { finished, reports } = await run(
      "http",
      "get_order",
      light.map(([name]) => name)
    )
    assert.strictEqual(reports.length, light.length)
    for (const [name, expected] of light) {
      const report = reports.find((each) => each.name === name)
      if (report !== undefined) assertSound(report, "get_order", expected)
    }
    assert.deepStrictEqual([finished?.rejections, finished?.polluted], [[], []])
  })
})
