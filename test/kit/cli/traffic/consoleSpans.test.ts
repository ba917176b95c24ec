/** Tests files with what the console exporters of OpenTelemetry print, among other lines of an application's output. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import * as Traffic from "#kit/cli/traffic/Traffic"
import type { Item } from "#kit/traffic/Reader"

const folder = mkdtempSync(join(tmpdir(), "console-"))
const file = join(folder, "app.log")

const read = async (text: string): Promise<ReadonlyArray<Item>> => {
  writeFileSync(file, text)
  const batches = await Effect.runPromise(Stream.runCollect(Traffic.stream([file])))
  return batches.flatMap(({ items }) => items)
}

const asked = [{ role: "user", parts: [{ type: "text", content: "Where is O-1?" }] }]
const called = [
  {
    role: "assistant",
    parts: [{ type: "tool_call", id: "a", name: "get_order", arguments: { order_id: "O-1" } }],
    finish_reason: "tool_call"
  }
]
const answered = [{ role: "tool", parts: [{ type: "tool_call_response", id: "a", response: "It's shipped.\nToday." }] }]
const said = [{ role: "assistant", parts: [{ type: "text", content: "Shipped." }], finish_reason: "stop" }]

const chat = (input: ReadonlyArray<object>, output: ReadonlyArray<object>) => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.request.model": "gpt-5",
  "gen_ai.conversation.id": "c-1",
  "gen_ai.input.messages": JSON.stringify(input),
  "gen_ai.output.messages": JSON.stringify(output),
  "gen_ai.response.finish_reasons": ["stop"],
  "gen_ai.usage.input_tokens": 120,
  "gen_ai.usage.output_tokens": 40
})
const tool = {
  "gen_ai.operation.name": "execute_tool",
  "gen_ai.tool.name": "get_order",
  "gen_ai.tool.call.id": "a",
  "gen_ai.conversation.id": "c-1",
  "error.type": "timeout"
}
const spans = [
  ["chat gpt-5", chat(asked, called)],
  ["execute_tool get_order", tool],
  ["chat gpt-5", chat([...asked, ...called, ...answered], said)]
] as const

const usage = { input: 120, output: 40 }
const messages = (at: number) => [
  { role: "user", text: "Where is O-1?" },
  { role: "assistant", text: "", calls: [{ id: "a", name: "get_order", arguments: { order_id: "O-1" } }], usage },
  { role: "tool", callId: "a", text: "It's shipped.\nToday.", isError: true, at },
  { role: "assistant", text: "Shipped.", calls: [], usage }
]

const start = Date.UTC(2026, 0, 5, 9)

/** Prints spans as the JavaScript SDK does. */
const ofNode = (all: ReadonlyArray<readonly [string, object]>): string =>
  all
    .map(([name, attributes], index) =>
      inspect(
        {
          resource: { attributes: { "service.name": "shop" } },
          instrumentationScope: { name: "genai", version: undefined, schemaUrl: undefined },
          traceId: "5f0c9d7e",
          parentSpanContext: undefined,
          traceState: undefined,
          name,
          id: `span-${index}`,
          kind: 2,
          timestamp: (start + index * 1_000) * 1_000,
          duration: 500_000,
          attributes,
          status: { code: 0 },
          events: [],
          links: []
        },
        { depth: 3 }
      )
    )
    .join("\n")

/** Prints spans as the Python SDK does. */
const ofPython = spans
  .map(([name, attributes], index) =>
    JSON.stringify(
      {
        name,
        context: { trace_id: "0x5f0c9d7e", span_id: `0x${index}`, trace_state: "[]" },
        kind: "SpanKind.CLIENT",
        parent_id: null,
        start_time: `2026-01-05T09:00:0${index}.000000Z`,
        end_time: `2026-01-05T09:00:0${index}.500000Z`,
        status: { status_code: "UNSET" },
        attributes,
        events: [],
        links: [],
        resource: { attributes: { "service.name": "shop" }, schema_url: "" }
      },
      undefined,
      4
    )
  )
  .join("\n")

describe("what the console exporters of OpenTelemetry print", () => {
  it("13.1 is read as the spans, with the lines of their objects", async () => {
    for (const text of [ofNode(spans), ofPython]) {
      const [item, ...rest] = await read(text)
      assert.deepStrictEqual(rest, [])
      if (item?._tag !== "Conversation") return assert.fail(JSON.stringify(item))
      const { id, messages: found, model, place } = item
      assert.deepStrictEqual([id, model, place], ["c-1", "gpt-5", { file, line: 1 }])
      assert.deepStrictEqual<unknown>(found, messages(start + 1_500))
    }
  })

  it("13.1 is read among other lines, which are reported", async () => {
    const items = await read(`Listening on 3000\n${ofNode(spans)}\nGET /orders 200\n{\n  broken\n}\n{\n  "name":`)
    assert.deepStrictEqual(
      items.map((item) => (item._tag === "Conversation" ? item.messages.length : item.reason)),
      [
        "The line cannot be read: the text is plain text, not JSON.",
        "The line cannot be read: the text is plain text, not JSON.",
        "The object is neither JSON nor an object as Node prints it.",
        "The file ends within this object.",
        4
      ]
    )
  })

  it("13.1 is reported where Node has left out the messages", async () => {
    const long = [{ role: "user", parts: [{ type: "text", content: "x".repeat(10_001) }] }]
    const items = await read(ofNode([...spans, ["chat gpt-5", chat(long, said)]]))
    const reasons = items.flatMap((item) => (item._tag === "Skipped" ? [item.reason] : []))
    assert.deepStrictEqual(reasons, [
      "Node printed a value of the object incompletely: long texts, long lists or deep objects."
    ])
    rmSync(folder, { recursive: true })
  })
})
