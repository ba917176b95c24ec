/** Structured output that was asked for by a tool: the arguments of its call are the text of the answer. */
import type * as Response from "effect/ai/Response"
import * as CallArguments from "#domain/transcript/CallArguments"

const finished = (part: Response.FinishPartEncoded): Response.FinishPartEncoded =>
  part.reason === "tool-calls" ? { ...part, reason: "stop" } : part

/** The parts of a whole answer, with the call of the tool as text. */
export const asText = (name: string, parts: ReadonlyArray<Response.PartEncoded>): Array<Response.PartEncoded> =>
  parts.map((part) => {
    if (part.type === "tool-call" && part.name === name)
      return { type: "text", text: CallArguments.textOf(part.params) }
    return part.type === "finish" ? finished(part) : part
  })
