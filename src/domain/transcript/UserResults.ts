/**
 * Finds the results of calls in user messages, where older programs sent them, in any representation of a conversation.
 *
 * Labelled results (`TextResults`) are read from the user messages that follow a round. Only a conversation without
 * labelled results is searched for unlabelled results (`BareResults`).
 */
import * as BareResults from "./BareResults.ts"
import * as TextResults from "./TextResults.ts"

/** A message with calls, and its calls without a result. */
export interface OpenRound<C extends TextResults.UnansweredCall> {
  /** The index of the message. */
  readonly message: number
  /** The calls that have no result, in order. */
  readonly waiting: ReadonlyArray<C>
  /** True if no call of the message has a result. */
  readonly isWhole: boolean
}

/** A result in a user message. */
interface FoundResult<C> {
  readonly call: C
  /** The index of the user message. */
  readonly message: number
  readonly text: string
}

/** Returns the results in user messages. The whole text of each of these messages was read as results. */
export const find = <C extends TextResults.UnansweredCall>(
  messages: ReadonlyArray<BareResults.Message>,
  rounds: ReadonlyArray<OpenRound<C>>
): ReadonlyArray<FoundResult<C>> => {
  const found = rounds.flatMap((round) => labelled(messages, round))
  return found.length > 0 ? found : bare(messages, rounds)
}

const labelled = <C extends TextResults.UnansweredCall>(
  messages: ReadonlyArray<BareResults.Message>,
  { message: start, waiting }: OpenRound<C>
): ReadonlyArray<FoundResult<C>> => {
  const found: Array<FoundResult<C>> = []
  let open = waiting
  for (let message = start + 1; message < messages.length && open.length > 0; message++) {
    const { role, texts } = messages[message]! // the index is in range
    if (role === "tool") continue
    const results = TextResults.results(texts.join("\n"), open)
    if (results.length === 0) break
    for (const { call, result } of results) found.push({ call, message, text: result })
    open = open.filter((call) => !results.some((each) => each.call === call))
  }
  return found
}

const bare = <C extends TextResults.UnansweredCall>(
  messages: ReadonlyArray<BareResults.Message>,
  rounds: ReadonlyArray<OpenRound<C>>
): ReadonlyArray<FoundResult<C>> => {
  const whole = new Map(rounds.flatMap(({ isWhole, message, waiting }) => (isWhole ? [[message, waiting]] : [])))
  const counts = new Map([...whole].map(([message, { length }]) => [message, length]))
  return [...BareResults.find(messages, counts)].flatMap(([round, texts]) =>
    (whole.get(round) ?? []).flatMap((call, place) => {
      const text = texts[place]
      return text === undefined ? [] : [{ call, ...text }]
    })
  )
}
