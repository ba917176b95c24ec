/** Guidance for a person, shown next to the sentence of a question or notice [10.2]. */
import * as Schema from "effect/Schema"

/** Each text is at most 200 characters long, and contains no text of a tool, server or model except a tool's name. */
export const Guidance = Schema.Struct({
  /** What the guard has done. */
  did: Schema.String,
  /** What the person can do. */
  choices: Schema.String,
  /** What happens if the person does nothing. */
  otherwise: Schema.String
})
export type Guidance = typeof Guidance.Type

/** Returns the guidance as lines, each with a label. */
export const linesOf = ({ choices, did, otherwise }: Guidance): ReadonlyArray<string> => [
  `What the guard did: ${did}`,
  `What you can do: ${choices}`,
  `If you do nothing: ${otherwise}`
]
