/**
 * What a text must hold so that an expression can match in it: pieces of plain text, one of which stands in each match.
 *
 * Read from the expression's own source, so that it cannot disagree with it. A search for the pieces of all expressions at
 * once then tells which of them need to be tried.
 *
 * **Details**
 *
 * - Of a sequence the most telling part counts; of alternatives, the pieces of all.
 * - What is optional, a class of characters or a back reference breaks a piece; what has no width (`\b`, `(?!…)`) does not.
 * - Letters are in lower case. Anything that is not plain ASCII is taken for a class.
 */

/** Pieces, one of which stands in each match; undefined where an expression can match without any. */
export type Pieces = ReadonlyArray<string> | undefined

/** Shorter pieces stand in most texts; of longer ones the beginning is as telling, and found by a smaller table. */
const shortest = 3
const longest = 8

/** The pieces of an expression without flags that change its syntax. */
export const piecesOf = ({ source }: RegExp): Pieces => new Reader(source).alternatives()

/** One item of a sequence: plain text, nothing that takes room, or anything else with what it must hold. */
type Item =
  | { readonly _tag: "Plain"; readonly text: string }
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Other"; readonly pieces: Pieces }

const empty: Item = { _tag: "Empty" }
const anything: Item = { _tag: "Other", pieces: undefined }

const controls: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" }

class Reader {
  readonly source: string
  at = 0

  constructor(source: string) {
    this.source = source
  }

  alternatives(): Pieces {
    let all: Pieces = []
    for (;;) {
      const one = this.sequence()
      all = all === undefined || one === undefined ? undefined : [...all, ...one]
      if (this.source[this.at] !== "|") return all
      this.at += 1
    }
  }

  sequence(): Pieces {
    let best: Pieces
    let run = ""
    const offer = (pieces: Pieces): void => {
      if (pieces !== undefined && telling(pieces) > telling(best)) best = pieces
    }
    const close = (): void => {
      if (run.length >= shortest) offer([run.slice(0, longest)])
      run = ""
    }
    while (this.at < this.source.length && !/[|)]/.test(this.source[this.at] ?? "")) {
      const item = this.item()
      const { isOnce, least } = this.quantifier()
      if (item._tag === "Empty") continue
      if (item._tag === "Plain" && least > 0) run += item.text
      if (item._tag === "Plain" && isOnce) continue
      close()
      if (item._tag === "Other" && least > 0) offer(item.pieces)
    }
    close()
    return best
  }

  item(): Item {
    const rest = this.source.slice(this.at, this.at + 4)
    const first = rest[0] ?? ""
    if (first === "(") return this.group(rest)
    if (first === "[") return this.skip(/\[(?:\\.|[^\]\\])*\]/y, anything)
    if (first === "^" || first === "$") return this.skip(/./y, empty)
    if (first === "\\") return this.escape(rest[1] ?? "")
    this.at += 1
    return first === "." ? anything : plain(first)
  }

  group(opening: string): Item {
    const look = /^\(\?(?:<?[=!])/.exec(opening)
    this.skip(/\((?:\?(?:<?[=!]|:|<\w+>))?/y, anything)
    const pieces = this.alternatives()
    this.at += 1
    return look === null ? { _tag: "Other", pieces } : empty
  }

  escape(letter: string): Item {
    if (/[bB]/.test(letter)) return this.skip(/../y, empty)
    const control = controls[letter]
    if (control !== undefined) return this.skip(/../y, plain(control))
    if (/\w/.test(letter)) return this.skip(/\\(?:[pP]\{[^}]*\}|k<\w+>|u\{\w+\}|u\w{4}|x\w{2}|c\w|\w)/y, anything)
    return this.skip(/\\./y, plain(letter))
  }

  quantifier(): { readonly least: number; readonly isOnce: boolean } {
    const form = /(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/y
    form.lastIndex = this.at
    const found = form.exec(this.source)
    if (found === null) return { least: 1, isOnce: true }
    this.at += found[0].length
    return { least: found[0].startsWith("+") ? 1 : Number(found[1] ?? 0), isOnce: false }
  }

  /** Goes on behind what the form matches here. */
  skip(form: RegExp, item: Item): Item {
    form.lastIndex = this.at
    this.at += form.exec(this.source)?.[0].length ?? 1
    return item
  }
}

const plain = (text: string): Item =>
  /^[\n\r\t -~]$/.test(text) ? { _tag: "Plain", text: text.toLowerCase() } : anything

/** The length of the shortest piece: the longer, the fewer texts hold it by chance. */
const telling = (pieces: Pieces): number =>
  pieces === undefined ? 0 : Math.min(...pieces.map(({ length }) => length)) - pieces.length / 100
