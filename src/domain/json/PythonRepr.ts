/**
 * Reads the repr of a Python value, as Python clients write results to their logs: `{'id': 7, 'tags': None}`.
 *
 * **Details**
 *
 * - Reads dicts, lists, tuples, sets, strings, bytes, numbers, `True`, `False`, `None` and class instances.
 * - A class instance becomes an object of its keyword arguments (`TextContent(type='text', text='…')`), its only
 *   positional argument (`Decimal('1.5')`), or a list of its positional arguments. `<Level.LOW: 'low'>` becomes its
 *   value.
 * - Reads the output of pydantic models: `meta=None content=[…] isError=False`.
 * - The whole text must be a repr. A truncated repr is reported as `Cut`.
 *
 * **Gotchas**
 *
 * Use this module only for data. For error texts use `Literal`, which accepts nearly any syntax.
 */

const maximumDepth = 200

/**
 * Thrown if the text is not a repr or is truncated. It is shared, so that no stack is recorded, and caught in this
 * file.
 */
const refused = new Error("not a repr")

/** Thrown if the text is neither a repr nor a truncated repr. */
const wrong = new Error("not a repr")

const constants: ReadonlyMap<string, boolean | null> = new Map([
  ["None", null],
  ["True", true],
  ["False", false]
])

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  a: "\u0007",
  "\\": "\\",
  "'": "'",
  '"': '"'
}

/** Converts the text of a number. A caller can distinguish `1.0` from `1`, which are equal as numbers. */
export type ReadNumber = (source: string) => unknown

class Reader {
  readonly text: string
  readonly readNumber: ReadNumber
  index = 0

  constructor(text: string, readNumber: ReadNumber) {
    this.text = text
    this.readNumber = readNumber
  }

  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.index
    const found = pattern.exec(this.text)?.[0]
    this.index += found?.length ?? 0
    return found
  }

  /** Skips white space and then the character. True if the character is there. */
  take(character: string): boolean {
    this.match(/\s*/y)
    if (this.text[this.index] !== character) return false
    this.index += 1
    return true
  }

  demand(character: string): void {
    if (!this.take(character)) throw refused
  }

  value(depth: number): unknown {
    if (depth > maximumDepth) throw refused
    if (this.take("[")) return this.sequence("]", () => this.value(depth + 1))
    if (this.take("(")) return this.sequence(")", () => this.value(depth + 1))
    if (this.take("{")) return this.braces(depth)
    if (this.take("<")) return this.member(depth)
    if (this.match(/[bBrRuU]{0,2}(?=['"])/y) !== undefined) return this.string()
    const number = this.match(/[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])/y)
    return number === undefined ? this.named(depth) : this.readNumber(number)
  }

  string(): string {
    const quote = this.text[this.index]
    this.index += 1
    let out = ""
    for (;;) {
      out += this.match(/[^'"\\]*/y) ?? ""
      const next = this.text[this.index]
      this.index += 1
      if (next === undefined) throw refused
      if (next === quote) return out
      out += next === "\\" ? this.escaped() : next
    }
  }

  escaped(): string {
    const code = this.match(/x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}/y)
    if (code !== undefined) {
      const point = Number.parseInt(code.slice(1), 16)
      if (point > 0x10ffff) throw refused
      return String.fromCodePoint(point)
    }
    const character = this.text[this.index] ?? ""
    this.index += 1
    return escapes[character] ?? `\\${character}`
  }

  /** Reads items up to a closing bracket. A trailing comma is allowed. */
  sequence<A>(close: string, item: () => A): Array<A> {
    const out: Array<A> = []
    while (!this.take(close)) {
      out.push(item())
      if (this.take(close)) break
      this.demand(",")
    }
    return out
  }

  /** Reads a dict or a set. */
  braces(depth: number): unknown {
    const items = this.sequence("}", () => {
      const key = this.value(depth + 1)
      return this.take(":") ? { key, value: this.value(depth + 1) } : { key }
    })
    if (items.length > 0 && items.every((item) => !("value" in item))) return items.map(({ key }) => key)
    return record(items.map((item) => ("value" in item ? [keyOf(item.key), item.value] : refuse(wrong))))
  }

  /** Reads a constant, or a class instance with its arguments. */
  named(depth: number): unknown {
    const name = this.match(/[A-Za-z_][\w.]*/y) ?? refuse(refused)
    const constant = constants.get(name)
    if (constant !== undefined) return constant
    this.demand("(")
    const args = this.sequence(")", () => this.argument(depth + 1))
    const plain = args.flatMap(([key, value]) => (key === undefined ? [value] : []))
    if (plain.length === 0) return record(args.map(([key, value]) => [key ?? "", value]))
    if (plain.length < args.length) throw wrong
    return plain.length === 1 ? plain[0] : plain
  }

  argument(depth: number): readonly [name: string | undefined, value: unknown] {
    this.match(/\s*/y)
    const name = this.match(/[A-Za-z_]\w*(?==)/y)
    if (name !== undefined) this.index += 1
    return [name, this.value(depth)]
  }

  /** Reads a member of an enumeration: `<Level.LOW: 'low'>`. */
  member(depth: number): unknown {
    if (this.match(/[A-Za-z_][\w.]*: /y) === undefined) throw refused
    const value = this.value(depth + 1)
    this.demand(">")
    return value
  }

  /** Reads the fields of a model, which are separated by spaces. */
  model(): unknown {
    const fields: Array<readonly [string | undefined, unknown]> = []
    while (this.index < this.text.length) {
      const field = this.argument(0)
      if (field[0] === undefined) throw refused
      fields.push(field)
      if (this.index < this.text.length && this.match(/ /y) === undefined) throw refused
    }
    return record(fields.map(([name, value]) => [name ?? "", value]))
  }
}

const refuse = (how: Error): never => {
  throw how
}

const keyOf = (key: unknown): string => (typeof key === "object" && key !== null ? refuse(wrong) : String(key))

const record = (entries: ReadonlyArray<readonly [string, unknown]>): unknown => {
  if (entries.some(([name]) => name === "__proto__")) throw wrong
  return Object.fromEntries(entries)
}

const isModel = /^[A-Za-z_]\w*=\S[^]* [A-Za-z_]\w*=\S[^]*$/

/** The result of reading a text as a repr. */
type Reading =
  | { readonly _tag: "Read"; readonly value: unknown }
  /** A repr that ends early. */
  | { readonly _tag: "Cut" }
  | { readonly _tag: "Other" }

/** Reads a text that is the repr of a dict, list, tuple or model. JSON with `null`, `true` or `false` is `Other`. */
export const read = (text: string, readNumber: ReadNumber = Number): Reading => {
  const trimmed = text.trim()
  const isWhole = isModel.test(trimmed)
  if (!isWhole && !/^[{[(]/.test(trimmed)) return { _tag: "Other" }
  const reader = new Reader(trimmed, readNumber)
  try {
    const value = isWhole ? reader.model() : reader.value(0)
    return reader.index === trimmed.length ? { _tag: "Read", value } : { _tag: "Other" }
  } catch (error) {
    if (error !== refused && error !== wrong && !(error instanceof RangeError)) throw error
    return { _tag: error === refused && reader.index >= trimmed.length ? "Cut" : "Other" }
  }
}
