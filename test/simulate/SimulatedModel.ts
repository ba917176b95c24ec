/**
 * Simulates a model that chooses its calls at random.
 *
 * Each answer requests new actions, or repeats earlier calls of the conversation. An answer that is requested again, for
 * example after a crash, differs from the first, as the answers of real models do.
 */
import * as ScriptedModel from "#layers/ScriptedModel"
import * as AiError from "effect/ai/AiError"
import type * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Dice from "./Dice.ts"
import type { Faults } from "./Faults.ts"
import { type Write, writes } from "./Tools.ts"
import type { Process } from "./World.ts"

/** A call that a model made. */
export interface IntendedCall {
  readonly tool: Write | "look"
  readonly action: string
}

const unavailable = () =>
  AiError.make({
    module: "SimulatedModel",
    method: "generateText",
    reason: new AiError.InternalProviderError({ description: "The simulated model does not respond." })
  })

/** Returns the calls of the model in a conversation, in order. */
export const callsIn = (prompt: Prompt.Prompt): ReadonlyArray<IntendedCall & { readonly id: string }> =>
  prompt.content.flatMap((message) =>
    message.role === "assistant"
      ? message.content.flatMap((part) =>
          part.type === "tool-call"
            ? // the model of this simulation writes no other arguments
              [
                {
                  id: part.id,
                  tool: part.name as IntendedCall["tool"],
                  action: (part.params as { action: string }).action
                }
              ]
            : []
        )
      : []
  )

export interface Conversation {
  readonly process: Process
  readonly run: string
  readonly seed: number
  /** The maximum number of answers with calls. The model may end the run after any of them. */
  readonly rounds: number
  /** Counts the requests of all processes, so that no two answers are equal. */
  readonly next: () => number
}

export const layer = ({ next, process, rounds, run, seed }: Conversation, { send }: Faults) =>
  ScriptedModel.layer((prompt) => {
    const request = next()
    const dice = Dice.make(seed, `model ${request}`)
    const earlier = callsIn(prompt)
    const answers = prompt.content.filter(({ role }) => role === "assistant").length
    const call = (position: number) => {
      const repeated = earlier.length > 0 && dice.chance(0.3) ? dice.one(earlier) : undefined
      const tool = repeated?.tool ?? (dice.chance(0.15) ? "look" : dice.one(writes))
      const action = repeated?.action ?? `${run}/${request}.${position}`
      // some providers give two calls of one answer the same id
      return ScriptedModel.call(tool, { action }, dice.chance(0.05) ? "call_same" : `call_${request}_${position}`)
    }
    const isLast = answers >= rounds || (answers > 0 && dice.chance(0.3))
    const answer = isLast ? "done" : Array.from({ length: dice.between(1, 3) }, (_, position) => call(position))
    return send<ScriptedModel.Answer, AiError.AiError>({
      process,
      name: `model of ${run}`,
      work: Effect.succeed(answer),
      unavailable
    })
  })
