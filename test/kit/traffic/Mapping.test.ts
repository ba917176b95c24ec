/** Tests logs of other forms that are read by a mapping. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readFileSync } from "node:fs"
import * as Mapped from "#kit/traffic/formats/Mapped"
import * as Mapping from "#kit/traffic/Mapping"
import { at, conversation, readAll, skipped } from "./lines.ts"

const mappingOf = (value: unknown): Mapping.Mapping =>
  Result.getOrThrowWith(Mapping.read(value), (problem) => new TypeError(problem))

const read = (mapping: unknown, ...lines: ReadonlyArray<unknown>) =>
  readAll(Mapped.reader(mappingOf(mapping)), ...lines)

const problemOf = (value: unknown): string => {
  const read = Mapping.read(value)
  return read._tag === "Failure" ? read.failure : "It is a mapping."
}

describe("a mapping", () => {
  it("13.1 of the documentation reads the lines of the documentation", () => {
    const page = readFileSync("docs/replay.md", "utf8")
    const [lines = "", mapping = ""] = [...page.matchAll(/```json\n(.*?)```/gsu)].map(([, text = ""]) => text)
    const events = lines
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line))
    assert.deepStrictEqual(read(JSON.parse(mapping), ...events), [
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
          { role: "tool", callId: "a", text: "timeout", isError: true },
          { role: "tool", callId: "b", text: "1", isError: false }
        ]
      })
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

  it("13.1 that is wrong names its key", () => {
    const wrong: ReadonlyArray<readonly [unknown, string]> = [
      [[], "A mapping is one JSON object."],
      [{ text: "a" }, "role is missing."],
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
