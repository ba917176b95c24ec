/**
 * Reads what models are told of tools in skills and prompts, and finds what the tools no longer keep (SPEC 13.4).
 *
 * **Details**
 *
 * - Stale: a tool, parameter, value of an enum or bound that the text names and that is gone or has changed; an example of a
 *   call that the tool refuses.
 * - Advice: a tool that writes is named, and nowhere in the text is it said to plan, check or ask before it is called.
 *
 * **Gotchas**
 *
 * Words are looked for where a tool is named, section by section. A common word counts only in code, in quotes, or before
 * `=` and `:`.
 */
import { nearest } from "effect-toolguard/internal/domain/text/NearestName"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { data } from "effect-toolguard/internal/domain/schema/json/Keywords"
import { faultsOf } from "./Examples.ts"
import { around, type Document, hasNumber, names, parse } from "./Section.ts"
import type { Snapshot, ToolPromise } from "./Snapshot.ts"

export interface SkillFinding {
  readonly path: string
  /** From 1. */
  readonly line: number
  readonly kind: "stale" | "advice"
  readonly tool: string
  readonly text: string
}

/** What a file says that is not so, in the order of its lines. */
export const findings = (
  path: string,
  text: string,
  before: Snapshot,
  after: Snapshot
): ReadonlyArray<SkillFinding> => {
  const document = parse(path, text)
  const found = [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((tool) => {
    const [then, now] = [before.get(tool), after.get(tool)]
    if (now === undefined) return goneTool(document, tool, after)
    return [
      ...(then === undefined ? [] : stale(document, tool, then, now)),
      ...examples(document, tool, now),
      ...advice(document, tool, now)
    ]
  })
  return distinct(found).toSorted((a, b) => a.line - b.line)
}

const distinct = (found: ReadonlyArray<SkillFinding>): ReadonlyArray<SkillFinding> => [
  ...new Map(found.map((one) => [`${one.line} ${one.text}`, one])).values()
]

const goneTool = (document: Document, tool: string, after: Snapshot): ReadonlyArray<SkillFinding> => {
  const [successor] = nearest(tool, [...after.keys()])
  const text = `${tool} is gone${successor === undefined ? "" : `; nearest: ${successor}`}`
  return document.lines.flatMap((line, index) =>
    names(line, tool) ? [{ path: document.path, line: index + 1, kind: "stale" as const, tool, text }] : []
  )
}

/** What a schema says that a text may name: parameters with their values and bounds, also inside of others. */
interface Named {
  readonly values: ReadonlySet<string>
  readonly bounds: ReadonlyMap<string, number>
}

const bounds = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems"
]

const named = (schema: unknown, found = new Map<string, Named>(), depth = 0): ReadonlyMap<string, Named> => {
  if (!isJsonObject(schema) || depth > 12) return found
  for (const [name, inner] of Object.entries(isJsonObject(schema["properties"]) ? schema["properties"] : {})) {
    const known = found.get(name)
    const own = { values: valuesOf(inner, 0), bounds: boundsOf(inner) }
    found.set(name, {
      values: new Set([...(known?.values ?? []), ...own.values]),
      bounds: new Map([...(known?.bounds ?? []), ...own.bounds])
    })
  }
  for (const [key, inner] of Object.entries(schema)) {
    if (data.has(key)) continue
    for (const each of Array.isArray(inner) ? inner : isJsonObject(inner) ? [inner, ...Object.values(inner)] : []) {
      named(each, found, depth + 1)
    }
  }
  return found
}

const parts = (schema: unknown): ReadonlyArray<unknown> => {
  if (!isJsonObject(schema)) return []
  return [schema["anyOf"], schema["oneOf"], schema["allOf"], schema["items"]].flat()
}

const valuesOf = (schema: unknown, depth: number): ReadonlySet<string> => {
  if (!isJsonObject(schema) || depth > 6) return new Set()
  const own = [schema["enum"], schema["const"]].flat().filter((value) => typeof value === "string")
  return new Set([...own, ...parts(schema).flatMap((each) => [...valuesOf(each, depth + 1)])])
}

const boundsOf = (schema: unknown): ReadonlyMap<string, number> => {
  if (!isJsonObject(schema)) return new Map()
  const own = bounds.flatMap((keyword): ReadonlyArray<readonly [string, number]> => {
    const value = schema[keyword]
    return typeof value === "number" ? [[keyword, value]] : []
  })
  return new Map([...parts(schema).flatMap((each) => [...boundsOf(each)]), ...own])
}

const stale = (document: Document, tool: string, then: ToolPromise, now: ToolPromise): ReadonlyArray<SkillFinding> => {
  const lines = around(document, tool)
  const [old, current] = [named(then.parameters), named(now.parameters)]
  const values = new Set([...current.values()].flatMap(({ values }) => [...values]))
  const where = (holds: (line: string) => boolean, text: string): ReadonlyArray<SkillFinding> =>
    lines
      .filter((index) => holds(document.lines[index] ?? ""))
      .map((index) => ({ path: document.path, line: index + 1, kind: "stale", tool, text }))
  return [...old].flatMap(([name, was]) => {
    const is = current.get(name)
    if (is === undefined) {
      const [successor] = nearest(name, [...current.keys()])
      const text = `${tool} no longer has ${name}${successor === undefined ? "" : `; nearest: ${successor}`}`
      return where((line) => names(line, name), text)
    }
    const gone = [...was.values].filter((value) => is.values.size > 0 && !is.values.has(value))
    return [
      ...gone.flatMap((value) =>
        where(
          (line) => names(line, value) && (!values.has(value) || names(line, name)),
          `${name} of ${tool} no longer takes ${JSON.stringify(value)}`
        )
      ),
      ...[...was.bounds].flatMap(([keyword, bound]) => {
        const limit = is.bounds.get(keyword)
        if (limit === bound || [...is.bounds.values()].includes(bound)) return []
        const text = `${keyword} of ${name} of ${tool} is ${limit === undefined ? "gone" : limit}, it was ${bound}`
        return where((line) => hasNumber(line, bound) && mentions(line, name), text)
      })
    ]
  })
}

/** Whether a line speaks of a parameter, as a word too: there is a number beside it. */
const mentions = (line: string, name: string): boolean =>
  names(line, name) ||
  line
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .includes(name.toLowerCase())

const examples = (document: Document, tool: string, { parameters }: ToolPromise): ReadonlyArray<SkillFinding> =>
  faultsOf(document.lines, tool, parameters).map(({ fault, line }) => ({
    path: document.path,
    line,
    kind: "stale",
    tool,
    text: `${tool} refuses this call: ${fault}`
  }))

const advised =
  /\b(?:plan|before (?:you |it |any |each |every |the )?\w*(?:call|invok|us(?:e|ing)|chang|writ|delet|refund|send|creat|updat|mak|do)\w*|first,? (?:check|confirm|look|read|verify|ask|list|show|tell|make)|confirm(?:ation|s|ed)?|ask (?:the )?(?:user|person|customer|them)|approv\w+|dry[- ]?run|preview|double[- ]check|make sure|verify)\b/i

const advice = (document: Document, tool: string, { access }: ToolPromise): ReadonlyArray<SkillFinding> => {
  if (access !== "write" && access !== "destructive") return []
  const first = document.lines.findIndex((line) => names(line, tool))
  if (first < 0 || around(document, tool).some((index) => advised.test(document.lines[index] ?? ""))) return []
  const text = `${tool} ${access === "write" ? "writes" : "destroys"}, and nothing says to plan, check or ask before it is called`
  return [{ path: document.path, line: first + 1, kind: "advice", tool, text }]
}
