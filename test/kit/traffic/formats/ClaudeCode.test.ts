/** Tests the reader of Claude Code sessions, from project files and streamed output. */
import { assert, describe, it } from "@effect/vitest"
import * as ClaudeCode from "#kit/traffic/formats/ClaudeCode"
import { maxOpen, maxText } from "#kit/traffic/Window"
import { at, conversation, readAll, skipped } from "../lines.ts"

const read = (...lines: ReadonlyArray<unknown>) => readAll(ClaudeCode.reader(), ...lines)

const common = { sessionId: "s1", cwd: "/", version: "2.1.0", timestamp: "2026-01-02T03:04:05.000Z" }
const time = Date.UTC(2026, 0, 2, 3, 4, 5)

const user = (content: unknown, rest: object = {}) => ({
  ...common,
  type: "user",
  message: { role: "user", content },
  ...rest
})
const assistant = (id: string, content: unknown, rest: object = {}, fields: object = {}) => ({
  ...common,
  type: "assistant",
  message: { id, model: "claude-opus-5", role: "assistant", content, stop_reason: null, ...fields },
  ...rest
})
const text = (value: string) => ({ type: "text", text: value })
const use = (id: string, input: object) => ({ type: "tool_use", id, name: "Bash", input })
const result = (id: string, content: unknown, rest: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...rest
})
const call = (id: string, args: object) => ({ id, name: "Bash", arguments: args })
const usage = (input: number, output: number) => ({ usage: { input_tokens: input, output_tokens: output } })

describe("Claude Code sessions", () => {
  it("13.1 reads calls, results and errors, and ignores events without messages", () => {
    const items = read(
      { type: "summary", summary: "Listing files", leafUuid: "u9" },
      { type: "file-history-snapshot", messageId: "m", snapshot: {} },
      user("List the files."),
      assistant("m1", [{ type: "thinking", thinking: "Hm." }]),
      assistant("m1", [text("I look.")], {}, usage(3, 1)),
      assistant("m1", [use("a", { command: "ls" })], {}, { stop_reason: "tool_use", ...usage(3, 9) }),
      user([result("a", "ls: no", { is_error: true })], { toolUseResult: { stderr: "ls: no" } }),
      { ...common, type: "progress", data: {} },
      { ...common, type: "system", subtype: "turn_duration", content: "1 s" },
      assistant("m2", [text("None.")], {}, { stop_reason: "max_tokens" })
    )
    assert.deepStrictEqual(items, [
      conversation({
        id: "s1",
        place: at(3),
        model: "claude-opus-5",
        messages: [
          { role: "user", text: "List the files." },
          {
            role: "assistant",
            text: "I look.",
            calls: [call("a", { command: "ls" })],
            usage: { input: 3, output: 9 }
          },
          { role: "tool", callId: "a", text: "ls: no", isError: true, at: time },
          { role: "assistant", text: "None.", calls: [], isCut: true }
        ]
      })
    ])
  })

  it("13.1 merges an answer that spans several lines, with results between them", () => {
    const items = read(
      user("Go"),
      assistant("m1", [text("I l")]),
      assistant("m1", [text("I look."), use("a", {})]),
      user([result("a", "1")]),
      assistant("m1", [text("I look."), use("a", { n: 1 }), use("b", { n: 2 })]),
      assistant("m1", [text("Twice.")]),
      user([result("b", [text("2")])]),
      assistant("m1", [use("b", { n: 2 })])
    )
    assert.deepStrictEqual(items, [
      conversation({
        id: "s1",
        model: "claude-opus-5",
        messages: [
          { role: "user", text: "Go" },
          { role: "assistant", text: "I look.\nTwice.", calls: [call("a", { n: 1 }), call("b", { n: 2 })] },
          { role: "tool", callId: "a", text: "1", at: time },
          { role: "tool", callId: "b", text: "2", at: time }
        ]
      })
    ])
  })

  it("13.1 reads sub-agents as separate conversations, by agent or by the chain of their events", () => {
    const side = (uuid: string, parentUuid: string | null) => ({ isSidechain: true, uuid, parentUuid })
    const agent = { isSidechain: true, agentId: "a7", uuid: "x", parentUuid: null }
    const items = read(
      user("Go", { isSidechain: false }),
      user("Task 1", side("u1", null)),
      user("Task 2", side("u2", null)),
      assistant("m1", [text("Done 1")], side("u3", "u1")),
      assistant("m2", [text("Done 2")], side("u4", "u2")),
      user("More", side("u5", "u3")),
      user("Task 3", agent),
      assistant("m3", "Done 3", agent),
      assistant("m4", [text("All done.")])
    )
    assert.deepStrictEqual(
      items.map((item) => (item._tag === "Conversation" ? [item.id, item.messages.map((one) => one.text)] : item)),
      [
        ["s1", ["Go", "All done."]],
        ["s1/u1", ["Task 1", "Done 1", "More"]],
        ["s1/u2", ["Task 2", "Done 2"]],
        ["s1/a7", ["Task 3", "Done 3"]]
      ]
    )
  })

  it("13.1 names the types of events in a file without a message, unless all are known to have none", () => {
    const event = (type: string) => ({ type, sessionId: "s", data: { tool_name: "ping" } })
    const types = ["tool.start", "tool.end", "a", "b", "c", "d"]
    assert.deepStrictEqual(read(event("summary"), ...types.map(event)), [
      skipped(
        2,
        'No event has a message of the user or the model. The events have the types "tool.start", "tool.end", "a", "b", "c".'
      )
    ])
    assert.deepStrictEqual(read(event("summary"), event("progress")), [])
    assert.lengthOf(read(event("tool.start"), user("Go")), 1)
  })

  it("13.1 identifies a session without an id by its file", () => {
    const bare = (type: string, content: unknown) => ({ type, uuid: "u", message: { content } })
    assert.deepStrictEqual(read(bare("user", "Go"), bare("assistant", [text("Done.")])), [
      conversation({
        id: "log.jsonl",
        messages: [
          { role: "user", text: "Go" },
          { role: "assistant", text: "Done.", calls: [] }
        ]
      })
    ])
  })

  it("13.1 reads streamed output", () => {
    const streamed = (event: ReturnType<typeof user>, parent: string | null) => {
      const { sessionId: session_id, timestamp: _, ...rest } = event
      return { ...rest, session_id, parent_tool_use_id: parent, uuid: "u" }
    }
    const items = read(
      { type: "system", subtype: "init", session_id: "s1", tools: ["Bash"], model: "claude-opus-5" },
      streamed(assistant("m1", [use("a", {})]), null),
      streamed(user("Task"), "a"),
      streamed(assistant("m2", [text("Done.")]), "a"),
      streamed(user([result("a", "Done.")]), null),
      { type: "result", subtype: "success", session_id: "s1", result: "Done." }
    )
    assert.deepStrictEqual(items, [
      conversation({
        id: "s1",
        place: at(2),
        model: "claude-opus-5",
        messages: [
          { role: "assistant", text: "", calls: [call("a", {})] },
          { role: "tool", callId: "a", text: "Done." }
        ]
      }),
      conversation({
        id: "s1/a",
        place: at(3),
        model: "claude-opus-5",
        messages: [
          { role: "user", text: "Task" },
          { role: "assistant", text: "Done.", calls: [] }
        ]
      })
    ])
  })

  it("13.1 reports lines that are not events", () => {
    const items = read(
      { ...common, type: "user" },
      { messages: [{ role: "user", content: "Hi" }] },
      null,
      assistant("m", [text("API Error")], {}, { model: "<synthetic>", id: 7 })
    )
    const not = "The file holds a Claude Code session, but this line is"
    assert.deepStrictEqual(items, [
      skipped(1, "The event of the type user has no message."),
      skipped(2, `${not} an object with "messages".`),
      skipped(3, `${not} null.`),
      conversation({ id: "s1", place: at(4), messages: [{ role: "assistant", text: "API Error", calls: [] }] })
    ])
  })

  it("13.1 continues a session that exceeds the limit as a separate conversation, and reports it", () => {
    const reader = ClaudeCode.reader()
    const content = "x".repeat(maxText / 4)
    const write = (line: number) =>
      reader.read(assistant(`m${line}`, [use(`${line}`, { edits: [{ content }] })]), at(line))
    const given = [1, 2, 3, 4, 5].flatMap(write)
    assert.deepStrictEqual(
      given.map((item) => (item._tag === "Conversation" ? [item.id, item.messages.length] : item)),
      [
        ["s1", 4],
        skipped(5, 'The conversation "s1" continues here as a separate one: the open conversations exceeded a limit.')
      ]
    )
  })

  it("13.1 closes sessions at the end of the file, or the least recently used session when too many are open", () => {
    const reader = ClaudeCode.reader()
    const event = (session: number) => user(`${session}`, { sessionId: `s${session}` })
    for (let session = 0; session < maxOpen; session++) {
      assert.deepStrictEqual(reader.read(event(session), at(session + 1)), [])
    }
    reader.read(event(0), at(900))
    const [closed] = reader.read(event(maxOpen), at(901))
    assert.strictEqual(closed?._tag === "Conversation" ? closed.id : undefined, "s1")
    assert.deepStrictEqual(
      reader.end().map((item) => (item._tag === "Conversation" ? item.id : item)),
      Array.from({ length: maxOpen + 1 }, (_, session) => `s${session}`).filter((id) => id !== "s1")
    )
  })
})
