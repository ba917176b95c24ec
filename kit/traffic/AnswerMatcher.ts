/**
 * Decides to which call of a conversation an answer belongs. It belongs to the first unanswered call of its id in the
 * last round, otherwise to the latest earlier call of its id. An answer whose id matches no call belongs to the first
 * unanswered call of the last round. An empty id matches no call of an earlier round.
 */

/** Finds the calls of answers while the messages of a conversation are read in order. */
interface AnswerMatcher<Call> {
  /** Starts a round. The calls of earlier rounds can still be answered by their ids. */
  readonly open: (calls: ReadonlyArray<Call>) => void
  /** Returns the call of an answer, or undefined. An earlier call may have an answer already. */
  readonly take: (callId: string) => Call | undefined
}

/** Creates a matcher without calls. */
export const make = <Call>(idOf: (call: Call) => string): AnswerMatcher<Call> => {
  /**
   * Rounds that are not in the tables yet. They are added when an answer arrives, because many rounds have no answers.
   */
  let rounds: Array<ReadonlyArray<Call>> = []
  /** The unanswered calls of the last round, in order. */
  let waiting = new Set<Call>()
  /** The same calls by their ids, in reverse order. Calls that were taken by order are still in the lists. */
  const waitingById = new Map<string, Array<Call>>()
  const byId = new Map<string, Call>()
  const addRounds = (): void => {
    for (const calls of rounds) for (const call of calls) if (idOf(call) !== "") byId.set(idOf(call), call)
    const last = rounds.at(-1)
    rounds = []
    if (last === undefined) return
    waiting = new Set(last)
    waitingById.clear()
    for (const call of last.toReversed()) {
      const same = waitingById.get(idOf(call))
      if (same === undefined) waitingById.set(idOf(call), [call])
      else same.push(call)
    }
  }
  const takeById = (callId: string): Call | undefined => {
    const calls = waitingById.get(callId)
    let call = calls?.pop()
    while (call !== undefined && !waiting.has(call)) call = calls?.pop()
    return call
  }
  return {
    open: (calls) => void rounds.push(calls),
    take: (callId) => {
      addRounds()
      const own = takeById(callId)
      const earlier = own === undefined ? byId.get(callId) : undefined
      if (earlier !== undefined) return earlier
      const call = own ?? waiting.values().next().value
      if (call !== undefined) waiting.delete(call)
      return call
    }
  }
}
