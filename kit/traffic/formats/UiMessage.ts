/**
 * Splits an assistant's `UIMessage` into rounds. One message can contain several rounds with the results of their
 * calls.
 *
 * **Details**
 *
 * - A round starts at a `step-start`, or at a text after a call if the message has no `step-start`. Messages of version 4
 *   without parts number their rounds by the `step` of an invocation, and their text comes last.
 * - The states `input-streaming` and `partial-call` mark calls that the model did not finish.
 * - A call that is waiting for its tool or for approval has no result. The result of a call that a person denied is the
 *   reason, as an error.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as Content from "#kit/traffic/Content"
import type { RecordedCall, RecordedMessage } from "#kit/traffic/Conversation"
import type { Draft } from "#kit/traffic/Draft"

/** Returns true if a message has parts or invocations, which only UI messages have. */
export const isUiMessage = ({ parts, toolInvocations }: JsonObject): boolean =>
  Array.isArray(parts) || Array.isArray(toolInvocations)

interface Round {
  text: string
  readonly calls: Array<RecordedCall>
  readonly results: Array<RecordedMessage>
  isCut: boolean
}

const empty = (): Round => ({ text: "", calls: [], results: [], isCut: false })

/** Adds the rounds of an assistant message. */
export const add = (draft: Draft, message: JsonObject): void => {
  const { content, parts, toolInvocations } = message
  const rounds = Array.isArray(parts)
    ? roundsOf(Fields.list(parts))
    : [...stepsOf(Fields.list(toolInvocations)), { ...empty(), text: Content.textOf(content) }]
  const before = draft.messages.length
  for (const { calls, isCut, results, text } of rounds) {
    if (text === "" && calls.length === 0) continue
    draft.messages.push({ role: "assistant", text, calls, ...(isCut ? { isCut } : {}) }, ...results)
  }
  if (draft.messages.length === before) draft.messages.push({ role: "assistant", text: "", calls: [] })
}

const roundsOf = (parts: ReadonlyArray<JsonObject>): ReadonlyArray<Round> => {
  const hasSteps = parts.some(({ type }) => type === "step-start")
  const rounds: Array<Round> = []
  let round = empty()
  const next = (): void => {
    rounds.push(round)
    round = empty()
  }
  for (const part of parts) {
    const { text, type } = part
    if (type === "step-start") next()
    else if (type === "text" && typeof text === "string") {
      if (!hasSteps && round.calls.length > 0) next()
      round.text = round.text === "" ? text : `${round.text}\n${text}`
    } else if (type === "tool-invocation") addInvocation(round, Fields.of(part["toolInvocation"]))
    else if (type === "dynamic-tool") addPart(round, part, Fields.string(part["toolName"]))
    else if (typeof type === "string" && type.startsWith(prefix)) addPart(round, part, type.slice(prefix.length))
  }
  next()
  return rounds
}

const prefix = "tool-"

/** Adds a part of version 5 or later. */
const addPart = (round: Round, part: JsonObject, name: string): void => {
  const { approval, errorText, input, output, providerExecuted, rawInput, state, toolCallId } = part
  if (providerExecuted === true) return
  const callId = Fields.string(toolCallId)
  round.calls.push({ id: callId, name, arguments: input ?? rawInput ?? "" })
  if (state === "input-streaming") round.isCut = true
  if (state === "output-available") {
    round.results.push({ role: "tool", callId, text: Content.jsonOf(output), isError: false })
  }
  if (state === "output-error") {
    round.results.push({ role: "tool", callId, text: Content.jsonOf(errorText), isError: true })
  }
  if (state === "output-denied") {
    const { reason } = Fields.of(approval)
    round.results.push({ role: "tool", callId, text: Content.jsonOf(reason), isError: true })
  }
}

/** Adds an invocation of version 4. */
const addInvocation = (round: Round, { args, result, state, toolCallId, toolName }: JsonObject): void => {
  const callId = Fields.string(toolCallId)
  round.calls.push({ id: callId, name: Fields.string(toolName), arguments: args ?? "" })
  if (state === "partial-call") round.isCut = true
  if (state === "result") round.results.push({ role: "tool", callId, text: Content.jsonOf(result) })
}

const stepsOf = (invocations: ReadonlyArray<JsonObject>): ReadonlyArray<Round> => {
  const rounds = new Map<number, Round>()
  for (const invocation of invocations) {
    const step = Fields.count(invocation["step"]) ?? 0
    const round = rounds.get(step) ?? empty()
    rounds.set(step, round)
    addInvocation(round, invocation)
  }
  return [...rounds].sort(([one], [other]) => one - other).map(([, round]) => round)
}
