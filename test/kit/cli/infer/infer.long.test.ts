/** Runs `toolguard infer` as a process on recorded files. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { read } from "../../../support/sources.ts"
import { toolguard } from "../toolguard.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-infer-"))
afterAll(() => rmSync(folder, { recursive: true }))

const line = (id: number, name: string, result: unknown) =>
  JSON.stringify({
    id: `c${id}`,
    messages: [
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "1", type: "function", function: { name, arguments: "{}" } }]
      },
      { role: "tool", tool_call_id: "1", content: JSON.stringify(result) }
    ]
  })

const log = join(folder, "log.jsonl")
writeFileSync(
  log,
  [
    ...Array.from({ length: 9 }, (_, n) => line(n, "get_order", { order_id: `o${n}`, total: n + 0.5 })),
    ...Array.from({ length: 6 }, (_, n) => line(n, "get_plan", { plan_id: `p${n}` })),
    line(99, "get_\u001b[31mrare", { a: 1 }),
    `{"id": "cut`
  ].join("\n")
)

const order = `/** The result of "get_order", from 9 results (9 different) in 9 conversations. */
export const GetOrderSuccess = Schema.Struct({
  order_id: Schema.String, // seen 9 of 9
  total: Schema.Finite // seen 9 of 9
})
`

/** The commands of the guide and their output. */
const guideCommands = [...read("docs/infer.md").matchAll(/^```console\n\$ toolguard (infer [^\n]+)\n([^]*?)\n```$/gm)]

describe("the guide", () => {
  it("13.2 shows the output of its commands", async () => {
    assert.isAtLeast(guideCommands.length, 1)
    for (const [, command = "", printed] of guideCommands) {
      assert.strictEqual((await toolguard(command.split(" "))).stdout.trimEnd(), printed)
    }
  })
})

describe("toolguard infer", () => {
  it("13.2 prints a module on standard output, and the omitted tools on standard error", async () => {
    const { code, stderr, stdout } = await toolguard(["infer", log])
    assert.strictEqual(code, 0)
    assert.isTrue(stdout.startsWith("/**\n * Schemas for the results of 2 tools, proposed by `toolguard infer`.\n"))
    assert.include(stdout, `import * as Schema from "effect/Schema"\n\n${order}\n/** The result of "get_plan"`)
    const [first, ...rest] = stderr.split("\n")
    assert.strictEqual(first, "2 tools have a proposal.")
    assert.deepStrictEqual(rest.slice(0, 2), [
      "1 has none:",
      "  get_[U+001B][31mrare: 1 usable result, but at least 5 are needed"
    ])
    assert.match(rest[2] ?? "", /^Skipped .*log\.jsonl:17: /)
    assert.notInclude(stdout + stderr, "\u001b")
  })

  it("13.2 writes a new file, and overwrites an existing file only with --force", async () => {
    const out = join(folder, "success.ts")
    const first = await toolguard(["infer", log, "--tool", "get_order", "--out", out])
    assert.deepStrictEqual([first.code, first.stdout], [0, ""])
    assert.isTrue(readFileSync(out, "utf8").endsWith(order))
    writeFileSync(out, "mine")
    const second = await toolguard(["infer", log, "--out", out])
    assert.strictEqual(second.code, 1)
    assert.include(second.stderr, `The file ${out} already exists.\nIt was not changed.`)
    assert.strictEqual(readFileSync(out, "utf8"), "mine")
    assert.strictEqual((await toolguard(["infer", log, "--tool", "get_order", "-o", out, "--force"])).code, 0)
    assert.isTrue(readFileSync(out, "utf8").endsWith(order))
  })

  it("13.2 prints one JSON object, with JSON Schemas and guesses", async () => {
    const { code, stderr, stdout } = await toolguard(["infer", log, "--json", "--tool", "get_order"])
    assert.deepStrictEqual([code, stderr, stdout.trimEnd().split("\n").length], [0, "", 1])
    const { leftOut, skipped, source, tools } = JSON.parse(stdout)
    assert.deepStrictEqual([leftOut, skipped.length], [[], 1])
    assert.isTrue(source.endsWith(order))
    assert.deepStrictEqual(tools, [
      {
        tool: "get_order",
        answers: "json",
        isRepr: false,
        counts: { results: 9, conversations: 9, failures: 0, cut: 0, text: 0, used: 9, different: 9 },
        jsonSchema: {
          type: "object",
          properties: { order_id: { type: "string" }, total: { type: "number" } },
          required: ["order_id", "total"],
          additionalProperties: true
        },
        guesses: []
      }
    ])
  })

  it("13.2 reports what is wrong and how to fix it", async () => {
    const failure = async (...args: ReadonlyArray<string>) => {
      const { code, stderr, stdout } = await toolguard(["infer", ...args])
      assert.notMatch(stderr, /\n +at /)
      return [code, stdout, stderr.trimEnd().split("\n").slice(-2).join(" ")]
    }
    const out = join(folder, "none.ts")
    assert.deepStrictEqual(await failure(log, "--tool", "get_ordr"), [
      2,
      "",
      "toolguard: The log has no results of a tool named get_ordr. Nearest: get_order."
    ])
    assert.deepStrictEqual(await failure(log, "--min-samples", "0"), [
      2,
      "",
      "toolguard: --min-samples must be at least 1. Without it, 5 results are needed."
    ])
    assert.deepStrictEqual(await failure(log, "--min-samples", "99", "--out", out), [
      1,
      "",
      "toolguard: No tool has enough results. Add files, or lower --min-samples."
    ])
    assert.throws(() => readFileSync(out), /ENOENT/)
    assert.deepStrictEqual((await failure(join(folder, "nowhere.jsonl")))[0], 1)
    assert.match(
      String((await failure(log, "--out", join(folder, "no/folder.ts")))[2]),
      /The folder of .* does not exist\./
    )
  })
})
