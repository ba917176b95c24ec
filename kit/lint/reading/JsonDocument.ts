/**
 * Finds the position of each part of a JSON text, to locate faults and to edit one part without changing the rest.
 *
 * Offsets count UTF-16 units. Lines and columns count from 1. The text must be valid JSON that is not nested too
 * deeply.
 */
import * as Token from "effect-toolguard/internal/domain/json/JsonToken"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"

/** A value in the text. */
export interface Node {
  readonly start: number
  /** The offset after the value. */
  readonly end: number
  readonly kind: "object" | "array" | "scalar"
  /** The members of an object, or the elements of an array. */
  readonly children: ReadonlyArray<Child>
}

interface Child {
  readonly key: string | number
  /** The start and end of the name, including quotes. In an array, the start and end of the value. */
  readonly nameStart: number
  readonly nameEnd: number
  readonly value: Node
}

const [quote, comma, openList, closeList, openObject, closeObject] = [0x22, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d]

/** Reads the positions in a JSON text. */
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
      key = JSON.parse(text.slice(nameStart, at)) as string // the slice is a JSON string
    }
    const nameEnd = at
    // skips the colon that follows the name
    if (isObject) at = Token.skipSpace(text, Token.skipSpace(text, at) + 1)
    const value = valueAt(text, at)
    children.push({ key, nameStart, nameEnd: isObject ? nameEnd : value.end, value })
    at = Token.skipSpace(text, value.end)
  }
  return { start, end: at + 1, kind: isObject ? "object" : "array", children }
}

/** The members by name of objects that were searched. */
const members = new WeakMap<Node, ReadonlyMap<string | number, Child>>()

/** Returns the child with a key. If a name is repeated, the last member counts, as in `JSON.parse`. */
const childOf = (node: Node, key: string | number): Child | undefined => {
  if (node.kind === "array") return node.children[Number(key)]
  const known = members.get(node) ?? new Map(node.children.map((child) => [child.key, child]))
  members.set(node, known)
  return known.get(String(key))
}

/** Returns the value at a pointer, or `undefined` if there is no such value. */
export const nodeAt = (root: Node, pointer: JsonPointer): Node | undefined =>
  pointer.reduce<Node | undefined>((node, key) => (node === undefined ? undefined : childOf(node, key)?.value), root)

/** A range of offsets, which excludes `end`. */
interface Range {
  readonly start: number
  readonly end: number
}

/** Returns the range to mark for a pointer: a scalar, the name of an object or array, or its first character. */
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

/** Returns the pointers of repeated keys. The first occurrence of each key is not included. */
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

/** Returns a function from offsets to lines and columns. */
export const locator = (text: string): ((offset: number) => { readonly line: number; readonly column: number }) => {
  const starts = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return (offset) => {
    // `low` and `middle` are always valid indices of `starts`
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - starts[low]! + 1 }
  }
}
