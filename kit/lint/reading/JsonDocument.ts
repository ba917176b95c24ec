/**
 * A JSON text with the place of each of its parts: to say where something is wrong, and to change one thing without
 * touching the rest.
 *
 * Offsets count UTF-16 units, lines and columns from 1. The text has been read as JSON before, and is not too deep.
 */
import * as Token from "effect-toolguard/internal/domain/json/JsonToken"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"

/** A value in the text. */
export interface Node {
  readonly start: number
  /** Offset behind it. */
  readonly end: number
  readonly kind: "object" | "array" | "scalar"
  /** Of an object its members, of an array its elements (without names). */
  readonly children: ReadonlyArray<Child>
}

export interface Child {
  readonly key: string | number
  /** Where the name begins and ends, quotes included; the value's place in an array. */
  readonly nameStart: number
  readonly nameEnd: number
  readonly value: Node
}

const [quote, comma, openList, closeList, openObject, closeObject] = [0x22, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d]

/** Reads the places of a text that is JSON. */
export const parse = (text: string): Node => valueAt(text, Token.skipSpace(text, text.charCodeAt(0) === 0xfeff ? 1 : 0))

const valueAt = (text: string, start: number): Node => {
  const unit = text.charCodeAt(start)
  if (unit === openObject || unit === openList) return containerAt(text, start, unit === openObject)
  const end = unit === quote ? Token.endOfString(text, start + 1) : Token.endOfScalar(text, start)
  return { start, end, kind: "scalar", children: [] }
}

const containerAt = (text: string, start: number, isObject: boolean): Node => {
  const children: Array<Child> = []
  const close = isObject ? closeObject : closeList
  let at = Token.skipSpace(text, start + 1)
  while (text.charCodeAt(at) !== close) {
    if (text.charCodeAt(at) === comma) at = Token.skipSpace(text, at + 1)
    const nameStart = at
    let key: string | number = children.length
    if (isObject) {
      at = Token.endOfString(text, at + 1)
      key = JSON.parse(text.slice(nameStart, at)) as string
    }
    const nameEnd = at
    // behind a name stands a colon
    if (isObject) at = Token.skipSpace(text, Token.skipSpace(text, at) + 1)
    const value = valueAt(text, at)
    children.push({ key, nameStart, nameEnd: isObject ? nameEnd : value.end, value })
    at = Token.skipSpace(text, value.end)
  }
  return { start, end: at + 1, kind: isObject ? "object" : "array", children }
}

/** The child under a key. Of several members of one name the last counts, as for whoever reads the text. */
export const childOf = ({ children, kind }: Node, key: string | number): Child | undefined =>
  kind === "array" ? children[Number(key)] : children.findLast((child) => child.key === String(key))

/** The value at a pointer; undefined where there is none. */
export const nodeAt = (root: Node, pointer: JsonPointer): Node | undefined =>
  pointer.reduce<Node | undefined>((node, key) => (node === undefined ? undefined : childOf(node, key)?.value), root)

/** From one offset up to another. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** What to mark for a pointer: a plain value, the name of an object or a list, or its first character. */
export const rangeOf = (root: Node, pointer: JsonPointer): Range => {
  let node = root
  let range: Range = { start: root.start, end: root.kind === "scalar" ? root.end : root.start + 1 }
  for (const key of pointer) {
    const child = childOf(node, key)
    if (child === undefined) return range
    const { value } = child
    range =
      value.kind === "scalar"
        ? value
        : typeof child.key === "number"
          ? { start: value.start, end: value.start + 1 }
          : { start: child.nameStart, end: child.nameEnd }
    node = value
  }
  return { start: range.start, end: range.end }
}

/** The places of names that stand twice in one object, the later ones. */
export const duplicates = (root: Node): ReadonlyArray<JsonPointer> => {
  const found: Array<JsonPointer> = []
  const walk = ({ children, kind }: Node, pointer: JsonPointer): void => {
    const seen = new Set<string>()
    for (const { key, value } of children) {
      if (kind === "object" && seen.has(String(key))) found.push([...pointer, key])
      seen.add(String(key))
      walk(value, [...pointer, key])
    }
  }
  walk(root, [])
  return found
}

/** Finds line and column of offsets. */
export const locator = (text: string): ((offset: number) => { readonly line: number; readonly column: number }) => {
  const starts = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return (offset) => {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - starts[low]! + 1 }
  }
}
