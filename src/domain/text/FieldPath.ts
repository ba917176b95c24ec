/**
 * How a place inside arguments or a result is written for people and models: `orders[2].cents`.
 *
 * Names come from outside. One that is no plain word is written as a quoted string, and a long one is cut, so that a path
 * is always one line of at most 120 characters.
 */
import { cut } from "./Cut.ts"

const maxName = 40
const maxPath = 120
const plainName = /^[\p{L}\p{N}_$-]+$/u

/** A field's name on its own: as it is if it is a plain word, else quoted; at most 40 characters of it. */
export const name = (key: PropertyKey): string => {
  const text = cut(String(key), maxName)
  return plainName.test(text.replace(/…$/, "")) ? text : JSON.stringify(text)
}

/** A path as text, `""` for the root. Where it is longer than 120 characters its beginning is left out. */
export const format = (path: ReadonlyArray<PropertyKey>): string => {
  let out = ""
  for (const key of path) {
    if (typeof key === "number") {
      out += `[${key}]`
      continue
    }
    const text = name(key)
    out += text.startsWith('"') ? `[${text}]` : out === "" ? text : `.${text}`
  }
  return out.length <= maxPath ? out : "…" + out.slice(out.length - maxPath + 1).replace(/^[\udc00-\udfff]/, "")
}
