/** Lists the guesses of a shape with their evidence, for `--json`. */
import { chance, prior } from "./Certainty.ts"
import type { Kind, Property, Shape } from "./Shape.ts"

/** One guess, with its evidence. */
interface Guess {
  /** The path of the value, such as `flights[].date`. Empty for the result itself. */
  readonly path: string
  readonly guess: "optional" | "nullable" | "integer" | "enum" | "format" | "pattern" | "record" | "union" | "held"
  /**
   * The size of the evidence: the objects without an optional field, the nulls, the different numbers or texts, the
   * entities of an enum, or the different field names of a record. For a union, or a value inside a text, all samples,
   * including nulls.
   */
  readonly samples: number
  /** The chance that the next sample violates the guess. Absent if there is no estimate. */
  readonly chance?: number
  /** The values of an enum, the pattern of a format, the discriminator of a union, or the notation of a value inside a text. */
  readonly detail?: string | ReadonlyArray<string>
}

/** Returns all guesses of a shape, the outermost first. */
export const guesses = (shape: Shape, path = ""): ReadonlyArray<Guess> => {
  const { isNullable, kind, nulls, seen } = shape
  const nullable: ReadonlyArray<Guess> = isNullable ? [{ path, guess: "nullable", samples: nulls }] : []
  return [...nullable, ...own(kind, path, seen), ...inside(kind, path)]
}

const own = (kind: Kind, path: string, seen: number): ReadonlyArray<Guess> => {
  switch (kind._tag) {
    case "Number": {
      const { chance, different, isInteger } = kind
      return isInteger ? [{ path, guess: "integer", samples: different, chance }] : []
    }
    case "Text":
      return ofText(kind, path)
    case "Entries":
      return [{ path, guess: "record", samples: kind.names }]
    case "Either":
      return [{ path, guess: "union", samples: seen, ...(kind.by === undefined ? {} : { detail: kind.by }) }]
    case "Held":
      return [{ path, guess: "held", samples: seen, chance: chance(prior.held, seen), detail: kind.notation }]
    default:
      return []
  }
}

const ofText = (kind: Extract<Kind, { readonly _tag: "Text" }>, path: string): ReadonlyArray<Guess> => {
  const { different, format, isChoice, values } = kind
  const risk = kind.chance === undefined ? {} : { chance: kind.chance }
  if (format !== undefined) {
    const guess = format.name === undefined ? "pattern" : "format"
    return [{ path, guess, samples: different, ...risk, detail: format.pattern.source }]
  }
  const samples = values.reduce((sum, [, count]) => sum + count, 0)
  return isChoice ? [{ path, guess: "enum", samples, ...risk, detail: values.map(([text]) => text).toSorted() }] : []
}

const inside = (kind: Kind, path: string): ReadonlyArray<Guess> => {
  switch (kind._tag) {
    case "Fields":
      return kind.properties.flatMap((property) => ofProperty(property, path))
    case "List":
      return guesses(kind.items, `${path}[]`)
    case "Entries":
      return guesses(kind.values, `${path}{}`)
    case "Held":
      return guesses(kind.inside, path)
    case "Either":
      return kind.members.flatMap((member) => guesses(member, path))
    default:
      return []
  }
}

const ofProperty = ({ isOptional, name, of, shape }: Property, path: string): ReadonlyArray<Guess> => {
  const at = path === "" ? name : `${path}.${name}`
  const optional: ReadonlyArray<Guess> = isOptional ? [{ path: at, guess: "optional", samples: of - shape.seen }] : []
  return [...optional, ...guesses(shape, at)]
}
