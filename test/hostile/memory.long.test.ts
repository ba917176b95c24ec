/**
 * Real guarded tools on a real hostile server, in processes of their own: a backend with a heap of 256 MB, and the
 * upstream.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { join } from "node:path"
import type { Readable, Writable } from "node:stream"
import { run as runToEnd } from "../support/children.ts"
import { root } from "../support/sources.ts"
import type { Finished, Told } from "./upstream/program.ts"

const folder = join(root, "test/hostile/upstream")
/** Most MiB above idle. */
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

const run = async (client: string, tool: string, names: ReadonlyArray<string>) => {
  const limits = ["--expose-gc", "--max-old-space-size=256"]
  const program = [...limits, join(folder, "program.ts"), client, port, tool, ...names]
  const { code, stderr, stdout } = await runToEnd(process.execPath, program)
  assert.strictEqual(code, 0, stderr)
  const lines: ReadonlyArray<Told | Finished> = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  return {
    told: lines.filter((one): one is Told => "calls" in one),
    finished: lines.find((one): one is Finished => "finished" in one)
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
  ["proto", "SchemaMismatch invalid_result_json none"],
  ["bom", "ok"],
  ["unavailable", "Transient unavailable none"]
] as const

const isSound = ({ calls, name }: Told, tool: string, expected: string): void => {
  const ending = calls[tool]
  assert.strictEqual(ending?.typed, expected, name)
  assert.strictEqual(ending?.model, ending?.typed, `${name}: the envelope and the typed channel agree`)
  assert.strictEqual(ending?.after, "ok", `${name}: the tool still works`)
}

describe("hostile upstreams", () => {
  for (const [client, name, tool, expected] of heavy) {
    it(`4.9 ${name}: typed, bounded, and at most ${mostMemory} MB above idle in a heap of 256 MB`, async () => {
      const { finished, told } = await run(client, tool, [name])
      const [one] = told
      assert.isDefined(one)
      if (one !== undefined) isSound(one, tool, expected)
      assert.isAtMost(one?.peak ?? Infinity, mostMemory)
      assert.deepStrictEqual([finished?.rejections, finished?.polluted], [[], []])
    })
  }

  it("4.9 pages, nothing, pollution, marks and outages each end as what they are", async () => {
    const { finished, told } = await run(
      "http",
      "get_order",
      light.map(([name]) => name)
    )
    assert.strictEqual(told.length, light.length)
    for (const [index, [, expected]] of light.entries()) {
      const one = told[index]
      if (one !== undefined) isSound(one, "get_order", expected)
    }
    assert.deepStrictEqual([finished?.rejections, finished?.polluted], [[], []])
  })
})
