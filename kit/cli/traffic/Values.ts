/**
 * Parses chunks of bytes as JSON values: one per line, or the whole file as one document.
 *
 * **Details**
 *
 * - A file is one document if its first line is `[`, or if its first line is only the beginning of a JSON text (`{`,
 *   `{"resourceSpans": [`) and the next line is not a complete object or list. A document is read as a whole, up to
 *   `Lines.maxBytes` bytes.
 * - Among lines, and in a file that is not one document, an object over several lines is read as one value (`Blocks`).
 * - A text with too many parts is not parsed (`PartCount`).
 * - Empty lines, a byte order mark and carriage returns are ignored.
 */
import * as PartCount from "effect-toolguard/internal/domain/json/PartCount"
import * as JsonText from "effect-toolguard/internal/domain/json/JsonText"
import { sealedMark } from "effect-toolguard/services/AtRest"
import * as Result from "effect/Result"
import * as Blocks from "./Blocks.ts"
import * as Lines from "./Lines.ts"

/** Receives the values of a file. */
interface Consumer {
  /** Receives a value and the number of its line, from 1. */
  readonly value: (value: unknown, line: number) => void
  /** Receives the reason why a line is not valid JSON, and the line's number. */
  readonly problem: (reason: string, line: number) => void
  /** Returns the text of an encrypted line. */
  readonly open: (text: string) => string
  /** Receives the reason why a document cannot be read. Nothing follows. */
  readonly broken: (reason: string) => void
}

interface Values {
  readonly push: (chunk: Buffer) => void
  readonly end: () => void
}

type State =
  | { readonly _tag: "First" }
  /** The first line is kept until the next line shows whether the first line begins a document. */
  | { readonly _tag: "Second"; readonly first: Lines.Line }
  | { readonly _tag: "Lines" }
  /** `from` is the number of the first line. */
  | { readonly _tag: "Document"; readonly parts: Array<Buffer>; readonly from: number }

const megabytes = Lines.maxBytes / 1024 / 1024

/** Creates a parser that passes values and problems to a consumer. */
export const make = ({ broken, open, problem, value }: Consumer): Values => {
  const lines = Lines.make()
  const blocks = Blocks.make({ value, problem })
  let state: State = { _tag: "First" }
  let length = 0
  let reparsed = 0

  /** Adds a piece to the document. */
  const add = (parts: Array<Buffer>, piece: Buffer): void => {
    length += piece.length
    if (length > Lines.maxBytes) {
      if (parts.length > 0) broken(`It is one JSON document of more than ${megabytes} MB.`)
      parts.length = 0
    } else parts.push(piece)
  }

  const takeLine = (line: Lines.Line): void => {
    if (blocks.take(line)) return
    const { number, text } = line
    if (text === undefined) {
      problem(`The line is longer than ${megabytes} MB.`, number)
      return
    }
    if (isBlank(text)) return
    const excess = PartCount.excess(text)
    if (excess !== undefined) {
      problem(`The line takes too much memory. ${excess}`, number)
      return
    }
    try {
      value(JSON.parse(text), number)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      // creating the error makes a short text as expensive as 10,000 characters
      reparsed += text.length + 10_000
      problem(reasonOf(line, reparsed > maxReparsed ? "" : text), number)
    }
  }

  const take = (read: Lines.Line): void => {
    const line = read.text?.startsWith(sealedMark) === true ? { ...read, text: open(read.text.trimEnd()) } : read
    if (state._tag === "Lines") {
      takeLine(line)
      return
    }
    if (state._tag === "Document") {
      add(state.parts, Buffer.from(`${line.text}${line.isEnded ? "\n" : ""}`))
      return
    }
    const current = line.number === 1 && line.text?.charCodeAt(0) === bom ? { ...line, text: line.text.slice(1) } : line
    const text = current.text?.trim()
    if (text === "") return
    if (state._tag === "First") {
      if (text !== undefined && isBeginning(text) && !isJson(text)) {
        state =
          text === "["
            ? { _tag: "Document", parts: [Buffer.from("[\n")], from: line.number }
            : { _tag: "Second", first: current }
        return
      }
      state = { _tag: "Lines" }
      takeLine(current)
      return
    }
    const { first } = state
    if (text === undefined || /^[[{]/u.test(text) === false || !isJson(text)) {
      state = { _tag: "Document", parts: [], from: first.number }
      for (const each of [first, current]) add(state.parts, Buffer.from(`${each.text ?? ""}\n`))
      return
    }
    state = { _tag: "Lines" }
    takeLine(first)
    takeLine(current)
  }

  /** Reads a text that is not one document line by line. */
  const takeBlocks = (text: string, from: number): void => {
    let number = from
    for (const one of text.split("\n")) takeLine({ text: one, number: number++, isEnded: true })
    blocks.end()
  }

  return {
    push: (chunk) => {
      if (state._tag !== "Document") {
        lines.push(chunk, take)
        if (lines.unended() > Lines.endless)
          broken(`A line has more than ${Lines.endless / 1_000_000} MB: this is not a log.`)
        return
      }
      lines.end(take)
      add(state.parts, Buffer.from(chunk))
    },
    end: () => {
      lines.end(take)
      if (state._tag === "Second") takeLine(state.first)
      if (state._tag !== "Document") blocks.end()
      if (state._tag !== "Document" || length > Lines.maxBytes) return
      const text = Buffer.concat(state.parts).toString("utf8")
      state.parts.length = 0
      const excess = PartCount.excess(text)
      if (excess !== undefined) {
        broken(`It is one JSON document, which takes too much memory. ${excess}`)
        return
      }
      try {
        value(JSON.parse(text), 1)
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error
        if (/^\{\s*?\n/u.test(text) && /\n\}\s*?(?:\n|$)/u.test(text)) takeBlocks(text, state.from)
        else broken("It is neither JSON Lines nor one JSON document.")
      }
    }
  }
}

const bom = 0xfeff

/** Returns true if a first line looks like the beginning of a document with more lines. */
const isBeginning = (text: string): boolean => /^[[{]/u.test(text) && /[[{,]$/u.test(text)

/** True if a line has no value. Most such lines are empty. */
const isBlank = (text: string): boolean => text === "" || (text.length < 64 && text.trim() === "")

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The maximum number of characters of invalid lines that are parsed again to locate the problem. */
const maxReparsed = 10_000_000

/** Explains why a line is not valid JSON. */
const reasonOf = ({ isEnded }: Lines.Line, text: string): string => {
  if (!isEnded) return "The file ends within this line."
  if (text === "") return "The line is not valid JSON."
  const parsed = JsonText.parse(text, { maxBytes: Number.MAX_SAFE_INTEGER, maxDepth: 10_000 })
  return Result.isFailure(parsed)
    ? `The line cannot be read: ${parsed.failure.message}.`
    : "The line is not valid JSON."
}
