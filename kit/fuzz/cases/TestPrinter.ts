/** Prints a failing case as the source of a test, ready to paste and run. */
import { visibleJson } from "effect-toolguard/internal/domain/text/VisibleText"
import type { FuzzCase } from "./FuzzCase.ts"

/** How a printed test imports the tool. */
export interface Source {
  /** Import lines for a test in a separate file. Default: none, for a test pasted into the file that runs the check. */
  readonly imports?: ReadonlyArray<string>
  /** The expression for the tool. Default: the name of its class, or `tool` if the class has no name. */
  readonly tool?: string
  /** The source of further options of the check, such as `layer: OrdersTest`. */
  readonly options?: ReadonlyArray<string>
}

/** The maximum length of a line. */
const width = 100

const name = /^[A-Za-z_$][\w$]*$/u

/** Prints a value as TypeScript, on one line if it fits, with escapes for invisible characters. */
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

/** Prints a field name. `__proto__` is computed, because a literal field of this name would set the prototype. */
const keyOf = (key: string): string => {
  if (key === "__proto__") return `["__proto__"]`
  return name.test(key) ? key : visibleJson(JSON.stringify(key))
}

/** Prints a text. A long text that repeats one character is printed as a call of `repeat`. */
const textOf = (text: string): string => {
  const [first = ""] = text
  if (text.length > 80 && text === first.repeat(text.length / first.length)) {
    return `${visibleJson(JSON.stringify(first))}.repeat(${text.length / first.length})`
  }
  return visibleJson(JSON.stringify(text))
}

/** The name of anonymous tool classes. */
const unnamedClass = "GuardedToolService"

const header = [
  'import { Effect } from "effect"',
  'import { checkTool } from "toolguard/testing"',
  'import { it } from "vitest"'
]

/** Prints the test of a case. `tool` is the name of the tool's class. */
export const test = (title: string, tool: string, fuzzCase: FuzzCase, source: Source): string => {
  const options = [...(source.options ?? []), `case: ${literal(fuzzCase, "    ")}`]
  const body = [
    `it(${visibleJson(JSON.stringify(title))}, () =>`,
    `  checkTool(${source.tool ?? (tool === unnamedClass ? "tool" : tool)}, {`,
    options.map((option) => `    ${option}`).join(",\n"),
    "  }).pipe(Effect.runPromise))"
  ]
  const imports = source.imports === undefined ? [] : [...header, ...source.imports, ""]
  return [...imports, ...body].join("\n")
}
