/**
 * The id of the run that the running fiber belongs to, which requests to people name. Runs with a journal, durable runs and the
 * runs of `AgentSse` set it.
 */
import * as Context from "effect/Context"

/** The run of the running fiber, or `undefined`. */
export const CurrentRun = Context.Reference<string | undefined>("effect-toolguard/CurrentRun", {
  defaultValue: () => undefined
})
