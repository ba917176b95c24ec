/**
 * Reads objects that are printed over several lines, one after the other: indented JSON, and objects as Node prints
 * them. Such an object begins with a line `{` and ends with a line `}`.
 */
import * as PartCount from "effect-toolguard/internal/domain/json/PartCount"
import * as InspectText from "#kit/traffic/InspectText"
import * as Lines from "./Lines.ts"

/** Receives the objects of a file. */
interface Consumer {
  readonly value: (value: unknown, line: number) => void
  readonly problem: (reason: string, line: number) => void
}

/** A reader of objects over several lines. */
interface Blocks {
  /** Accepts a line. Returns false if the line is not a part of an object over several lines. */
  readonly take: (line: Lines.Line) => boolean
  /** Ends the input, and reports an object that has not ended. */
  readonly end: () => void
}

interface Block {
  readonly from: number
  readonly lines: Array<string>
  length: number
}

/** Creates a reader that passes objects and problems to a consumer. */
export const make = ({ problem, value }: Consumer): Blocks => {
  let block: Block | undefined

  const finish = ({ from, length, lines }: Block): void => {
    if (length > Lines.maxBytes) {
      problem(`The object is longer than ${Lines.maxBytes / 1024 / 1024} MB.`, from)
      return
    }
    const text = lines.join("\n")
    const excess = PartCount.excess(text)
    if (excess !== undefined) {
      problem(`The object takes too much memory. ${excess}`, from)
      return
    }
    const read = parsed(text)
    if (read === undefined) problem("The object is neither JSON nor an object as Node prints it.", from)
    else {
      value(read.value, from)
      if (read.cutCount > 0) problem(cutReason(read.cutCount), from)
    }
  }

  return {
    take: ({ number, text = "" }) => {
      const isBracket = text.length < 8
      if (block === undefined) {
        if (!isBracket || text.trimEnd() !== "{") return false
        block = { from: number, lines: ["{"], length: 1 }
        return true
      }
      block.length += text.length + 1
      if (block.length <= Lines.maxBytes) block.lines.push(text)
      else block.lines.length = 0
      if (!isBracket || text.trimEnd() !== "}") return true
      const ended = block
      block = undefined
      finish(ended)
      return true
    },
    end: () => {
      if (block !== undefined) problem("The file ends within this object.", block.from)
    }
  }
}

const parsed = (text: string) => {
  try {
    const value: unknown = JSON.parse(text)
    return { value, cutCount: 0 }
  } catch {
    return InspectText.parse(text)
  }
}

const cutReason = (count: number): string =>
  `Node printed ${count === 1 ? "a value" : `${count} values`} of the object incompletely: long texts, long lists or deep objects.`
