/** Repairs a conversation after each round, without checking earlier rounds again. */
import * as Prompt from "effect/ai/Prompt"
import * as Transcript from "./Transcript.ts"

/**
 * Repairs `prompt` as `Transcript.repair` does. `prompt` is the valid conversation `before` with new messages at its
 * end.
 *
 * **Details**
 *
 * Only the new messages are validated, so that the time for a round does not grow with the length of the run.
 *
 * **Gotchas**
 *
 * The ids of new calls must be unique in the conversation (`freshIds`).
 */
export const repair = (prompt: Prompt.Prompt, before: Prompt.Prompt): Transcript.RepairedTranscript => {
  const added = Prompt.fromMessages(prompt.content.slice(before.content.length))
  return Transcript.validate(added).length === 0 ? { prompt, changes: [] } : Transcript.repair(prompt)
}
