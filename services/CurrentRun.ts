/**
 * The id of the run of the running fiber. Requests to people contain this id. Runs with a journal, durable runs and the
 * runs of `AgentSse` set it.
 */
import * as Context from "effect/Context"

/** The id of the run of the running fiber; `undefined` outside such a run. */
export const CurrentRun = Context.Reference<string | undefined>("effect-toolguard/CurrentRun", {
  defaultValue: () => undefined
})
