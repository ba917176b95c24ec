/** Conversations that grow by a round at a time. */
import * as Prompt from "effect/ai/Prompt"
import * as Transcript from "./Transcript.ts"

/**
 * `Transcript.repair` of a conversation that has grown by a round, and was valid before. Only what is new is looked at: a long run does
 * not pay for its length in every round.
 *
 * **Gotchas**
 *
 * The ids of new calls must be ones that the conversation had not seen (`freshIds`).
 */
export const repair = (prompt: Prompt.Prompt, before: Prompt.Prompt): Transcript.Repaired => {
  const grown = Prompt.fromMessages(prompt.content.slice(before.content.length))
  return Transcript.validate(grown).length === 0 ? { prompt, changes: [] } : Transcript.repair(prompt)
}
