/** Reads the files of recorded conversations completely. */
import { assert, describe, it } from "@effect/vitest"
import { Stream } from "effect"
import * as Traffic from "#kit/cli/traffic/Traffic"
import type { Conversation } from "#kit/traffic/Conversation"
import { recordedData } from "../../../support/data.ts"
import { needs } from "../../../support/prerequisites.ts"
import { linesOf, recordedFiles } from "../../../support/recordings.ts"

describe("the recorded conversations", needs(recordedData), () => {
  it("13.1 are read completely: every message unchanged, every call with its result, if any", async () => {
    const items: Array<Traffic.Batch["items"][number]> = []
    for await (const batch of Stream.toAsyncIterable(Traffic.stream(recordedFiles()))) items.push(...batch.items)
    assert.deepStrictEqual(
      items.filter(({ _tag }) => _tag === "Skipped"),
      []
    )
    const conversations = items as ReadonlyArray<Conversation>
    const logged = recordedFiles().flatMap(linesOf)
    const shapeOf = (message: any) => [
      message.role,
      message.text ?? message.content ?? "",
      (message.calls ?? message.tool_calls ?? []).map((call: any) => [
        call.id,
        call.name ?? call.function.name,
        call.arguments ?? call.function.arguments
      ]),
      message.callId ?? message.tool_call_id,
      message.isError ?? message.is_error
    ]
    for (const [index, conversation] of conversations.entries()) {
      const { id, messages, model, tools } = logged[index]
      assert.deepStrictEqual([conversation.id, conversation.model], [id, model])
      assert.deepStrictEqual(conversation.messages.map(shapeOf), messages.map(shapeOf), id)
      assert.deepStrictEqual(
        conversation.tools,
        tools.map(({ function: { description, name, parameters } }: any) => ({
          name,
          ...(description === null ? {} : { description }),
          parameters
        })),
        id
      )
    }
    assert.deepStrictEqual(counted(conversations), {
      conversations: 610,
      calls: 5_353,
      answered: 5_343,
      strayResults: 0,
      idsTwice: 247
    })
  })
})

/** Counts calls, calls with a result, results without a call, and ids that occur twice in their conversation. */
const counted = (conversations: ReadonlyArray<Conversation>) => {
  const counts = { conversations: conversations.length, calls: 0, answered: 0, strayResults: 0, idsTwice: 0 }
  for (const { messages } of conversations) {
    const seen = new Set<string>()
    let waiting: Array<string> = []
    for (const message of messages) {
      if (message.role === "assistant") {
        counts.calls += message.calls.length
        for (const { id } of message.calls) {
          if (seen.has(id)) counts.idsTwice += 1
          seen.add(id)
        }
        waiting = message.calls.map(({ id }) => id)
      } else if (message.role === "tool") {
        const index = waiting.indexOf(message.callId)
        if (index === -1) counts.strayResults += 1
        else counts.answered += 1
        waiting.splice(index, 1)
      }
    }
  }
  return counts
}
