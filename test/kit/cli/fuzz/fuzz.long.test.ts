/** Runs `toolguard fuzz` as a process. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { read, root } from "../../../support/sources.ts"
import { node } from "../../../support/tools.ts"
import { toolguard } from "../toolguard.ts"

const folder = mkdtempSync(join(root, "test/.fuzz-"))
afterAll(() => rmSync(folder, { recursive: true }))

const shop = "examples/orders/main.ts"

const module = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** A backend whose handler modifies the prototype of all objects, and appends to a file each time it runs. */
const polluting = module(
  "polluting.ts",
  `import { Effect, Schema } from "effect"
import { Backend, GuardedTool, Toolbox } from "effect-toolguard"
import { appendFileSync } from "node:fs"

export class ReadNote extends GuardedTool.Service<ReadNote>()("read_note", {
  description: "Reads one note. Read-only.",
  access: "read",
  parameters: Schema.Struct({ note_id: Schema.String }),
  success: Schema.Struct({ text: Schema.String })
}) {}

export const backend = Backend.make({
  name: "notes",
  tools: Toolbox.make(ReadNote),
  layer: ReadNote.layer(({ note_id }) =>
    Effect.sync(() => {
      appendFileSync(${JSON.stringify(join(folder, "runs.txt"))}, "x")
      Object.assign(Object.prototype, { polluted: true })
      return { text: note_id }
    })
  ),
  prompt: "?"
})
`
)

/** The command of the guide and its output. The last line has times, which vary. */
const [, command = "", printed = ""] =
  /^```console\n\$ toolguard (fuzz [^\n]+)\n([^]*?)\n```$/mu.exec(read("docs/fuzz.md")) ?? []

describe("toolguard fuzz", () => {
  it("13.6 prints the output in the guide", async () => {
    const { stdout } = await toolguard(command.split(" "))
    const lines = (text: string) => text.trim().split("\n")
    assert.deepStrictEqual(lines(stdout).slice(0, -1), lines(printed).slice(0, -1))
    const [actual, expected] = [stdout, printed].map((text) =>
      lines(text)
        .at(-1)
        ?.replaceAll(/\d[\d.]* (?=s,|a )/gu, "n ")
    )
    assert.strictEqual(actual, expected)
  })

  it("13.6 checks every tool of a module, and prints the number of cases", async () => {
    const { code, stderr, stdout } = await toolguard(["fuzz", shop, "--runs", "90"])
    assert.deepStrictEqual([code, stderr], [0, ""])
    const lines = stdout.trim().split("\n")
    assert.deepStrictEqual(
      lines.slice(0, 4).map((line) => line.replace(/\s+/gu, " ").slice(0, 28).split(" ").slice(0, 4)),
      ["search_orders", "read_order", "find_refund", "refund_order"].map((name) => [name, "kept", "90", "cases,"])
    )
    assert.match(lines[4] ?? "", /^360 cases in \d+\.\d s, \d+ a second\.$/u)
    assert.isAtMost(Math.max(...lines.map(({ length }) => length)), 100)
  })

  it("13.6 prints the same JSON for the same seed, and different JSON for another seed", async () => {
    const run = (seed: string) =>
      toolguard(["fuzz", shop, "--tool", "read_order", "--runs", "60", "--json", "--seed", seed])
    const [first, again, other] = await Promise.all([run("5"), run("5"), run("6")])
    assert.strictEqual(first.stdout, again.stdout)
    assert.notStrictEqual(first.stdout, other.stdout)
    const { runs, seed, tools } = JSON.parse(first.stdout)
    assert.deepStrictEqual([runs, seed, tools.length, tools[0].tool, tools[0].kept], [60, 5, 1, "read_order", true])
  })

  it("13.6 runs handlers only with --run-handlers, and then warns", async () => {
    const generated = await toolguard(["fuzz", polluting, "--runs", "60"])
    assert.deepStrictEqual([generated.code, generated.stderr], [0, ""])
    const runLog = join(folder, "runs.txt")
    assert.throws(() => rmSync(runLog))
    const run = await toolguard(["fuzz", polluting, "--runs", "60", "--run-handlers"])
    assert.strictEqual(run.code, 1)
    assert.strictEqual(
      run.stderr,
      "The handlers will run: they write for real, with generated arguments, thousands of times.\n" +
        "toolguard: 1 of 1 tools broke a promise.\n" +
        "Each test above reproduces one: paste it into a file and run it until it passes.\n"
    )
    assert.match(run.stdout, /^read_note {2}broken {2}channel\n {2}A text modified Object\.prototype\.\n/u)
    rmSync(runLog)
  })

  it("13.6 prints a test that fails when it is pasted into a file", async () => {
    const { stdout } = await toolguard(["fuzz", polluting, "--run-handlers", "--json"])
    const [{ case: fuzzCase, promise, test }] = JSON.parse(stdout).tools
    assert.deepStrictEqual([promise, fuzzCase.answers], ["channel", [{ _tag: "Handler" }]])
    const file = module("pasted.test.ts", test.replaceAll(/"\.\/test\/\.fuzz-[^/]+\//gu, '"./'))
    const result = await node([join(root, "node_modules/vitest/vitest.mjs"), "run", file])
    assert.strictEqual(result.code, 1)
    assert.include(result.stdout + result.stderr, "A text modified Object.prototype.")
  })

  it("13.6 reports what is wrong with the command or the module, and how to fix it", async () => {
    const fails = async (code: number, stderr: string, ...args: ReadonlyArray<string>) => {
      const result = await toolguard(["fuzz", ...args])
      assert.deepStrictEqual([result.code, result.stderr], [code, `toolguard: ${stderr}\n`])
    }
    await Promise.all([
      fails(2, `${shop} has no tool "read_ordr".\nNearest: read_order.`, shop, "--tool", "read_ordr"),
      fails(2, "--replay repeats a case of one tool.\nName the tool: --tool NAME.", shop, "--replay", "1:1"),
      fails(
        1,
        "There is no file nowhere.ts.\nCorrect the path. A relative path starts at the working directory.",
        "nowhere.ts"
      ),
      fails(
        1,
        "examples/orders/Tools.ts does not export `backend`.\nA backend is a module with `export const backend = Backend.make({ name, tools, layer, prompt })`.",
        "examples/orders/Tools.ts",
        "--run-handlers"
      )
    ])
    const unfuzzable = module(
      "unfuzzable.ts",
      `import { Schema } from "effect"
import { GuardedTool } from "effect-toolguard"
export class ReadOne extends GuardedTool.Service<ReadOne>()("read_one", {
  description: "Reads one. Read-only.",
  access: "read",
  parameters: Schema.Struct({}),
  success: Schema.String.check(Schema.makeFilter((text: string) => text === "the only one"))
}) {}
`
    )
    const result = await toolguard(["fuzz", unfuzzable])
    assert.strictEqual(result.code, 1)
    assert.strictEqual(
      result.stdout,
      "read_one  not checked\n  no valid results could be generated from its success schema. Pass examples: { results: […] }.\n"
    )
    const token = await toolguard(["fuzz", shop, "--tool", "read_order", "--replay", "yesterday"])
    assert.include(token.stdout, `"yesterday" is not a replay token. A replay token looks like 1:417.`)
  })
})
