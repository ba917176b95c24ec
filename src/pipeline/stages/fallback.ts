/**
 * [4.12] Tries the declared fallbacks in order, if the tool itself cannot answer and had no side effect.
 *
 * **Details**
 *
 * - A fallback without `on` runs after a Permanent, SchemaMismatch or Transient failure, except `permission_denied` and
 *   the codes after which no fallback runs (`FallbackCodes`). A fallback with `on` runs only after the codes that it
 *   names, of any class except HumanReview.
 * - Each fallback is a separate guarded call. None is tried after a declared refusal, a denial, a pending approval or
 *   `unauthorized`, nor after a fallback that had or may have had a side effect.
 * - If the side effect of a fallback was unknown and a person has settled it, a resumed call continues with that
 *   fallback: with the result of an action that was done, or by making the fallback's call again [10.5].
 */
import type { UnknownOutcome } from "#domain/approval/UnknownOutcome"
import type { Outcome } from "#domain/call/Outcome"
import { type Failure, isRefusal } from "#domain/failure/Failure"
import { isBarred, isNamedOnly } from "#domain/tool/FallbackCodes"
import type { Fallback, ToolReference } from "#domain/tool/ToolDefinition"
import * as TurnHistory from "#domain/turn/TurnHistory"
import { TurnMemory } from "#services/TurnMemory"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import * as Crash from "#pipeline/call/Crash"
import { compiledOf } from "#pipeline/call/CompiledTool"
import { isDrained } from "#pipeline/call/DrainedCall"
import type { Stage } from "#pipeline/call/Stage"

export const fallback: Stage<TurnMemory> = {
  name: "fallback",
  question: "can another tool answer instead",
  make: Effect.map(TurnMemory, (memory) => (tool, dispatch) => (next) => {
    const { access, fallbacks } = tool.definition
    if (fallbacks.length === 0) return next
    const writes = fallbacks.filter((candidate) => compiledOf(candidate.tool).definition.access !== "read")
    /** Returns the first outcome that ends the call, or `otherwise` if no fallback ends it. */
    const tryAll = (
      [candidate, ...rest]: ReadonlyArray<Fallback>,
      call: Call.Call,
      purpose: "fallback" | "completion",
      otherwise: Effect.Effect<Outcome>
    ): Effect.Effect<Outcome> => {
      if (candidate === undefined) return otherwise
      const name = candidate.tool.toolName
      if (purpose === "fallback") Call.decide(call, "fallback", "tried", name)
      const args = mapped(candidate, call)
      if (args === undefined) return tryAll(rest, call, purpose, otherwise)
      return Effect.flatMap(dispatch(candidate.tool, args.value, call, purpose), (outcome) => {
        if (!isFinal(outcome) && !(purpose === "completion" && isUndetermined(call, outcome)))
          return tryAll(rest, call, purpose, otherwise)
        if (purpose === "completion") Call.decide(call, "fallback", "resumed", name)
        return replacedBy(call, name, outcome)
      })
    }
    /** Returns the outcome of a fallback as the outcome of the call. */
    const replacedBy = (call: Call.Call, name: string, outcome: Outcome): Effect.Effect<Outcome> => {
      call.trace.mayHaveRun = false // a fallback is tried only after the tool did nothing
      const replaced = { ...outcome, usedFallback: outcome.usedFallback ?? name }
      return Effect.as(remember(call, replaced), replaced)
    }
    /**
     * Continues with the fallback whose outcome a person has settled; undefined if no fallback leads to the
     * settled tool.
     */
    const settledBy = (call: Call.Call, settled: UnknownOutcome): Effect.Effect<Outcome> | undefined => {
      if (settled.tool === tool.definition.id) return undefined
      const candidate = fallbacks.find((one) => leadsTo(one.tool, settled.tool))
      const args = candidate === undefined ? undefined : mapped(candidate, call)
      if (candidate === undefined || args === undefined) return undefined
      const name = candidate.tool.toolName
      Call.decide(call, "fallback", "settled", `a person settled the outcome of ${name}`)
      return Effect.flatMap(dispatch(candidate.tool, args.value, call, "fallback", settled), (outcome) =>
        replacedBy(call, name, outcome)
      )
    }
    /** Records a write that a fallback has done, or may have done, so that the tool does not do it again [4.6]. */
    const remember = (call: Call.Call, outcome: Outcome): Effect.Effect<void> => {
      const { callId, requester, trace, turn } = call
      if (access === "read" || requester !== "model" || turn === undefined) return Effect.void
      if (outcome._tag === "Success" ? outcome.notExecuted !== undefined : outcome.recalled === true) return Effect.void
      const by = { callId, key: trace.idempotencyKey }
      return memory.modifyTurn(turn, (history) => [undefined, TurnHistory.replaced(history, call.key(), outcome, by)])
    }
    return (call) => {
      const fresh = Effect.flatMap(next(call), (first) => {
        if (first._tag === "Success" || call.purpose === "completion") return Effect.succeed(first)
        // the call may be made again in another process, by the tool itself
        if (isDrained(call, first)) return Effect.succeed(first)
        const following = fallbacks.filter((candidate) => isFollowedBy(first.failure, candidate))
        if (following.length === 0) return Effect.succeed(first)
        const tried = following.map(({ tool: { toolName } }) => toolName)
        return tryAll(following, call, "fallback", Effect.succeed({ ...first, tried }))
      })
      const continued = call.settled === undefined ? undefined : settledBy(call, call.settled)
      if (continued !== undefined) return continued
      // the fallback of a crashed process may already have done the action of this call
      return call.journal === "resumed" ? tryAll(writes, call, "completion", fresh) : fresh
    }
  })
}

/** True if a tool has this id, or one of its fallbacks leads to it. */
const leadsTo = (reference: ToolReference, id: string): boolean => {
  const { definition } = compiledOf(reference)
  return definition.id === id || definition.fallbacks.some(({ tool }) => leadsTo(tool, id))
}

/** The classes of the failures after which a fallback without `on` runs. */
const usual: ReadonlySet<Failure["_tag"]> = new Set(["Permanent", "SchemaMismatch", "Transient"] as const)

/** True if a fallback is tried after a failure of the tool itself. */
const isFollowedBy = (failure: Failure, { on }: Fallback): boolean => {
  if (failure.sideEffect !== "none" || isBarred(failure.code) || failure._tag === "HumanReview") return false
  if (isRefusal(failure)) return false // the tool decided; a fallback must not undo that
  return on === undefined ? usual.has(failure._tag) && !isNamedOnly(failure.code) : isNamed(failure.code, on)
}

/** True if `on` names a code. `not_found` also names the code of a missing thing that the arguments name. */
const isNamed = (code: string, on: ReadonlyArray<string>): boolean =>
  on.includes(code) || (code === "unknown_reference" && on.includes("not_found"))

/** True for an answer, a certain or possible effect, a declared refusal and a person's decision: these end the call. */
const isFinal = (outcome: Outcome): boolean =>
  outcome._tag === "Success" ||
  outcome.failure._tag === "PartialData" ||
  outcome.failure.sideEffect !== "none" ||
  isRefusal(outcome.failure) ||
  decisions.has(outcome.failure.code)

/**
 * True if it is not known whether the fallback was started, because the store does not respond or the process is
 * shutting down.
 */
const isUndetermined = (call: Call.Call, outcome: Outcome): boolean =>
  isDrained(call, outcome) || (outcome._tag === "Failure" && outcome.failure.code === "store_unavailable")

const decisions: ReadonlySet<string> = new Set([
  "answered_by_person",
  "approval_denied",
  "approval_expired",
  "requires_human_approval"
])

/** Returns the fallback's arguments; undefined if its mapping throws. */
const mapped = (candidate: Fallback, call: Call.Call): { readonly value: unknown } | undefined => {
  try {
    return { value: candidate.arguments(call.arguments) }
  } catch (error) {
    Crash.note(call, "fallback", `the mapping to ${candidate.tool.toolName}`, error)
    return undefined
  }
}
