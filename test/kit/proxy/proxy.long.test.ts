/** Runs `toolguard mcp proxy` as a process: approvals, repetitions, limits, records, and invalid command lines. */
import { afterAll, afterEach, assert, describe, it } from "@effect/vitest"
import * as Config from "#kit/cli/mcp/Config"
import { Effect } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { proxied } from "../../support/command.ts"
import { type Client, hello, hostile, type Message, start } from "../../support/McpClient.ts"
import { toolguard } from "../cli/toolguard.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-mcp-"))
const open = new Set<Client>()

afterEach(async () => {
  await Promise.all([...open].map((client) => client.end()))
  open.clear()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const proxy = async (
  flags: ReadonlyArray<string> = [],
  capabilities: object = {},
  behaviour = "behaves",
  version?: string
) => {
  const client = start(proxied(flags, hostile(behaviour)))
  open.add(client)
  await hello(client, capabilities, version)
  return client
}

const textOf = (result: Message): string => result["content"][0].text

describe("toolguard mcp proxy", () => {
  it("13.7 asks the client's user before a call with a destructive hint; only an explicit approval counts", async () => {
    const client = await proxy([], { elicitation: {} })
    const asked: Array<Message> = []
    const answers = [
      { result: { action: "accept", content: { approve: true } } },
      { result: { action: "accept", content: {} } },
      { result: { action: "decline" } },
      { result: { action: "cancel" } },
      { result: { action: "accept", content: { approve: false, answer: "Erase 7 instead." } } },
      { error: { code: -32_601, message: "no forms today" } }
    ]
    client.onRequest = (request) => {
      asked.push(request)
      return answers.shift()
    }
    const codes: Array<string> = []
    for (const n of [1, 2, 3, 4, 5, 6]) {
      const result = await client.call("erase", { n })
      codes.push(result["isError"] === true ? JSON.parse(textOf(result)).error.code : textOf(result))
    }
    assert.deepStrictEqual(codes, [
      "call 1",
      "approval_denied",
      "approval_denied",
      "approval_expired",
      "answered_by_person",
      "no_person"
    ])
    assert.strictEqual(asked[0]?.["method"], "elicitation/create")
    assert.include(asked[0]?.["params"].message, 'Arguments, complete:\n{\n  "n": 1\n}')
    assert.deepStrictEqual(asked[0]?.["params"].requestedSchema.required, ["approve"])
    // a denial applies to the whole turn: the user is not asked again
    assert.strictEqual((await client.envelope("erase", { n: 3 }))["error"].code, "approval_denied")
    assert.strictEqual(asked.length, 6)
  })

  it("13.7 refuses a destructive call if no person can be asked, unless a policy or --confirm none allows it", async () => {
    const closed = await proxy()
    assert.strictEqual((await closed.envelope("erase"))["error"].code, "no_person")
    const config = join(folder, "auto.json")
    writeFileSync(config, JSON.stringify({ tools: { "er*": { approval: "auto" } } }))
    const configured = await proxy(["--config", config])
    assert.strictEqual(textOf(await configured.call("erase")), "call 1")
    const open = await proxy(["--confirm", "none"])
    assert.strictEqual(textOf(await open.call("erase")), "call 1")
  })

  it("13.7 puts the question in the inbox of a database, and reads the decision there", async () => {
    const database = join(folder, "guard.sqlite")
    const client = await proxy(["--database", database])
    const { error } = await client.envelope("erase", { n: 1 })
    assert.deepInclude(error, { error_class: "human_review", code: "requires_human_approval" })
    assert.match(error.approval_url, /^http:\/\/127.0.0.1:8788\/approvals\/\w+/)
    const id = error.approval_url.split("/").at(-1)
    const approved = await toolguard(["approvals", "approve", id, "--by", "ann", "--database", database])
    assert.strictEqual(approved.code, 0, approved.stderr)
    assert.strictEqual(textOf(await client.call("erase", { n: 1 })), "call 1")
    await client.end()
    const exported = join(folder, "calls.jsonl")
    const calls = await toolguard(["calls", "export", exported, "--database", database])
    assert.strictEqual(calls.code, 0, calls.stderr)
    assert.strictEqual(readFileSync(exported, "utf8").trim().split("\n").length, 2)
  })

  it("10.7 a tool that is halted in the database of the proxy is refused within a second, until it is resumed", async () => {
    const database = join(folder, "halted.sqlite")
    const client = await proxy(["--database", database, "--confirm", "none"])
    assert.strictEqual(textOf(await client.call("erase", { n: 1 })), "call 1")
    const order = ["erase", "--by", "ana", "--database", database]
    const halted = await toolguard(["halt", ...order, "--reason", "too much is erased"])
    assert.strictEqual(halted.code, 0, halted.stderr)
    await new Promise((resolve) => setTimeout(resolve, 600)) // the proxy reads halts again after half a second
    const { error } = await client.envelope("erase", { n: 2 })
    assert.deepStrictEqual(
      [error.code, error.message, error.side_effect],
      ["halted", "erase was halted by ana: too much is erased.", "none"]
    )
    assert.strictEqual((await toolguard(["resume", ...order])).code, 0)
    await new Promise((resolve) => setTimeout(resolve, 600))
    assert.strictEqual(textOf(await client.call("erase", { n: 3 })), "call 2")
  })

  /** Makes identical calls with a pause after each, and returns the turn and the number of attempts of each call. */
  const recordsOf = async (silence: ReadonlyArray<string>, count: number, pauseMillis: number) => {
    const log = join(mkdtempSync(join(folder, "silence-")), "calls.jsonl")
    const client = await proxy(["--log", log, ...silence], {}, "large")
    for (let i = 0; i < count; i++) {
      await client.call("act", { n: 1 })
      await new Promise((resolve) => setTimeout(resolve, pauseMillis))
    }
    await client.end()
    const records: ReadonlyArray<Record<string, any>> = readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    assert.strictEqual(new Set(records.map(({ conversation }) => conversation)).size, 1)
    return { turns: records.map(({ turn }) => turn), attempts: records.map(({ attempts }) => attempts.length) }
  }

  it("13.7 recalls failures and results of identical calls while the client is not silent", async () => {
    const { attempts, turns } = await recordsOf(["--silence", "1 hour"], 5, 0)
    assert.deepStrictEqual(turns, ["1", "1", "1", "1", "1"])
    assert.isBelow(
      attempts.reduce((sum: number, n: number) => sum + n, 0),
      5
    )
  })

  it("4.6 a repeated write of a counter reaches the server each time, unless the configuration says once", async () => {
    const client = await proxy()
    const texts = []
    for (let n = 0; n < 5; n++) texts.push(textOf(await client.call("write", { n: 1 })))
    assert.deepStrictEqual(texts, ["call 1", "call 2", "call 3", "call 4", "call 5"])
    const config = join(folder, "once.json")
    writeFileSync(config, JSON.stringify({ tools: { write: { repeats: "once" } } }))
    const once = await proxy(["--config", config])
    await once.call("write", { n: 1 })
    const [content, note] = (await once.call("write", { n: 1 }))["content"]
    assert.strictEqual(content.text, "call 1")
    assert.deepInclude(JSON.parse(note.text), { executed: false })
  })

  it("4.6, 7.3 guards the calls of a client that never sends `initialize` in the same way", async () => {
    const client = start(proxied([], hostile("large")))
    open.add(client)
    const results = []
    for (let n = 0; n < 3; n++) results.push(JSON.parse(textOf(await client.call("act", { n: 1 }))))
    assert.deepStrictEqual(
      results.map(({ error, unchanged }) => error?.code ?? unchanged),
      [undefined, true, "loop_detected"]
    )
  })

  it("13.7 starts a new turn, which recalls nothing, after the client has been silent", async () => {
    // a pause may be longer but never shorter, so each call is in a separate turn
    assert.deepStrictEqual(await recordsOf(["--silence", "1 millis"], 3, 50), {
      turns: ["1", "2", "3"],
      attempts: [1, 1, 1]
    })
  })

  it("13.7 returns a preview of a large result, with a link for clients that support links", async () => {
    const newer = await proxy([], {}, "large")
    const result = await newer.call("act")
    const { preview, resource_url } = JSON.parse(textOf(result))
    assert.isAbove(preview.bytes, 75_000)
    assert.deepInclude(result["content"][1], { type: "resource_link", uri: resource_url, size: preview.bytes })
    const read = await newer.ask("resources/read", { uri: resource_url })
    assert.strictEqual(JSON.parse(read["result"].contents[0].text).content[0].text.length, 80_000)
    const none = await newer.ask("resources/read", { uri: `artifact://${"0".repeat(32)}` })
    assert.strictEqual(none["error"].code, -32_002)
    const older = await proxy([], {}, "large", "2025-03-26")
    const content = (await older.call("act"))["content"]
    assert.deepStrictEqual(
      content.map(({ type }: Message) => type),
      ["text"]
    )
  })

  it("13.7 limits the other parts of a large result or a failure, except images", async () => {
    const client = await proxy([], {}, "large-content")
    for (const n of [1, 2]) {
      const result = await client.call("act", { n })
      const kinds = result["content"].map(({ type, uri }: Message) => uri ?? type)
      assert.includeMembers(kinds, ["text", "file:///log", "image"])
      assert.notInclude(kinds, "resource")
      assert.isUndefined(result["structuredContent"])
      assert.isBelow(JSON.stringify(result).length, 45_000)
    }
  })

  it("13.7 passes on answers that the client must handle itself: a URL to open, a task", async () => {
    const asking = await proxy(["--confirm", "none"], {}, "asks-the-user")
    const first = await asking.call("erase", { n: 1 })
    assert.deepStrictEqual(first["error"], { code: -32_042, message: "Open this.", data: { elicitations: [] } })
    // the user has opened it, and the client repeats the call
    assert.strictEqual(textOf(await asking.call("erase", { n: 1 })), "call 2")
    const working = await proxy([], {}, "returns-a-task")
    const made = await working.call("act", {}, { task: { ttl: 1_000 } })
    assert.deepStrictEqual(made, { task: { taskId: "t1", status: "working" } })
  })

  it("13.7 counts data that a result contains twice only once, and accepts another limit", async () => {
    const twice = await proxy([], {}, "repeats-content")
    const result = await twice.call("typed")
    assert.strictEqual(result["structuredContent"].rows.length, 7_000)
    assert.deepStrictEqual(JSON.parse(textOf(result)), result["structuredContent"])
    const strict = await proxy([], {}, "twelve-kilobytes")
    assert.isAbove(JSON.parse(textOf(await strict.call("act"))).preview.bytes, 12_000)
    const generous = await proxy(["--limit", "20000"], {}, "twelve-kilobytes")
    assert.strictEqual(textOf(await generous.call("act")).length, 12_000)
  })

  it("13.7 reports wrong arguments, or lets them pass with --advise", async () => {
    const strict = await proxy()
    assert.strictEqual((await strict.envelope("act", { n: "one" }))["error"].code, "invalid_arguments")
    const lax = await proxy(["--advise"])
    assert.strictEqual(textOf(await lax.call("act", { n: "one" })), "call 1")
  })

  it("2.2 passes a result that violates its schema with --advise, and does not advertise that schema", async () => {
    const schemas = async (client: Awaited<ReturnType<typeof proxy>>) =>
      (await client.ask("tools/list"))["result"].tools
        .filter(({ outputSchema }: Message) => outputSchema !== undefined)
        .map(({ name }: Message) => name)
    const strict = await proxy([], {}, "breaks-its-schema")
    assert.deepStrictEqual(await schemas(strict), ["typed"])
    assert.strictEqual((await strict.envelope("typed"))["error"].code, "invalid_result")
    const lax = await proxy(["--advise"], {}, "breaks-its-schema")
    assert.deepStrictEqual(await schemas(lax), [])
    const result = await lax.call("typed")
    assert.deepStrictEqual([result["structuredContent"], result["isError"]], [{ count: "three" }, undefined])
  })

  it("2.2 redacts and limits the results that --advise passes on", async () => {
    const client = await proxy(["--advise"], {}, "breaks-with-everything")
    const result = await client.call("typed", { n: 1 })
    assert.notInclude(JSON.stringify(result), "sk-ant-api03")
    const large = await client.call("typed", { n: 2 })
    assert.notInclude(JSON.stringify(large), "sk-ant-api03")
    assert.isBelow(textOf(large).length, 11_000)
  })

  it("13.7 reports a policy that is unsafe for a tool, and arguments that cannot be serialised", async () => {
    const config = join(folder, "retries.json")
    writeFileSync(config, JSON.stringify({ tools: { "*": { retry: { attempts: 3 } } } }))
    const unsafe = await proxy(["--config", config])
    const { result } = await unsafe.ask("tools/list")
    assert.deepStrictEqual(
      result.tools.map(({ name }: any) => name).filter((name: string) => ["act", "write"].includes(name)),
      ["act"]
    )
    assert.match(unsafe.stderr(), /The tool write is left out, .*: write: a write is retried only with/)
    const client = await proxy()
    const deep = "[".repeat(100_000) + "]".repeat(100_000)
    client.write(
      `{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"act","arguments":{"n":${deep}}}}\n` +
        `[{"jsonrpc":"2.0","id":78,"method":"ping","params":{"n":${deep}}}]`
    )
    const { error } = await client.wait(({ id }) => id === 77)
    assert.deepStrictEqual(error, { code: -32_602, message: "`arguments` are nested too deeply." })
    assert.strictEqual(textOf(await client.call("act")), "call 1")
  })

  it("13.7 guards a call that only some JSON parsers would recognise", async () => {
    const client = await proxy(["--deny", "write"], {}, "returns-lines")
    const hidden = { name: "write", arguments: {} }
    const params = JSON.stringify(hidden)
    client.write(`{"jsonrpc":"2.0","id":50,"method":"tools/call","params":${params},"method":"ping"}`)
    client.write(`{"jsonrpc":"2.0","id":51,"method":"ping","Method":"tools/call","params":${params}}`)
    client.write(`{"jsonrpc":"2.0","method":"tools/call","params":${params},"method":"notifications/x"}`)
    await client.call("act", {}, { Name: "write", "argument\u017f": {}, more: 1 })
    const received = textOf(await client.call("received"))
    assert.include(received, "notifications/x")
    assert.include(received, '"more":1')
    assert.notInclude(received, "Name")
    assert.notInclude(received, "\u017f")
    assert.notInclude(received, "Method")
    assert.strictEqual(received.split('"method":"tools/call"').length, 3)
    assert.match(client.stderr(), /its field "Method" can be mistaken for another/)
  })

  it("13.7 lists and calls only allowed tools", async () => {
    const client = await proxy(["--allow", "a*,received", "--deny", "rec?ived"])
    const { result } = await client.ask("tools/list")
    assert.deepStrictEqual(
      result.tools.map(({ name }: Message) => name),
      ["act", "read_result"]
    )
    assert.strictEqual((await client.envelope("write"))["error"].code, "unknown_tool")
  })

  it("13.7 answers every request that arrived before its input closed, and exits with 0", async () => {
    const client = start(proxied([], hostile("behaves")))
    const asked = [hello(client), client.call("act", { n: 1 }), client.call("act", { n: 2 })]
    const code = client.end()
    const [, one, two] = await Promise.all(asked)
    assert.deepStrictEqual([textOf(one ?? {}), textOf(two ?? {})].toSorted(), ["call 1", "call 2"])
    assert.strictEqual(await code, 0)
  })

  it("13.7 if a server exits during a read, one more attempt says that it has ended, and the proxy ends", async () => {
    const file = join(folder, "reads.json")
    writeFileSync(file, JSON.stringify({ tools: { act: { access: "read" } } }))
    const client = await proxy(["--config", file], {}, "dies")
    const { error } = await client.envelope("act", { n: 1 })
    assert.deepInclude(error, { error_class: "permanent", code: "tool_failed", attempts: 2, retryable: false })
    assert.match(error.message, /^The server (?:ended with exit code 3|closed its output)/u)
    assert.isNotNull(await client.exit)
  })

  it("13.7 reports each error in a configuration file with its place", async () => {
    const problems = await Promise.all(
      [
        '{"tools":{"act":{"acces":"read"}}}',
        '{"tools":{"act":{"timeout":"soon"}}}',
        '{"tools":{"act":{"retry":{"attempts":0}}}}',
        '{\n  "tools": ',
        undefined,
        '{"tools":{"act":{"timeout":"0 seconds"}}}',
        '{"tools":{"act":{"deadline":"25 days"}}}',
        '{"tools":{"act":{"deadline":"30 seconds","timeout":"1 minute"}}}',
        '{"tools":{"*":{"timeout":"1 minute"},"a*":{"deadline":"30 seconds"}}}',
        '{"tools":{"act":{"deadline":"30 seconds"},"write":{"timeout":"1 minute"}}}'
      ].map(async (text, index) => {
        const file = join(folder, `config${index}.json`)
        if (text !== undefined) writeFileSync(file, text)
        const message = await Effect.runPromise(
          Effect.match(Config.read(file), { onFailure: (problem) => problem.message, onSuccess: () => "no problem" })
        )
        return message.replace(`${folder}/`, "")
      })
    )
    assert.deepStrictEqual(problems.slice(0, 3), [
      "config0.json: tools.act.acces: unknown field.",
      'config1.json: tools.act.timeout: expected a duration such as "30 seconds" or "5 minutes".',
      "config2.json: tools.act.retry.attempts: Expected a value greater than or equal to 1."
    ])
    assert.match(problems[3] ?? "", /^config3\.json:2:\d+ is not valid JSON/)
    assert.match(problems[4] ?? "", /^There is no file config4\.json\./)
    const why = "so no attempt could use its time"
    const remedy = "set a longer `deadline` or a shorter `timeout`, or leave `deadline` out."
    assert.deepStrictEqual(problems.slice(5), [
      'config5.json: tools.act.timeout: expected a duration such as "30 seconds" or "5 minutes".',
      'config6.json: tools.act.deadline: expected a duration of at most 24 days, such as "30 seconds".',
      `config7.json: tools.act: \`deadline\` is 30s, below \`timeout\`, which is 1m, ${why}; ${remedy}`,
      `config8.json: tools.a*: \`deadline\` is 30s, below \`timeout\`, which is 1m, ${why}; ${remedy}`,
      "no problem"
    ])
  })

  it("3.3 sends the server's own words for a failure of a tool without hints, and the session continues", async () => {
    const client = await proxy([], {}, "fails")
    for (const [n, words, error_class] of [
      [0, "Error: Command failed: node job.js throw new Error('no seats left on flight 7')", "permanent"],
      [1, "Cannot reset a protected branch without confirmation", "permanent"],
      [2, "The tool reported a failure without a message.", "permanent"],
      [3, "Already approved.", "permanent"],
      [9, "The cart is empty", "permanent"],
      [11, "slow down", "transient"],
      [13, "Invalid params qty: is too large", "tool_arg_error"]
    ] as const) {
      const result = await client.call("unhinted", { n })
      assert.isTrue(result["isError"], words)
      const { error } = JSON.parse(textOf(result))
      assert.include(error.message, words)
      assert.deepInclude(error, { error_class, side_effect: "unknown", retryable: false, next_step: "ask_user" })
      assert.notProperty(error, "approval_url")
    }
  })

  it("7.2 passes each call of a poll to the server until the awaited result, if the configuration says so", async () => {
    const config = join(folder, "poll.json")
    const poll = { interval: "10 millis", deadline: "1 minute", until: { path: "status", in: ["done"] } }
    writeFileSync(config, JSON.stringify({ tools: { act: { poll }, typed: { poll } } }))
    for (const name of ["act", "typed"]) {
      const client = await proxy(["--config", config], {}, "works")
      const seen: Array<string> = []
      for (let call = 0; call < 6; call++) seen.push(JSON.parse(textOf(await client.call(name))).status)
      assert.deepStrictEqual(seen, ["running", "running", "running", "running", "done", "done"], name)
    }
    writeFileSync(config, JSON.stringify({ tools: { act: { poll: false } } }))
    const client = await proxy(["--config", config], {}, "works")
    const seen: Array<unknown> = []
    for (let call = 0; call < 3; call++) seen.push(JSON.parse(textOf(await client.call("act"))).error?.code)
    assert.deepStrictEqual(seen, [undefined, undefined, "loop_detected"])
  })

  it("7.2 reads a status until the work is done, without configuration, and waits for the time that was stated to the client", async () => {
    for (const name of ["act", "typed"]) {
      const client = await proxy([], {}, "works")
      const seen: Array<string> = []
      for (let call = 0; call < 5; call++) seen.push(JSON.parse(textOf(await client.call(name))).status)
      assert.deepStrictEqual(seen, ["running", "running", "running", "running", "done"], name)
    }
  })

  it("2.12 if two patterns with contradictory limits apply to a tool, it is left out with the remedy, and the others work", async () => {
    const config = join(folder, "patterns.json")
    writeFileSync(config, '{"tools":{"ac*":{"timeout":"1 minute"},"*ct":{"deadline":"30 seconds"}}}')
    const client = await proxy(["--config", config])
    const { result } = await client.ask("tools/list")
    assert.deepStrictEqual(
      result.tools.map(({ name }: any) => name),
      ["write", "erase", "typed", "received", "read_result"]
    )
    assert.match(
      client.stderr(),
      /The tool act is left out, because it cannot be guarded: act: `deadline` is 30s, below `timeout`, which is 1m, .* or leave `deadline` out\./
    )
  })

  it("2.12 limits a call by the deadline of its tool, even below --timeout, and reports which limit ended the call", async () => {
    const config = join(folder, "deadline.json")
    const limits = [{ deadline: "400 millis" }, { deadline: "700 millis", timeout: "500 millis" }]
    const details: Array<string> = []
    for (const act of limits) {
      writeFileSync(config, JSON.stringify({ tools: { act: { ...act, access: "read", retry: { attempts: 2 } } } }))
      const client = await proxy(["--config", config], {}, "hangs")
      details.push((await client.envelope("act"))["error"].message)
    }
    assert.match(details[0] ?? "", /did not answer within 0\.4 seconds/)
    assert.match(details[1] ?? "", /did not answer within 0\.\d+ seconds, the rest of its deadline of 0\.7 seconds/)
  })

  it("13.7 reports an invalid command line and how to correct it", async () => {
    const lock = join(folder, "no.lock")
    writeFileSync(lock, "{}")
    const cases: ReadonlyArray<readonly [flags: ReadonlyArray<string>, code: number, message: RegExp]> = [
      [[], 2, /No server is named\.\nWrite toolguard mcp proxy -- COMMAND/],
      [["--url", "http://x", "--header", "nonsense"], 2, /--header nonsense is not a header\.\nWrite "name: value"/],
      [["--timeout", "soon", "--", "command"], 2, /timeout.*expected a duration/],
      [["--lock", lock, "--", "command"], 1, /no\.lock: It is not a lock of toolguard mcp/],
      [["--", "no-such-program-anywhere"], 1, /The command no-such-program-anywhere cannot be started/]
    ]
    for (const [flags, code, message] of cases) {
      const result = await toolguard(["mcp", "proxy", ...flags])
      assert.deepStrictEqual([result.code, result.stdout], [code, ""], flags.join(" "))
      assert.match(result.stderr, message)
    }
  })
})
