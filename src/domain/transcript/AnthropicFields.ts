/**
 * Keeps the fields of Anthropic's blocks that parts do not have, such as `cache_control`, `citations` and `signature`.
 *
 * These fields are in the options of the part, under `anthropic` and by their API names. Users can also set them there:
 * `options: { anthropic: { cache_control: { type: "ephemeral" } } }`.
 *
 * - A block of an unknown type becomes a text part that describes it, with the block itself under `anthropic.block`.
 * - `cacheControl` and `info`, which `@effect/ai-anthropic` writes, are also read.
 */
import * as Prompt from "effect/ai/Prompt"
import type * as Anthropic from "./AnthropicMessage.ts"
import * as Fields from "#domain/json/Fields"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"

type Options = Prompt.ProviderOptions

/** Creates the options of a part from fields that were parsed from JSON. */
const toOptions = (fields: JsonObject): Options =>
  Object.keys(fields).length === 0 ? {} : { anthropic: fields as NonNullable<Options[string]> }

/** The additional fields that the API accepts in a block of a known type. It rejects a block with any other field. */
const accepted: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["cache_control", (value) => Fields.of(value)["type"] === "ephemeral"],
  ["caller", isJsonObject],
  ["citations", (value) => typeof value === "object"],
  ["context", (value) => typeof value === "string"]
])

const isKnown = ({ type }: JsonObject): boolean =>
  ["text", "image", "document", "tool_use", "tool_result"].includes(Fields.string(type))

/**
 * Creates options with the fields of a block, except the fields in `covered`, which the part itself has.
 *
 * Omits fields without a value, the default caller, and fields that frameworks add to blocks of known types, such as
 * `index`.
 */
export const keep = (block: JsonObject, ...covered: ReadonlyArray<string>): Options =>
  toOptions(
    Object.fromEntries(
      Object.entries(block).filter(([name, value]) => {
        if (value === null || value === undefined || name === "type" || covered.includes(name)) return false
        if (isKnown(block) && accepted.get(name)?.(value) !== true) return false
        return name !== "caller" || Fields.of(value)["type"] !== "direct"
      })
    )
  )

/** Creates options as `keep` does, and adds the type of the block, so that the same block can be written again. */
export const keepKind = (block: JsonObject, ...covered: ReadonlyArray<string>): Options => {
  const { anthropic = {} } = keep(block, ...covered)
  return toOptions({ type: Fields.string(block["type"]), ...Fields.of(anthropic) })
}

/** Returns the kept fields of a part or message. */
export const extraFields = (options: Options): JsonObject => Fields.of(options["anthropic"])

const isApiField = (name: string): boolean => /^[a-z][a-z_]*$/u.test(name) && !["block", "info", "type"].includes(name)

/** Returns the kept fields that are written into a block, by their API names. */
export const apiFields = (options: Options): JsonObject => {
  const all = extraFields(options)
  const own = Object.fromEntries(Object.entries(all).filter(([name, value]) => isApiField(name) && value !== null))
  const cached = all["cacheControl"]
  return cached === undefined || cached === null ? own : { cache_control: cached, ...own }
}

/**
 * Returns the data that Anthropic needs to verify reasoning: the signature, or the encrypted data of redacted
 * reasoning.
 */
export const seal = (options: Options): { readonly signature: string } | { readonly redacted: string } | undefined => {
  const all = extraFields(options)
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

const describe = (block: JsonObject): string =>
  textsIn(block) || `[${Fields.string(block["type"]) || "unknown block"} omitted]`

/** Converts a block that is damaged or in the wrong place to a text part. */
export const toText = (block: JsonObject): Prompt.TextPart => Prompt.textPart({ text: describe(block) })

/** Returns a block of an unknown type as a text part, with the block itself in its options. */
export const unknown = (block: JsonObject): Prompt.TextPart =>
  Prompt.textPart({ text: describe(block), options: toOptions({ block }) })

/**
 * Returns the block of an unknown type from which a part was read.
 *
 * Returns undefined if the part has no such block, or if its text has been changed. A reasoning part has such a block
 * only if it has no text.
 */
export const blockOf = ({
  options,
  text,
  type
}: Prompt.TextPart | Prompt.ReasoningPart): Anthropic.Block | undefined => {
  const { block } = extraFields(options)
  if (!isJsonObject(block)) return undefined
  const original = type === "text" ? describe(block) : ""
  return original === text ? { ...block, type: Fields.string(block["type"]) } : undefined
}
