/**
 * [5.6] What stands beside an envelope, on its way through a host of effect/ai.
 *
 * The host asks the tool for its output to the model with nothing but the value that the handler gave: so the parts are
 * remembered by that very value, for as long as somebody holds it.
 */
import { modelOutput, type ShownPart } from "#domain/parts/ShownPart"
import type * as Prompt from "effect/ai/Prompt"

const outputs = new WeakMap<object, ReadonlyArray<Prompt.ToolModelOutputPart>>()

/** Remembers what stands beside an envelope. */
export const put = <A>(envelope: A, text: string, parts: ReadonlyArray<ShownPart> | undefined): A => {
  const output = modelOutput(text, parts)
  if (output !== undefined && typeof envelope === "object" && envelope !== null) outputs.set(envelope, output)
  return envelope
}

/** The output of an envelope with its parts. Of one without there is none: the host then sends the envelope itself. */
export const besideOf = (envelope: unknown): ReadonlyArray<Prompt.ToolModelOutputPart> => {
  const output = typeof envelope === "object" && envelope !== null ? outputs.get(envelope) : undefined
  return output as ReadonlyArray<Prompt.ToolModelOutputPart> // the host takes undefined for no output, its type does not
}
