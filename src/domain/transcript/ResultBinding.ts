/**
 * Finds the result of each call in a damaged conversation.
 *
 * A result belongs to the first of these calls that exists and has no result yet:
 *
 * 1. The latest call before the result that has the same id. Ids can therefore repeat from round to round. If both have
 *    no id, the tool must be the same.
 * 2. The first call after the result, by the same rule.
 * 3. If the call or the result has no id, a call of the same tool in the last round before the result.
 * 4. If both have no id, the latest call before the result, regardless of its tool.
 *
 * The results that are still missing are read from user messages (`UserResults`).
 */
import * as Prompt from "effect/ai/Prompt"
import type * as BareResults from "./BareResults.ts"
import type * as TextResults from "./TextResults.ts"
import * as UserResults from "./UserResults.ts"

/** A result part and its position. */
export interface Occurrence {
  readonly message: number
  /** The index of the part in its message. */
  readonly place: number
  readonly part: Prompt.ToolResultPart
  /** True if the message of the part does not have the role `tool`. */
  readonly wrongRole: boolean
}

/** A call of a round. `result` is set when the result is found. */
export interface Call extends TextResults.UnansweredCall {
  readonly message: number
  result?: Occurrence
}

/** The calls by the index of their message, and the results that belong to no call. */
interface Bound {
  readonly rounds: ReadonlyMap<number, ReadonlyArray<Call>>
  readonly unmatched: ReadonlyArray<Occurrence>
  /** The indices of user messages whose whole text was read as results. */
  readonly consumed: ReadonlySet<number>
}

type Rounds = ReadonlyMap<number, ReadonlyArray<Call>>

const isLocal = (part: { readonly providerExecuted: boolean }): boolean => !part.providerExecuted

const roundsOf = (prompt: Prompt.Prompt): Rounds =>
  new Map(
    prompt.content.flatMap((message, index): ReadonlyArray<readonly [number, ReadonlyArray<Call>]> => {
      if (message.role !== "assistant") return []
      const calls = message.content.flatMap((part) =>
        part.type === "tool-call" && isLocal(part) ? [{ message: index, id: part.id, name: part.name }] : []
      )
      return calls.length === 0 ? [] : [[index, calls]]
    })
  )

const occurrencesOf = (prompt: Prompt.Prompt): ReadonlyArray<Occurrence> =>
  prompt.content.flatMap((message, index) => {
    if (message.role !== "tool" && message.role !== "assistant") return []
    const wrongRole = message.role === "assistant"
    return message.content.flatMap((part, place) =>
      part.type === "tool-result" && (!wrongRole || isLocal(part)) ? [{ message: index, place, part, wrongRole }] : []
    )
  })

const isWaiting = (call: Call): boolean => call.result === undefined

/** Binds each result to the call that `choose` returns, and returns the results without a call. */
const bind = (
  results: ReadonlyArray<Occurrence>,
  choose: (result: Occurrence) => Call | undefined
): ReadonlyArray<Occurrence> =>
  results.filter((result) => {
    const call = choose(result)
    if (call !== undefined) call.result = result
    return call === undefined
  })

const byId = (rounds: Rounds): ReadonlyMap<string, ReadonlyArray<Call>> =>
  Map.groupBy([...rounds.values()].flat(), ({ id }) => id)

/** True if a result may belong to a call of the same id. With an empty id the tool must also be the same. */
const matches = (call: Call, result: Occurrence): boolean => call.id !== "" || call.name === result.part.name

/** Returns a waiting call with the id of the result in the latest round before it. Prefers a call of the same tool. */
const before = (calls: ReadonlyMap<string, ReadonlyArray<Call>>, match: typeof matches) => (result: Occurrence) => {
  const same = (calls.get(result.part.id) ?? []).filter((call) => isWaiting(call) && match(call, result))
  const last = same.findLast((call) => call.message < result.message)
  const round = same.filter((call) => call.message === last?.message)
  return round.find(({ name }) => name === result.part.name) ?? round[0]
}

/** Returns the first waiting call after the result that has the result's id. */
const after = (calls: ReadonlyMap<string, ReadonlyArray<Call>>) => (result: Occurrence) =>
  (calls.get(result.part.id) ?? []).find(
    (call) => call.message >= result.message && isWaiting(call) && matches(call, result)
  )

/** Returns a waiting call of the same tool in the last round, if the call or the result has no id. */
const byName = (rounds: Rounds, known: ReadonlyMap<string, unknown>) => {
  const all = [...rounds]
  return (result: Occurrence) => {
    const [, last] = all.findLast(([message]) => message < result.message) ?? []
    return last?.find(
      (call) =>
        isWaiting(call) &&
        call.name === result.part.name &&
        (result.part.id === "" || (call.id === "" && !known.has(result.part.id)))
    )
  }
}

const view = (message: Prompt.Message): BareResults.Message => ({
  role: message.role,
  texts:
    message.role === "user" && message.content.every((part) => part.type === "text")
      ? message.content.map((part) => (part.type === "text" ? part.text : ""))
      : [],
  waitsForApproval:
    message.role === "assistant" && message.content.some((part) => part.type === "tool-approval-request")
})

/** Reads the results that are still missing from user messages. Returns the indices of these messages. */
const bindTexts = ({ content }: Prompt.Prompt, rounds: Rounds): ReadonlySet<number> => {
  const open = [...rounds].map(([message, calls]) => {
    const waiting = calls.filter(isWaiting)
    return { message, waiting, isWhole: waiting.length === calls.length }
  })
  const found = UserResults.find(content.map(view), open)
  for (const { call, message, text } of found) call.result = fromText(call, message, text)
  return new Set(found.map(({ message }) => message))
}

const fromText = ({ id, name }: Call, message: number, result: string): Occurrence => ({
  message,
  place: 0,
  part: Prompt.toolResultPart({ id, name, isFailure: false, result, providerExecuted: false }),
  wrongRole: true
})

/** Binds the results of a conversation to its calls. */
export const make = (prompt: Prompt.Prompt): Bound => {
  const rounds = roundsOf(prompt)
  const calls = byId(rounds)
  let unmatched = bind(occurrencesOf(prompt), before(calls, matches))
  unmatched = bind(unmatched, after(calls))
  unmatched = bind(unmatched, byName(rounds, calls))
  unmatched = bind(
    unmatched,
    before(calls, () => true)
  )
  return { rounds, unmatched, consumed: bindTexts(prompt, rounds) }
}
