/**
 * Tests that recorded conversations of real models, written in five formats and read back, keep their messages and are
 * not counted twice.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Conversation, RecordedMessage } from "#kit/traffic/Conversation"
import { readerOf } from "#kit/traffic/formats/Readers"
import type { Item, Reader } from "#kit/traffic/Reader"
import type { FormatName } from "#kit/traffic/Format"
import { maxOpen } from "#kit/traffic/Window"
import { recordedData } from "../../support/data.ts"
import { needs } from "../../support/prerequisites.ts"
import { recordings } from "../../support/recordings.ts"
import * as Writers from "./writers.ts"

const conversations = (): ReadonlyArray<Conversation> => {
  const reader = readerOf.openai()
  return [...recordings().flatMap((line) => reader.read(line, { file: "log", line: 1 })), ...reader.end()].filter(
    (item) => item._tag === "Conversation"
  )
}

const read = (reader: Reader, lines: ReadonlyArray<unknown>): ReadonlyArray<Item> => [
  ...lines.flatMap((line, index) => reader.read(line, { file: "log", line: index + 1 })),
  ...reader.end()
]

/** Returns the part of a message that every format keeps: arguments as values, results without `isError`. */
const kept = (message: RecordedMessage): unknown => {
  if (message.role === "tool") return [message.role, message.callId, message.text]
  if (message.role !== "assistant") return ["user", message.text]
  const calls = message.calls.map(({ arguments: args, id, name }) => [id, name, valueOf(args)])
  return ["assistant", message.text, calls]
}

const valueOf = (args: unknown): unknown => {
  try {
    return typeof args === "string" ? JSON.parse(args) : args
  } catch {
    return args
  }
}

/** Returns the part of a conversation that a request log holds: everything up to the last answer. */
const answered = ({ messages }: Conversation): ReadonlyArray<RecordedMessage> =>
  messages.slice(0, messages.findLastIndex(({ role }) => role === "assistant") + 1)

/** Returns the messages with a text or a call: UI messages do not hold empty answers. */
const nonEmpty = ({ messages }: Conversation): ReadonlyArray<RecordedMessage> =>
  messages.filter((message) => message.role !== "assistant" || message.text !== "" || message.calls.length > 0)

/** True if every result follows its calls in their order: some formats cannot hold any other order. */
const isInOrder = ({ messages }: Conversation): boolean =>
  messages.every((message, index) => {
    if (message.role !== "assistant") return true
    const results = messages.slice(index + 1).findIndex(({ role }) => role !== "tool")
    const after = messages.slice(index + 1, results === -1 ? undefined : index + 1 + results)
    const ids = message.calls.map(({ id }) => id)
    return after.every((result, at) => result.role === "tool" && result.callId === ids[at])
  })

const isSame = (
  items: ReadonlyArray<Item>,
  expected: ReadonlyArray<Conversation>,
  part: (conversation: Conversation) => ReadonlyArray<RecordedMessage>
): void => {
  const found = new Map(items.map((item) => [item._tag === "Conversation" ? item.id : item.reason, item]))
  assert.strictEqual(found.size, expected.length)
  for (const conversation of expected) {
    const item = found.get(conversation.id)
    const messages = item?._tag === "Conversation" ? item.messages : []
    assert.deepStrictEqual(messages.map(kept), part(conversation).map(kept), conversation.id)
  }
}

/** Merges the lines of concurrent conversations: one of each in turn. */
const interleaved = (logs: ReadonlyArray<ReadonlyArray<unknown>>): ReadonlyArray<unknown> => {
  const longest = Math.max(...logs.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => logs.flatMap((log) => log.slice(at, at + 1))).flat()
}

describe("recorded conversations in five formats", needs(recordedData), () => {
  const all = recordedData.absent === undefined ? conversations() : []
  const short = all.filter(({ messages }) => messages.length < 60)

  const logs: ReadonlyArray<readonly [FormatName, (conversation: Conversation) => ReadonlyArray<unknown>]> = [
    ["openai", (conversation) => Writers.openAiLog(conversation, true)],
    ["anthropic", Writers.anthropicLog],
    ["otel", Writers.genAiLog]
  ]
  for (const [format, write] of logs) {
    it(`13.1 concurrent request logs (${format}) yield the same conversations, with each call once`, () => {
      for (let from = 0; from < short.length; from += maxOpen) {
        const some = short.slice(from, from + maxOpen)
        const items = read(readerOf[format](), interleaved(some.map(write)))
        isSame(items, some, answered)
      }
    })
  }

  it("13.1 concurrent request logs without ids yield the same conversations", () => {
    // some of the recorded tests are the beginnings of others, which cannot be distinguished
    const own = short.filter(({ id }) => !/^(?:llama-stack|pydantic-ai)\//u.test(id))
    assert.isAbove(own.length, 250)
    const items = read(
      readerOf.openai(),
      interleaved(own.map((conversation) => Writers.openAiLog(conversation, false)))
    )
    const expected = new Map(own.map((one) => [JSON.stringify(answered(one).map(kept)), one.id]))
    for (const item of items) {
      if (item._tag === "Skipped") assert.fail(item.reason)
      // a conversation that starts with a greeting of the model cannot be continued
      if (!expected.delete(JSON.stringify(item.messages.map(kept)))) assert.isAtMost(item.messages.length, 2, item.id)
    }
    assert.deepStrictEqual([...expected.values()], [])
  })

  it("13.1 UI messages and sessions yield the same conversations", () => {
    const regular = all.filter(isInOrder)
    assert.isAbove(regular.length, 500)
    const asUi = read(readerOf["ai-sdk"](), regular.flatMap(Writers.uiMessages))
    isSame(
      asUi.map((item) => (item._tag === "Conversation" ? { ...item, messages: nonEmpty(item) } : item)),
      regular,
      nonEmpty
    )
    for (let from = 0; from < regular.length; from += maxOpen) {
      const some = regular.slice(from, from + maxOpen)
      isSame(
        read(readerOf["claude-code"](), interleaved(some.map(Writers.sessionEvents))),
        some,
        ({ messages }) => messages
      )
    }
  })
})
