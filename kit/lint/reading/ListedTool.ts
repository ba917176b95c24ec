/**
 * A tool as a list shows it to a model, whatever format the list has, and where each part of it stands.
 *
 * Nothing is repaired: parameters are whatever the list holds, and may be no JSON Schema at all.
 */
import type { Access } from "effect-toolguard/internal/domain/tool/Access"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"

/** `flat` is what the Responses API takes, `functions` a bare list of functions, `guarded` a tool of ours. */
export type Style = "openai" | "flat" | "anthropic" | "mcp" | "functions" | "guarded"

export interface ListedTool {
  readonly name: string
  /** Empty where there is none. */
  readonly description: string
  /** The JSON Schema of the arguments; undefined where the list has none. */
  readonly parameters: unknown
  /** The JSON Schema of the result (MCP `outputSchema`); undefined where the list has none. */
  readonly result: unknown
  readonly style: Style
  /** What the list says that the tool may do; undefined where it does not say. */
  readonly access: Access | undefined
  /** The list says that a repeated call does nothing more, or the guard sees to it. */
  readonly isRepeatable: boolean
  /** What the model reads of it, for counting tokens. */
  readonly shown: unknown
  readonly at: Places
}

/** Where the parts stand in the list. A part that is absent has the place of the tool. */
export interface Places {
  readonly tool: JsonPointer
  readonly name: JsonPointer
  readonly description: JsonPointer
  readonly parameters: JsonPointer
  readonly result: JsonPointer
}

/** A part of a list that is no tool, and why. */
export interface Unreadable {
  readonly pointer: JsonPointer
  readonly reason: string
}

/** One list: what a model is given together. */
export interface Listing {
  readonly tools: ReadonlyArray<ListedTool>
  readonly unreadable: ReadonlyArray<Unreadable>
}
