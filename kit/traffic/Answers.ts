/**
 * Decides to which call of a conversation an answer belongs. It belongs to the first unanswered call of its id in the
 * last round, otherwise to the latest earlier call of its id. An answer whose id matches no call belongs to the first
 * call of the last round without an answer. An empty id matches no call of an earlier round.
 */

/** Finds the calls of answers while the messages of a conversation are read in order. */
interface Answers<Call> {
  /** Starts a round. The calls of earlier rounds can still be answered by their ids. */
  readonly open: (calls: ReadonlyArray<Call>) => void
  /** Returns the call of an answer, or undefined. An earlier call may have an answer already. */
  readonly take: (callId: string) => Call | undefined
}

/** Creates a finder without calls. */
export const make = <Call>(idOf: (call: Call) => string): Answers<Call> => {
  let waiting: Array<Call> = []
  const byId = new Map<string, Call>()
  return {
    open: (calls) => {
      waiting = [...calls]
      for (const call of calls) if (idOf(call) !== "") byId.set(idOf(call), call)
    },
    take: (callId) => {
      const index = waiting.findIndex((call) => idOf(call) === callId)
      const earlier = index < 0 ? byId.get(callId) : undefined
      return earlier ?? waiting.splice(Math.max(0, index), 1)[0]
    }
  }
}
