/** Infers what one tool answers with from its recorded results. */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { type Reading, read } from "./Reading.ts"
import type { RecordedResults, RecordedText } from "./Recorded.ts"
import type { Observation, Shape } from "./Shape.ts"
import { shapeOf } from "./shapeOf.ts"
import { textOf } from "./Texts.ts"

/** What was looked at, and what was left out. */
export interface Counts {
  /** All results in the log. */
  readonly results: number
  readonly conversations: number
  /** Results that are failures, by the log or by the recognisers. */
  readonly failures: number
  /** Results that are JSON up to where they were cut. */
  readonly cut: number
  /** Of a tool that answers with JSON: results that are plain text. */
  readonly text: number
  /** Results that the schema rests on. */
  readonly used: number
  /** Those of them that differ. */
  readonly different: number
}

export interface InferredResult {
  readonly tool: string
  readonly counts: Counts
  /** Whether its results are JSON, or text. */
  readonly answers: "json" | "text"
  /** The log holds results as a Python client prints them; the shape is of the JSON of that. */
  readonly isRepr: boolean
  readonly shape: Shape
}

/** Share of results that are JSON from which plain texts beside them are no answers of another kind. */
const mostlyJson = 0.9

type Read = RecordedText & { readonly reading: Reading }

/** What a tool answers with. */
export const inferResult = ({ conversations, errors, results, texts, tool }: RecordedResults): InferredResult => {
  const readings = [...texts.values()].map((recorded): Read => ({ ...recorded, reading: read(recorded.text) }))
  const sum = (tag: Reading["_tag"]) =>
    readings.reduce((total, { count, reading }) => total + (reading._tag === tag ? count : 0), 0)
  const [json, text] = [sum("Json"), sum("Text")]
  const answers = json > 0 && json >= mostlyJson * (json + text) ? "json" : "text"
  const samples = answers === "json" ? values(readings) : lines(readings)
  const different = answers === "json" ? samples : new Set(samples.map(({ value }) => value))
  return {
    tool,
    answers,
    isRepr: readings.some(({ reading }) => reading._tag === "Json" && reading.isRepr),
    counts: {
      results,
      conversations,
      failures: errors + sum("Failure"),
      cut: sum("Cut"),
      text: answers === "json" ? text : 0,
      used: answers === "json" ? json : json + text,
      different: "length" in different ? different.length : different.size
    },
    shape:
      answers === "json"
        ? shapeOf(samples, { name: tool, of: "tool", isRoot: true })
        : { seen: samples.length, nulls: 0, isNullable: false, kind: textOf(samples, tool) }
  }
}

/** The different values among results that are JSON. */
const values = (readings: ReadonlyArray<Read>): ReadonlyArray<Observation> => {
  const found = new Map<string, unknown>()
  for (const { reading } of readings) {
    if (reading._tag === "Json") found.set(CallKey.canonical(reading.value), reading.value)
  }
  return [...found].map(([entity, value]) => ({ value, entity }))
}

/** The texts, once for each conversation: what the same one repeats is no evidence. */
const lines = (readings: ReadonlyArray<Read>): ReadonlyArray<Observation> =>
  readings.flatMap(({ conversations, reading, text }) =>
    reading._tag === "Text" || reading._tag === "Json"
      ? Array.from({ length: conversations }, (_, conversation) => ({ value: text, entity: String(conversation) }))
      : []
  )
