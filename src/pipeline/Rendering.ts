/**
 * Renders an outcome for the model, by running the model stages one after another.
 *
 * Returns the envelope synchronously, or an Effect if a stage must wait, which is rare.
 */
import * as Envelope from "#domain/envelope/Envelope"
import type { Outcome } from "#domain/call/Outcome"
import type { ToolReference } from "#domain/tool/ToolDefinition"
import * as Effect from "effect/Effect"
import type { Call } from "#pipeline/call/Call"
import { type CompiledTool, encoderOf } from "#pipeline/call/CompiledTool"
import { maxResultBytes, type ReadingFilter, type Reading } from "#pipeline/call/ModelStage"
import { refuse } from "#pipeline/call/Refusal"

/** The envelope, and the parts that accompany it. */
export type Rendering = Envelope.RenderedEnvelope & Pick<Reading, "parts">

type Readers = ReadonlyArray<(tool: CompiledTool) => ReadingFilter>

/** Renders an outcome. If a stage crashes, the envelope says that the answer could not be shown. */
export const render = (
  readers: Readers,
  tools: ReadonlyMap<string, ToolReference>,
  call: Call,
  outcome: Outcome
): Rendering | Effect.Effect<Rendering> => {
  const { tool } = call
  try {
    const read = readFrom(readers, 0, tool, {
      outcome,
      name: call.name,
      traceId: call.traceId,
      turn: call.turn,
      context: call.context,
      guardPolicies: call.guardPolicies,
      tools,
      input: call.input,
      isDecoded: outcome._tag === "Success" && outcome.value === call.trace.decoded,
      encode: outcome._tag === "Success" ? encoderOf(tool, outcome) : tool.result.encode,
      json: outcome._tag === "Success" ? outcome.json : undefined,
      maxResultBytes,
      kept: undefined,
      ...(outcome.parts === undefined ? {} : { parts: outcome.parts }),
      text: "",
      shows: "error"
    })
    return Effect.isEffect(read) ? Effect.catchDefect(read, () => Effect.succeed(unrenderable(call, outcome))) : read
  } catch {
    return unrenderable(call, outcome)
  }
}

/** Runs the model stages, starting at index `first`. */
const readFrom = (
  readers: Readers,
  first: number,
  tool: CompiledTool,
  reading: Reading
): Reading | Effect.Effect<Reading> => {
  let read = reading
  for (let at = first; at < readers.length; at++) {
    const next = readers[at]?.(tool)(read) ?? read
    if (Effect.isEffect(next)) {
      return Effect.flatMap(next, (waited) => {
        const rest = readFrom(readers, at + 1, tool, waited)
        return Effect.isEffect(rest) ? rest : Effect.succeed(rest)
      })
    }
    read = next
  }
  return read
}

const unrenderable = (call: Call, outcome: Outcome): Rendering => {
  const { access } = call.tool.definition
  const isDone = outcome._tag === "Success" && access !== "read"
  const detail = "The answer could not be shown."
  const refused = isDone
    ? refuse(call, "done_unreadable", { detail, sideEffect: "committed" })
    : refuse(call, "tool_crashed", {
        detail,
        sideEffect: outcome._tag === "Failure" ? outcome.failure.sideEffect : "none"
      })
  return Envelope.render(refused, { access, encode: () => null })
}
