/**
 * Reads calls and results from XML in texts, which Anthropic's models used before `tool_use` blocks.
 *
 * - An assistant's text ends with `<function_calls><invoke><tool_name>…</tool_name><parameters>…`, or with
 *   `<invoke name="…"><parameter name="…">`. The closing tag can be missing, because it was a stop sequence.
 * - The next user's text is `<function_results><result><tool_name>…</tool_name><stdout>…`, or `<error>…`.
 *
 * **Gotchas**
 *
 * Calls are recognised only if their results follow. Otherwise the tags are ordinary text. All arguments are strings.
 */
import * as Prompt from "effect/ai/Prompt"

/** A call in a text. */
interface Call {
  readonly name: string
  readonly params: { readonly [name: string]: string }
}

/** A result in a text. The name is empty if the text only reports an error. */
interface Result {
  readonly name: string
  readonly text: string
  readonly isFailure: boolean
}

/**
 * Returns the text between the first `open` and the next `close`, and the text after `close`. Takes linear time.
 */
const between = (text: string, open: string, close: string): readonly [inner: string, rest: string] | undefined => {
  const start = text.indexOf(open)
  const end = start < 0 ? -1 : text.indexOf(close, start + open.length)
  return end < 0 ? undefined : [text.slice(start + open.length, end), text.slice(end + close.length)]
}

const all = (text: string, open: string, close: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let next = between(text, open, close); next !== undefined; next = between(next[1], open, close)) {
    found.push(next[0])
  }
  return found
}

/** Returns the content of an element, without the line breaks after its opening tag and before its closing tag. */
const within = (text: string, tag: string): string | undefined =>
  between(text, `<${tag}>`, `</${tag}>`)?.[0].replace(/^\n/u, "").replace(/\n$/u, "")

/** Returns the `name` attribute and the content of an element. `element` starts after the tag name. */
const withName = (element: string): readonly [name: string | undefined, body: string] => {
  const head = element.slice(0, Math.max(0, element.indexOf(">")))
  return [/^\s+name="([^"]*)"\s*$/u.exec(head)?.[1], element.slice(head.length + 1)]
}

/** Reads arguments, each of which is one element. Stops at the first element that is not closed. */
const tagged = (text: string): Call["params"] => {
  const params: Array<readonly [string, string]> = []
  let rest = text
  for (let open = tag.exec(rest); open !== null; open = tag.exec(rest)) {
    const [whole, name = ""] = open
    const found = between(rest.slice(open.index), whole, `</${name}>`)
    if (found === undefined) break
    params.push([name, found[0]])
    rest = found[1]
  }
  return Object.fromEntries(params)
}

const tag = /<([a-zA-Z_][\w.-]{0,63})>/u

const callOf = (element: string): Call => {
  const [name, body] = withName(element)
  if (name === undefined) {
    return { name: within(body, "tool_name")?.trim() ?? "", params: tagged(within(body, "parameters") ?? "") }
  }
  const params = all(body, "<parameter", "</parameter>").map((each) => {
    const [field = "", value] = withName(each)
    return [field, value] as const
  })
  return { name, params: Object.fromEntries(params) }
}

const resultOf = (element: string): Result => ({
  name: within(element, "tool_name")?.trim() ?? "",
  text: within(element, "stdout") ?? element.trim(),
  isFailure: false
})

const resultsOf = (text: string): ReadonlyArray<Result> => {
  const trimmed = text.trim()
  if (!trimmed.startsWith("<function_results>")) return []
  const end = "</function_results>"
  const inner = trimmed.slice("<function_results>".length, trimmed.endsWith(end) ? -end.length : undefined)
  const results = all(inner, "<result>", "</result>").map(resultOf)
  const error = results.length === 0 ? within(inner, "error") : undefined
  return error === undefined ? results : [{ name: "", text: error, isFailure: true }]
}

const textOf = (message: Prompt.Message | undefined): string | undefined => {
  if (message === undefined || message.role !== "user") return undefined
  const [only] = message.content
  return message.content.length === 1 && only?.type === "text" ? only.text : undefined
}

/**
 * Returns the calls at the end of an assistant message and the parts before them, or undefined if there are no calls.
 */
const callsOf = (message: Prompt.AssistantMessage) => {
  const last = message.content.at(-1)
  if (last?.type !== "text") return undefined
  const start = last.text.lastIndexOf("<function_calls>")
  if (start < 0) return undefined
  const whole = last.text.slice(start).trimEnd()
  const end = "</function_calls>"
  const block = whole.endsWith(end) ? whole.slice(0, -end.length).trimEnd() : whole
  if (!block.endsWith("</invoke>")) return undefined
  const calls = all(block, "<invoke", "</invoke>").map(callOf)
  const text = last.text.slice(0, start).trimEnd()
  const rest = text === "" ? [] : [Prompt.textPart({ text, options: last.options })]
  return { before: [...message.content.slice(0, -1), ...rest], calls }
}

/**
 * Replaces calls and results in texts with parts. The ids of the parts are empty; `Transcript.repair` assigns new ids.
 */
export const read = (prompt: Prompt.Prompt): Prompt.Prompt => {
  const { content } = prompt
  const messages: Array<Prompt.Message> = []
  let isChanged = false
  for (let index = 0; index < content.length; index++) {
    const message = content[index]
    if (message === undefined) continue
    const found = message.role === "assistant" ? callsOf(message) : undefined
    const results = found === undefined ? [] : resultsOf(textOf(content[index + 1]) ?? "")
    if (found === undefined || results.length === 0 || results.length > found.calls.length) {
      messages.push(message)
      continue
    }
    index += 1
    isChanged = true
    const calls = found.calls.map((call) => Prompt.toolCallPart({ ...call, id: "", providerExecuted: false }))
    const parts = results.map(({ isFailure, name, text }, place) =>
      Prompt.toolResultPart({
        id: "",
        name: name || (found.calls[place]?.name ?? "unknown"),
        isFailure,
        result: text,
        providerExecuted: false
      })
    )
    messages.push(
      Prompt.assistantMessage({ content: [...found.before, ...calls] }),
      Prompt.toolMessage({ content: parts })
    )
  }
  return isChanged ? Prompt.fromMessages(messages) : prompt
}
