/**
 * A tool as a list shows it to a model, independent of the list's format, with the place of each part.
 *
 * Nothing is repaired: parameters are the value in the list, and may not be a JSON Schema.
 */
import type { Access } from "effect-toolguard/internal/domain/tool/Access"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"

/** `flat` is the form of OpenAI's Responses API, `functions` a list of plain functions, `guarded` a guarded tool. */
export type Style = "openai" | "flat" | "anthropic" | "mcp" | "functions" | "guarded"

/** A tool as a model reads it. */
export interface ListedTool {
  readonly name: string
  /** Empty if absent. */
  readonly description: string
  /** The JSON Schema of the arguments; `undefined` if absent. */
  readonly parameters: unknown
  /** The JSON Schema of the result (MCP `outputSchema`); `undefined` if absent. */
  readonly result: unknown
  readonly style: Style
  /** The access that the list declares; `undefined` if it declares none. */
  readonly access: Access | undefined
  /** Whether the list declares, or the guard ensures, that a repeated call has no further effect. */
  readonly isRepeatable: boolean
  /** The parts that the model reads, for counting tokens. */
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
export interface Unreadable {
  readonly pointer: JsonPointer
  readonly reason: string
}

/** One list: the tools that a model receives together. */
export interface Listing {
  readonly tools: ReadonlyArray<ListedTool>
  readonly unreadable: ReadonlyArray<Unreadable>
}
