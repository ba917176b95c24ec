/**
 * The JSON values in chunks of bytes: one a line, or the whole file as one document.
 *
 * **Details**
 *
 * - A file is one document where its first line is no JSON but begins like one that goes on (`[`, `{`, `{"resourceSpans": [`)
 *   and the next line is no value either. It is read whole, up to `Lines.longest` bytes.
 * - Empty lines are nothing. A byte order mark and carriage returns are tolerated.
 */
import * as JsonText from "effect-toolguard/internal/domain/json/JsonText"
import * as Result from "effect/Result"
import * as Lines from "./Lines.ts"

/** What takes the values of a file. */
interface Taker {
  /** `line` counts from 1. */
  readonly value: (value: unknown, line: number) => void
  /** Takes a line that is no JSON, and why. */
  readonly fault: (reason: string, line: number) => void
  /** Takes a document that cannot be read, and why. Nothing follows. */
  readonly broken: (reason: string) => void
}

interface Values {
  readonly push: (chunk: Buffer) => void
  readonly end: () => void
}

type State =
  | { readonly _tag: "First" }
  /** The first line is held until the next one shows what it begins. */
  | { readonly _tag: "Second"; readonly first: Lines.Line }
  | { readonly _tag: "Lines" }
  | { readonly _tag: "Document"; readonly parts: Array<Buffer> }

const megabytes = Lines.longest / 1024 / 1024

/** Makes a reader of values. */
export const make = ({ broken, fault, value }: Taker): Values => {
  const lines = Lines.make()
  let state: State = { _tag: "First" }
  let length = 0
  let explained = 0

  const document = (parts: Array<Buffer>, piece: Buffer): void => {
    length += piece.length
    if (length > Lines.longest) {
      if (parts.length > 0) broken(`It is one JSON document of more than ${megabytes} MB.`)
      parts.length = 0
    } else parts.push(piece)
  }

  const takeLine = (line: Lines.Line): void => {
    const { number, text } = line
    if (text === undefined) {
      fault(`The line is longer than ${megabytes} MB.`, number)
      return
    }
    try {
      value(JSON.parse(text), number)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      if (text.trim() === "") return
      explained += text.length
      fault(reasonOf(line, explained > mostExplained ? "" : text), number)
    }
  }

  const take = (line: Lines.Line): void => {
    if (state._tag === "Lines") {
      takeLine(line)
      return
    }
    if (state._tag === "Document") {
      document(state.parts, Buffer.from(`${line.text}${line.isEnded ? "\n" : ""}`))
      return
    }
    const own = line.number === 1 && line.text?.charCodeAt(0) === bom ? { ...line, text: line.text.slice(1) } : line
    const text = own.text?.trim()
    if (text === "") return
    if (state._tag === "First") {
      if (text !== undefined && goesOn(text) && !isJson(text)) {
        state = text === "[" ? { _tag: "Document", parts: [Buffer.from("[\n")] } : { _tag: "Second", first: own }
        return
      }
      state = { _tag: "Lines" }
      takeLine(own)
      return
    }
    const { first } = state
    if (text === undefined || /^[[{]/u.test(text) === false || !isJson(text)) {
      state = { _tag: "Document", parts: [] }
      for (const each of [first, own]) document(state.parts, Buffer.from(`${each.text ?? ""}\n`))
      return
    }
    state = { _tag: "Lines" }
    takeLine(first)
    takeLine(own)
  }

  return {
    push: (chunk) => {
      if (state._tag !== "Document") {
        lines.push(chunk, take)
        return
      }
      lines.end(take)
      document(state.parts, Buffer.from(chunk))
    },
    end: () => {
      lines.end(take)
      if (state._tag === "Second") takeLine(state.first)
      if (state._tag !== "Document" || length > Lines.longest) return
      try {
        value(JSON.parse(Buffer.concat(state.parts).toString("utf8")), 1)
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error
        broken("It is neither JSON Lines nor one JSON document.")
      }
    }
  }
}

const bom = 0xfeff

/** True where a first line looks like the beginning of a document that goes on in the next one. */
const goesOn = (text: string): boolean => /^[[{]/u.test(text) && /[[{,]$/u.test(text)

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Characters of bad lines that are read again to find the place. */
const mostExplained = 10_000_000

const reasonOf = ({ isEnded }: Lines.Line, text: string): string => {
  if (!isEnded) return "The file ends within this line."
  if (text === "") return "The line is no JSON."
  const parsed = JsonText.parse(text, { maxBytes: Number.MAX_SAFE_INTEGER, maxDepth: 10_000 })
  return Result.isFailure(parsed) ? `The line cannot be read: ${parsed.failure.message}.` : "The line is no JSON."
}
