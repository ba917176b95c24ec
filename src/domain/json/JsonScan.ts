/**
 * Scans JSON text once, without building values, to locate and describe its first fault.
 *
 * `JsonText` parses with `JSON.parse`, and scans only for details that `JSON.parse` does not report: whether the text is
 * invalid or truncated, at which position, which field before that position is complete, and which field is a
 * duplicate.
 *
 * - The scan is iterative and keeps one frame per level, so no input overflows the stack.
 * - The scan accepts the same texts as `JSON.parse`, nested at most `maxDepth` levels deep.
 * - A number at the very end of a truncated text counts as incomplete, because more digits may have followed.
 * - A text that ends with a truncation mark (`…`, `... [truncated]`) counts as truncated.
 */
import * as Token from "./JsonToken.ts"
import { type Steps, stepLength } from "./Steps.ts"

/** Names and indices from the root to a value. */
type Path = ReadonlyArray<string | number>

/** A container that was open when the scan ended. */
export interface OpenContainer {
  readonly array: boolean
  /** The offset after the last complete child; -1 before the first. */
  childEnd: number
  /**
   * The child that was being read. In an object, the offset of its name (-1 before the first); in an array,
   * `-2 - index`.
   */
  at: number
}

/** How a scan ended, and which parts were complete before its end. */
interface Scan {
  readonly end: "Complete" | "Invalid" | "Truncated" | "TooDeep"
  /**
   * The offset of the first character that cannot belong to the JSON; the length of a text that is truncated without a
   * mark.
   */
  readonly position: number
  /** The fault at `position`, as a clause; empty for a complete or truncated text. */
  readonly problem: string
  /** The containers that are open at `position`, outermost first. */
  readonly open: ReadonlyArray<OpenContainer>
  /** The path of the last complete scalar or empty container; `undefined` before the first. */
  readonly last: Path | undefined
}

type ExpectedToken = "value" | "item or ]" | "name or }" | "name" | "colon" | "comma or end" | "nothing"

const [quoteMark, comma, colon, openList, closeList, openObject, closeObject] = [
  0x22, 0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d
]

/** Returns the name of a field, given the offset of its opening quote. */
export const nameAt = (text: string, offset: number): string => {
  const end = Token.endOfString(text, offset + 1)
  const name = text.slice(offset + 1, end - 1)
  return name.includes("\\") ? JSON.parse(text.slice(offset, end)) : name
}

const segment = (text: string, at: number): string | number => (at < 0 ? -2 - at : nameAt(text, at))

/** Returns the path of the child that was being read in the innermost of `open`. */
export const pathOf = (text: string, open: ReadonlyArray<OpenContainer>): Path =>
  open.map(({ at }) => segment(text, at))

/**
 * Scans a text that should be one JSON value, from `start` (default 0), in steps.
 *
 * **Details**
 *
 * `onName` receives the offsets of each field name and the containers that are open at the name. If it returns a
 * clause, the scan ends as `Invalid` with this clause as the problem.
 */
export function* scan(
  text: string,
  maxDepth: number,
  start = 0,
  onName?: (offset: number, end: number, open: ReadonlyArray<OpenContainer>) => string | undefined
): Steps<Scan> {
  const open: Array<OpenContainer> = []
  const last: Array<number> = []
  let lastDepth = -1
  // The outermost level whose `at` has changed since the path was copied to `last`.
  let changed = 0
  let expected: ExpectedToken = "value"
  let i = start
  let pause = start + stepLength

  const finish = (end: Scan["end"], position: number, problem = ""): Scan => ({
    end,
    position,
    problem,
    open,
    last: lastDepth < 0 ? undefined : last.slice(0, lastDepth).map((at) => segment(text, at))
  })
  const wrong = (position: number, problem: string): Scan =>
    open.length > 0 && Token.isCutMark(text, position)
      ? finish("Truncated", position)
      : finish("Invalid", position, problem)
  const move = (level: number, at: number): void => {
    open[level]!.at = at
    if (level < changed) changed = level
  }
  /** Records that a value ends at `end` (a `leaf` has no children), and returns the tokens that may follow. */
  const complete = (end: number, leaf: boolean): ExpectedToken => {
    const depth = open.length
    if (leaf) {
      for (; changed < depth; changed++) last[changed] = open[changed]!.at
      lastDepth = depth
    }
    if (depth > 0) open[depth - 1]!.childEnd = end
    return depth === 0 ? "nothing" : "comma or end"
  }

  for (;;) {
    if (i >= pause) {
      yield
      pause = i + stepLength
    }
    i = Token.skipSpace(text, i)
    if (i >= text.length) return finish(expected === "nothing" ? "Complete" : "Truncated", text.length)
    const unit = text.charCodeAt(i)
    const top = open[open.length - 1]
    if (expected === "nothing") return wrong(i, "more text follows the JSON value")
    if (expected === "colon") {
      if (unit !== colon) return wrong(i, `expected ":" after a field name, found ${Token.found(text, i)}`)
      expected = "value"
      i++
    } else if (expected === "comma or end" && unit === comma) {
      expected = top!.array ? "value" : "name"
      if (top!.array) move(open.length - 1, top!.at - 1)
      i++
    } else if (
      top !== undefined &&
      unit === (top.array ? closeList : closeObject) &&
      (expected === "comma or end" || expected === (top.array ? "item or ]" : "name or }"))
    ) {
      const { childEnd } = open.pop()!
      expected = complete(++i, childEnd < 0)
    } else if (expected === "comma or end") {
      return wrong(i, `expected "," or "${top!.array ? "]" : "}"}", found ${Token.found(text, i)}`)
    } else if (expected === "name" || expected === "name or }") {
      if (unit !== quoteMark) return wrong(i, Token.notAName(text, i))
      const end = Token.endOfString(text, i + 1)
      if (end > text.length) return finish("Truncated", text.length)
      if (end < 0) return wrong(~end, Token.badInString(text, ~end))
      const problem = onName?.(i, end, open)
      if (problem !== undefined) return finish("Invalid", i, problem)
      move(open.length - 1, i)
      expected = "colon"
      i = end
    } else if (unit === openList || unit === openObject) {
      if (open.length === maxDepth) return finish("TooDeep", i, `nested more than ${maxDepth} levels deep`)
      const array = unit === openList
      open.push({ array, childEnd: -1, at: -1 })
      move(open.length - 1, array ? -2 : -1)
      expected = array ? "item or ]" : "name or }"
      i++
    } else {
      const end = unit === quoteMark ? Token.endOfString(text, i + 1) : Token.endOfScalar(text, i)
      if (end > text.length) return finish("Truncated", text.length)
      if (end < 0) return wrong(~end, (unit === quoteMark ? Token.badInString : Token.notAValue)(text, ~end))
      if (end === text.length && open.length > 0 && Token.isNumber(unit)) return finish("Truncated", end)
      expected = complete(end, true)
      i = end
    }
  }
}
