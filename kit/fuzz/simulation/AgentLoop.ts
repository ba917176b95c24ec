/** Runs a case in the agent loop, with a scripted model that makes the calls of the case and then ends the turn. */
import type { Turn } from "effect-toolguard/internal/domain/turn/Turn"
import * as CallArguments from "effect-toolguard/internal/domain/transcript/CallArguments"
import * as Agent from "effect-toolguard/internal/agent/Agent"
import type { Guard } from "effect-toolguard/internal/guard/Guard"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import type { Toolbox } from "effect-toolguard/internal/tool/Toolbox"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { FuzzCall, FuzzCase } from "#kit/fuzz/cases/FuzzCase"
import { expanded } from "#kit/fuzz/cases/ScriptedAnswer"
import { type StartCall, idOf } from "./Observation.ts"

const finish = (reason: Response.FinishReason): Response.FinishPartEncoded => ({
  type: "finish",
  reason,
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
})

/** Creates a model that returns one scripted reply per round, and then a final text. */
const modelOf = (
  rounds: ReadonlyArray<ReadonlyArray<Response.PartEncoded>>
): Effect.Effect<LanguageModel.LanguageModel> => {
  let round = 0
  return LanguageModel.make({
    generateText: () => Effect.sync(() => [...(rounds[round++] ?? [{ type: "text", text: "Done." }, finish("stop")])]),
    streamText: () => Stream.empty
  })
}

const partOf = (tool: string, { arguments: args, name }: FuzzCall, id: string): Response.PartEncoded => {
  const expandedArguments = expanded(args)
  const { options, params } =
    typeof expandedArguments === "string"
      ? CallArguments.read(expandedArguments)
      : { options: {}, params: expandedArguments }
  return { type: "tool-call", id, name: name ?? tool, params, metadata: options }
}

/** Runs the loop, and returns the final conversation. */
export const run = (
  tools: Toolbox<AnyTool>,
  tool: string,
  { calls, together }: FuzzCase,
  turn: Turn,
  texts: ReadonlyArray<string>,
  startCall: StartCall
): Effect.Effect<Prompt.Prompt, never, Guard> =>
  Effect.gen(function* () {
    const parts = calls.map((call, index) => ({ call, part: partOf(tool, call, idOf(call, index)) }))
    const rounds = together === true ? [parts] : parts.map((part) => [part])
    const model = yield* modelOf(
      rounds.map((round) => [
        ...round.map(({ part }) => part),
        finish(round.some(({ call }) => call.isCut === true) ? "length" : "tool-calls")
      ])
    )
    const endCalls = new Map<string, ReturnType<StartCall>>()
    let next = 0
    const result = yield* Agent.run({
      prompt: texts.join("\n") || "Go.",
      tools,
      maxRounds: calls.length + 1,
      turn,
      onEvent: (event) =>
        Effect.sync(() => {
          if (event._tag === "CallStarted") {
            endCalls.set(event.callId, startCall(calls[next] ?? { arguments: null }, event.callId))
            next += 1
          } else if (event._tag === "CallEnded") endCalls.get(event.callId)?.({ answer: event.answer })
        })
    }).pipe(Effect.provideService(LanguageModel.LanguageModel, model))
    return result.transcript
    // every call ends in an envelope, so the loop cannot fail; the simulation provides the tool's layer
  }) as Effect.Effect<Prompt.Prompt, never, Guard>
