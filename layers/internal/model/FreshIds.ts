/** Ids of calls that are unique in a conversation. */
import * as Transcript from "#domain/transcript/Transcript"

/**
 * Returns a function that returns the id of a call: the server's id, or a new id if the server's id is empty or taken.
 * `takenIds` are the ids of the conversation so far.
 */
export const make = (takenIds: ReadonlySet<string>): ((sentId: string) => string) => {
  const taken = new Set(takenIds)
  return (sentId) => {
    const id = sentId !== "" && !taken.has(sentId) ? sentId : Transcript.nextId(taken)
    taken.add(id)
    return id
  }
}
