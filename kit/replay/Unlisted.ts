/** Contracts of tools that a log calls and does not list: inferred from the calls that went well. */
import { inferParameters } from "#kit/infer/inferParameters"
import type * as JsonSchema from "effect/JsonSchema"
import type { Conversation } from "#kit/traffic/Conversation"
import { judge } from "./RecordedAnswer.ts"
import * as Timeline from "#kit/traffic/Timeline"

/** Calls that are looked at of one tool, tools that are held, and calls below which nothing is inferred. */
const mostCalls = 500
const mostTools = 1_000
export const leastCalls = 20

export interface Unlisted {
  readonly add: (conversation: Conversation) => void
  /** JSON Schemas of the arguments, by the tools' names. */
  readonly schemas: () => ReadonlyMap<string, JsonSchema.JsonSchema>
}

/** Collects what is seen, in bounded memory. */
export const make = (): Unlisted => {
  const samples = new Map<string, Array<unknown>>()
  return {
    add: (conversation) => {
      const listed = new Set(conversation.tools.map(({ name }) => name))
      for (const { rounds } of Timeline.of(conversation)) {
        for (const { answer, call } of rounds.flatMap(({ calls }) => calls)) {
          if (listed.has(call.name) || answer === undefined) continue
          const held = samples.get(call.name) ?? []
          if (held.length >= mostCalls || (held.length === 0 && samples.size >= mostTools)) continue
          const args = Timeline.parsed(call.arguments)
          if (judge({ tool: call.name, arguments: args, ...answer })._tag === "Failure") continue
          held.push(args)
          samples.set(call.name, held)
        }
      }
    },
    schemas: () =>
      new Map(
        [...samples]
          .filter(([, held]) => held.length >= leastCalls)
          .map(([name, held]) => [name, inferParameters(held)])
      )
  }
}
