/** Checks that no canary reaches a model or a person. */
import * as Canary from "#kit/fuzz/cases/Canary"
import type { Observation } from "#kit/fuzz/simulation/Observation"
import type * as Prompt from "effect/ai/Prompt"
import type { PromiseCheck } from "./PromiseCheck.ts"
import { envelopeOf } from "./Results.ts"

/** Checks that no envelope, no tool result of the conversation and no message to a person contains a canary. */
export const secrets: PromiseCheck = (_, __, observation) => {
  for (const text of readByModel(observation)) {
    const mark = leakOf(text)
    if (mark !== undefined) return `A model reads ${Canary.nameOf(mark)} (${mark}): ${around(text, mark)}`
  }
  const mark = observation.escalated.map((text) => Canary.leak(text, false)).find((found) => found !== undefined)
  return mark === undefined ? undefined : `A person is shown ${Canary.nameOf(mark)} (${mark}).`
}

const readByModel = ({ calls, transcript }: Observation): ReadonlyArray<string> => [
  ...calls.flatMap(({ answer }) => (answer === undefined ? [] : [answer.text])),
  ...(transcript === undefined ? [] : resultsOf(transcript))
]

const resultsOf = ({ content }: Prompt.Prompt): ReadonlyArray<string> =>
  content.flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part) => (part.type === "tool-result" ? [String(part.result)] : []))
      : []
  )

/**
 * Finds a canary in an envelope. Ignores `next`, which repeats the model's arguments, and paths of the host in results.
 */
const leakOf = (text: string): string | undefined => {
  const envelope = envelopeOf(text)
  if (envelope?.error === undefined) return Canary.leak(text, envelope === undefined)
  const { next: _next, ...checked } = envelope.error
  return (
    Canary.leak(JSON.stringify(checked), true) ?? Canary.leak(JSON.stringify({ ...envelope, error: checked }), false)
  )
}

/** Returns the text around a leak, with the mark in place of the leaked text. */
const around = (text: string, mark: string): string => {
  const shown = text.replaceAll(Canary.expand(mark), mark)
  const start = Math.max(0, shown.indexOf(mark))
  return shown.slice(Math.max(0, start - 60), start + 60)
}
