/** Refuses the calls of a tool that an operator has halted. The model reads who halted it, and why. */
import { type HaltEntry, inForce } from "#domain/tool/Halt"
import { shownOnOneLine } from "#domain/text/VisibleText"
import { Halts } from "#services/Halts"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import { refuse } from "#pipeline/call/Refusal"
import type { Next, Stage } from "#pipeline/call/Stage"

export const halt: Stage<Halts> = {
  name: "halt",
  question: "has an operator halted the tool",
  make: Effect.map(Halts, (halts) => (tool) => (next) => unlessHalted("halt", halts, tool, next))
}

/** Passes a call to `next` unless the tool is halted, or the tool writes and the store of halts does not respond. */
export const unlessHalted = (
  stage: string,
  { current, isEmpty }: Halts["Service"],
  { definition: { access, id, name } }: CompiledTool,
  next: Next
): Next => {
  const tool = { id, name }
  const asked: Next = (call) =>
    Effect.matchEffect(current, {
      onSuccess: (halts) => {
        const found = halts.size === 0 ? undefined : inForce(halts, tool)
        return found === undefined ? next(call) : Effect.succeed(halted(stage, call, found))
      },
      onFailure: (cause) => {
        if (access === "read") return next(call)
        Call.decide(call, stage, "refused", "the store of halts does not respond")
        return Effect.succeed(
          refuse(call, "store_unavailable", { detail: "The store of halts does not respond.", cause })
        )
      }
    })
  return isEmpty === undefined ? asked : (call) => (isEmpty() ? next(call) : asked(call))
}

const halted = (stage: string, call: Call.Call, { by, reason }: HaltEntry) => {
  const why = reason === "" ? "" : `: ${shownOnOneLine(reason)}`
  const text = `${call.name} was halted by ${shownOnOneLine(by)}${why}`
  Call.decide(call, stage, "halted", text)
  return { ...refuse(call, "halted", { detail: text.endsWith(".") ? text : `${text}.` }), isFinal: true }
}
