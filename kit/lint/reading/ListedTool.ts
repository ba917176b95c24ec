/**
 * Describes a tool as a list shows it to a model, with the place of each part. The type is independent of the list's
 * format.
 *
 * Nothing is repaired. The parameters are the value in the list, which need not be a JSON Schema.
 */
import type { Access } from "effect-toolguard/internal/domain/tool/Access"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"

/**
 * The style of an entry, which is its format. `flat` is the format of OpenAI's Responses API, `functions` is a list of plain functions, and `guarded`
 * is a guarded tool.
 */
export type Style = "openai" | "flat" | "anthropic" | "mcp" | "functions" | "guarded"

/** A tool as a model reads it. */
export interface ListedTool {
  readonly name: string
  /** Empty if the tool has no description. */
  readonly description: string
  /** The JSON Schema of the arguments. It is `undefined` if absent. */
  readonly parameters: unknown
  /** The JSON Schema of the result (MCP `outputSchema`). It is `undefined` if absent. */
  readonly result: unknown
  readonly style: Style
  /** The access that the list declares. It is `undefined` if the list declares none. */
  readonly access: Access | undefined
  /** True if the list declares, or the guard ensures, that a repeated call has no further effect. */
  readonly isRepeatable: boolean
  /** The parts that the model reads, whose tokens are counted. */
  readonly shown: unknown
  readonly at: Places
}

/** The pointers to the parts of a tool in the list. An absent part has the pointer of the tool. */
export interface Places {
  readonly tool: JsonPointer
  readonly name: JsonPointer
  readonly description: JsonPointer
  readonly parameters: JsonPointer
  readonly result: JsonPointer
}

/** An entry of a list that is not a tool, with the reason as a clause. */
export interface UnreadableTool {
  readonly pointer: JsonPointer
  readonly reason: string
}

/** The tools that a model receives together. */
export interface Listing {
  readonly tools: ReadonlyArray<ListedTool>
  readonly unreadable: ReadonlyArray<UnreadableTool>
}
