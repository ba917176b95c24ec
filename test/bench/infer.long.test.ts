/** Tests the command of infer's benchmark: its counts, and the folders that it refuses. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folder = mkdtempSync(join(tmpdir(), "infer-bench-"))
afterAll(() => rmSync(folder, { recursive: true }))

const bench = (...argv: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, ["test/bench/infer.ts", ...argv], {
    encoding: "utf8",
    timeout: 60_000,
    killSignal: "SIGKILL"
  })
  return { status, stderr, stdout }
}

const line = (id: number, tool: string, result: unknown) =>
  JSON.stringify({
    id: `c${id}`,
    messages: [
      { role: "user", content: "Go on." },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "1", type: "function", function: { name: tool, arguments: "{}" } }]
      },
      { role: "tool", tool_call_id: "1", content: typeof result === "string" ? result : JSON.stringify(result) }
    ]
  })

const count = 400
const lines = Array.from({ length: count }, (_, n) => [
  line(n, "get_order", { id: `o${n}`, ...(n === 7 ? { total: "none" } : { total: n + 0.5 }) }),
  line(n, "say", n === 3 ? "Error: 503 Service Unavailable" : `text ${n}`),
  line(n, "any", { [`k${n}`]: n, [`l${n}`]: "x" })
]).flat()
writeFileSync(join(folder, "log.jsonl"), lines.join("\n"))
writeFileSync(join(folder, "notes.txt"), "no traffic")

describe("bench:infer", () => {
  it("13.2 prints exactly one object with --json: passing results, open schemas and weak enums", () => {
    const { status, stderr, stdout } = bench(folder, "--json", "--splits", "2")
    assert.deepStrictEqual([status, stderr, stdout.trimEnd().split("\n").length], [0, "", 1])
    const { enumsSeenOnce, leftOut, passed, passedJson, tools, unconstrained, unseen, unseenJson } = JSON.parse(stdout)
    assert.deepStrictEqual(
      tools.map(({ answers, source, tool }: any) => [source, tool, answers]),
      [
        ["log.jsonl", "any", "json"],
        ["log.jsonl", "get_order", "json"],
        ["log.jsonl", "say", "text"]
      ]
    )
    const [any, order, say] = tools
    assert.strictEqual(any.unconstrained, 2)
    // the one unusual order is refused in each split whose first half does not contain it
    assert.include([0, 1, 2], order.unseen - order.passed)
    assert.deepStrictEqual(say.passed, say.unseen)
    assert.deepStrictEqual([unconstrained, enumsSeenOnce, leftOut], [2, 0, 0])
    assert.deepStrictEqual(unseen, any.unseen + order.unseen + say.unseen)
    assert.deepStrictEqual([passed - say.passed, unseen - say.unseen], [passedJson, unseenJson])
    const refused = Object.values(order.refusals as Record<string, number>).reduce((sum, each) => sum + each, 0)
    assert.strictEqual(refused, order.unseen - order.passed)
  })

  it("13.2 prints a readable table", () => {
    const { status, stdout } = bench(folder)
    assert.strictEqual(status, 0)
    assert.match(stdout, /log\.jsonl +get_order +json +\d+ +\d+ +[\d.]+ %/)
    assert.match(stdout, /schemas that accept any object +1 of 3/)
  })

  it("13.2 refuses a folder without traffic and unknown options, without a stack trace", () => {
    assert.deepStrictEqual(bench(join(folder, "missing")), {
      status: 1,
      stdout: "",
      stderr: `There is no folder ${join(folder, "missing")}. Name one that contains .jsonl or .jsonl.gz files.\n`
    })
    assert.match(bench("test/bench").stderr, /contains no \.jsonl or \.jsonl\.gz file\. Name a folder that does\.\n$/)
    for (const argv of [["--jsn"], [folder, folder], [folder, "--splits", "none"]]) {
      const { status, stderr } = bench(...argv)
      assert.deepStrictEqual([status, stderr], [2, "Usage: npm run bench:infer -- [DIR] [--splits N] [--json]\n"])
    }
  })
})
