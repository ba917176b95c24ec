/**
 * Recognises tool results in user messages, where older programs sent them as text.
 *
 * These forms are recognised:
 *
 * - `<tool_response>…</tool_response>` blocks (Hermes and Qwen templates), one for each result.
 * - A label and the result: `Tool result for call_1: …`, `[tool_result call_1] …`, `Function output (search): …`. The
 *   label contains the id or the tool of a waiting call. A label with neither counts if only one call waits.
 * - `Observation: …` (ReAct), if only one call waits.
 *
 * **Gotchas**
 *
 * Use this module only on user messages that follow calls without results. Anywhere else, `Tool result: …` is ordinary
 * text.
 */

/** A call without a result. */
export interface UnansweredCall {
  readonly id: string
  readonly name: string
}

/** A result in a text, and the call to which the result belongs. */
interface FoundResult<W extends UnansweredCall> {
  readonly call: W
  readonly result: string
}

const block = /<tool_response>\s*([\s\S]*?)\s*<\/tool_response>/gu
const labelled =
  /^\s*\[?\s*(?:(?:tool|function)[ _-]?(?:call[ _-]?)?(?:result|response|output)|observation)s?\b[ \t]*([^\n:\]]{0,120})(?:\][ \t]*:?|:|\n)[ \t]*\n?/iu

const blocks = <W extends UnansweredCall>(text: string, waiting: ReadonlyArray<W>): ReadonlyArray<FoundResult<W>> => {
  const results = [...text.matchAll(block)].map((match) => match[1] ?? "")
  if (results.length === 0 || results.length > waiting.length || text.replaceAll(block, "").trim() !== "") return []
  return results.map((result, index) => ({ call: waiting[index]!, result })) // there are not more results than calls
}

const mentions = (label: string, word: string): boolean =>
  word !== "" && label.split(/[\s()[\]"'`=,]+/u).some((token) => token === word)

const line = <W extends UnansweredCall>(text: string, waiting: ReadonlyArray<W>): ReadonlyArray<FoundResult<W>> => {
  const match = labelled.exec(text)
  if (match === null) return []
  const label = (match[1] ?? "").trim()
  const call =
    waiting.find(({ id }) => mentions(label, id)) ??
    waiting.find(({ name }) => mentions(label, name)) ??
    (waiting.length === 1 && label === "" ? waiting[0] : undefined)
  return call === undefined ? [] : [{ call, result: text.slice(match[0].length) }]
}

/** Returns the results of waiting calls in a user's text. An ordinary text has no results. */
export const results = <W extends UnansweredCall>(
  text: string,
  waiting: ReadonlyArray<W>
): ReadonlyArray<FoundResult<W>> => {
  if (waiting.length === 0) return []
  const found = blocks(text, waiting)
  return found.length > 0 ? found : line(text, waiting)
}
