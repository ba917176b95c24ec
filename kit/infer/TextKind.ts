/** Infers an enum, a format or an id pattern from texts, if the guess is certain enough. */
import { acceptable, chance, prior, isSure } from "./Certainty.ts"
import type { Format, Kind, Observation } from "./Shape.ts"
import { idPattern } from "./IdPattern.ts"
import * as FieldNames from "./FieldNames.ts"

type Text = Extract<Kind, { readonly _tag: "Text" }>

interface KnownFormat extends Format {
  readonly prior: number
  /** Matches the names of fields that suggest this format. */
  readonly names: RegExp
}

const dated =
  /date|time|day|birth|dob|created|updated|modified|issued|expir|start|end|period|(?:_at|_on|[a-z]At|[a-z]On)$/i

const formats: ReadonlyArray<KnownFormat> = [
  { name: "CalendarDate", pattern: /^\d{4}-\d{2}-\d{2}$/u, prior: prior.format, names: dated },
  {
    name: "Timestamp",
    pattern: /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/u,
    prior: prior.format,
    names: dated
  },
  {
    name: "Uuid",
    pattern: /^[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}$/u,
    prior: prior.format,
    names: /id|key|ref/i
  },
  { name: "WebAddress", pattern: /^https?:\/\/\S+$/u, prior: prior.looseFormat, names: /^$/ },
  { name: "EmailAddress", pattern: /^[^@\s]+@[^@\s]+$/u, prior: prior.looseFormat, names: /^$/ }
]

interface LikelyFormat {
  readonly format: Format
  readonly chance: number
}

const sure = (format: Format, prior: number, samples: number): LikelyFormat | undefined => {
  const risk = chance(prior, samples)
  return risk <= acceptable ? { format, chance: risk } : undefined
}

const formatOf = (texts: ReadonlyArray<string>, name: string): LikelyFormat | undefined => {
  const known = formats.find(({ pattern }) => texts.every((text) => pattern.test(text)))
  if (known !== undefined) return sure(known, known.names.test(name) ? prior.namedFormat : known.prior, texts.length)
  if (!FieldNames.isIdentifying(name) || !isSure(prior.pattern, texts.length)) return undefined
  const pattern = idPattern(texts)
  return pattern === undefined ? undefined : sure({ pattern }, prior.pattern, texts.length)
}

/** The maximum number of values of an enum. */
const maxChoices = 16

/** The minimum number of entities that have each value of an enum. */
const minCount = 3

/** Counts the entities of each text. Returns the most frequent text first. */
const supported = (texts: ReadonlyArray<Observation>): ReadonlyArray<readonly [text: string, entities: number]> => {
  const entities = new Map<string, Set<string>>()
  for (const { entity, value } of texts) {
    const text = value as string // the samples of a text are strings
    entities.set(text, (entities.get(text) ?? new Set()).add(entity))
  }
  return [...entities]
    .map(([text, of]): readonly [string, number] => [text, of.size])
    .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
}

/** Returns the chance that the next sample violates an enum of these values, or `undefined` if they are not an enum. */
const choice = (values: Text["values"], name: string): number | undefined => {
  const isLikely =
    values.length >= 2 &&
    values.length <= maxChoices &&
    FieldNames.mayBeEnum(name) &&
    values.every(([text, count]) => FieldNames.isWord(text) && count >= minCount)
  if (!isLikely) return undefined
  const entities = values.reduce((sum, [, count]) => sum + count, 0)
  const risk = chance(prior.choice * values.length, entities)
  return risk <= acceptable ? risk : undefined
}

/** Infers the kind of texts, which are values of a field or complete results. */
export const textOf = (texts: ReadonlyArray<Observation>, name: string): Text => {
  const values = supported(texts)
  const all = values.map(([text]) => text)
  const found = formatOf(all, name)
  const risk = found === undefined ? choice(values, name) : undefined
  return {
    _tag: "Text",
    different: values.length,
    values: values.slice(0, maxChoices),
    isChoice: risk !== undefined,
    ...found,
    ...(risk === undefined ? {} : { chance: risk })
  }
}
