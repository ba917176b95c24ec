/**
 * [5.6] Carries the parts of an envelope through a host of effect/ai.
 *
 * The host asks the tool for its model output and passes only the value that the handler returned. The parts are
 * therefore stored in a WeakMap under that value.
 */
import { modelOutput, type ShownPart } from "#domain/parts/ShownPart"
import type * as Prompt from "effect/ai/Prompt"

const outputs = new WeakMap<object, ReadonlyArray<Prompt.ToolModelOutputPart>>()

/** Stores the parts of an envelope, and returns the envelope. */
export const put = <A>(envelope: A, text: string, parts: ReadonlyArray<ShownPart> | undefined): A => {
  const output = modelOutput(text, parts)
  if (output !== undefined && typeof envelope === "object" && envelope !== null) outputs.set(envelope, output)
  return envelope
}

/** Returns the model output of an envelope with parts; undefined without parts: the host then sends the envelope. */
export const partsOutputOf = (envelope: unknown): ReadonlyArray<Prompt.ToolModelOutputPart> => {
  const output = typeof envelope === "object" && envelope !== null ? outputs.get(envelope) : undefined
  return output as ReadonlyArray<Prompt.ToolModelOutputPart> // the host accepts undefined, but its type does not
}
