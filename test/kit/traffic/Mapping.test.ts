/** Tests logs of other forms that are read by a mapping. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readFileSync } from "node:fs"
import * as FormatDetector from "#kit/traffic/formats/FormatDetector"
import * as Mapping from "#kit/traffic/Mapping"
import { at, conversation, readAll, skipped } from "./lines.ts"

const mappingOf = (value: unknown): Mapping.Mapping =>
  Result.getOrThrowWith(Mapping.read(value), (problem) => new TypeError(problem))

const read = (mapping: unknown, ...lines: ReadonlyArray<unknown>) =>
  readAll(FormatDetector.mapped(mappingOf(mapping)), ...lines)

const problemOf = (value: unknown): string => {
  const read = Mapping.read(value)
  return read._tag === "Failure" ? read.failure : "It is a mapping."
}

/** Returns the blocks of JSON in the documentation. */
const blocks = (): ReadonlyArray<string> => {
  const page = readFileSync("docs/replay.md", "utf8")
  return [...page.matchAll(/```json\n(.*?)```/gsu)].map(([, text = ""]) => text)
}

const parsed = (lines: string): ReadonlyArray<unknown> =>
  lines
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line))

describe("a mapping", () => {
  it("13.1 of the documentation reads the lines of the documentation", () => {
    const [lines = "", mapping = ""] = blocks()
    assert.deepStrictEqual(read(JSON.parse(mapping), ...parsed(lines)), [
      conversation({
        id: "s-1",
        messages: [
          { role: "user", text: "Where is O-1?" },
          { role: "assistant", text: "", calls: [{ id: "7", name: "get_order", arguments: { order_id: "O-1" } }] },
          {
            role: "tool",
            callId: "7",
            text: '{"status":"shipped"}',
            isError: false,
            at: Date.UTC(2026, 0, 5, 9, 0, 2)
          },
          { role: "assistant", text: "It is shipped.", calls: [] }
        ]
      })
    ])
  })

  it("13.1 reads lists of messages, calls and results, JSON in texts, and names with dots", () => {
    const parameters = { type: "object" }
    const line = {
      run: 7,
      llm: { name: "m" },
      spec: [{ name: "x", parameters }],
      turns: JSON.stringify([
        { "msg.role": "user", says: "Go" },
        { "msg.role": "assistant", says: "Look", uses: [{ id: "a", fn: '{"name":"x","args":"{}"}' }, { fn: "{}" }] },
        {
          "msg.role": "user",
          got: [
            { of: "a", error: "timeout" },
            { of: "b", out: "1", error: false }
          ]
        }
      ])
    }
    const mapping = {
      conversation: "run",
      messages: "turns",
      role: ["msg.role"],
      text: "says",
      model: "llm.name",
      tools: "spec",
      calls: { list: "uses", id: "id", name: "fn.name", arguments: "fn.args" },
      results: { list: "got", call: "of", text: "out", error: "error" }
    }
    assert.deepStrictEqual(read(mapping, line, { run: 8 }), [
      skipped(2, 'The path messages of the mapping leads to no list: the line is an object with "run".'),
      conversation({
        id: "7",
        model: "m",
        tools: [{ name: "x", parameters }],
        messages: [
          { role: "user", text: "Go" },
          { role: "assistant", text: "Look", calls: [{ id: "a", name: "x", arguments: "{}" }] },
          { role: "tool", callId: "a", text: "timeout", isError: true }
        ]
      }),
      skipped(1, "A call has no readable name and was skipped, after 1 readable message.")
    ])
  })

  it("13.1 joins consecutive calls, reads lines without an id as one conversation, and reports other roles", () => {
    const mapping = { role: "kind", text: "body", calls: { name: "tool" } }
    const call = { kind: "assistant", tool: "x" }
    assert.deepStrictEqual(read(mapping, call, call, { kind: "tool", body: "1" }, { kind: "note" }, 7, call), [
      skipped(4, 'A message was skipped after 0 readable messages: its role is "note".'),
      skipped(5, "A message was skipped after 0 readable messages: it has no role."),
      conversation({
        id: "log.jsonl",
        place: at(1),
        messages: [
          {
            role: "assistant",
            text: "",
            calls: [1, 2].map(() => ({ id: "", name: "x", arguments: "" }))
          },
          { role: "tool", callId: "", text: "1" },
          { role: "assistant", text: "", calls: [{ id: "", name: "x", arguments: "" }] }
        ]
      })
    ])
  })

  it("13.1 of the documentation reads records that have a call and its result", () => {
    const [, , lines = "", mapping = ""] = blocks()
    const answered = (id: string, name: string, args: unknown, text: string, isError: boolean) => [
      { role: "assistant", text: "", calls: [{ id, name, arguments: args }] } as const,
      { role: "tool", callId: id, text, isError } as const
    ]
    assert.deepStrictEqual(read(JSON.parse(mapping), ...parsed(lines)), [
      conversation({
        id: "r-7",
        messages: [
          ...answered("1.1", "get_order", { order_id: "O-1" }, '{"status":"shipped"}', false),
          ...answered("3.1", "get_order", { order_id: "O-2" }, "timeout", true)
        ]
      })
    ])
  })

  it("13.1 a record without a result does not get the result of the next call", () => {
    const mapping = { calls: { name: "tool", arguments: "input" }, results: { text: "output" } }
    const [found] = read(mapping, { tool: "get_a", input: {} }, { tool: "get_c", input: {}, output: "result of c" })
    const messages = found !== undefined && "messages" in found ? found.messages : []
    const ids = messages.flatMap((message) => (message.role === "assistant" ? message.calls.map(({ id }) => id) : []))
    assert.strictEqual(new Set(ids).size, 2)
    const results = messages.flatMap((message) => (message.role === "tool" ? [[message.callId, message.text]] : []))
    assert.deepStrictEqual(results, [[ids[1], "result of c"]])
  })

  it("13.1 reads lists of calls with their results, keeps ids, and leaves a call without a result unanswered", () => {
    const mapping = {
      messages: "iterations",
      calls: { list: "steps", id: "ref", name: "tool", arguments: "input" },
      results: { list: "steps", text: "output" }
    }
    const steps = [
      { ref: "a", tool: "get_a", input: { n: 1 } },
      { tool: "get_b", input: { n: 2 }, output: null },
      { ref: "c", tool: "get_c", output: [1] }
    ]
    assert.deepStrictEqual(read(mapping, { iterations: [{ steps }] }), [
      conversation({
        messages: [
          {
            role: "assistant",
            text: "",
            calls: [
              { id: "a", name: "get_a", arguments: { n: 1 } },
              { id: "1.2", name: "get_b", arguments: { n: 2 } },
              { id: "c", name: "get_c", arguments: "" }
            ]
          },
          { role: "tool", callId: "1.2", text: "" },
          { role: "tool", callId: "c", text: "[1]" }
        ]
      })
    ])
  })

  it("13.1 reads the one result of a message with a list of calls, and reports a result of several calls", () => {
    const mapping = {
      role: "who",
      text: "says",
      calls: { list: "uses", id: "id", name: "tool" },
      results: { call: "of", text: "out" }
    }
    const uses = [
      { id: "a", tool: "get_a" },
      { id: "b", tool: "get_b" }
    ]
    const who = "assistant"
    const [reported, read1] = read(
      mapping,
      { who, uses: uses.slice(0, 1), out: "of a" },
      { who, uses, of: "b", out: "of b" },
      { who, uses, out: "of one" },
      { who, says: "Done.", out: "of no call" }
    )
    assert.deepStrictEqual(
      reported,
      skipped(
        3,
        "A message was skipped after 1 readable message: it has 2 calls, and a result without the id of its call."
      )
    )
    assert.deepStrictEqual(read1?._tag === "Conversation" && read1.messages.filter(({ role }) => role === "tool"), [
      { role: "tool", callId: "a", text: "of a" },
      { role: "tool", callId: "b", text: "of b" }
    ])
  })

  it("13.1 does not read the text of a message as the result of its calls, and reports a record without a call", () => {
    const chat = { role: "who", text: "says", calls: { name: "tool" }, results: { text: "says" } }
    assert.deepStrictEqual(read(chat, { who: "assistant", says: "I look.", tool: "get_a" }), [
      conversation({
        id: "log.jsonl",
        messages: [{ role: "assistant", text: "I look.", calls: [{ id: "", name: "get_a", arguments: "" }] }]
      })
    ])
    const records = { calls: { name: "tool" }, results: { text: "out" } }
    const [reported] = read(records, { note: "started" }, { tool: "get_a", out: 1 })
    assert.deepStrictEqual(
      reported,
      skipped(1, "A message was skipped after 0 readable messages: it has no name of a tool.")
    )
  })

  it("13.1 that is wrong names its key", () => {
    const wrong: ReadonlyArray<readonly [unknown, string]> = [
      [[], "A mapping is one JSON object."],
      [{ text: "a" }, "role is missing. Only messages with calls need none."],
      [{ role: 7 }, 'role is not a path: write "field.inner", or a list of names.'],
      [{ role: "a..b" }, 'role is not a path: write "field.inner", or a list of names.'],
      [
        { role: "a", speaker: "b" },
        "speaker is not a key of a mapping. Keys: conversation, messages, role, text, time, model, tools, roles, calls, results."
      ],
      [{ role: "a", roles: { bot: "robot" } }, "roles.bot is not one of assistant, ignore, system, tool, user."],
      [{ role: "a", roles: [] }, "roles is not an object."],
      [{ role: "a", calls: "b" }, "calls is not an object."],
      [{ role: "a", calls: { id: "b" } }, "calls.name is missing."],
      [{ role: "a", calls: { args: "b" } }, "calls.args is not a key of a mapping. Keys: list, id, name, arguments."],
      [{ role: "a", results: { text: [] } }, 'results.text is not a path: write "field.inner", or a list of names.'],
      [{ role: "a", results: { call: "b" } }, "results.text is missing."]
    ]
    for (const [value, problem] of wrong) assert.strictEqual(problemOf(value), problem)
  })
})
