/** Prints a failing case as a test that runs as it is pasted. */
import { visibleJson } from "effect-toolguard/internal/domain/text/VisibleText"
import type { FuzzCase } from "./FuzzCase.ts"

/** How a printed test reaches the tool. */
export interface Source {
  /** Lines of import, for a test that stands in a file of its own. Without them it goes beside the one that found it. */
  readonly imports?: ReadonlyArray<string>
  /** The expression that is the tool. Default: the name of its class, or `tool` where that has none. */
  readonly tool?: string
  /** Further options of the check, as they are written: `layer: OrdersTest`. */
  readonly options?: ReadonlyArray<string>
}

const width = 100

const name = /^[A-Za-z_$][\w$]*$/u

/** A value as TypeScript: on one line where it fits, its hidden characters as escapes. */
const literal = (value: unknown, indent: string): string => {
  const line = onLine(value)
  if (line.length + indent.length <= width || typeof value !== "object" || value === null) return line
  const deeper = `${indent}  `
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => deeper + literal(item, deeper)).join(",\n")}\n${indent}]`
  }
  const fields = Object.entries(value).map(([key, field]) => `${deeper}${keyOf(key)}: ${literal(field, deeper)}`)
  return `{\n${fields.join(",\n")}\n${indent}}`
}

const onLine = (value: unknown): string => {
  if (typeof value === "string") return textOf(value)
  if (Array.isArray(value)) return `[${value.map(onLine).join(", ")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined"
  const fields = Object.entries(value).map(([key, field]) => `${keyOf(key)}: ${onLine(field)}`)
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`
}

/** `__proto__` as a name would set the prototype. */
const keyOf = (key: string): string => {
  if (key === "__proto__") return `["__proto__"]`
  return name.test(key) ? key : visibleJson(JSON.stringify(key))
}

/** A text as it is, one that repeats itself by what it repeats. */
const textOf = (text: string): string => {
  const [first = ""] = text
  if (text.length > 80 && text === first.repeat(text.length / first.length)) {
    return `${visibleJson(JSON.stringify(first))}.repeat(${text.length / first.length})`
  }
  return visibleJson(JSON.stringify(text))
}

/** What a class is called that nobody has named. */
const nameless = "GuardedToolService"

const header = [
  'import { Effect } from "effect"',
  'import { checkTool } from "toolguard/testing"',
  'import { it } from "vitest"'
]

/** The test. `title` says what it shows. */
export const test = (title: string, tool: string, fuzzCase: FuzzCase, source: Source): string => {
  const options = [...(source.options ?? []), `case: ${literal(fuzzCase, "    ")}`]
  const body = [
    `it(${visibleJson(JSON.stringify(title))}, () =>`,
    `  checkTool(${source.tool ?? (tool === nameless ? "tool" : tool)}, {`,
    options.map((option) => `    ${option}`).join(",\n"),
    "  }).pipe(Effect.runPromise))"
  ]
  const imports = source.imports === undefined ? [] : [...header, ...source.imports, ""]
  return [...imports, ...body].join("\n")
}
