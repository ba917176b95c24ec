/** Tests the reader of sessions of the Codex CLI. */
import { assert, describe, it } from "@effect/vitest"
import * as Codex from "#kit/traffic/formats/Codex"
import { at, conversation, readAll, skipped } from "../lines.ts"

const event = (type: string, payload: object, second = 0) => ({
  timestamp: `2026-01-05T09:00:0${second}.000Z`,
  type,
  payload
})
const item = (payload: object, second = 0) => event("response_item", payload, second)
const user = (text: string) => item({ type: "message", role: "user", content: [{ type: "input_text", text }] })
const call = (id: string, args = "{}") => item({ type: "function_call", call_id: id, name: "shell", arguments: args })
const output = (id: string, text: unknown, second = 0) =>
  item({ type: "function_call_output", call_id: id, output: text }, second)

const read = (...lines: ReadonlyArray<unknown>) => readAll(Codex.reader(), ...lines)

describe("sessions of the Codex CLI", () => {
  it("13.1 are conversations with the model, the calls and the times of their results", () => {
    assert.deepStrictEqual(
      read(
        event("session_meta", { id: "s-1", cwd: "/" }),
        event("turn_context", { model: "model-1" }),
        user("Go"),
        event("event_msg", { type: "user_message", message: "Go" }),
        item({ type: "reasoning", summary: [], encrypted_content: "x" }),
        call("a", '{"cmd":"ls"}'),
        call("b"),
        output("a", '{"output":"x","metadata":{"exit_code":0}}', 3),
        output("b", [{ type: "input_text", text: "y" }], 4),
        item({ type: "ghost_snapshot" }),
        item({ type: "message", role: "assistant", content: [{ type: "output_text", text: "Done" }] })
      ),
      [
        conversation({
          id: "s-1",
          place: at(2),
          model: "model-1",
          messages: [
            { role: "user", text: "Go" },
            {
              role: "assistant",
              text: "",
              calls: [
                { id: "a", name: "shell", arguments: '{"cmd":"ls"}' },
                { id: "b", name: "shell", arguments: "{}" }
              ]
            },
            {
              role: "tool",
              callId: "a",
              text: '{"output":"x","metadata":{"exit_code":0}}',
              at: Date.UTC(2026, 0, 5, 9, 0, 3)
            },
            { role: "tool", callId: "b", text: "y", at: Date.UTC(2026, 0, 5, 9, 0, 4) },
            { role: "assistant", text: "Done", calls: [] }
          ]
        })
      ]
    )
  })

  it("13.1 are separate in joined files, and have the id of the file if the log does not state one", () => {
    const items = read(
      user("a"),
      event("session_meta", { id: "s-1" }),
      user("b"),
      event("session_meta", { id: "s-2" }),
      user("c")
    )
    assert.deepStrictEqual(
      items.map((found) => (found._tag === "Conversation" ? found.id : found.reason)),
      ["log.jsonl", "s-1", "s-2"]
    )
  })

  it("13.1 report lines of other formats, and items that cannot be read, with their line", () => {
    const items = read(user("Go"), { a: 1 }, item({ type: "message", role: "critic", content: "x" }), {
      sessionId: "s",
      type: "user",
      message: { content: "x" }
    })
    assert.deepStrictEqual(items.slice(0, 3), [
      skipped(2, 'The file holds a session of the Codex CLI, but this line is an object with "a".'),
      skipped(3, 'The item was skipped: its role is "critic".'),
      skipped(4, "The file holds a session of the Codex CLI, but this line looks like a Claude Code session.")
    ])
  })
})
