/** `toolguard fuzz`, run as users run it. */
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

/** A backend whose handler changes what all objects inherit, and whose write leaves a trace. */
const careless = module(
  "careless.ts",
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
      appendFileSync(${JSON.stringify(join(folder, "trace.txt"))}, "x")
      Object.assign(Object.prototype, { polluted: true })
      return { text: note_id }
    })
  ),
  prompt: "?"
})
`
)

/** The command of the guide, and what it prints; how long it took is another matter. */
const [, command = "", printed = ""] =
  /^```console\n\$ toolguard (fuzz [^\n]+)\n([^]*?)\n```$/mu.exec(read("docs/fuzz.md")) ?? []

describe("toolguard fuzz", () => {
  it("13.6 prints what the guide shows", async () => {
    const { stdout } = await toolguard(command.split(" "))
    const lines = (text: string) => text.trim().split("\n")
    assert.deepStrictEqual(lines(stdout).slice(0, -1), lines(printed).slice(0, -1))
    const [took, shown] = [stdout, printed].map((text) =>
      lines(text)
        .at(-1)
        ?.replaceAll(/\d[\d.]* (?=s,|a )/gu, "n ")
    )
    assert.strictEqual(took, shown)
  })

  it("13.6 checks every tool of a module, and says how many cases it made", async () => {
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

  it("13.6 says the same each time as JSON, and another seed says something else", async () => {
    const run = (seed: string) =>
      toolguard(["fuzz", shop, "--tool", "read_order", "--runs", "60", "--json", "--seed", seed])
    const [first, again, other] = await Promise.all([run("5"), run("5"), run("6")])
    assert.strictEqual(first.stdout, again.stdout)
    assert.notStrictEqual(first.stdout, other.stdout)
    const { runs, seed, tools } = JSON.parse(first.stdout)
    assert.deepStrictEqual([runs, seed, tools.length, tools[0].tool, tools[0].kept], [60, 5, 1, "read_order", true])
  })

  it("13.6 runs no handler unless it is asked to, and warns where it is", async () => {
    const made = await toolguard(["fuzz", careless, "--runs", "60"])
    assert.deepStrictEqual([made.code, made.stderr], [0, ""])
    const trace = join(folder, "trace.txt")
    assert.throws(() => rmSync(trace))
    const run = await toolguard(["fuzz", careless, "--runs", "60", "--run-handlers"])
    assert.strictEqual(run.code, 1)
    assert.strictEqual(
      run.stderr,
      "The handlers are run: what they write is really done, with made-up arguments, thousands of times.\n" +
        "toolguard: 1 of 1 tools broke a promise.\n" +
        "Each test above shows one: paste it into a file, and run it until it passes.\n"
    )
    assert.match(run.stdout, /^read_note {2}broken {2}channel\n {2}A text modified Object\.prototype\.\n/u)
    rmSync(trace)
  })

  it("13.6 prints a test that fails as it is pasted", async () => {
    const { stdout } = await toolguard(["fuzz", careless, "--run-handlers", "--json"])
    const [{ case: fuzzCase, promise, test }] = JSON.parse(stdout).tools
    assert.deepStrictEqual([promise, fuzzCase.answers], ["channel", [{ _tag: "Handler" }]])
    const file = module("pasted.test.ts", test.replaceAll(/"\.\/test\/\.fuzz-[^/]+\//gu, '"./'))
    const ended = await node([join(root, "node_modules/vitest/vitest.mjs"), "run", file])
    assert.strictEqual(ended.code, 1)
    assert.include(ended.stdout + ended.stderr, "A text modified Object.prototype.")
  })

  it("13.6 says what is wrong with the command or the module, and what to do", async () => {
    const fails = async (code: number, stderr: string, ...args: ReadonlyArray<string>) => {
      const ended = await toolguard(["fuzz", ...args])
      assert.deepStrictEqual([ended.code, ended.stderr], [code, `toolguard: ${stderr}\n`])
    }
    await Promise.all([
      fails(2, `${shop} has no tool "read_ordr".\nThe nearest is read_order.`, shop, "--tool", "read_ordr"),
      fails(2, "--replay makes the case of one tool.\nName it: --tool NAME.", shop, "--replay", "1:1"),
      fails(
        1,
        "There is no file nowhere.ts.\nExport a toolbox (`Toolbox.make(…)`), a backend (`Backend.make(…)`), or the tool classes themselves.",
        "nowhere.ts"
      ),
      fails(
        1,
        "examples/orders/Tools.ts does not export `backend`.\nA backend is a module with `export const backend = Backend.make({ name, tools, layer, prompt })`.",
        "examples/orders/Tools.ts",
        "--run-handlers"
      )
    ])
    const strange = module(
      "strange.ts",
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
    const ended = await toolguard(["fuzz", strange])
    assert.strictEqual(ended.code, 1)
    assert.strictEqual(
      ended.stdout,
      "read_one  not checked\n  no valid results could be generated from its success schema. Pass examples: { results: […] }.\n"
    )
    const token = await toolguard(["fuzz", shop, "--tool", "read_order", "--replay", "yesterday"])
    assert.include(token.stdout, `"yesterday" is not a replay token. A replay token looks like 1:417.`)
  })
})
