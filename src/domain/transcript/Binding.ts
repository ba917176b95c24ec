/**
 * Finds the result of each call in a damaged conversation.
 *
 * A result belongs to the latest call before it that has its id and no result yet; failing that, to the first such
 * call behind it; failing that, where one of the two has no id, to the last round's call of the same tool. What is
 * still missing is looked for in user messages of an old shape. So ids that start anew in every round bind right.
 */
import * as Prompt from "effect/ai/Prompt"
import * as OldShape from "./OldShape.ts"

/** A result part and where it stood. */
export interface Occurrence {
  readonly message: number
  /** Its index in that message. */
  readonly place: number
  readonly part: Prompt.ToolResultPart
  /** Whether it stood in a message that is not of the role `tool`. */
  readonly wrongRole: boolean
}

/** A call of a round, and its result once that is found. */
export interface Call extends OldShape.Waiting {
  readonly message: number
  result?: Occurrence
}

/** All calls by the message that makes them, and the results that no call took. */
export interface Bound {
  readonly rounds: ReadonlyMap<number, ReadonlyArray<Call>>
  readonly left: ReadonlyArray<Occurrence>
  /** User messages whose whole text was a result. */
  readonly consumed: ReadonlySet<number>
}

type Rounds = ReadonlyMap<number, ReadonlyArray<Call>>

const isOwn = (part: { readonly providerExecuted: boolean }): boolean => !part.providerExecuted

const roundsOf = (prompt: Prompt.Prompt): Rounds =>
  new Map(
    prompt.content.flatMap((message, index): ReadonlyArray<readonly [number, ReadonlyArray<Call>]> => {
      if (message.role !== "assistant") return []
      const calls = message.content.flatMap((part) =>
        part.type === "tool-call" && isOwn(part) ? [{ message: index, id: part.id, name: part.name }] : []
      )
      return calls.length === 0 ? [] : [[index, calls]]
    })
  )

const occurrencesOf = (prompt: Prompt.Prompt): ReadonlyArray<Occurrence> =>
  prompt.content.flatMap((message, index) => {
    if (message.role !== "tool" && message.role !== "assistant") return []
    const wrongRole = message.role === "assistant"
    return message.content.flatMap((part, place) =>
      part.type === "tool-result" && (!wrongRole || isOwn(part)) ? [{ message: index, place, part, wrongRole }] : []
    )
  })

const isWaiting = (call: Call): boolean => call.result === undefined

/** Gives each result that `choose` finds a call for to that call; returns the others. */
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

/** Whether two may belong together by their ids alone. Empty ids say nothing, so that the tool must be the same. */
const isLike = (call: Call, result: Occurrence): boolean => call.id !== "" || call.name === result.part.name

/** A waiting call with the result's id, in the latest round before it; of its own tool where there are several. */
const before = (calls: ReadonlyMap<string, ReadonlyArray<Call>>, match: typeof isLike) => (result: Occurrence) => {
  const same = (calls.get(result.part.id) ?? []).filter((call) => isWaiting(call) && match(call, result))
  const last = same.findLast((call) => call.message < result.message)
  const round = same.filter((call) => call.message === last?.message)
  return round.find(({ name }) => name === result.part.name) ?? round[0]
}

const behind = (calls: ReadonlyMap<string, ReadonlyArray<Call>>) => (result: Occurrence) =>
  (calls.get(result.part.id) ?? []).find(
    (call) => call.message >= result.message && isWaiting(call) && isLike(call, result)
  )

/** Where an id was lost: the last round's call of the same tool, if one side has no id. */
const byName = (rounds: Rounds, known: ReadonlyMap<string, unknown>) => {
  const messages = [...rounds.keys()]
  return (result: Occurrence) => {
    const last = messages.findLast((message) => message < result.message)
    return (last === undefined ? [] : (rounds.get(last) ?? [])).find(
      (call) =>
        isWaiting(call) &&
        call.name === result.part.name &&
        (result.part.id === "" || (call.id === "" && !known.has(result.part.id)))
    )
  }
}

const textOf = (message: Prompt.Message): string | undefined =>
  message.role === "user" && message.content.every((part) => part.type === "text")
    ? message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n")
    : undefined

/** Takes results of the old shape from the user messages that follow a round, as far as calls of it wait. */
const bindOldShape = (prompt: Prompt.Prompt, rounds: Rounds): ReadonlySet<number> => {
  const consumed = new Set<number>()
  for (const [start, calls] of rounds) {
    for (let index = start + 1; index < prompt.content.length; index++) {
      const message = prompt.content[index]
      if (message === undefined || message.role === "tool") continue
      const text = textOf(message)
      const found = text === undefined ? [] : OldShape.results(text, calls.filter(isWaiting))
      if (found.length === 0) break
      for (const { call, result } of found) {
        const { id, name } = call
        const part = Prompt.toolResultPart({ id, name, isFailure: false, result, providerExecuted: false })
        call.result = { message: index, place: 0, part, wrongRole: true }
      }
      consumed.add(index)
    }
  }
  return consumed
}

/** Binds the results of a conversation to its calls. */
export const make = (prompt: Prompt.Prompt): Bound => {
  const rounds = roundsOf(prompt)
  const calls = byId(rounds)
  let left = bind(occurrencesOf(prompt), before(calls, isLike))
  left = bind(left, behind(calls))
  left = bind(left, byName(rounds, calls))
  left = bind(
    left,
    before(calls, () => true)
  )
  return { rounds, left, consumed: bindOldShape(prompt, rounds) }
}
