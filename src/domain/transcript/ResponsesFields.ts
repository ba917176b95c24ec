/**
 * Keeps the data of the items of OpenAI's Responses API that parts do not have.
 *
 * The data is in the options of the part, under `openai` and by its API names:
 *
 * - a text: `id` (`msg_…`), `phase`, `status`, `annotations`, and `refusal: true` for a refusal;
 * - a call: `id` (`fc_…`), `status`, `namespace`, `caller`, `async`, and `type` for a custom tool's call;
 * - reasoning, and every item of another type: `item`, the whole item, which is written back unchanged;
 * - a part of a user message of an unknown type: `part`, the whole part.
 */
import type * as Prompt from "effect/ai/Prompt"
import * as Fields from "#domain/json/Fields"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { isWritable } from "#domain/json/WritableJson"

type Options = Prompt.ProviderOptions

/** The data under `openai` in the options of a part. */
export const of = (options: Options): JsonObject => Fields.of(options["openai"])

/** Creates options with fields. Leaves out fields without a value, and all if they cannot be written as JSON again. */
export const keep = (fields: JsonObject): Options => {
  const known = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))
  return Object.keys(known).length === 0 || !isWritable(known) ? {} : { openai: known as NonNullable<Options[string]> } // the fields were parsed from JSON
}

/** Returns options without some fields under `openai`, and without `openai` if it has no other field. */
export const without = (options: Options, ...names: ReadonlyArray<string>): Options => {
  const { openai: _, ...others } = options
  const rest = Object.fromEntries(Object.entries(of(options)).filter(([name]) => !names.includes(name)))
  return { ...others, ...keep(rest) }
}

/** A whole item in the options of a part. */
export interface Item extends JsonObject {
  readonly type: string
}

/** Returns the item that a reasoning part keeps. */
export const itemOf = ({ options }: Prompt.ReasoningPart): Item | undefined => {
  const { item } = of(options)
  return isJsonObject(item) && typeof item["type"] === "string" ? { ...item, type: item["type"] } : undefined
}

/** Returns the id of the item to which a text or a call belongs; empty if there is none. */
export const idOf = (part: Prompt.TextPart | Prompt.ToolCallPart): string => Fields.string(of(part.options)["id"])

/** True for a call of a custom tool, whose input is a text. */
export const isCustom = (part: Prompt.ToolCallPart): boolean => of(part.options)["type"] === "custom_tool_call"
