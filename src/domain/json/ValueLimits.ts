/**
 * Checks arguments that a host has already parsed (`Toolkit`, MCP) against the limits of JSON text.
 *
 * Refuses values for the same reasons as `JsonText`: values that are too large or too deep, the key `__proto__`, and
 * `prototype` inside `constructor`.
 */
import type { JsonObject } from "./JsonObject.ts"
import type { Limits } from "./JsonError.ts"

interface Walk {
  /** The remaining size. Each character of texts and names counts as one, and so does each value that is not a text. */
  room: number
  readonly maxDepth: number
}

/** Why a value is refused. */
export interface LimitViolation {
  readonly _tag: "TooLarge" | "TooDeep" | "Forbidden"
  readonly message: string
}

const forbidden = (name: string): LimitViolation => ({
  _tag: "Forbidden",
  message: `the key "${name}" is not accepted`
})

/** Returns the first violation of the limits, or `undefined`. Terminates for values with cycles too. */
export const violation = (value: unknown, { maxBytes, maxDepth }: Limits): LimitViolation | undefined => {
  const walk = { room: maxBytes, maxDepth }
  const found = look(walk, value, maxDepth)
  if (found !== undefined || walk.room >= 0) return found
  return { _tag: "TooLarge", message: `the arguments have more than ${maxBytes} characters` }
}

const look = (walk: Walk, value: unknown, levels: number): LimitViolation | undefined => {
  walk.room -= typeof value === "string" ? value.length : 1
  if (typeof value !== "object" || value === null || walk.room < 0) return undefined
  if (levels === 0) return { _tag: "TooDeep", message: `the arguments are nested deeper than ${walk.maxDepth} levels` }
  if (!Array.isArray(value)) return lookIntoObject(walk, value as JsonObject, levels)
  for (let i = 0; i < value.length && walk.room >= 0; i++) {
    const found = look(walk, value[i], levels - 1)
    if (found !== undefined) return found
  }
  return undefined
}

const lookIntoObject = (walk: Walk, record: JsonObject, levels: number): LimitViolation | undefined => {
  for (const key in record) {
    if (key === "__proto__") return forbidden(key)
    walk.room -= key.length
    if (walk.room < 0) return undefined
    const child = record[key]
    if (key === "constructor" && typeof child === "object" && child !== null && Object.hasOwn(child, "prototype")) {
      return forbidden("constructor.prototype")
    }
    const found = look(walk, child, levels - 1)
    if (found !== undefined) return found
  }
  return undefined
}
