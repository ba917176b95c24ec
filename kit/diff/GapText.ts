/** Describes the meaning of a gap between two schemas for callers of a tool, or for readers of its results. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import type { Reason } from "#kit/containment/Gap"
import type { Consequence } from "./Change.ts"

const maxShownLength = 60

/** Formats a value as JSON, cut to 60 characters. */
export const shown = (value: unknown): string => cut(JSON.stringify(value) ?? "undefined", maxShownLength)

const listed = (values: ReadonlyArray<unknown>): string => {
  const some = values.slice(0, 5).map(shown)
  return values.length > 5 ? `${some.join(", ")} and ${values.length - 5} more` : some.join(", ")
}

const an = (type: string): string => `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`

type Sentences = Readonly<Record<Consequence, string>>

const units: Readonly<Record<string, string>> = {
  minLength: "characters",
  maxLength: "characters",
  minItems: "items",
  maxItems: "items",
  minProperties: "fields",
  maxProperties: "fields"
}

const boundSentences = ({ from, keyword, to }: Extract<Reason, { readonly _tag: "Bound" }>): Sentences => {
  const unit = units[keyword]
  const side = keyword.startsWith("min") ? "at least" : "at most"
  const range = (bound: number | undefined): string =>
    bound === undefined
      ? `any number${unit === undefined ? "" : ` of ${unit}`}`
      : `${side} ${bound}${unit === undefined ? "" : ` ${unit}`}`
  const change = (after: number | undefined, before: number | undefined): string =>
    unit === undefined
      ? `is now ${range(after)}, was ${range(before)}`
      : `now has ${range(after)}, had ${range(before)}`
  const [narrower, wider] = [change(to, from), change(from, to)]
  return { refused: narrower, accepted: wider, possible: wider, impossible: narrower }
}

const sentences = (reason: Reason): Sentences => {
  switch (reason._tag) {
    case "Values":
    case "Type": {
      const values = reason._tag === "Values" ? listed(reason.values) : an(reason.type)
      return {
        refused: `no longer accepts ${values}`,
        accepted: `also accepts ${values}`,
        possible: `may now be ${values}`,
        impossible: `is no longer ${values}`
      }
    }
    case "Bound":
      return boundSentences(reason)
    case "Integer":
      return {
        refused: "accepts only whole numbers",
        accepted: "also accepts decimals",
        possible: "may now be a decimal",
        impossible: "is now a whole number"
      }
    case "Multiple":
      return {
        refused: `accepts only multiples of ${reason.of}`,
        accepted: `also accepts numbers that are not multiples of ${reason.of}`,
        possible: `may now be a number that is not a multiple of ${reason.of}`,
        impossible: `is now a multiple of ${reason.of}`
      }
    case "Pattern": {
      const pattern = cut(`/${reason.pattern}/`, maxShownLength)
      return {
        refused: `accepts only strings that match ${pattern}`,
        accepted: `also accepts strings that do not match ${pattern}`,
        possible: `may now be a string that does not match ${pattern}`,
        impossible: `now matches ${pattern}`
      }
    }
    case "Unique":
      return {
        refused: "no longer accepts repeated items",
        accepted: "also accepts repeated items",
        possible: "may now have repeated items",
        impossible: "no longer has repeated items"
      }
    case "Required": {
      const name = shown(reason.name)
      return {
        refused: `now requires ${name}`,
        accepted: `no longer requires ${name}`,
        possible: `may now omit ${name}`,
        impossible: `now always has ${name}`
      }
    }
    case "Removed": {
      const name = shown(reason.name)
      return {
        refused: `no longer has ${name}`,
        accepted: `has a new field ${name}`,
        possible: `has a new field ${name}, which was not allowed`,
        impossible: `no longer has ${name}`
      }
    }
    case "Closed":
      return {
        refused: "no longer accepts undeclared fields",
        accepted: "also accepts undeclared fields",
        possible: "may now have undeclared fields",
        impossible: "no longer has undeclared fields"
      }
    case "Listed": {
      const name = shown(reason.name)
      return {
        refused: `now declares ${name}, which accepted any value`,
        accepted: `no longer declares ${name}, which now accepts any value`,
        possible: `no longer declares ${name}, which may now be any value`,
        impossible: `now declares ${name}, which could be any value`
      }
    }
    case "Constraint": {
      const text = cut(reason.text, maxShownLength)
      const [added, removed] = [`has the new constraint ${text}`, `no longer has the constraint ${text}`]
      return { refused: added, accepted: removed, possible: removed, impossible: added }
    }
    case "Alternatives":
      return {
        refused: "accepts fewer values in its alternatives",
        accepted: "accepts more values in its alternatives",
        possible: "may now be a value that none of its alternatives allowed",
        impossible: "allows fewer values in its alternatives"
      }
    case "Unknown": {
      const text = `cannot be compared: ${reason.because}`
      return { refused: text, accepted: text, possible: text, impossible: text }
    }
  }
}

/** Returns the sentence for one consequence, without its subject: `no longer accepts "late"`. */
export const describe = (reason: Reason, consequence: Consequence): string => sentences(reason)[consequence]
