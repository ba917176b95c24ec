/**
 * Keeps a conversation within a token limit by replacing old tool results with a short preview and a link [9.3].
 *
 * **Details**
 *
 * - The oldest results are shortened first. The results of the last rounds are never shortened. Errors and the messages
 *   of users and models are not changed. Each call keeps exactly one result.
 * - A conversation above the limit is shortened to three quarters of the limit, so that compactions are rare. Each
 *   compaction invalidates the provider's prompt cache.
 * - A second compaction changes nothing. A smaller limit shortens at least the results that a larger limit shortens.
 *
 * **Gotchas**
 *
 * Tokens are estimated. A text counts as a quarter of its UTF-8 bytes unless `estimate` is set. An image, or a file
 * given as a URL, counts as 1,600 tokens (about one megapixel), and any other file as a quarter of its bytes.
 */
import * as Prompt from "effect/ai/Prompt"
import * as Utf8 from "#domain/text/Utf8"
import { type ShortForm, shorten } from "./Shortening.ts"

/** The token limit of a conversation, and the rules for shortening. */
export interface Options {
  /** The estimated number of tokens above which old results are shortened. */
  readonly maxTokens: number
  /** The number of last rounds that keep their full results. Default 2. */
  readonly keepRounds?: number
  /** Estimates the tokens of a text. Default: a quarter of its UTF-8 bytes. */
  readonly estimate?: (text: string) => number
}

/** A result to shorten, and the shorter text. */
export interface Shortening extends ShortForm {
  readonly callId: string
  readonly tool: string
}

/** Decides which results of a conversation to shorten. */
export interface Planner {
  /** Returns the estimated tokens of a conversation. */
  readonly tokens: (prompt: Prompt.Prompt) => number
  /** Returns the results to shorten, oldest first. The list is empty if the conversation is within the limit. */
  readonly plan: (prompt: Prompt.Prompt) => ReadonlyArray<Shortening>
}

const quarterOfBytes = (text: string): number => Math.ceil(Utf8.length(text) / 4)

/** The share of the limit to which a conversation is shortened. */
const targetShare = 0.75

/** A placeholder that is as long as a real link. */
const sampleUrl = `artifact://${"0".repeat(32)}`

/** Creates a planner. Use one planner for a whole run, because it caches the token count of each message. */
export const planner = ({ estimate = quarterOfBytes, keepRounds = 2, maxTokens }: Options): Planner => {
  const counted = new WeakMap<Prompt.Message, number>()
  const count = (message: Prompt.Message): number => {
    const known = counted.get(message)
    if (known !== undefined) return known
    const tokens = textsOf(message).reduce((sum, text) => sum + estimate(text), 0) + filesOf(message)
    counted.set(message, tokens)
    return tokens
  }
  const tokens = (prompt: Prompt.Prompt) => prompt.content.reduce((sum, message) => sum + count(message), 0)
  const plan = (prompt: Prompt.Prompt) => {
    let left = tokens(prompt)
    if (left <= maxTokens) return []
    const shortenings: Array<Shortening> = []
    for (const part of oldResults(prompt, keepRounds)) {
      if (left <= maxTokens * targetShare) break
      const short = shorten(part)
      const saved =
        short === undefined ? 0 : estimate(textOf(part)) + fileTokens(part) - estimate(short.text(sampleUrl))
      if (short === undefined || saved <= 0) continue
      shortenings.push({ ...short, callId: part.id, tool: part.name })
      left -= saved
    }
    return shortenings
  }
  return { tokens, plan }
}

/** Replaces the results of some calls, by call id. Returns the same prompt if `results` is empty. */
export const replace = (prompt: Prompt.Prompt, results: ReadonlyMap<string, string>): Prompt.Prompt => {
  if (results.size === 0) return prompt
  return Prompt.fromMessages(
    prompt.content.map((message) => {
      if (message.role !== "tool" || !message.content.some((part) => textFor(results, part) !== undefined))
        return message
      const content = message.content.map((part) => {
        const result = textFor(results, part)
        if (part.type !== "tool-result" || result === undefined) return part
        const { id, isFailure, name, options, providerExecuted } = part
        return Prompt.toolResultPart({ id, name, isFailure, result, providerExecuted, options })
      })
      return Prompt.toolMessage({ content, options: message.options })
    })
  )
}

const textFor = (results: ReadonlyMap<string, string>, part: Prompt.ToolMessagePart): string | undefined =>
  part.type === "tool-result" ? results.get(part.id) : undefined

/** Returns the results before the last `keepRounds` rounds, oldest first. */
const oldResults = ({ content }: Prompt.Prompt, keepRounds: number): ReadonlyArray<Prompt.ToolResultPart> => {
  const rounds = content.flatMap((message, index) => (hasCalls(message) ? [index] : []))
  const end = keepRounds <= 0 ? content.length : (rounds.at(-keepRounds) ?? 0)
  return content
    .slice(0, end)
    .flatMap((message) =>
      message.role === "tool" ? message.content.filter((part) => part.type === "tool-result") : []
    )
}

const hasCalls = (message: Prompt.Message): boolean =>
  message.role === "assistant" && message.content.some((part) => part.type === "tool-call" && !part.providerExecuted)

/** Returns the text that the model reads as a result. */
const textOf = (part: Prompt.ToolResultPart): string =>
  part.modelOutput === undefined ? asText(part.result) : Prompt.toolModelOutputToText(part.modelOutput)

/** Returns a value as text. A value that cannot be serialised counts as empty, and is never shortened. */
const asText = (value: unknown): string => {
  try {
    return typeof value === "string" ? value : (JSON.stringify(value) ?? "")
  } catch {
    return ""
  }
}

/** The estimated number of tokens of an image, or of a file given as a URL. */
const pictureTokens = 1600

/** Estimates the tokens of the files that accompany a result. */
const fileTokens = ({ modelOutput = [] }: Pick<Prompt.ToolResultPart, "modelOutput">): number =>
  modelOutput.reduce((sum, part) => sum + (part.type === "file" ? tokensOf(part) : 0), 0)

const tokensOf = ({ data, mediaType }: Prompt.FilePart): number => {
  if (mediaType.startsWith("image/") || data instanceof URL) return pictureTokens
  return Math.ceil((typeof data === "string" ? (data.length * 3) / 4 : data.length) / 4)
}

const filesOf = (message: Prompt.Message): number =>
  typeof message.content === "string"
    ? 0
    : (message.content as ReadonlyArray<Prompt.Part>).reduce(
        (sum, part) =>
          sum + (part.type === "file" ? tokensOf(part) : part.type === "tool-result" ? fileTokens(part) : 0),
        0
      )

const textsOf = (message: Prompt.Message): ReadonlyArray<string> =>
  typeof message.content === "string"
    ? [message.content]
    : (message.content as ReadonlyArray<Prompt.Part>).flatMap((part) => {
        switch (part.type) {
          case "text":
          case "reasoning":
            return [part.text]
          case "tool-call":
            return [part.name, asText(part.params)]
          case "tool-result":
            return [textOf(part)]
          default:
            return []
        }
      })
