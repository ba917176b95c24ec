/** Tests that recorded chat logs are read and written back with the same contents, and can be repaired. */
import { assert, describe, it } from "@effect/vitest"
import * as Transcript from "#domain/transcript/Transcript"
import { recordedData } from "../../support/data.ts"
import { needs } from "../../support/prerequisites.ts"
import { recordings } from "../../support/recordings.ts"

describe("recorded chat logs", needs(recordedData), () => {
  it("9.2 are read and written back without changes except in names and marks of errors, and are valid after repair", () => {
    const all = recordings()
    for (const { messages } of all) {
      const prompt = Transcript.fromOpenAi(messages)
      const plain = messages.map((message) => {
        const { content, error: _, is_error: __, name: ___, ...rest } = message as { [field: string]: unknown }
        return Object.assign(rest, { content: message.role === "assistant" && content === "" ? null : content })
      })
      assert.deepStrictEqual(Transcript.toOpenAi(prompt), plain as never) // a log has fields that the type lacks
      assert.deepStrictEqual(Transcript.validate(Transcript.repair(prompt).prompt), [])
    }
    assert.isAbove(all.length, 100)
  })
})
