/**
 * What a block holds beside what its part has a place for: `cache_control`, `citations`, `signature` and the like, in
 * the part's options under `anthropic`, by the names of the API. So it can be set there too:
 * `options: { anthropic: { cache_control: { type: "ephemeral" } } }`.
 *
 * - A block of an unknown kind is a text part that says what it is, with the block itself under `anthropic.block`.
 * - Read as well: `cacheControl` and `info`, which `@effect/ai-anthropic` writes.
 */
import * as Prompt from "effect/ai/Prompt"
import type * as Anthropic from "./AnthropicMessage.ts"
import * as Fields from "#domain/json/Fields"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"

type Options = Prompt.ProviderOptions

/** Options whose values came out of JSON. */
const ofJson = (fields: JsonObject): Options =>
  Object.keys(fields).length === 0 ? {} : { anthropic: fields as NonNullable<Options[string]> }

/** What the API takes beside the content of the blocks that parts have a place for; it refuses a block with more. */
const taken: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["cache_control", (value) => Fields.of(value)["type"] === "ephemeral"],
  ["caller", isJsonObject],
  ["citations", (value) => typeof value === "object"],
  ["context", (value) => typeof value === "string"]
])

const isPlain = ({ type }: JsonObject): boolean =>
  ["text", "image", "document", "tool_use", "tool_result"].includes(Fields.string(type))

/**
 * The fields of a block but those that its part holds. Empty ones, and a caller that is the usual one, say nothing; what
 * frameworks add to a block that is well known (`index` and the like) is left out.
 */
export const keep = (block: JsonObject, ...held: ReadonlyArray<string>): Options =>
  ofJson(
    Object.fromEntries(
      Object.entries(block).filter(([name, value]) => {
        if (value === null || value === undefined || name === "type" || held.includes(name)) return false
        if (isPlain(block) && taken.get(name)?.(value) !== true) return false
        return name !== "caller" || Fields.of(value)["type"] !== "direct"
      })
    )
  )

/** The same, with the kind of the block, which says what the part is to Anthropic. */
export const keepKind = (block: JsonObject, ...held: ReadonlyArray<string>): Options => {
  const { anthropic = {} } = keep(block, ...held)
  return ofJson({ type: Fields.string(block["type"]), ...Fields.of(anthropic) })
}

/** The kept fields of a part or message. */
export const kept = (options: Options): JsonObject => Fields.of(options["anthropic"])

const isOfApi = (name: string): boolean => /^[a-z][a-z_]*$/u.test(name) && !["block", "info", "type"].includes(name)

/** The kept fields that go into a block, by the names of the API. */
export const written = (options: Options): JsonObject => {
  const all = kept(options)
  const own = Object.fromEntries(Object.entries(all).filter(([name, value]) => isOfApi(name) && value !== null))
  const cached = all["cacheControl"]
  return cached === undefined || cached === null ? own : { cache_control: cached, ...own }
}

/** What makes reasoning Anthropic's own: its signature, or what stands in for it where it was withheld. */
export const seal = (options: Options): { readonly signature: string } | { readonly redacted: string } | undefined => {
  const all = kept(options)
  const info = Fields.of(all["info"])
  const redacted = all["type"] === "redacted_thinking" ? all["data"] : info["redactedData"]
  if (typeof redacted === "string") return { redacted }
  const signature = all["signature"] ?? info["signature"]
  return typeof signature === "string" && signature !== "" ? { signature } : undefined
}

const textsIn = (block: JsonObject): string =>
  [
    Fields.string(block["text"]),
    Fields.string(block["content"]),
    ...Fields.list(block["content"]).map((inner) => Fields.string(inner["text"]))
  ]
    .filter((text) => text !== "")
    .join("\n")

const saidOf = (block: JsonObject): string =>
  textsIn(block) || `[${Fields.string(block["type"]) || "unknown block"} omitted]`

/** What a block says, as text: one that is damaged, or stands where none of its kind may. */
export const said = (block: JsonObject): Prompt.TextPart => Prompt.textPart({ text: saidOf(block) })

/** A block that no part has a place for: what it says as text, and the block itself beside it. */
export const unknown = (block: JsonObject): Prompt.TextPart =>
  Prompt.textPart({ text: saidOf(block), options: ofJson({ block }) })

/**
 * The block that a part stands for: one of a text counts only while it says the same as the text, and that of reasoning
 * only where there is none.
 */
export const blockOf = ({
  options,
  text,
  type
}: Prompt.TextPart | Prompt.ReasoningPart): Anthropic.Block | undefined => {
  const block = kept(options)["block"]
  if (typeof block !== "object" || block === null) return undefined
  const fields = Fields.of(block)
  const said = type === "text" ? saidOf(fields) : ""
  return said === text ? { ...fields, type: Fields.string(fields["type"]) } : undefined
}
