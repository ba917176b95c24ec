/**
 * [4.1] Refuses a name that no tool has, and suggests the nearest names.
 *
 * Also refuses a tool whose id another class has, if the two cannot be kept apart [2.10], and a tool whose policies
 * contradict each other [2.12]. Reports the outcome as unknown if the call may have been started before its tool was
 * changed [8.4].
 */
import type { Outcome } from "#domain/call/Outcome"
import { nearest } from "#domain/text/NearestName"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import { isDrained } from "#pipeline/call/DrainedCall"
import { refuse, undetermined } from "#pipeline/call/Refusal"
import type { Next, Stage } from "#pipeline/call/Stage"
import * as SettledOutcome from "#pipeline/record/SettledOutcome"

/** The maximum number of names that a hint lists. */
const listed = 8

const changed = (call: Call.Call): Outcome => {
  Call.decide(call, "locate", "unknown", "the call may have been started before its tool was changed")
  return refuse(call, "outcome_unknown", {
    detail: `${call.name} may have been done before this tool was changed.`,
    sideEffect: "unknown"
  })
}

/**
 * Continues a write that an earlier process may have done. If the call is refused before it is known what the earlier
 * process did, the effect of the call is unknown, whatever the reason for the refusal. If the process shuts down, the run
 * leaves the call to the process that resumes the run.
 */
const resumed = (call: Call.Call, next: Next): Effect.Effect<Outcome> => {
  call.trace.mayHaveRun = true
  return Effect.map(next(call), (outcome) => {
    if (outcome._tag === "Success" || outcome.failure.sideEffect !== "none" || !call.trace.mayHaveRun) return outcome
    if (isDrained(call, outcome)) return outcome
    Call.decide(call, "locate", "unknown", "the call was refused before it was known what an earlier process did")
    return undetermined(call, outcome.failure.detail)
  })
}

/**
 * Refuses a call of a tool that the guard does not call, for example because another class has the tool's id, and
 * neither class may use the stored state of the other.
 */
const misconfigured = (call: Call.Call, detail: string): Outcome => {
  if (call.journal === "changed") return changed(call)
  Call.decide(call, "locate", "refused", detail)
  return call.journal === "resumed" && call.tool.definition.access !== "read"
    ? undetermined(call, detail)
    : refuse(call, "misconfigured", { detail })
}

export const locate: Stage = {
  name: "locate",
  question: "is there a tool of this name",
  make: Effect.succeed((tool) => (next) => {
    const { refusal } = tool
    if (refusal !== undefined) return (call) => Effect.succeed(misconfigured(call, refusal))
    if (tool.exists)
      return (call) => {
        if (call.journal === "resumed" && tool.definition.access !== "read") return resumed(call, next)
        if (call.journal !== "changed") return next(call)
        if (call.settled === undefined) return Effect.succeed(changed(call))
        // the changed tool might not accept the arguments of a call that was done
        return call.settled.settlement?.finding === "done"
          ? Effect.succeed(SettledOutcome.done(call, call.settled))
          : next(call)
      }
    return (call) => {
      if (call.journal === "changed") return Effect.succeed(changed(call))
      const name = call.name.slice(0, 64)
      const candidates = nearest(name, call.known, 3)
      const known = call.known.slice(0, listed).join(", ")
      Call.decide(call, "locate", "refused", "no tool has this name")
      return Effect.succeed(
        refuse(call, "unknown_tool", {
          detail: `No tool is named "${name}".`,
          hint:
            candidates.length > 0
              ? `Did you mean ${candidates.join(" or ")}?`
              : known === ""
                ? "There are no tools. Answer without a tool."
                : `Tools: ${known}${call.known.length > listed ? ", …" : ""}.`
        })
      )
    }
  })
}
