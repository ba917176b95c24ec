/**
 * Recognises results that older programs sent as user messages without any label: a user message directly after a call
 * without a result, whose whole text is JSON.
 *
 * A person can paste JSON too, so a text counts as a result only under these conditions:
 *
 * - The user messages directly after the round consist of exactly one JSON text for each call, and no call of the round
 *   has a result.
 * - At least one of the texts that would count is an object or a list. Otherwise a string, a number, `true`, `false` or
 *   `null` does not count either.
 * - No message before the round has the role `tool`: a program that uses this role does not send results as user
 *   messages.
 * - No other user message contains an object or a list: a user who pastes JSON does so elsewhere too.
 * - No call of the round waits for an approval.
 *
 * **Gotchas**
 *
 * If the first call of a conversation was interrupted and the user then pasted JSON, that JSON is read as the result.
 */
/** The parts of a message that the search for results reads. */
export interface Message {
  readonly role: "system" | "user" | "assistant" | "tool"
  /** The texts of a user message that has only texts. Empty for any other message. */
  readonly texts: ReadonlyArray<string>
  /** True if a call of the message waits for an approval. */
  readonly waitsForApproval: boolean
}

/** A text that is the result of a call, and the index of its message. */
interface BareResult {
  readonly message: number
  readonly text: string
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const isComposite = (text: string): boolean => /^\s*[[{]/u.test(text) && isJson(text)

/** Returns the texts of the user messages after a round, if whole messages have exactly `count` texts. */
const textsAfter = (messages: ReadonlyArray<Message>, round: number, count: number): ReadonlyArray<BareResult> => {
  const found: Array<BareResult> = []
  for (let message = round + 1; found.length < count; message++) {
    const texts = messages[message]?.texts ?? []
    if (texts.length === 0) return []
    found.push(...texts.map((text) => ({ message, text })))
  }
  return found.length === count ? found : []
}

/**
 * Returns the results of rounds, by the index of the round's message. `open` has the number of calls of each round in
 * which no call has a result.
 */
export const find = (
  messages: ReadonlyArray<Message>,
  open: ReadonlyMap<number, number>
): ReadonlyMap<number, ReadonlyArray<BareResult>> => {
  const firstTool = messages.findIndex(({ role }) => role === "tool")
  const found = new Map<number, ReadonlyArray<BareResult>>()
  for (const [round, count] of open) {
    if ((firstTool >= 0 && firstTool < round) || messages[round]?.waitsForApproval === true) continue
    const texts = textsAfter(messages, round, count)
    if (texts.every(({ text }) => isJson(text))) found.set(round, texts)
  }
  const results = [...found.values()].flat()
  if (!results.some(({ text }) => isComposite(text))) return new Map()
  const taken = new Set(results.map(({ message }) => message))
  const isPasted = messages.some(({ texts }, index) => !taken.has(index) && texts.some(isComposite))
  return isPasted ? new Map() : found
}
