/** Runs `toolguard replay --propose` as a process. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { root } from "../../../support/sources.ts"
import { tsc } from "../../../support/tools.ts"
import { toolguard } from "../toolguard.ts"

/** A folder in the project, so that a module in it finds the packages. */
const folder = mkdtempSync(join(root, "test/.proposed-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const outputSchema = {
  type: "object",
  properties: {
    id: { type: "string" },
    name: { type: "string" },
    status: { enum: ["placed", "shipped"] },
    notes: { type: "array", items: { type: "string" }, maxItems: 2 }
  },
  required: ["id", "name", "status", "notes"],
  additionalProperties: false
}
const parameters = { type: "object", properties: { id: { type: "string" } } }
const good = { name: "A", status: "placed", notes: [] }

const logOf = (name: string, results: ReadonlyArray<object | string | undefined>, schema?: object): string => {
  const file = join(folder, name)
  const tools = [
    {
      type: "function",
      function: { name: "get_order", parameters, ...(schema === undefined ? {} : { outputSchema: schema }) }
    }
  ]
  const lines = results.map((result, index) => {
    const id = `o-${index}`
    const content = typeof result === "string" ? result : JSON.stringify({ id, ...result })
    const call = { id: `call_${index}`, type: "function", function: { name: "get_order", arguments: `{"id":"${id}"}` } }
    const answer = result === undefined ? [] : [{ role: "tool", tool_call_id: call.id, content }]
    const messages = [
      { role: "user", content: "go" },
      { role: "assistant", content: null, tool_calls: [call] },
      ...answer
    ]
    return JSON.stringify({ id: `c${index}`, tools, messages })
  })
  writeFileSync(file, lines.join("\n"))
  return file
}

const broken = [
  { ...good, name: null },
  { ...good, name: null },
  { ...good, name: null, status: "late" },
  { ...good, notes: ["a", "b", "c"] },
  '{"id":"o","name":"A',
  good,
  good
]
const faulty = logOf("faulty.jsonl", broken, outputSchema)

describe("toolguard replay --propose", () => {
  it("13.1 writes a module that compiles, and whose schema accepts the stated number of results", async () => {
    const file = join(folder, "relaxed.ts")
    const { code, stderr, stdout } = await toolguard(["replay", faulty, "--propose", file])
    assert.strictEqual(code, 0, stderr)
    assert.strictEqual(
      stderr.trim(),
      `Wrote ${file}: relaxed schemas of 1 tool, with which 4 of 5 rejected results would pass.`
    )
    assert.include(stdout, "get_order: 5 of 7 results violate the schema; 4 would pass with all suggestions.")
    assert.match(stdout, /get_order +name +expected string, got null +3 +2 +3 +allow null/)
    const { GetOrderSuccess } = await import(pathToFileURL(file).href)
    const is = Schema.is(GetOrderSuccess)
    const accepted = broken.filter((result) => typeof result === "object" && is({ id: "o", ...result }))
    assert.lengthOf(accepted, 6)
    assert.isFalse(is({ id: null, ...good }))
    assert.isFalse(is({ id: "o", ...good, status: "gone" }))
    const config = { extends: join(root, "tsconfig.json"), include: ["relaxed.ts"] }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
    const compiled = await tsc(["--noEmit", "-p", join(folder, "tsconfig.json")])
    assert.strictEqual(compiled.code, 0, compiled.stdout)
  })

  it("13.1 writes JSON Schemas to a file that ends with .json", async () => {
    const file = join(folder, "relaxed.json")
    assert.strictEqual((await toolguard(["replay", faulty, "--propose", file, "--json"])).code, 0)
    const { get_order: own } = JSON.parse(readFileSync(file, "utf8"))
    assert.deepStrictEqual(own.outputSchema.properties.name, { type: ["string", "null"] })
    assert.lengthOf(own.changes, 3)
  })

  it("13.1 states an upper bound of the results that would pass if only the first fault of a very large result is listed", async () => {
    const file = join(folder, "large.ts")
    const long = { ...good, name: null, notes: Array.from({ length: 11_000 }, () => "a") }
    const log = logOf("large.jsonl", [{ ...good, name: null }, long, good], outputSchema)
    const { code, stderr, stdout } = await toolguard(["replay", log, "--propose", file])
    assert.strictEqual(code, 0, stderr)
    assert.include(stderr, "with which at most 2 of 2 rejected results would pass.")
    assert.include(stdout, "2 of 3 results violate the schema; at most 2 would pass with all suggestions.")
    const written = readFileSync(file, "utf8")
    assert.include(written, "violated the schema; at most 2 would pass now.")
    assert.include(written, "Changed: allow null. At most 2 calls would pass with this change alone.")
  })

  it("13.1 refuses to write to an existing file, and leaves it unchanged", async () => {
    const file = join(folder, "mine.ts")
    writeFileSync(file, "mine")
    const { code, stderr, stdout } = await toolguard(["replay", faulty, "--propose", file])
    assert.deepStrictEqual([code, stdout], [1, ""])
    assert.strictEqual(
      stderr.trim(),
      `toolguard: The file ${file} already exists.\nIt was not changed. Choose another file for --propose.`
    )
    assert.strictEqual(readFileSync(file, "utf8"), "mine")
  })

  it("13.1 says in one sentence why nothing is written", async () => {
    const file = join(folder, "none.ts")
    const run = (log: string, ...more: ReadonlyArray<string>) => toolguard(["replay", log, "--propose", file, ...more])
    const silent = join(folder, "silent.jsonl")
    writeFileSync(silent, '{"messages":[{"role":"user","content":"Hi"}]}')
    const [fine, kept, untyped, unanswered, empty, lost] = await Promise.all([
      run(logOf("fine.jsonl", [good, good], outputSchema)),
      run(logOf("kept.jsonl", [good, '{"id":'], outputSchema)),
      run(logOf("untyped.jsonl", [good])),
      run(logOf("unanswered.jsonl", [undefined], outputSchema)),
      run(silent),
      toolguard(["replay", faulty, "--propose", join(folder, "missing", "a.ts")])
    ])
    const texts = [fine, kept, untyped, unanswered, empty, lost].map(({ code, stderr }) => [
      code,
      stderr.trim().split("\n")[0]
    ])
    assert.deepStrictEqual(texts, [
      [0, `All 2 checked results match their schemas, so ${file} was not written.`],
      [0, `No change is suggested for the 1 rejected result, so ${file} was not written.`],
      [1, "toolguard: No result was checked, because no schema of results is known."],
      [1, "toolguard: The log has no results, so no schema was proposed."],
      [1, "toolguard: The log has no calls of tools, so no schema was proposed."],
      [1, `toolguard: The folder of ${join(folder, "missing", "a.ts")} does not exist.`]
    ])
    assert.isFalse(existsSync(file))
  })
})
