/** Reports a tool that does several things. */
import type { Access } from "effect-toolguard/internal/domain/tool/Access"
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { field } from "effect-toolguard/internal/domain/json/JsonObject"
import { overTool } from "./Rule.ts"
import type { Fault, Subject } from "#kit/lint/reading/Subject"
import { accessOf, isPlainVerb } from "#kit/lint/reading/Verbs"
import { wordsOf } from "#kit/lint/reading/EnglishWords"

export const nameSingleMeaning = overTool(
  {
    id: "name-single-meaning",
    category: "naming",
    step: 1,
    severity: "warning",
    title: "A tool does one thing.",
    why: "If a parameter decides whether a tool reads or writes, no permission, retry, approval or description fits all of its actions. A tool that does two things can do the first and fail at the second.",
    example: {
      bad: `{
  "name": "manage_note",
  "description": "Manages notes.",
  "parameters": {
    "type": "object",
    "properties": { "action": { "type": "string", "enum": ["get", "create", "delete"] } }
  }
}`,
      good: `[
  { "name": "get_note", "description": "Gets a note.", "parameters": { "type": "object" } },
  { "name": "delete_note", "description": "Deletes a note.", "parameters": { "type": "object" } }
]`
    }
  },
  (subject) => [...twoVerbs(subject), ...switches(subject)]
)

const twoVerbs = ({ tool: { at, name }, words }: Subject): ReadonlyArray<Fault> => {
  const index = words.findIndex((word) => word === "and" || word === "or")
  const [before = "", after = ""] = [words[0], words[index + 1]]
  return index > 0 &&
    !idioms.has(`${words[index - 1]} ${after}`) &&
    before !== after &&
    isPlainVerb(before) &&
    isPlainVerb(after)
    ? [
        {
          at: at.name,
          message: `The name ${cut(shown(name), 80)} combines two actions, ${before} and ${after}; make it two tools.`
        }
      ]
    : []
}

/** Pairs of verbs that name one action. */
const idioms = new Set(["search replace", "find replace", "drag drop", "copy paste", "cut paste", "get set"])

const switching = new Set(["action", "operation", "command", "op", "task", "function", "verb"])

/** Reports parameters that select between reading and writing. */
const switches = ({ fields }: Subject): ReadonlyArray<Fault> =>
  fields.flatMap((place) => {
    const words = wordsOf(place.name)
    const isHttp = ["method", "http method", "http verb"].includes(words.join(" "))
    if (place.level !== 1 || place.role !== "property" || (!isHttp && !switching.has(words.at(-1) ?? ""))) return []
    const values = place.shapes
      .flatMap(({ schema }) => field(schema, "enum") ?? [])
      .filter((value) => typeof value === "string")
    const kinds = new Set(values.map(isHttp ? httpAccess : spokenAccess).filter((kind) => kind !== undefined))
    if (!kinds.has("read") || kinds.size < 2) return []
    const some = values
      .slice(0, 4)
      .map((value) => cut(shown(value), 20))
      .join(", ")
    const message = `\`${place.path}\` selects one of ${values.length} actions, some of which write (${some}); make each a separate tool.`
    return [{ at: place.pointer, message }]
  })

const spokenAccess = (value: string): Access | undefined => {
  const [verb = ""] = wordsOf(value)
  return isPlainVerb(verb) ? accessOf(verb) : undefined
}

const httpAccess = (value: string): Access | undefined => {
  if (/^(?:get|head|options)$/iu.test(value)) return "read"
  return /^(?:post|put|patch|delete)$/iu.test(value) ? "write" : undefined
}
