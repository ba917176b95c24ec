/** Runs `toolguard golden` as a process. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { data, recordedData } from "../../../support/data.ts"
import { needs } from "../../../support/prerequisites.ts"
import { read } from "../../../support/sources.ts"
import { toolguard } from "../toolguard.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-golden-"))
afterAll(() => rmSync(folder, { recursive: true }))
let count = 0
/** Returns a new path in the test folder. */
const fresh = (name: string) => join(folder, `${(count += 1)}-${name}`)

const call = (name: string, args: object, content = "{}", more: object = {}) => {
  const id = `call_${(count += 1)}`
  return [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }]
    },
    { role: "tool", tool_call_id: id, content, ...more }
  ]
}

/** Writes conversations, given by id, to a file. */
const log = (conversations: Readonly<Record<string, ReadonlyArray<object>>>): string => {
  const file = fresh("runs.jsonl")
  const lines = Object.entries(conversations).map(([id, messages]) =>
    JSON.stringify({ id, messages: [{ role: "user", content: "go" }, ...messages] })
  )
  writeFileSync(file, lines.join("\n"))
  return file
}

/** Runs the command, by default outside CI. */
const golden = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  toolguard(["golden", ...args], { env: { CI: "", ...env } })

const refund = [...call("search", { q: "parcel", at: 1 }), ...call("refund", { id: "O-1" })]

/** The command of the guide and its output. */
const [, command = "", printed = ""] =
  /^```console\n\$ toolguard golden ([^\n]+)\n([^]*?)\n```$/mu.exec(read("docs/golden.md")) ?? []

describe("toolguard golden", () => {
  it("13.5 prints the output in the guide", async () => {
    const { code, stdout } = await golden(command.split(" "))
    assert.deepStrictEqual([code, stdout], [1, `${printed}\n`])
    const monday = await golden(["verify", "examples/golden/monday.jsonl", "--dir", "examples/golden"], { CI: "true" })
    assert.deepStrictEqual(monday, { code: 0, stdout: "2 scenarios: 2 same.\n", stderr: "" })
  })

  it("13.5 records conversations, and verifies others against them", async () => {
    const [dir, runs] = [fresh("golden"), log({ "refund/1 ../x": refund, "list all": call("list", {}) })]
    const recorded = await golden(["record", runs, "--dir", dir, "--ignore", "search.at"])
    assert.deepStrictEqual([recorded.code, recorded.stderr], [0, ""])
    assert.deepStrictEqual(readdirSync(dir), ["list-all.golden.json", "refund-1-..-x.golden.json"])
    assert.include(recorded.stdout, "\n2 scenarios: 2 recorded.\n")
    const again = await golden(["record", runs, "--dir", dir])
    assert.include(again.stdout, "2 scenarios: 2 unchanged.")
    const verified = await golden(["verify", runs, "--dir", dir])
    assert.deepStrictEqual(verified, { code: 0, stdout: "2 scenarios: 2 same.\n", stderr: "" })
  })

  it("13.5 reports differences with the remedy, and exits with 1", async () => {
    const [dir, runs] = [fresh("golden"), log({ refund })]
    await golden(["record", runs, "--dir", dir])
    const other = log({
      refund: [
        ...call("search", { q: "letter", at: 1 }),
        ...call("refund", { id: 7 }, "Error: id must be a string", { is_error: true }),
        ...call("refund", { id: "O-1" }),
        ...call("mail", { to: "ann" })
      ]
    })
    const { code, stderr, stdout } = await golden(["verify", other, "--dir", dir])
    assert.strictEqual(code, 1)
    assert.strictEqual(
      stderr,
      "toolguard: 1 of 1 scenario differs.\nIf the runs are correct, run the command again with --update.\n"
    )
    assert.strictEqual(
      stdout,
      [
        `differs  refund (${join(dir, "refund.golden.json")})`,
        "  call 1 (round 1) search",
        '    q: expected "parcel", got "letter"',
        "  call 3 (round 3) mail: unexpected",
        '    got {"to":"ann"}',
        "1 scenario: 1 differs.",
        ""
      ].join("\n")
    )
    const json = JSON.parse((await golden(["verify", other, "--dir", dir, "--json"])).stdout)
    assert.deepStrictEqual(
      json.scenarios.map(({ differences, state }: any) => [state, differences.map((one: any) => one._tag)]),
      [["differs", ["Changed", "Extra"]]]
    )
    const updated = await golden(["verify", other, "--dir", dir, "--update"])
    assert.deepStrictEqual([updated.code, updated.stderr], [0, ""])
    assert.include(updated.stdout, "1 scenario: 1 updated.")
    assert.strictEqual((await golden(["verify", other, "--dir", dir], { CI: "true" })).code, 0)
  })

  it("13.5 a scenario differs if a failed write reports the side effect none instead of unknown", async () => {
    const envelope = (side_effect: string) =>
      JSON.stringify({ status: "error", error: { error_class: "permanent", code: "tool_failed", side_effect } })
    const dir = fresh("golden")
    await golden(["record", log({ refund: call("refund", { id: "O-1" }, envelope("unknown")) }), "--dir", dir])
    const { code, stdout } = await golden([
      "verify",
      log({ refund: call("refund", { id: "O-1" }, envelope("none")) }),
      "--dir",
      dir
    ])
    assert.strictEqual(code, 1)
    assert.include(stdout, '  call 1 (round 1) refund\n    error.side_effect: expected "unknown", got "none"\n')
  })

  it("13.5 records missing golden files but fails in CI, and fails for scenarios that were not run", async () => {
    const [dir, runs, one] = [fresh("golden"), log({ refund, list: call("list", {}) }), log({ list: call("list", {}) })]
    const inCi = await golden(["verify", runs, "--dir", dir], { CI: "true" })
    assert.strictEqual(inCi.code, 1)
    assert.include(
      inCi.stderr,
      "2 of 2 scenarios have no golden file, and golden files are not recorded in CI.\nCreate them with toolguard golden record."
    )
    const local = await golden(["verify", runs, "--dir", dir])
    assert.deepStrictEqual([local.code, local.stdout.split("\n").at(-2)], [0, "2 scenarios: 2 recorded."])
    const some = await golden(["verify", one, "--dir", dir])
    assert.strictEqual(some.code, 1)
    assert.include(some.stderr, "1 of 2 scenarios was not run.\nRun it, delete its file, or add --partial.")
    assert.strictEqual((await golden(["verify", one, "--dir", dir, "--partial"])).code, 0)
    assert.strictEqual((await golden(["verify", runs, "--dir", dir, "--only", "list"])).stdout, "1 scenario: 1 same.\n")
  })

  it("13.5 uses the name of --scenario, and reports invalid arguments and files", async () => {
    const [dir, runs] = [fresh("golden"), log({ first: refund, second: refund })]
    const named = await golden(["record", runs, "--dir", dir, "--only", "second", "--scenario", "a refund"])
    assert.strictEqual(named.code, 0)
    assert.deepStrictEqual(readdirSync(dir), ["a-refund.golden.json"])
    const fails = async (code: number, stderr: string, ...args: ReadonlyArray<string>) => {
      const result = await golden(args)
      assert.deepStrictEqual([result.code, result.stderr], [code, `toolguard: ${stderr}\n`])
    }
    const damaged = fresh("damaged")
    await golden(["record", runs, "--dir", damaged])
    writeFileSync(join(damaged, "first.golden.json"), "{")
    const twice = fresh("twice")
    await golden(["record", runs, "--dir", twice])
    writeFileSync(join(twice, "copy.golden.json"), readFileSync(join(twice, "first.golden.json")))
    await Promise.all([
      fails(
        2,
        "--scenario names one conversation, but the files contain several.\nSelect one by its id: --only ID.",
        "record",
        runs,
        "--dir",
        fresh("g"),
        "--scenario",
        "x"
      ),
      fails(
        1,
        'The files contain no conversation "third".\nChoose another id: --only ID.',
        "verify",
        runs,
        "--dir",
        fresh("g"),
        "--only",
        "third"
      ),
      fails(
        2,
        '"search" is not a path.\nWrite tool.field, tool.list[].field, *.field or tool.*',
        "record",
        runs,
        "--dir",
        fresh("g"),
        "--ignore",
        "search"
      ),
      fails(
        1,
        `${runs} is not a folder.\nName the folder of the golden files: --dir FOLDER.`,
        "verify",
        runs,
        "--dir",
        runs
      ),
      fails(
        1,
        `${join(damaged, "first.golden.json")} is not a golden file: the JSON ends too early, at position 1; no field is complete\nCorrect it, or delete it to record it again.`,
        "verify",
        runs,
        "--dir",
        damaged
      ),
      fails(
        1,
        `${join(twice, "copy.golden.json")} and ${join(twice, "first.golden.json")} are both for the scenario "first".\nDelete one of them.`,
        "verify",
        runs,
        "--dir",
        twice
      )
    ])
  })

  it("13.5 leaves out fields that a module of tools marks as volatile", async () => {
    const [dir, module] = [fresh("golden"), fresh("tools.ts")]
    writeFileSync(
      module,
      `import { Schema } from ${JSON.stringify(import.meta.resolve("effect"))}
import { GuardedTool, volatile } from ${JSON.stringify(import.meta.resolve("effect-toolguard"))}
export class Search extends GuardedTool.Service<Search>()("search", {
  description: "Searches. Read-only.",
  access: "read",
  parameters: Schema.Struct({ q: Schema.String, at: volatile(Schema.Int) }),
  success: Schema.Struct({})
}) {}
`
    )
    const run = (at: number) => log({ search: call("search", { q: "parcel", at }) })
    assert.strictEqual((await golden(["record", run(1), "--dir", dir, "--tools", module])).stderr, "")
    assert.notInclude(readFileSync(join(dir, "search.golden.json"), "utf8"), "at")
    const verified = await golden(["verify", run(2), "--dir", dir, "--tools", module])
    assert.strictEqual(verified.stdout, "1 scenario: 1 same.\n")
    assert.strictEqual((await golden(["verify", run(2), "--dir", dir])).code, 1)
  })

  it("13.5 distinguishes scenarios whose names give the same file name", async () => {
    const [dir, runs] = [
      fresh("golden"),
      log({ "a/b": refund, "a b": call("list", {}), "A B": refund, "../..": refund, "": refund })
    ]
    await golden(["record", runs, "--dir", dir])
    assert.lengthOf(readdirSync(dir), 5)
    assert.strictEqual((await golden(["verify", runs, "--dir", dir])).stdout, "5 scenarios: 5 same.\n")
  })

  it("13.5 recorded traffic matches its own golden files", needs(recordedData), async () => {
    const sources = ["coding", "livemcpbench", "openhands", "recorded-tests", "tau2-airline", "toolbench"]
    const [dir, files] = [fresh("golden"), sources.map((source) => join(data, "traffic", `${source}.jsonl.gz`))]
    const recorded = await golden(["record", ...files, "--dir", dir, "--json"])
    assert.strictEqual(recorded.code, 0, recorded.stderr)
    const { scenarios } = JSON.parse(recorded.stdout)
    assert.deepStrictEqual(new Set(scenarios.map(({ state }: any) => state)), new Set(["recorded"]))
    assert.lengthOf(readdirSync(dir), scenarios.length)
    const { code, stdout } = await golden(["verify", ...files, "--dir", dir], { CI: "true" })
    assert.deepStrictEqual([code, stdout], [0, `${scenarios.length} scenarios: ${scenarios.length} same.\n`])
  })
})
