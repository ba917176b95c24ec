/**
 * Finds statements about tools in skills and prompts that no longer agree with the tools [13.4].
 *
 * **Details**
 *
 * - A `stale` text mentions a tool, parameter, enum value or bound that was removed or changed, or contains an example
 *   call that the tool refuses.
 * - A text that lacks `advice` mentions a tool that writes, but does not advise the model to plan, check or ask before
 *   calling it. Without a declared access, the tool's description and name decide, as in `toolguard lint --strict`.
 *
 * **Gotchas**
 *
 * Only sections that mention the tool are searched. A name that may be an English word must be in code, in quotes, or
 * before `=`, `:` or `(`. A value may also be in a list that contains only values of the parameter:
 * `low/medium/high`.
 */
import { nearest } from "effect-toolguard/internal/domain/text/NearestName"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { data } from "effect-toolguard/internal/domain/schema/json/Keywords"
import { faultsOf } from "./ExampleCalls.ts"
import { around, type Document, hasNumber, listsValue, mentionsName, parse } from "./SkillText.ts"
import type { Snapshot, ToolPromise } from "./Snapshot.ts"
import { writeAccessOf } from "./WriteAccess.ts"

/** A statement about a tool that is stale, or advice that is missing. */
export interface SkillFinding {
  readonly path: string
  /** Counts from 1. */
  readonly line: number
  readonly kind: "stale" | "advice"
  readonly tool: string
  readonly text: string
}

/** Returns the findings in a file, in the order of its lines. `writing` are the tools of `after` that write. */
export const findings = (
  path: string,
  text: string,
  before: Snapshot,
  after: Snapshot,
  writing: ReadonlyMap<string, "write" | "destructive"> = writeAccessOf(after)
): ReadonlyArray<SkillFinding> => {
  const document = parse(path, text)
  const found = [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((tool) => {
    const [then, now] = [before.get(tool), after.get(tool)]
    if (now === undefined) return removedTool(document, tool, after)
    return [
      ...(then === undefined ? [] : stale(document, tool, then, now)),
      ...examples(document, tool, now),
      ...advice(document, tool, writing.get(tool))
    ]
  })
  return distinct(found).toSorted((a, b) => a.line - b.line)
}

const distinct = (found: ReadonlyArray<SkillFinding>): ReadonlyArray<SkillFinding> => [
  ...new Map(found.map((one) => [`${one.line} ${one.text}`, one])).values()
]

const removedTool = (document: Document, tool: string, after: Snapshot): ReadonlyArray<SkillFinding> => {
  const [successor] = nearest(tool, [...after.keys()])
  const text = `${tool} was removed${successor === undefined ? "" : `; nearest: ${successor}`}`
  return document.lines.flatMap((line, index) =>
    mentionsName(line, tool) ? [{ path: document.path, line: index + 1, kind: "stale" as const, tool, text }] : []
  )
}

/** The enum values and the bounds of a parameter, which a text may mention. */
interface MentionedThing {
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

const mentionablesOf = (
  schema: unknown,
  found = new Map<string, MentionedThing>(),
  depth = 0
): ReadonlyMap<string, MentionedThing> => {
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
      mentionablesOf(each, found, depth + 1)
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
  const [old, current] = [mentionablesOf(then.parameters), mentionablesOf(now.parameters)]
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
      return where((line) => mentionsName(line, name), text)
    }
    const removed = [...was.values].filter((value) => is.values.size > 0 && !is.values.has(value))
    return [
      ...removed.flatMap((value) =>
        where(
          (line) =>
            (mentionsName(line, value) || listsValue(line, value, new Set([...was.values, ...is.values]))) &&
            (!values.has(value) || mentionsName(line, name)),
          `${name} of ${tool} no longer accepts ${JSON.stringify(value)}`
        )
      ),
      ...[...was.bounds].flatMap(([keyword, bound]) => {
        const limit = is.bounds.get(keyword)
        if (limit === bound || [...is.bounds.values()].includes(bound)) return []
        const text = `${keyword} of ${name} of ${tool} ${limit === undefined ? "was removed" : `is ${limit}`}, was ${bound}`
        return where((line) => hasNumber(line, bound) && mentions(line, name), text)
      })
    ]
  })
}

/**
 * True if a line mentions a parameter, even as a common word. The number in the line makes the mention certain enough.
 */
const mentions = (line: string, name: string): boolean =>
  mentionsName(line, name) ||
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

const advicePhrases =
  /\b(?:plan|before (?:you |it |any |each |every |the )?\w*(?:call|invok|us(?:e|ing)|chang|writ|delet|refund|send|creat|updat|mak|do)\w*|first,? (?:check|confirm|look|read|verify|ask|list|show|tell|make)|confirm(?:ation|s|ed)?|ask (?:the )?(?:user|person|customer|them)|approv\w+|dry[- ]?run|preview|double[- ]check|make sure|verify)\b|先.{0,6}(?:规划|计划|检查|确认|核对|预览|询问|征得)|(?:规划|计划|确认|审批|批准|同意)(?:之?后)?.{0,4}再|(?:调用|执行|使用|写入|修改|删除|创建|更新|发送)之?前|二次确认|询问用户|征得.{0,6}同意/i

const advice = (
  document: Document,
  tool: string,
  access: "write" | "destructive" | undefined
): ReadonlyArray<SkillFinding> => {
  if (access === undefined) return []
  const first = document.lines.findIndex((line) => mentionsName(line, tool))
  if (first < 0 || around(document, tool).some((index) => advicePhrases.test(document.lines[index] ?? ""))) return []
  const effect = access === "write" ? "writes" : "is destructive"
  const text = `${tool} ${effect}, and the text does not advise the model to plan, check or ask before calling it`
  return [{ path: document.path, line: first + 1, kind: "advice", tool, text }]
}
