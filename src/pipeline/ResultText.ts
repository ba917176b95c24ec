/**
 * The JSON text of a result, written once a call: budgets and loops compare it, and the model reads it.
 *
 * Written when the result comes, not when it is compared: a handler may go on changing a value that it gave.
 */
import type { Success } from "#domain/Outcome"
import type { CompiledTool } from "./CompiledTool.ts"

/** Longest text that is compared as it is; of a longer one its SHA-256 is. */
const longest = 8_192

/** The outcome with its JSON text; without one where the value cannot be written as JSON. */
export const written = (tool: CompiledTool, outcome: Success): Success => {
  if (outcome.json !== undefined) return outcome
  try {
    const json = JSON.stringify(tool.result.encode(outcome.value))
    return json === undefined ? outcome : { ...outcome, json }
  } catch {
    return outcome
  }
}

/** Equal for equal results, volatile fields left out. A result that cannot be written equals none: `unique` is given. */
export const digest = (
  tool: CompiledTool,
  outcome: Success,
  sha256: (text: string) => string,
  unique: string
): string => {
  const text = tool.result.steady === undefined ? outcome.json : tool.result.steady(outcome.value)
  return text === undefined ? unique : text.length <= longest ? text : sha256(text)
}
