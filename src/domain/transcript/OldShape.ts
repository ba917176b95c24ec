/**
 * Recognises tool results that older programs sent as user messages.
 *
 * - `<tool_response>…</tool_response>` blocks (Hermes and Qwen templates), one for each result.
 * - `Tool result for call_1: …`, `[tool_result call_1] …`, `Function output (search): …`: one line that says what it
 *   is, then the result; it names the call's id or tool, or only one call waits.
 * - `Observation: …` (ReAct), where one call waits.
 *
 * **Gotchas**
 *
 * Only ever asked about the user message that stands where results of waiting calls are missing: a user who writes
 * `Tool result: …` anywhere else wrote just that.
 */

/** A call whose result is missing. */
export interface Waiting {
  readonly id: string
  readonly name: string
}

/** A result found in a text. */
export interface Found<W extends Waiting> {
  readonly call: W
  readonly result: string
}

const block = /<tool_response>\s*([\s\S]*?)\s*<\/tool_response>/gu
const labelled =
  /^\s*\[?\s*(?:(?:tool|function)[ _-]?(?:call[ _-]?)?(?:result|response|output)|observation)s?\b[ \t]*([^\n:\]]{0,120})(?:\][ \t]*:?|:|\n)[ \t]*\n?/iu

const blocks = <W extends Waiting>(text: string, waiting: ReadonlyArray<W>): ReadonlyArray<Found<W>> => {
  const results = [...text.matchAll(block)].map((match) => match[1] ?? "")
  if (results.length === 0 || results.length > waiting.length || text.replaceAll(block, "").trim() !== "") return []
  return results.flatMap((result, index) => {
    const call = waiting[index]
    return call === undefined ? [] : [{ call, result }]
  })
}

const mentions = (label: string, word: string): boolean =>
  word !== "" && label.split(/[\s()[\]"'`=,]+/u).some((token) => token === word)

const line = <W extends Waiting>(text: string, waiting: ReadonlyArray<W>): ReadonlyArray<Found<W>> => {
  const match = labelled.exec(text)
  if (match === null) return []
  const label = (match[1] ?? "").trim()
  const call =
    waiting.find(({ id }) => mentions(label, id)) ??
    waiting.find(({ name }) => mentions(label, name)) ??
    (waiting.length === 1 && label === "" ? waiting[0] : undefined)
  return call === undefined ? [] : [{ call, result: text.slice(match[0].length) }]
}

/** The results that a user's text holds for the calls that wait; empty where it is an ordinary text. */
export const results = <W extends Waiting>(text: string, waiting: ReadonlyArray<W>): ReadonlyArray<Found<W>> => {
  if (waiting.length === 0) return []
  const found = blocks(text, waiting)
  return found.length > 0 ? found : line(text, waiting)
}
