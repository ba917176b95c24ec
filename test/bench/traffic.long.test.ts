/**
 * Tests the benchmark of replay on labelled calls: its output, the folders that it refuses, and the minimums of its
 * figures.
 */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { data, recordedData } from "../support/data.ts"
import { needs } from "../support/prerequisites.ts"

const bench = (...argv: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, ["test/bench/traffic.ts", ...argv], {
    encoding: "utf8",
    timeout: 60_000,
    killSignal: "SIGKILL"
  })
  return { status, stderr, stdout }
}

const call = (id: string, name: string, args: string) => ({
  role: "assistant",
  content: "",
  tool_calls: [{ id, type: "function", function: { name, arguments: args } }]
})

const answer = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content })

/** Looks up a customer that does not exist twice, and then one that exists. */
const conversation = {
  id: "c1",
  tools: [],
  messages: [
    { role: "user", content: "Who is C-9?" },
    call("a", "get_customer", '{"id":"C-9"}'),
    answer("a", "Error: Customer C-9 not found"),
    call("b", "get_customer", '{"id":"C-9"}'),
    answer("b", "Error: Customer C-9 not found"),
    call("c", "get_customer", '{"id":"C-1"}'),
    answer("c", '{"id": "C-1", "name": "Ann"}'),
    { role: "assistant", content: "Ann." }
  ]
}

const label = (callMessage: number, callId: string, rest: object) => ({
  conversation: "c1",
  file: "a.jsonl.gz",
  message: callMessage + 1,
  call_message: callMessage,
  tool_call_id: callId,
  ...rest
})

const rows = [
  label(1, "a", { label: "permanent", accept: ["tool_arg"] }),
  label(3, "b", { label: "tool_arg", repeat: "stop" }),
  label(5, "c", { label: "partial_data" })
]

const inFolder = (labels: string | undefined, traffic: string | undefined, run: (folder: string) => void) => {
  const folder = mkdtempSync(join(tmpdir(), "traffic-"))
  try {
    if (labels !== undefined) writeFileSync(join(folder, "labels.jsonl"), labels)
    if (traffic !== undefined) {
      mkdirSync(join(folder, "traffic"))
      writeFileSync(join(folder, "traffic", "a.jsonl.gz"), gzipSync(traffic))
    }
    run(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const lines = (values: ReadonlyArray<unknown>): string => values.map((value) => JSON.stringify(value)).join("\n")

describe("bench:traffic", () => {
  it("3.4 prints exactly one object with --json", () =>
    inFolder(lines(rows), lines([conversation]), (folder) => {
      const { status, stderr, stdout } = bench(folder, "--json")
      assert.deepStrictEqual([status, stderr, stdout.trimEnd().split("\n").length], [0, "", 1])
      const { accuracy, baseline, classes, confusion, stops, suspects, total, traffic } = JSON.parse(stdout)
      assert.deepStrictEqual(
        { accuracy, classes, confusion, stops, suspects, total, traffic },
        {
          accuracy: 2 / 3,
          classes: {
            ok: { precision: 0, recall: 1, labelled: 0, predicted: 1, exact: 0 },
            tool_arg: { precision: 1, recall: 1, labelled: 1, predicted: 2, exact: 1 },
            partial_data: { precision: 1, recall: 0, labelled: 1, predicted: 0, exact: 0 },
            permanent: { precision: 1, recall: 1, labelled: 1, predicted: 0, exact: 0 }
          },
          confusion: { permanent: { tool_arg: 1 }, tool_arg: { tool_arg: 1 }, partial_data: { ok: 1 } },
          stops: { precision: 1, recall: 1, labelled: 1, predicted: 1, wrong: 0 },
          suspects: { precision: 1, recall: 1, labelled: 0, predicted: 0 },
          total: 3,
          traffic: { conversations: 1, calls: 3, stops: 1, suspects: 0 }
        }
      )
      assert.deepStrictEqual(baseline.stops, { precision: 1, recall: 0, labelled: 1, predicted: 0, wrong: 0 })
    }))

  it("3.4 prints a readable report of the figures, the confusion, the misses and the baseline", () =>
    inFolder(lines(rows), lines([conversation]), (folder) => {
      const { status, stdout } = bench(folder)
      assert.strictEqual(status, 0)
      assert.match(stdout, /accuracy +66\.7 % +\(words only: [\d.]+ %\)/)
      assert.match(stdout, /wrong stops: 0/)
      assert.match(stdout, /c1 message 5, get_customer: partial_data, predicted ok: \{"id": "C-1"/)
    }))

  const validTraffic = lines([conversation])
  const refused: ReadonlyArray<
    readonly [what: string, labels: string | undefined, traffic: string | undefined, RegExp]
  > = [
    ["a folder without labels", undefined, validTraffic, /labels\.jsonl: no such file\. Give a folder/],
    ["an empty file of labels", "\n", validTraffic, /labels\.jsonl: contains no rows\. Each line is one object/],
    ["a label that is not JSON", "{", validTraffic, /labels\.jsonl:1: not valid JSON/],
    ["a label that is not an object", "[1]", validTraffic, /labels\.jsonl:1: not a JSON object/],
    ["an unknown label", lines([label(1, "a", { label: "odd" })]), validTraffic, /:1: `label` is "odd", not one of ok/],
    [
      "an invalid accept",
      lines([label(1, "a", { label: "ok", accept: ["odd"] })]),
      validTraffic,
      /:1: `accept` is not a list/
    ],
    ["an invalid repeat", lines([label(1, "a", { label: "ok", repeat: "no" })]), validTraffic, /:1: `repeat` is "no"/],
    [
      "a label without its call",
      lines([{ conversation: "c1", label: "ok" }]),
      validTraffic,
      /`call_message` is missing/
    ],
    ["a folder without traffic", lines(rows), undefined, /contains no recorded traffic\. Give a folder/],
    ["traffic that is not JSON", lines(rows), "{", /a\.jsonl\.gz:1: not valid JSON/],
    [
      "a label whose call is not in the traffic",
      lines([label(1, "z", { label: "ok" })]),
      validTraffic,
      /no call z in message 1 of c1/
    ]
  ]
  for (const [what, labels, traffic, message] of refused) {
    it(`3.4 refuses ${what} with a remedy, without a stack trace`, () =>
      inFolder(labels, traffic, (folder) => {
        const { status, stderr, stdout } = bench(folder, "--json")
        assert.deepStrictEqual([status, stdout], [1, ""])
        assert.match(stderr, message)
        assert.strictEqual(stderr.trimEnd().split("\n").length, 1)
      }))
  }

  it("3.4 refuses an unknown option", () => assert.match(bench("--jsn").stderr, /^Unknown option --jsn\. Usage: /))

  it(
    "3.4 reaches its minimum for every class of the recorded traffic, without a wrong stop",
    needs(recordedData),
    () => {
      const { accuracy, classes, stops, traffic } = JSON.parse(bench(data, "--json").stdout)
      assert.isAtLeast(accuracy, 0.97)
      for (const [name, { labelled, precision, recall }] of Object.entries<Record<string, number>>(classes)) {
        assert.isAtLeast(precision ?? 0, 0.95, name)
        if ((labelled ?? 0) > 0) assert.isAtLeast(recall ?? 0, 0.9, name)
      }
      assert.deepStrictEqual([stops.wrong, traffic.suspects], [0, 6])
      assert.isAtLeast(stops.recall, 0.65)
    }
  )
})
