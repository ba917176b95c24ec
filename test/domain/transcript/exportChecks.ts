/** Checks the export of a repaired conversation against the rules of each provider. */
import { assert } from "@effect/vitest"
import type { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import * as CallArguments from "#domain/transcript/CallArguments"
import * as AnthropicRules from "../../support/AnthropicRules.ts"
import * as OpenAiRules from "../../support/OpenAiRules.ts"
import * as ResponsesRules from "../../support/ResponsesRules.ts"

/** Returns the error of OpenAI's API for a history, ignoring tool names, which the provider layer replaces. */
export const openAiError = (messages: ReadonlyArray<Transcript.ChatMessage>): string | undefined => {
  const [first] = OpenAiRules.schemaErrors("CreateChatCompletionRequest", { model: "m", messages })
  return first ?? OpenAiRules.sequenceError(messages as never)?.error.message // the rules read fewer fields
}

/** Returns the error of Anthropic's API for a history. */
export const anthropicError = (history: Transcript.AnthropicHistory): string | undefined =>
  AnthropicRules.refusal({ model: "m", max_tokens: 1, ...history } as never) // the rules read fewer fields

/** Returns the error of OpenAI's Responses API for the items of a history. */
export const responsesError = (input: ReadonlyArray<Transcript.ResponsesItem>): string | undefined =>
  ResponsesRules.refusal({ model: "m", input: input as never })?.error.message // the rules read fewer fields

/** Returns the texts of user and assistant messages that are not blank. */
const textsIn = (prompt: Prompt.Prompt): ReadonlyArray<string> =>
  prompt.content.flatMap((message) =>
    message.role === "user" || message.role === "assistant"
      ? message.content.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [part.text] : []))
      : []
  )

const resultsIn = (prompt: Prompt.Prompt): ReadonlyArray<string> =>
  prompt.content.flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part) => (part.type === "tool-result" ? [CallArguments.textOf(part.result)] : []))
      : []
  )

/** Returns the texts of `before` that `after` does not contain, except texts that were read as results. */
const lost = (before: Prompt.Prompt, after: Prompt.Prompt): ReadonlyArray<string> => {
  const remaining = new Map<string, number>()
  for (const text of textsIn(after)) remaining.set(text.trimEnd(), (remaining.get(text.trimEnd()) ?? 0) + 1)
  const results = new Set(resultsIn(after))
  return textsIn(before).filter((text) => {
    const count = remaining.get(text.trimEnd()) ?? 0
    remaining.set(text.trimEnd(), count - 1)
    if (count > 0) return false
    if (results.has(text)) return false
    return ![...results].some((result) => text.endsWith(result) && text.startsWith("Tool result for "))
  })
}

/** Returns the contents of a conversation in order, without message boundaries and with system texts first. */
export const contentsOf = (prompt: Prompt.Prompt): ReadonlyArray<unknown> => [
  ...prompt.content.flatMap((message) => (message.role === "system" ? [["system", message.content]] : [])),
  ...prompt.content.flatMap((message): ReadonlyArray<unknown> => {
    if (message.role === "system") return []
    return (message.content as ReadonlyArray<Prompt.Part>).map((part) => {
      switch (part.type) {
        case "text":
          return [message.role, part.text]
        case "tool-call":
          return ["call", part.id, part.name, JSON.parse(CallArguments.writeObject(part))]
        case "tool-result":
          return ["result", part.id, part.isFailure, CallArguments.textOf(part.result)]
        default:
          return [part.type]
      }
    })
  })
]

/** For each provider: the repair of a conversation, the error of the API for its export, and the export itself. */
export const protocols = [
  {
    name: "OpenAI",
    repair: (prompt: Prompt.Prompt) => Transcript.repair(prompt),
    error: (prompt: Prompt.Prompt) => openAiError(Transcript.toOpenAi(prompt)),
    exported: (prompt: Prompt.Prompt) => JSON.stringify(Transcript.toOpenAi(prompt))
  },
  {
    name: "OpenAI's Responses",
    repair: (prompt: Prompt.Prompt) => Transcript.repairForResponses(prompt),
    error: (prompt: Prompt.Prompt) => responsesError(Transcript.toResponses(prompt)),
    exported: (prompt: Prompt.Prompt) => JSON.stringify(Transcript.toResponses(prompt))
  },
  {
    name: "Anthropic",
    repair: (prompt: Prompt.Prompt) => Transcript.repairForAnthropic(prompt),
    error: (prompt: Prompt.Prompt) => anthropicError(Transcript.toAnthropic(prompt)),
    exported: (prompt: Prompt.Prompt) => JSON.stringify(Transcript.toAnthropic(prompt))
  }
]

/** Asserts that repair loses no text, is idempotent, and leads to an export that the provider accepts. */
export const check = (
  { error, exported, repair }: (typeof protocols)[number],
  damaged: Prompt.Prompt,
  label: string
) => {
  const first = repair(damaged)
  assert.deepStrictEqual(Transcript.validate(first.prompt), [], label)
  assert.deepStrictEqual(lost(damaged, first.prompt), [], label)
  const second = repair(first.prompt)
  assert.strictEqual(second.prompt, first.prompt, label)
  assert.deepStrictEqual(second.changes, [], label)
  assert.strictEqual(first.prompt === damaged, first.changes.length === 0, label)
  if (first.prompt.content.length > 0) assert.strictEqual(error(first.prompt), undefined, label)
  const written = exported(first.prompt)
  for (const text of textsIn(first.prompt)) assert.include(written, JSON.stringify(text).slice(1, -1), label)
}
