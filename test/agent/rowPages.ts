/** A tool that lists many rows, and a model that reads all of them page by page. */
import type * as ScriptedModel from "#layers/ScriptedModel"
import { Schema } from "effect"
import type { Prompt } from "effect/ai"
import { tool } from "../pipeline/support.ts"
import { call, envelopes } from "./support.ts"

export const Rows = Schema.Struct({ rows: Schema.Array(Schema.Struct({ id: Schema.String, note: Schema.String })) })
export const rowsOf = (n: number) =>
  Array.from({ length: n }, (_, at) => ({ id: `O-${at}`, note: `Fragile item 😀, "vorsichtig" ${at}`.repeat(3) }))

export const listing = (rows: ReadonlyArray<unknown>) => tool("list_rows", { success: Rows }, { rows })

/** Returns the last envelope of a conversation. */
export const last = (prompt: Prompt.Prompt): any => envelopes(prompt).at(-1)

/** Lists the rows, reads them page by page by following `next`, and then answers. */
export const readAllPages: ScriptedModel.Respond = (prompt, index) => {
  if (index === 0) return call("list_rows", { q: "a" })
  const envelope = last(prompt)
  if (index === 1) return call("read_result", { resource_url: envelope.resource_url, path: "rows" })
  return envelope.data.next === undefined ? "That is all." : call("read_result", envelope.data.next)
}

/** Returns the rows of all pages that a run has read. */
export const rowsRead = (prompts: ReadonlyArray<Prompt.Prompt>) =>
  prompts.slice(2).flatMap((prompt) => last(prompt).data.data as ReadonlyArray<unknown>)
