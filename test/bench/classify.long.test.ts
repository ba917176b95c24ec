/** Tests the command of the classifier's benchmark: its output, and the files that it refuses. */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const inFolder = (run: (folder: string) => void) => {
  const folder = mkdtempSync(join(tmpdir(), "classify-"))
  try {
    run(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const bench = (...argv: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, ["test/bench/classify.ts", ...argv], {
    encoding: "utf8",
    timeout: 60_000,
    killSignal: "SIGKILL"
  })
  return { status, stderr, stdout }
}

const rows = [
  { id: "a", message: "Error: read ECONNRESET", code: "ECONNRESET", label: "transient" },
  { id: "b", message: "no such table: t", label: "permanent", accept: ["tool_arg"] },
  { id: "c", message: "Unknown tool: x", label: "unknown_tool" },
  { id: "d", message: "It is green.", label: "semantic_garbage" }
]

describe("bench:classify", () => {
  it("3.1 prints exactly one object with --json", () =>
    inFolder((folder) => {
      const file = join(folder, "errors.jsonl")
      writeFileSync(file, `${rows.map((row) => JSON.stringify(row)).join("\n")}\n\n`)
      const { status, stderr, stdout } = bench(file, "--json")
      assert.deepStrictEqual([status, stderr, stdout.trimEnd().split("\n").length], [0, "", 1])
      const { accuracy, confusion, misses, recall, total, transientOnWrite } = JSON.parse(stdout)
      assert.deepStrictEqual(
        {
          accuracy,
          confusion,
          recall: recall.transient,
          total,
          transientOnWrite,
          missed: misses.map(({ id }: { id: string }) => id)
        },
        {
          accuracy: 0.75,
          confusion: {
            transient: { transient: 1 },
            permanent: { tool_arg: 1 },
            unknown_tool: { tool_arg: 1 },
            semantic_garbage: { permanent: 1 }
          },
          recall: { right: 1, total: 1, recall: 1 },
          total: 4,
          transientOnWrite: 0,
          missed: ["d"]
        }
      )
    }))

  it("3.1 prints a readable report of accuracy, recall, confusion, misses and the baseline", () =>
    inFolder((folder) => {
      const file = join(folder, "errors.jsonl")
      writeFileSync(file, rows.map((row) => JSON.stringify(row)).join("\n"))
      const { status, stdout } = bench(file)
      assert.strictEqual(status, 0)
      assert.match(stdout, /accuracy +75\.0 % +\(words only: [\d.]+ %\)/)
      assert.match(stdout, /wrongly transient on a write: 0/)
      assert.match(stdout, /d: semantic_garbage, predicted permanent by default: It is green\./)
    }))

  const refused: ReadonlyArray<readonly [what: string, content: string | undefined, message: RegExp]> = [
    ["a file that does not exist", undefined, /errors\.jsonl: no such file\. Give the path/],
    ["an empty file", "\n", /errors\.jsonl: contains no rows\. Each line is one object/],
    [
      "a line that is not JSON",
      `${JSON.stringify(rows[0])}\n{"message":`,
      /errors\.jsonl:2: not valid JSON\. Each line/
    ],
    ["a line that is not an object", "[1]", /errors\.jsonl:1: not a JSON object/],
    ["a row without a message", '{"label":"transient"}', /errors\.jsonl:1: `message` is missing/],
    [
      "a row with an unknown label",
      '{"message":"x","label":"odd"}',
      /errors\.jsonl:1: `label` is "odd", not one of tool_arg/
    ],
    ["a row with an invalid accept", '{"message":"x","label":"transient","accept":"all"}', /:1: `accept` is not a list/]
  ]
  for (const [what, content, message] of refused) {
    it(`3.1 refuses ${what} with the line and a remedy, without a stack trace`, () =>
      inFolder((folder) => {
        const file = join(folder, "errors.jsonl")
        if (content !== undefined) writeFileSync(file, content)
        const { status, stderr, stdout } = bench(file, "--json")
        assert.deepStrictEqual([status, stdout], [1, ""])
        assert.match(stderr, message)
        assert.notMatch(stderr, /\n +at /)
        assert.strictEqual(stderr.trimEnd().split("\n").length, 1)
      }))
  }

  it("3.1 refuses a folder and an unknown option", () =>
    inFolder((folder) => {
      assert.match(bench(folder).stderr, /cannot be read\. Give the path of a file, not of a folder\./)
      assert.match(bench("--jsn").stderr, /^Unknown option --jsn\. Usage: /)
    }))
})
