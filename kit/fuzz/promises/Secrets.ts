/** Nothing that a model must not read is in what it reads, nor in what a person is told. */
import * as Canary from "#kit/fuzz/cases/Canary"
import type { Played } from "#kit/fuzz/play/Played"
import type * as Prompt from "effect/ai/Prompt"
import type { Promised } from "./Promised.ts"
import { envelopeOf } from "./Results.ts"

export const secrets: Promised = (_, __, played) => {
  for (const text of readByModel(played)) {
    const mark = leakOf(text)
    if (mark !== undefined) return `A model reads ${Canary.nameOf(mark)} (${mark}): ${around(text, mark)}`
  }
  const mark = played.told.map((text) => Canary.leak(text, false)).find((found) => found !== undefined)
  return mark === undefined ? undefined : `A person is told ${Canary.nameOf(mark)} (${mark}).`
}

const readByModel = ({ calls, transcript }: Played): ReadonlyArray<string> => [
  ...calls.flatMap(({ answer }) => (answer === undefined ? [] : [answer.text])),
  ...(transcript === undefined ? [] : resultsOf(transcript))
]

const resultsOf = ({ content }: Prompt.Prompt): ReadonlyArray<string> =>
  content.flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part) => (part.type === "tool-result" ? [String(part.result)] : []))
      : []
  )

/** Paths of the host may stand in results, not in errors. `next` repeats what the model sent itself. */
const leakOf = (text: string): string | undefined => {
  const envelope = envelopeOf(text)
  if (envelope?.error === undefined) return Canary.leak(text, envelope === undefined)
  const { next: _next, ...told } = envelope.error
  return Canary.leak(JSON.stringify(told), true) ?? Canary.leak(JSON.stringify({ ...envelope, error: told }), false)
}

/** What stands around a leak, the leak itself left out. */
const around = (text: string, mark: string): string => {
  const shown = text.replaceAll(Canary.expand(mark), mark)
  const place = Math.max(0, shown.indexOf(mark))
  return shown.slice(Math.max(0, place - 60), place + 60)
}
