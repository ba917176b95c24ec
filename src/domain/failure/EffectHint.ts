/**
 * Writes the texts of failures after actions that were or may have been done. No text asks the model to call again
 * [3.3].
 */
import type { SideEffect } from "./Failure.ts"

/** The hint of a failure after an action that was done. */
export const done = "The action was done. Do not call again."

/** Returns the hint of a failure that leaves the effect unknown. `lookup` names a tool that can look up the effect. */
export const uncertain = (lookup?: string): string => {
  const instead = lookup === undefined ? "ask the user." : `check with ${lookup} whether it was done.`
  return `The tool reported a failure; it is not known whether anything was done. Do not repeat the call; ${instead}`
}

/** The notice on a write that its upstream has accepted for later (HTTP 202). */
export const onlyAccepted = "Accepted; it is not known whether it is done yet."

/** Returns the notice on a write that was accepted for later. `lookup` names a tool that can look up the effect. */
export const accepted = (lookup?: string): string =>
  `${onlyAccepted} Do not repeat the call${lookup === undefined ? "." : `; check with ${lookup}.`}`

/** Returns the notice on a result that does not prove the action. `lookup` names a tool that can look up the effect. */
export const unproven = (lookup?: string): string =>
  `It is not known what was done. Do not repeat the call; ${
    lookup === undefined ? "ask the user." : `check with ${lookup}.`
  }`

/**
 * Returns the hint for an action that was done; `undefined` for other actions, and for codes whose hint already says
 * so.
 */
export const ofDone = (code: string, sideEffect: SideEffect): string | undefined =>
  sideEffect === "committed" && code !== "done_without_result" && code !== "done_unreadable" ? done : undefined

/** Returns the hint of an incomplete result that cannot be continued, if the call did or may have done something. */
export const ofPart = (sideEffect: SideEffect): string | undefined =>
  sideEffect === "none" ? undefined : sideEffect === "committed" ? done : unproven()

/**
 * Returns the detail of an incomplete result. If the call did or may have done something, the detail says which of the
 * two.
 */
export const detailOfPart = (tool: string, sideEffect: SideEffect, detail: string | undefined): string => {
  if (sideEffect === "none") return detail ?? "The result is incomplete."
  const what = sideEffect === "committed" ? `${tool} was done` : `It is not known whether ${tool} was done`
  return detail === undefined ? `${what}; its result is incomplete.` : `${what}; its result is incomplete: ${detail}`
}

/** Returns the detail for an action that was done although its handler failed; `undefined` for other codes. */
export const detailOfDone = (tool: string, code: string): string | undefined =>
  code === "done_without_result"
    ? `${tool} was done; it sent no result.`
    : code === "done_unreadable"
      ? `${tool} was done; its answer could not be read.`
      : undefined
