/** Reads the input and the output of a traced model call as a request with its answer. */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type { Exchange } from "#kit/traffic/Assembler"
import type { Place, RecordedTool } from "#kit/traffic/Conversation"
import * as Draft from "#kit/traffic/Draft"
import { type Item, skipped } from "#kit/traffic/Reader"
import * as AnyChat from "./AnyChat.ts"

/** A traced model call. */
interface ModelCall {
  readonly place: Place
  readonly input: unknown
  readonly output: unknown
  readonly model: string
  readonly tools: ReadonlyArray<RecordedTool>
  readonly usage: { readonly input: number; readonly output: number } | undefined
}

/** The request of a model call, and what could not be read. */
interface ReadRequest {
  /** Absent if the call has no messages. */
  readonly request?: Omit<Exchange, "id" | "key">
  readonly skipped: ReadonlyArray<Item>
}

/** Reads a traced model call. */
export const read = ({ input, model, output, place, tools, usage }: ModelCall): ReadRequest => {
  const draft = Draft.make()
  AnyChat.addRequest(draft, input)
  const requestLength = draft.messages.length
  AnyChat.addAnswer(draft, output)
  const { messages } = draft
  const last = messages.length > requestLength ? messages.at(-1) : undefined
  const isAnswered = last?.role === "assistant"
  if (isAnswered) messages.pop()
  const answer =
    isAnswered && usage !== undefined ? { ...last, usage: last.usage ?? usage } : isAnswered ? last : undefined
  const reports = Draft.skippedItems(draft, place)
  if (messages.length === 0 && answer === undefined) {
    const none = skipped(place, "A model request has no messages: contents were not recorded.")
    return { skipped: reports.length === 0 ? [none] : reports }
  }
  return {
    request: { place, model: model === "" ? undefined : model, tools, messages, answer, isIncremental: false },
    skipped: reports
  }
}

/** Returns the tools that an input lists, as logged. */
export const listedTools = (input: JsonObject): unknown => {
  const { functions, tools = functions } = input
  return tools
}
