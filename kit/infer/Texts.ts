/** What texts have in common: an enum, a format, a pattern of ids; nothing, where that is not certain. */
import { bearable, chance, doubt, isSure } from "./Certainty.ts"
import type { Format, Kind, Observation } from "./Shape.ts"
import { idPattern } from "./IdPattern.ts"
import * as Words from "./Words.ts"

type Text = Extract<Kind, { readonly _tag: "Text" }>

interface Known extends Format {
  readonly doubt: number
  /** Names of fields that say so. */
  readonly says: RegExp
}

const dated =
  /date|time|day|birth|dob|created|updated|modified|issued|expir|start|end|period|(?:_at|_on|[a-z]At|[a-z]On)$/i

const formats: ReadonlyArray<Known> = [
  { name: "CalendarDate", pattern: /^\d{4}-\d{2}-\d{2}$/u, doubt: doubt.format, says: dated },
  {
    name: "Timestamp",
    pattern: /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/u,
    doubt: doubt.format,
    says: dated
  },
  {
    name: "Uuid",
    pattern: /^[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}$/u,
    doubt: doubt.format,
    says: /id|key|ref/i
  },
  { name: "WebAddress", pattern: /^https?:\/\/\S+$/u, doubt: doubt.looseFormat, says: /^$/ },
  { name: "EmailAddress", pattern: /^[^@\s]+@[^@\s]+$/u, doubt: doubt.looseFormat, says: /^$/ }
]

interface Found {
  readonly format: Format
  readonly chance: number
}

const sure = (format: Format, prior: number, samples: number): Found | undefined => {
  const risk = chance(prior, samples)
  return risk <= bearable ? { format, chance: risk } : undefined
}

const formatOf = (texts: ReadonlyArray<string>, name: string): Found | undefined => {
  const known = formats.find(({ pattern }) => texts.every((text) => pattern.test(text)))
  if (known !== undefined) return sure(known, known.says.test(name) ? doubt.namedFormat : known.doubt, texts.length)
  if (!Words.isIdentifying(name) || !isSure(doubt.pattern, texts.length)) return undefined
  const pattern = idPattern(texts)
  return pattern === undefined ? undefined : sure({ pattern }, doubt.pattern, texts.length)
}

/** More values than this are no enum that anybody would read. */
const mostChoices = 16

/** Entities that must have had a value before it counts as one that repeats. */
const fewest = 3

/** Texts with the number of entities that had them, the most frequent first. */
const supported = (texts: ReadonlyArray<Observation>): ReadonlyArray<readonly [text: string, entities: number]> => {
  const entities = new Map<string, Set<string>>()
  for (const { entity, value } of texts) {
    const text = value as string
    entities.set(text, (entities.get(text) ?? new Set()).add(entity))
  }
  return [...entities]
    .map(([text, of]): readonly [string, number] => [text, of.size])
    .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
}

/** The chance that an enum of these values is broken; undefined where they are none. */
const choice = (values: Text["values"], name: string): number | undefined => {
  const isLikely =
    values.length >= 2 &&
    values.length <= mostChoices &&
    Words.mayChoose(name) &&
    values.every(([text, count]) => Words.isWord(text) && count >= fewest)
  if (!isLikely) return undefined
  const entities = values.reduce((sum, [, count]) => sum + count, 0)
  const risk = chance(doubt.choice * values.length, entities)
  return risk <= bearable ? risk : undefined
}

/** What is known of the texts of a field, or of a result as a whole. */
export const textOf = (texts: ReadonlyArray<Observation>, name: string): Text => {
  const values = supported(texts)
  const all = values.map(([text]) => text)
  const found = formatOf(all, name)
  const risk = found === undefined ? choice(values, name) : undefined
  return {
    _tag: "Text",
    different: values.length,
    values: values.slice(0, mostChoices),
    isChoice: risk !== undefined,
    ...found,
    ...(risk === undefined ? {} : { chance: risk })
  }
}
