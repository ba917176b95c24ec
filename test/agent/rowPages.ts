/** A tool that lists many rows, and a model that reads all of them page by page. */
import type * as ScriptedModel from "#layers/ScriptedModel"
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Prompt } from "effect/ai"
import { tool } from "../pipeline/support.ts"
import { call, envelopes, play } from "./support.ts"

export const Rows = Schema.Struct({ rows: Schema.Array(Schema.Struct({ id: Schema.String, note: Schema.String })) })
export const rowsOf = (n: number) =>
  Array.from({ length: n }, (_, at) => ({ id: `O-${at}`, note: `Fragile item 😀, "vorsichtig" ${at}`.repeat(3) }))

export const listing = (rows: ReadonlyArray<unknown>) => tool("list_rows", { success: Rows }, { rows })

/** Returns the last envelope of a conversation. */
export const last = (prompt: Prompt.Prompt): any => envelopes(prompt).at(-1)

/** Lists the rows, reads them page by page by following `next`, and then answers. */
export const readAllPages: ScriptedModel.Responder = (prompt, index) => {
  if (index === 0) return call("list_rows", { q: "a" })
  const envelope = last(prompt)
  if (index === 1) return call("read_result", { resource_url: envelope.resource_url, path: "rows" })
  return envelope.data.next === undefined ? "That is all." : call("read_result", envelope.data.next)
}

/** Returns the rows of all pages that a run has read. */
const rowsRead = (prompts: ReadonlyArray<Prompt.Prompt>) =>
  prompts.slice(2).flatMap((prompt) => last(prompt).data.data as ReadonlyArray<unknown>)

/** Checks that a model reads all of a result with `count` rows and more than `least` characters, page by page. */
export const readsAllRows = (count: number, least: number) =>
  Effect.gen(function* () {
    const rows = rowsOf(count)
    assert.isAbove(JSON.stringify({ rows }).length, least)
    const { end, prompts } = yield* play({
      script: readAllPages,
      tools: [listing(rows)],
      options: { maxRounds: 400, compaction: { maxTokens: 30_000 } }
    })
    assert.strictEqual(end._tag, "Answered")
    assert.deepStrictEqual(rowsRead(prompts), rows)
    for (const prompt of prompts) assert.isBelow(JSON.stringify(prompt).length, 300_000)
  })
