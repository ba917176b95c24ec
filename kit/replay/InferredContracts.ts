/** Infers the parameters of tools that a log calls but does not list, from the calls whose arguments the tools accepted. */
import { inferParameters } from "#kit/infer/inferParameters"
import type * as JsonSchema from "effect/JsonSchema"
import type { Conversation } from "#kit/traffic/Conversation"
import { loggedEnd } from "./RecordedOutcome.ts"
import * as Timeline from "#kit/traffic/Timeline"

/** The maximum number of calls that are used for one tool, and the maximum number of tools. */
const maxCalls = 500
const maxTools = 1_000
/** The minimum number of calls of a tool whose parameters are inferred. */
export const minCalls = 20

/** Collects recorded arguments, and infers schemas from them. */
interface InferredContracts {
  /**
   * Adds the arguments of calls of unlisted tools, within the limits. Ignores unanswered calls and failures, except
   * partial results and declared refusals.
   */
  readonly add: (conversation: Conversation) => void
  /** Returns JSON Schemas of the arguments, by tool name. */
  readonly schemas: () => ReadonlyMap<string, JsonSchema.JsonSchema>
}

/** Creates an empty collection, which uses bounded memory. */
export const make = (): InferredContracts => {
  const samples = new Map<string, Array<unknown>>()
  return {
    add: (conversation) => {
      const listed = new Set(conversation.tools.map(({ name }) => name))
      for (const { rounds } of Timeline.of(conversation)) {
        for (const timelineCall of rounds.flatMap(({ calls }) => calls)) {
          const { call } = timelineCall
          if (listed.has(call.name)) continue
          const collected = samples.get(call.name) ?? []
          if (collected.length >= maxCalls || (collected.length === 0 && samples.size >= maxTools)) continue
          const args = Timeline.parsed(call.arguments)
          const ended = loggedEnd(timelineCall, () => args)
          if (ended === undefined || ended._tag === "Failure") continue
          collected.push(args)
          samples.set(call.name, collected)
        }
      }
    },
    schemas: () =>
      new Map(
        [...samples]
          .filter(([, collected]) => collected.length >= minCalls)
          .map(([name, collected]) => [name, inferParameters(collected)])
      )
  }
}
