/**
 * Reports conversations without calls in which the model writes its calls as text, as in `Action: search[x]` or
 * `<tool_call>{…}</tool_call>`. Such calls are not read, because only the program that ran them knows their form.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import * as Content from "./Content.ts"
import type { Conversation, RecordedMessage } from "./Conversation.ts"
import { type Item, mapConversations, type Reader } from "./Reader.ts"

/** Wraps the constructor of a reader, so that it reports calls that are written as text. */
export const withWrittenCalls = (make: () => Reader) =>
  mapConversations(make, (conversation) => withReport(conversation))

const withReport = (conversation: Conversation): ReadonlyArray<Item> => {
  const { messages, place } = conversation
  if (messages.some((message) => message.role === "assistant" && message.calls.length > 0)) return [conversation]
  const forms = messages.map((message, index) => formOf(message, messages[index + 1]))
  const first = forms.findIndex((form) => form !== undefined)
  if (first === -1) return [conversation]
  const reason = `Message ${first + 1} writes a call as text (${forms[first]}), which is not read. Log its name and arguments as fields: ${shape}.`
  return [conversation, { _tag: "Skipped", place, reason, isCall: true }]
}

const shape = '"tool_calls":[{"id":"1","function":{"name":"x","arguments":"{}"}}]'

/** The longest text that is searched, in characters. */
const longestText = 100_000

/** The ways to write a call, as reports name them. */
const forms: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  [
    "Action: …",
    /^[ \t*]{0,8}Action(?: \d{1,3})?[ \t*]{0,8}:[ \t*]{0,8}(?:[\w.-]{1,80}[ \t]?[[({]|[^\n]{1,200}\n{1,3}[ \t*]{0,8}Action Input[ \t*]{0,8}:)/im
  ],
  ["<tool_call>", /^\s{0,8}<(?:tool_call|function_call|tool_use)>\s{0,8}[{<[]/im],
  ["<function=…>", /^\s{0,8}(?:<function=[\w.-]{1,80}>|<invoke name=")/im],
  ["[TOOL_CALLS]", /^\s{0,8}(?:\[TOOL_CALLS\]|<\|(?:tool_call|python_tag)\|>)/im]
]

/** Returns the way in which a message of the model writes a call, if it does. */
const formOf = (message: RecordedMessage, next: RecordedMessage | undefined): string | undefined => {
  if (message.role !== "assistant" || message.text.length > longestText) return undefined
  const { text } = message
  const found = forms.find(([, pattern]) => pattern.test(text))
  if (found !== undefined) return found[0]
  if (jsonTexts(text).some(isCall)) return "JSON"
  const isAnswered = next?.role === "user" && output.test(next.text.slice(0, 200))
  return isAnswered && [...text.matchAll(command)].length === 1 ? "a command between ```" : undefined
}

/** Matches the start of a command between fences. */
const command = /^```(?:bash|sh|shell|mswea_bash_command)[ \t]*$/gm

/** Matches the start of a message of the user that is the output of a command. */
const output =
  /^\s{0,8}(?:<(?:returncode|output|observation|stdout)>|(?:observation|output|stdout|command output|returncode|exit code)\b)/i

/** Returns the texts that may be JSON objects: the whole text, and those between fences. */
const jsonTexts = (text: string): ReadonlyArray<string> => {
  const whole = text.trim()
  const fenced = text.split(/^```\w{0,20}[ \t]*$/m).filter((_, index) => index % 2 === 1)
  return [whole, ...fenced.map((block) => block.trim())].filter((one) => one.startsWith("{"))
}

/** True for the JSON of an object with the name of a tool and its arguments. */
const isCall = (text: string): boolean => {
  const fields = Fields.of(Content.parsed(text))
  const { action, function: called, name, tool, tool_name: toolName } = fields
  const isNamed = [name, tool, toolName, called, action].some((one) => typeof one === "string" && /^[\w.-]+$/.test(one))
  const { action_input: actionInput, args, arguments: all, input, parameters, tool_input: toolInput } = fields
  return isNamed && [all, args, input, parameters, actionInput, toolInput].some((one) => one !== undefined)
}
