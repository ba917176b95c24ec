/** Infers the result of one tool from its recorded results. */
import { hiddenFailure } from "effect-toolguard/internal/checks/Recognisers"
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import type { RecordedResults, RecordedText } from "./RecordedResults.ts"
import * as Sample from "./Sample.ts"
import type { Observation, Shape } from "./Shape.ts"
import { shapeOf } from "./shapeOf.ts"
import { textOf } from "./TextKind.ts"

/** The numbers of results that were used and that were not used. */
export interface Counts {
  /** The number of all results in the log. */
  readonly results: number
  readonly conversations: number
  /** The number of failures, which the log marks or the recognisers find. */
  readonly failures: number
  /** The number of results that are truncated JSON. */
  readonly cut: number
  /** The number of plain texts of a tool that otherwise returns JSON. */
  readonly text: number
  /** The number of results from which the schema was inferred. */
  readonly used: number
  /** The number of different results among the used results. */
  readonly different: number
}

/** The inferred result of one tool. */
export interface InferredResult {
  readonly tool: string
  readonly counts: Counts
  /** The format of the tool's results. */
  readonly answers: "json" | "text"
  /** True if the log contains Python reprs. The shape then describes the same values as JSON. */
  readonly isRepr: boolean
  readonly shape: Shape
}

/** A recorded result: JSON or the repr of a Python value, plain text, truncated JSON, or a failure. */
type Reading =
  | { readonly _tag: "Json"; readonly value: unknown; readonly isRepr: boolean }
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Cut" }
  | { readonly _tag: "Failure" }

/** True if a value is a string that does not contain an object or a list as JSON. */
const isPlainText = (value: unknown): boolean => typeof value === "string" && !/^\s*[[{]/.test(value)

/** Reads one result. */
export const readResult = (text: string): Reading => {
  if (hiddenFailure(text)._tag === "Garbage") return { _tag: "Failure" }
  const sample = Sample.read(text)
  if (sample._tag === "Cut") return sample
  return sample._tag === "Other" || isPlainText(sample.value)
    ? { _tag: "Text", text }
    : { _tag: "Json", value: sample.value, isRepr: sample.notation === "python" }
}

/** The minimum share of JSON among a tool's results at which its plain texts are ignored. */
const mostlyJson = 0.9

type ReadText = RecordedText & { readonly reading: Reading }

/** Infers the result of a tool. */
export const inferResult = ({ conversations, errors, results, texts, tool }: RecordedResults): InferredResult => {
  const readings = [...texts.values()].map((recorded): ReadText => ({
    ...recorded,
    reading: readResult(recorded.text)
  }))
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

/** Returns the different JSON values. */
const values = (readings: ReadonlyArray<ReadText>): ReadonlyArray<Observation> => {
  const found = new Map<string, unknown>()
  for (const { reading } of readings) {
    if (reading._tag === "Json") found.set(CallKey.canonical(reading.value), reading.value)
  }
  return [...found].map(([entity, value]) => ({ value, entity }))
}

/** Returns each text once per conversation, because repetition within a conversation is not evidence. */
const lines = (readings: ReadonlyArray<ReadText>): ReadonlyArray<Observation> =>
  readings.flatMap(({ conversations, reading, text }) =>
    reading._tag === "Text" || reading._tag === "Json"
      ? Array.from({ length: conversations }, (_, conversation) => ({ value: text, entity: String(conversation) }))
      : []
  )
