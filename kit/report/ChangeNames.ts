/** Names the reasons why the guard would not have made a call. */
import type { Saving } from "effect-toolguard/internal/domain/call/CallTally"
import type { Change } from "./Changes.ts"

/** The reasons why the guard does not make a call again, in their order. */
export const savingReasons: { readonly [Reason in Saving]: { readonly name: string; readonly meaning: string } } = {
  loop: { name: "Loop", meaning: "The calls repeated without progress." },
  recall: {
    name: "Known outcome",
    meaning: "An identical call of the same turn had failed, or was a write that must not be repeated."
  },
  unchanged: { name: "Known result", meaning: "The call had returned the same result as often as its budget allows." },
  replay: {
    name: "Already done",
    meaning:
      "The action was done or in progress under the same key, or an identical read of the round answers the call."
  },
  budget: { name: "Attempts spent", meaning: "The call had failed as often as its budget allows." }
}

/** Returns what the guard would have changed, by the reason. */
export const changeName = (reason: Change["reason"]): string =>
  isSaving(reason) ? savingReasons[reason].name : reason === "ended" ? "Run ended earlier" : `Refused: ${reason}`

const isSaving = (reason: Change["reason"]): reason is Saving => Object.hasOwn(savingReasons, reason)
