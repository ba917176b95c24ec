/** Creates recorded results for the tests of infer, and infers schemas from them. */
import { infer, type InferredResults, type InferOptions } from "#kit/infer/infer"
import { Recorder, type RecordedResults } from "#kit/infer/RecordedResults"
import { source } from "#kit/infer/Source"
import type { Conversation } from "#kit/traffic/Conversation"

/** Returns a result as logs hold it: a text verbatim, anything else as JSON. */
const textOf = (result: unknown): string => (typeof result === "string" ? result : JSON.stringify(result))

/** Records results of one tool, each in a separate conversation. */
export const recorded = (
  results: ReadonlyArray<unknown>,
  { isError = false, tool = "get_thing" } = {}
): ReadonlyArray<RecordedResults> => record(new Recorder(), results, { isError, tool }).tools

/** Creates a conversation with these messages. */
export const conversation = (messages: Conversation["messages"]): Conversation => ({
  _tag: "Conversation",
  id: "",
  place: { file: "log.jsonl", line: 1 },
  tools: [],
  messages
})

/** Adds results of one tool to a recorder, each in a separate conversation. */
export const record = (
  recorder: Recorder,
  results: ReadonlyArray<unknown>,
  { isError = false, tool = "get_thing" } = {}
): Recorder => {
  for (const result of results) {
    recorder.add(
      conversation([
        { role: "assistant", text: "", calls: [{ id: "1", name: tool, arguments: {} }] },
        { role: "tool", callId: "1", text: textOf(result), isError }
      ])
    )
  }
  return recorder
}

/** Infers a schema from the results of one tool. */
export const inferred = (results: ReadonlyArray<unknown>, options: InferOptions = { minSamples: 1 }): InferredResults =>
  infer(recorded(results), options)

/** Generates a module from results, without its header. */
const module = (results: ReadonlyArray<unknown>): string => source(inferred(results)).replace(/^\/\*\*[^]*?\*\/\n/, "")

/** Generates only the definitions, without imports and comments of tools. */
export const schemas = (results: ReadonlyArray<unknown>): string =>
  module(results)
    .replaceAll(/^import .*\n/gm, "")
    .replaceAll(/\/\*\*[^]*?\*\/\n/g, "")
    .trim()

/** Infers the schema of a field with these values, always present or not, without its comment. */
export const field = (values: ReadonlyArray<unknown>, name = "field"): string => {
  const text = schemas(values.map((value, n) => (value === undefined ? { n } : { n, [name]: value })))
  const [, found = text] = new RegExp(`^  ${name}: (.*?),?(?: //.*)?$`, "m").exec(text) ?? []
  return found
}

/** Infers the comment of a field with these values. */
export const remark = (values: ReadonlyArray<unknown>, name = "field"): string => {
  const text = schemas(values.map((value, n) => (value === undefined ? { n } : { n, [name]: value })))
  const [, above, beside] = new RegExp(`(?:^  // (.*)\\n)?  ${name}: .*?(?: // (.*))?$`, "m").exec(text) ?? []
  return beside ?? above ?? text
}

/** Creates a list with a number of items. */
export const times = <A>(count: number, make: (n: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, n) => make(n))
