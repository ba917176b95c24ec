/** Says what a gap between two schemas means for whoever calls a tool, or reads what it answers. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import type { Reason } from "#kit/containment/Gap"

/** Who is concerned: callers whose arguments are refused or taken, readers of what may come or no longer comes. */
export type View = "refuses" | "takes" | "answers" | "spares"

const longest = 60

/** A value in a sentence. */
export const shown = (value: unknown): string => cut(JSON.stringify(value) ?? "undefined", longest)

const listed = (values: ReadonlyArray<unknown>): string => {
  const some = values.slice(0, 5).map(shown)
  return values.length > 5 ? `${some.join(", ")} and ${values.length - 5} more` : some.join(", ")
}

const an = (type: string): string => `${/^[aeiou]/.test(type) ? "an" : "a"} ${type === "string" ? "text" : type}`

interface Words {
  readonly refuses: string
  readonly takes: string
  readonly answers: string
  readonly spares: string
}

const units: Readonly<Record<string, string>> = {
  minLength: "characters",
  maxLength: "characters",
  minItems: "items",
  maxItems: "items",
  minProperties: "fields",
  maxProperties: "fields"
}

const bound = ({ from, keyword, to }: Extract<Reason, { readonly _tag: "Bound" }>): Words => {
  const unit = units[keyword]
  const [is, more] = unit === undefined ? ["is", ""] : ["has", ` ${unit}`]
  const isLow = keyword.startsWith("min")
  const free =
    from === undefined
      ? unit === undefined
        ? "without a limit"
        : `with any number of ${unit}`
      : `${unit === undefined ? "" : "with "}${isLow ? "from" : "up to"} ${from}${more}`
  const limit = `${is} ${isLow ? "at least" : "at most"} ${to}${more}`
  const was = limit.replace(/^(?:is|has)/, unit === undefined ? "was" : "had")
  return {
    refuses: `${limit} now, it was taken ${free}`,
    takes: `is taken ${free}, it ${was}`,
    answers: `may come ${free}, it ${was}`,
    spares: `${limit} now, it came ${free}`
  }
}

/** What a reason means, seen in all four ways. The side that accepts more is the caller's or the reader's. */
const words = (reason: Reason): Words => {
  switch (reason._tag) {
    case "Values": {
      const values = listed(reason.values)
      return {
        refuses: `no longer takes ${values}`,
        takes: `also takes ${values}`,
        answers: `may be ${values}, which it was not before`,
        spares: `is no longer ${values}`
      }
    }
    case "Type": {
      const type = an(reason.type)
      return {
        refuses: `no longer takes ${type}`,
        takes: `also takes ${type}`,
        answers: `may be ${type}, which it was not before`,
        spares: `is no longer ${type}`
      }
    }
    case "Bound":
      return bound(reason)
    case "Integer":
      return {
        refuses: "takes whole numbers only",
        takes: "takes decimals too",
        answers: "may be a decimal, it was whole",
        spares: "is whole now"
      }
    case "Multiple":
      return {
        refuses: `takes multiples of ${reason.of} only`,
        takes: `takes others than multiples of ${reason.of}`,
        answers: `may be other than a multiple of ${reason.of}`,
        spares: `is a multiple of ${reason.of} now`
      }
    case "Pattern": {
      const pattern = cut(`/${reason.pattern}/`, longest)
      return {
        refuses: `takes only what matches ${pattern}`,
        takes: `takes what does not match ${pattern}`,
        answers: `may be what does not match ${pattern}`,
        spares: `matches ${pattern} now`
      }
    }
    case "Unique":
      return {
        refuses: "takes no item twice",
        takes: "takes an item twice",
        answers: "may hold an item twice",
        spares: "holds no item twice"
      }
    case "Required": {
      const name = shown(reason.name)
      return {
        refuses: `requires ${name} now`,
        takes: `no longer requires ${name}`,
        answers: `may come without ${name}`,
        spares: `always has ${name} now`
      }
    }
    case "Removed": {
      const name = shown(reason.name)
      return {
        refuses: `no longer has ${name}`,
        takes: `has a new field ${name}`,
        answers: `has a field ${name} that was not allowed`,
        spares: `no longer has ${name}`
      }
    }
    case "Closed":
      return {
        refuses: "refuses fields that are not declared",
        takes: "takes fields that are not declared",
        answers: "may have fields that are not declared",
        spares: "has no fields but those that are declared"
      }
    case "Listed": {
      const name = shown(reason.name)
      return {
        refuses: `declares ${name}, which was taken as it came`,
        takes: `no longer declares ${name}: it is taken as it comes`,
        answers: `no longer declares ${name}: it may be anything`,
        spares: `declares ${name}, which might have been anything`
      }
    }
    case "Constraint": {
      const text = cut(reason.text, longest)
      return {
        refuses: `has a constraint of its own: ${text}`,
        takes: `no longer has the constraint ${text}`,
        answers: `no longer has the constraint ${text}`,
        spares: `has a constraint of its own: ${text}`
      }
    }
    case "Alternatives":
      return {
        refuses: "takes less in its alternatives",
        takes: "takes more in its alternatives",
        answers: "may be what none of its alternatives was",
        spares: "has less in its alternatives"
      }
    default: {
      const because = `cannot be compared: ${reason.because}`
      return { refuses: because, takes: because, answers: because, spares: because }
    }
  }
}

/** The words for one view. */
export const worded = (reason: Reason, view: View): string => words(reason)[view]
