/** Runs `toolguard diff` as a process on lists, modules and skills. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { read } from "../../../support/sources.ts"
import { toolguard } from "../toolguard.ts"

const root = mkdtempSync(join(tmpdir(), "toolguard-diff-"))
afterAll(() => rmSync(root, { recursive: true }))
let folders = 0

const list = (statuses: ReadonlyArray<string>, rest: object = {}) =>
  JSON.stringify({
    tools: [
      {
        name: "search_orders",
        description: "Searches.",
        inputSchema: {
          type: "object",
          properties: { status: { enum: statuses } },
          required: ["status"],
          additionalProperties: false,
          ...rest
        },
        annotations: { readOnlyHint: true }
      }
    ]
  })

/** Creates a folder with the tools before and after a change, and the lock of the tools before it. */
const setUp = async (after: string) => {
  const folder = join(root, `${(folders += 1)}`)
  mkdirSync(folder)
  const file = (name: string) => join(folder, name)
  writeFileSync(file("before.json"), list(["placed", "late"]))
  writeFileSync(file("after.json"), after)
  const diff = (name: string, ...args: ReadonlyArray<string>) =>
    toolguard(["diff", file(name), "--lock", file("tools.lock.json"), ...args])
  const written = await diff("before.json", "--write")
  assert.deepStrictEqual(written, { code: 0, stdout: "", stderr: `${file("tools.lock.json")} written: 1 tool.\n` })
  return { file, diff }
}

const breaking = list(["placed"])

/** The commands of the guide and their output. */
const guideCommands = [...read("docs/diff.md").matchAll(/^```console\n\$ toolguard (diff [^\n]+)\n([^]*?)\n```$/gm)]

describe("the guide", () => {
  it("13.4 shows the output of its commands", async () => {
    assert.isAtLeast(guideCommands.length, 1)
    for (const [, command = "", printed] of guideCommands) {
      const args = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "")
      assert.strictEqual((await toolguard(args)).stdout.trim(), printed?.trim())
    }
  })
})

describe("toolguard diff", () => {
  it("13.4 reports that nothing has changed", async () => {
    const { diff } = await setUp(breaking)
    assert.deepStrictEqual(await diff("before.json"), { code: 0, stdout: "Nothing has changed.\n", stderr: "" })
  })

  it("13.4 fails for a breaking change until it is accepted with a reason; then the lock can be written", async () => {
    const { diff, file } = await setUp(breaking)
    const first = await diff("after.json")
    assert.strictEqual(first.code, 1)
    const [, id = ""] =
      /^ {2}([\da-f]{8}) search_orders: parameters\.status no longer accepts "late"$/m.exec(first.stdout) ?? []
    assert.include(
      first.stdout,
      `\nBreaking\n  ${id} search_orders: parameters.status no longer accepts "late"\n    was accepted: {"status":"late"}\n`
    )
    assert.include(first.stderr, `toolguard: 1 change breaks callers.\nUndo it, or accept with a reason`)
    const refused = await diff("after.json", "--write")
    assert.deepStrictEqual([refused.code, /the lock was not changed/.test(refused.stderr)], [1, true])
    assert.strictEqual((await diff("before.json")).stdout, "Nothing has changed.\n")
    const accepting = await diff("after.json", "--accept", "No caller sends it.")
    assert.deepStrictEqual(
      [accepting.code, accepting.stderr],
      [0, `1 breaking change accepted in ${file("tools.changes.md")}.\n`]
    )
    const accepted = await diff("after.json")
    assert.deepStrictEqual([accepted.code, accepted.stdout.includes(`  ${id} accepted search_orders:`)], [0, true])
    const writing = await diff("after.json", "--write")
    assert.deepStrictEqual([writing.code, writing.stderr], [0, `${file("tools.lock.json")} written: 1 tool.\n`])
    assert.strictEqual((await diff("after.json")).stdout, "Nothing has changed.\n")
    assert.include(readFileSync(file("tools.changes.md"), "utf8"), `- locked \`${id}\` **search_orders**`)
  })

  it("13.4 passes for safe and behavioural changes, and lists them", async () => {
    const { diff } = await setUp(list(["late", "placed", "delayed"], { title: "Search" }))
    const { code, stderr, stdout } = await diff("after.json")
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.strictEqual(
      stdout,
      `
Behavioural: models and clients read something different
  search_orders: parameters has a different title

Safe: more is accepted, or fewer results are possible
  search_orders: parameters.status also accepts "delayed"
`
    )
  })

  it("13.4 rates each change by the recorded calls that it would have broken", async () => {
    const { diff, file } = await setUp(breaking)
    const call = (id: number, status: string) => ({
      id: `c${id}`,
      type: "function",
      function: { name: "search_orders", arguments: JSON.stringify({ status }) }
    })
    const calls = [call(1, "placed"), call(2, "late"), call(3, "gone"), call(4, "late")]
    writeFileSync(
      file("log.jsonl"),
      JSON.stringify({
        messages: [
          { role: "user", content: "x" },
          { role: "assistant", content: null, tool_calls: calls }
        ]
      })
    )
    const { code, stdout } = await diff("after.json", "--traffic", file("log.jsonl"))
    assert.strictEqual(code, 1)
    assert.include(
      stdout,
      "\nRecorded calls\n  2 of 4 calls would newly fail (50.0 %).\n  search_orders: 2 of 4 (50.0 %), first "
    )
    assert.match(
      stdout,
      /late"\n.*\n    would have broken 2 of 4 recorded calls \(0 worked\)\n    first .*log\.jsonl:1#2: /
    )
    const json = JSON.parse((await diff("after.json", "--json", "--traffic", file("log.jsonl"))).stdout)
    const first = { file: file("log.jsonl"), line: 1, call: 2 }
    assert.deepStrictEqual(
      json.changes.map(({ recorded }: { readonly recorded: object }) => recorded),
      [{ calls: 4, broken: 2, answered: 0, example: { ...first, arguments: '{"status":"late"}' } }]
    )
    const without = JSON.parse((await diff("after.json", "--json")).stdout)
    assert.deepStrictEqual(
      without.changes,
      json.changes.map(({ recorded: _, ...change }: { readonly recorded: object }) => change)
    )
    assert.deepStrictEqual(Object.keys(without), ["changes"])
    assert.deepStrictEqual(json.traffic, {
      calls: 4,
      tools: [
        {
          tool: "search_orders",
          isGone: false,
          calls: 4,
          refused: 3,
          broken: 2,
          brokenResults: 0,
          first
        }
      ],
      skipped: { total: 0, shown: [] }
    })
    await diff("after.json", "--accept", "No caller sends late.")
    const failing = (condition: string) => diff("after.json", "--traffic", file("log.jsonl"), "--fail-if", condition)
    assert.strictEqual((await failing("broken>50%")).code, 0)
    const failed = await failing("broken>=50%")
    assert.deepStrictEqual(
      [failed.code, failed.stderr],
      [1, "toolguard: The condition broken>=50% holds: 2 of 4 (50 %) calls would newly fail.\nSee the report.\n"]
    )
    assert.deepInclude(await failing("suspects>0"), {
      code: 2,
      stderr:
        'toolguard: "suspects>0" is not a condition.\nWrite conditions such as broken>0.5%. Available counts: broken.\n'
    })
    assert.deepInclude(await diff("after.json", "--fail-if", "broken>0"), {
      code: 2,
      stderr: "toolguard: --fail-if needs --traffic.\nAdd --traffic, or remove --fail-if.\n"
    })
  })

  it("13.4 reads a hostile log as replay does: unreadable parts are reported, and nothing read is a failure", async () => {
    const { diff, file } = await setUp(breaking)
    const message = (name: string, args: string, id: string) => ({
      messages: [
        { role: "user", content: "x" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id, type: "function", function: { name, arguments: args } }]
        },
        { role: "tool", tool_call_id: id, content: "{}" }
      ]
    })
    const lines = [
      "{broken",
      JSON.stringify(message("search_orders", '{"status":"late"}', "a")),
      JSON.stringify(message("search_orders", "[".repeat(100_000), "b")),
      JSON.stringify(message("search_orders", '{"__proto__":1}', "__proto__")),
      JSON.stringify(message("\u001b[31mother", "{}", "c")),
      '{"messages":"none"}'
    ]
    writeFileSync(file("hostile.jsonl"), `${lines.join("\n")}\n`)
    const { code, stdout } = await diff("after.json", "--traffic", file("hostile.jsonl"))
    assert.strictEqual(code, 1)
    assert.include(stdout, "would have broken 1 of 3 recorded calls (1 worked)")
    assert.include(stdout, "1 of 3 calls would newly fail (33.3 %).")
    assert.match(
      stdout.replaceAll(/\s+/g, " "),
      /2 parts of the files were not read: .*hostile\.jsonl:1: .*hostile\.jsonl:6: /
    )
    assert.notInclude(stdout, "\u001b[31m")
    writeFileSync(file("other.jsonl"), `${lines[4]}\n`)
    const other = await diff("after.json", "--traffic", file("other.jsonl"))
    assert.include(other.stdout, "no recorded call of search_orders")
    assert.include(other.stdout, "The files have no call of these tools.")
    await diff("after.json", "--accept", "Intended.")
    assert.strictEqual((await diff("after.json", "--traffic", file("other.jsonl"))).code, 0)
    const uncounted = await diff("after.json", "--traffic", file("other.jsonl"), "--fail-if", "broken>0")
    assert.strictEqual(uncounted.code, 1)
    assert.include(uncounted.stderr, "The files have no call of these tools, so broken>0 counts nothing.")
    writeFileSync(file("nothing.jsonl"), "{broken\n")
    assert.strictEqual((await diff("after.json", "--traffic", file("nothing.jsonl"))).code, 1)
  })

  it("13.4 fails for stale skills, with file and line", async () => {
    const { diff, file } = await setUp(breaking)
    writeFileSync(file("SKILL.md"), `# Orders\n\nCall \`search_orders\` with the status "late".\n`)
    await diff("after.json", "--accept", "Intended.")
    const { code, stderr, stdout } = await diff("after.json", "--skills", file("*.md").replaceAll("\\", "/"))
    assert.strictEqual(code, 1)
    assert.include(stdout.replaceAll(/\s+/g, " "), `SKILL.md:3 stale: status of search_orders no longer accepts "late"`)
    assert.include(stderr, "toolguard: 1 line in skills and prompts is stale.")
    assert.strictEqual((await diff("after.json", "--skills", file("*.txt"))).code, 1)
  })

  it("13.4 reports missing advice, and fails for it with --strict", async () => {
    const writing = (text: string) =>
      text.replace('"readOnlyHint":true', '"readOnlyHint":false,"destructiveHint":false')
    const { diff, file } = await setUp(writing(list(["placed", "late"])))
    const skills = ["--skills", file("*.md").replaceAll("\\", "/")]
    writeFileSync(file("SKILL.md"), "# Orders\n\nCall `search_orders`.\n")
    await diff("after.json", "--accept", "Intended.")
    assert.strictEqual((await diff("after.json", ...skills)).code, 0)
    const strict = await diff("after.json", ...skills, "--strict")
    assert.strictEqual(strict.code, 1)
    assert.include(strict.stderr, "1 section of skills and prompts does not advise planning before a call that writes.")
    writeFileSync(file("SKILL.md"), "# Orders\n\nCall `search_orders`. 先规划再调用。\n")
    assert.strictEqual((await diff("after.json", ...skills, "--strict")).code, 0)
    assert.strictEqual((await diff("after.json", "--strict")).code, 2)
  })

  it("13.4 reads tools from modules, and reports an MCP server that cannot be started", async () => {
    const { file } = await setUp(breaking)
    const lock = file("orders.lock.json")
    const orders = ["diff", "examples/orders/Tools.ts", "--lock", lock]
    assert.strictEqual((await toolguard([...orders, "--write"])).code, 0)
    const { tools } = JSON.parse(readFileSync(lock, "utf8"))
    assert.deepStrictEqual(
      [tools.search_orders.access, tools.search_orders.guarded, Object.hasOwn(tools.search_orders, "result")],
      ["read", true, true]
    )
    assert.strictEqual((await toolguard(orders)).stdout, "Nothing has changed.\n")
    const missing = await toolguard(["diff", "--lock", lock, "--mcp", "--", "no-such-program-of-ours"])
    assert.deepStrictEqual([missing.code, /\n +at /.test(missing.stderr)], [1, false])
  })

  it("13.4 reports what is wrong and how to fix it", async () => {
    const { diff, file } = await setUp(breaking)
    const failure = async (...args: ReadonlyArray<string>) => {
      const { code, stderr } = await toolguard(["diff", ...args])
      assert.notMatch(stderr, /\n +at /)
      return [code, stderr.trim().split("\n").slice(-2).join(" ")]
    }
    assert.deepStrictEqual(await failure(file("after.json"), "--lock", file("none.json")), [
      1,
      `toolguard: There is no file ${file("none.json")}. Create it from the tools that callers rely on: toolguard diff … --write`
    ])
    writeFileSync(file("other.json"), "{}")
    assert.deepStrictEqual(await failure(file("after.json"), "--lock", file("other.json")), [
      1,
      `toolguard: ${file("other.json")} cannot be read. It is not a lock of toolguard. Restore it, or delete it and create it again with --write.`
    ])
    assert.strictEqual((await failure(file("nowhere.json"), "--lock", file("tools.lock.json")))[0], 1)
    assert.match(
      String((await failure(file("after.json"), file("before.json"), "--lock", file("tools.lock.json")))[1]),
      /has a tool search_orders, and so does an earlier file/
    )
    assert.deepStrictEqual((await diff("after.json", "--accept", " ")).code, 2)
    writeFileSync(file("partly.json"), JSON.stringify([...JSON.parse(breaking).tools, 7]))
    assert.deepStrictEqual(await failure(file("partly.json"), "--lock", file("tools.lock.json")), [
      1,
      `toolguard: ${file("partly.json")}: /1 is not a tool: it is a number. Correct the list.`
    ])
    const nowhere = file("no/tools.lock.json")
    assert.deepStrictEqual(await failure(file("after.json"), "--write", "--lock", nowhere), [
      1,
      `toolguard: The folder of ${nowhere} does not exist. Create it, or choose another file.`
    ])
    writeFileSync(file("tools.changes.md"), "- `01234567` **a**: b.\n")
    assert.include(
      (await diff("before.json")).stderr,
      `${file("tools.changes.md")}:1: 01234567 has no reason and accepts nothing.`
    )
  })
})
