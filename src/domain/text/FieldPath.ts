/**
 * Writes the path of a field in arguments or a result, for people and models: `orders[2].cents`.
 *
 * Field names are foreign text. A name that is not a plain word is quoted, and a long name is cut. A path is always one
 * line of at most 120 characters.
 */
import { cut } from "./Cut.ts"

const maxName = 40
const maxPath = 120
const plainName = /^[\p{L}\p{N}_$-]+$/u

/** Stands for all indices of a list in a path: `orders[].cents`. */
export const anyIndex: unique symbol = Symbol("[]")

/** Stands for all names of a record in a path: `prices.*.cents`. */
export const anyName: unique symbol = Symbol("*")

/** Returns a field name, cut to 40 characters, and quoted if it is not a plain word. */
export const name = (key: PropertyKey): string => {
  if (typeof key === "string" && key.length <= maxName && plainName.test(key)) return key
  const text = cut(String(key), maxName)
  return plainName.test(text.replace(/…$/, "")) ? text : JSON.stringify(text)
}

/**
 * Returns a path in at most `max` characters. A longer path loses whole names at its start: `…updates[0].visibility`.
 */
export const ending = (path: ReadonlyArray<PropertyKey>, max: number): string => {
  const whole = format(path)
  if (whole.length <= max) return whole
  for (let from = 1; from < path.length; from++) {
    const rest = `…${format(path.slice(from))}`
    if (rest.length <= max) return rest
  }
  return cut(`…${format(path.slice(-1))}`, max)
}

/** Returns a path as text, `""` for the root. A path of more than 120 characters is cut at its start. */
export const format = (path: ReadonlyArray<PropertyKey>): string => {
  let out = ""
  for (const key of path) {
    if (typeof key === "number" || key === anyIndex) {
      out += typeof key === "number" ? `[${key}]` : "[]"
      continue
    }
    if (key === anyName) {
      out += out === "" ? "*" : ".*"
      continue
    }
    const text = name(key)
    out += text.startsWith('"') ? `[${text}]` : out === "" ? text : `.${text}`
  }
  return out.length <= maxPath ? out : "…" + out.slice(out.length - maxPath + 1).replace(/^[\udc00-\udfff]/, "")
}
