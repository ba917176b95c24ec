/**
 * Reads a JSON value or a Python repr that is embedded in a text such as an error message.
 *
 * **Details**
 *
 * - Reads both notations: `{"a": null}` and `{'a': None}`, tuples, and calls such as `TextContent(type='text')`, which
 *   become objects of their keyword arguments.
 * - Closes a value that ends early, so that a truncated message yields the part that it contains.
 *
 * **Gotchas**
 *
 * The reader is meant for errors, not for data: it accepts nearly any syntax. Depth is bounded and time is linear.
 */

/** A value and the index after it. */
interface Literal {
  readonly value: unknown
  readonly end: number
}

const maximumDepth = 12
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", "0": "\0" }
const words: Readonly<Record<string, unknown>> = {
  null: null,
  None: null,
  true: true,
  True: true,
  false: false,
  False: false
}

const space = /\s/
/** The end of a string, or an escape in it. */
const double = /["\\]/g
const single = /['\\]/g
/** A number or a name. */
const plain = /[\w.+-]{1,80}/y

class Reader {
  readonly text: string
  index: number

  constructor(text: string, index: number) {
    this.text = text
    this.index = index
  }

  skip(): string | undefined {
    if (this.text.charCodeAt(this.index) <= 32 || this.text.charCodeAt(this.index) > 127) {
      while (space.test(this.text[this.index] ?? "x")) this.index += 1
    }
    return this.text[this.index]
  }

  /** Reads a value. Never throws. If no value starts here, returns `undefined` and stays at the same index. */
  value(depth: number): unknown {
    const first = this.skip()
    if (first === undefined || depth > maximumDepth) return undefined
    if (first === "{") return this.fields(depth, "}", ":")
    if (first === "[") return this.list("]", depth)
    if (first === "(") return this.list(")", depth)
    if (first === '"' || first === "'") return this.string(first)
    return this.word(depth)
  }

  string(quote: string): string {
    let out = ""
    let from = ++this.index
    const stop = quote === '"' ? double : single
    for (;;) {
      stop.lastIndex = this.index
      this.index = stop.exec(this.text)?.index ?? this.text.length
      const next = this.text[this.index]
      if (next === undefined || next === quote) {
        out += this.text.slice(from, this.index)
        if (next !== undefined) this.index += 1
        return out
      }
      out += this.text.slice(from, this.index)
      const character = this.text[this.index + 1] ?? ""
      const hex = character === "u" ? /^[0-9a-f]{4}/i.exec(this.text.slice(this.index + 2, this.index + 6)) : null
      out += hex === null ? (escapes[character] ?? character) : String.fromCharCode(Number.parseInt(hex[0], 16))
      this.index += hex === null ? 2 : 6
      from = this.index
    }
  }

  list(close: string, depth: number): ReadonlyArray<unknown> {
    const out: Array<unknown> = []
    this.index += 1
    for (;;) {
      const next = this.skip()
      if (next === undefined) return out
      if (next === close) {
        this.index += 1
        return out
      }
      if (next === ",") this.index += 1
      else {
        const before = this.index
        out.push(this.value(depth + 1))
        if (this.index === before) return out
      }
    }
  }

  /** Reads fields up to `close`. `separator` is between a name and its value: `{"a": 1}`, `Point(x=1)`. */
  fields(depth: number, close: string, separator: string): Readonly<Record<string, unknown>> {
    const out: Record<string, unknown> = Object.create(null)
    this.index += 1
    for (;;) {
      const next = this.skip()
      if (next === undefined) return out
      if (next === close) {
        this.index += 1
        return out
      }
      const before = this.index
      if (next === ",") this.index += 1
      else {
        const key = this.value(depth + 1)
        if (this.skip() === separator) {
          this.index += 1
          out[String(key)] = this.value(depth + 1)
        }
      }
      if (this.index === before) return out
    }
  }

  /** Reads a number, a constant, or a name with keyword arguments. */
  word(depth: number): unknown {
    plain.lastIndex = this.index
    const match = plain.exec(this.text)
    if (match === null) return undefined
    const [word] = match
    this.index += word.length
    if (this.text[this.index] === "(") return this.fields(depth, ")", "=")
    if (Object.hasOwn(words, word)) return words[word]
    const number = Number(word)
    return Number.isNaN(number) ? word : number
  }
}

/** Reads the value that starts at `index`. */
export const read = (text: string, index: number): Literal => {
  const reader = new Reader(text, index)
  const value = reader.value(0)
  return { value, end: reader.index }
}

/** The start of a value: at the start of the text, or after a character that introduces a value. */
const opening = /(?:^|[\s:>)=-])([{[](?=\s*["'{[\]}]|\s*\w+\()|\bcontent=\[(?=\w+\())/g

/** Finds the first object or list in a text, and its start; `undefined` if the text contains neither. */
export const find = (text: string): (Literal & { readonly start: number }) | undefined => {
  opening.lastIndex = 0
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const start = match.index + match[0].length - 1
    const before = text.slice(Math.max(0, start - 24), start)
    // An echoed value (pydantic's `input_value={…}`) is the caller's data, not the response.
    if (!/(?:input_value|input|value|got|received)[=:]?\s?$/.test(before)) return { ...read(text, start), start }
  }
  return undefined
}
