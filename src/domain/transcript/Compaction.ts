/**
 * Keeps a conversation within a budget of tokens: old tool results become a short preview and a link (SPEC 9.3).
 *
 * **Details**
 *
 * - Oldest first, and never those of the last rounds. What users and models wrote is never touched, nor are errors, which
 *   are short and say what to do. Each call keeps its one result.
 * - Over the budget it shortens until three quarters of it are left, so that it happens seldom: each time, the provider has
 *   to read the whole conversation anew.
 * - Compacting twice changes nothing more; a smaller budget shortens at least what a larger one does.
 *
 * **Gotchas**
 *
 * Tokens are estimated from texts. A picture counts 1,600 tokens, about what one of a million pixels costs; any other file
 * a quarter of its bytes.
 */
import * as Prompt from "effect/ai/Prompt"
import * as Utf8 from "#domain/text/Utf8"
import { type Short, shorten } from "./Shortening.ts"

export interface Options {
  /** Tokens of the conversation above which old results are shortened, as estimated. */
  readonly maxTokens: number
  /** Rounds at the end whose results stay whole. Default 2. */
  readonly keepRounds?: number
  /** Tokens of a text. Default: a quarter of its UTF-8 bytes. */
  readonly estimate?: (text: string) => number
}

/** A result that is to be shortened. */
export interface Shortening extends Short {
  readonly callId: string
  readonly tool: string
}

export interface Planner {
  /** Tokens of a conversation, as estimated. */
  readonly tokens: (prompt: Prompt.Prompt) => number
  /** What is to be shortened so that it keeps within its budget; nothing where it does. */
  readonly plan: (prompt: Prompt.Prompt) => ReadonlyArray<Shortening>
}

const bytesByFour = (text: string): number => Math.ceil(Utf8.length(text) / 4)

/** The share of the budget down to which it is shortened. */
const enough = 0.75

/** As long as a real link. */
const anyUrl = `artifact://${"0".repeat(32)}`

/** Says of conversations what is to be shortened. Made once a run: what was counted is not counted again. */
export const planner = ({ estimate = bytesByFour, keepRounds = 2, maxTokens }: Options): Planner => {
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
      if (left <= maxTokens * enough) break
      const short = shorten(part)
      const saved = short === undefined ? 0 : estimate(textOf(part)) + fileTokens(part) - estimate(short.text(anyUrl))
      if (short === undefined || saved <= 0) continue
      shortenings.push({ ...short, callId: part.id, tool: part.name })
      left -= saved
    }
    return shortenings
  }
  return { tokens, plan }
}

/** The conversation with the results of some calls replaced. */
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

/** The results before the last `keepRounds` rounds, oldest first. */
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

/** What a model reads of a result. */
const textOf = (part: Prompt.ToolResultPart): string =>
  part.modelOutput === undefined ? asText(part.result) : Prompt.toolModelOutputToText(part.modelOutput)

/** What cannot be written counts nothing, and stays. */
const asText = (value: unknown): string => {
  try {
    return typeof value === "string" ? value : (JSON.stringify(value) ?? "")
  } catch {
    return ""
  }
}

/** Tokens of a picture. */
const pictureTokens = 1600

/** Tokens of the files beside a result, as estimated. */
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
