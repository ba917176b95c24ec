/**
 * Extracts the required literals of a regular expression: plain strings, so that every match contains at least one of
 * them.
 *
 * The literals are derived from the expression's source, so they always agree with the expression. One search for the
 * literals of all expressions finds the expressions that can match.
 *
 * **Details**
 *
 * - A sequence contributes the literals of its most specific part; alternatives contribute the literals of each.
 * - Optional parts, character classes and back references end a literal; zero-width parts (`\b`, `(?!…)`) do not.
 * - Literals are in lower case. A character outside ASCII is treated as a character class.
 */

/** Strings such that every match contains at least one; `undefined` if a match can contain none of them. */
type Literals = ReadonlyArray<string> | undefined

/**
 * Shorter literals occur in most texts. Longer literals are cut, because a prefix is nearly as specific and takes less
 * memory.
 */
const minLength = 3
const maxLength = 8

/** Returns the required literals of an expression, which must not have flags that change its syntax. */
export const literalsOf = ({ source }: RegExp): Literals => new Reader(source).alternatives()

/** An item of a sequence: plain text, a zero-width part, or any other part with its required literals. */
type Item =
  | { readonly _tag: "Plain"; readonly text: string }
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Other"; readonly literals: Literals }

const empty: Item = { _tag: "Empty" }
const anything: Item = { _tag: "Other", literals: undefined }

const controls: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" }

class Reader {
  readonly source: string
  at = 0

  constructor(source: string) {
    this.source = source
  }

  alternatives(): Literals {
    let all: Literals = []
    for (;;) {
      const one = this.sequence()
      all = all === undefined || one === undefined ? undefined : [...all, ...one]
      if (this.source[this.at] !== "|") return all
      this.at += 1
    }
  }

  sequence(): Literals {
    let best: Literals
    let run = ""
    const offer = (literals: Literals): void => {
      if (literals !== undefined && specificity(literals) > specificity(best)) best = literals
    }
    const close = (): void => {
      if (run.length >= minLength) offer([run.slice(0, maxLength)])
      run = ""
    }
    while (this.at < this.source.length && !/[|)]/.test(this.source[this.at] ?? "")) {
      const item = this.item()
      const { isOnce, least } = this.quantifier()
      if (item._tag === "Empty") continue
      if (item._tag === "Plain" && least > 0) run += item.text
      if (item._tag === "Plain" && isOnce) continue
      close()
      if (item._tag === "Other" && least > 0) offer(item.literals)
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
    const literals = this.alternatives()
    this.at += 1
    return look === null ? { _tag: "Other", literals } : empty
  }

  escape(character: string): Item {
    if (/[bB]/.test(character)) return this.skip(/../y, empty)
    const control = controls[character]
    if (control !== undefined) return this.skip(/../y, plain(control))
    if (/\w/.test(character)) return this.skip(/\\(?:[pP]\{[^}]*\}|k<\w+>|u\{\w+\}|u\w{4}|x\w{2}|c\w|\w)/y, anything)
    return this.skip(/\\./y, plain(character))
  }

  quantifier(): { readonly least: number; readonly isOnce: boolean } {
    const form = /(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/y
    form.lastIndex = this.at
    const found = form.exec(this.source)
    if (found === null) return { least: 1, isOnce: true }
    this.at += found[0].length
    return { least: found[0].startsWith("+") ? 1 : Number(found[1] ?? 0), isOnce: false }
  }

  /** Moves past the form's match at the current position and returns the item. */
  skip(form: RegExp, item: Item): Item {
    form.lastIndex = this.at
    this.at += form.exec(this.source)?.[0].length ?? 1
    return item
  }
}

const plain = (text: string): Item =>
  /^[\n\r\t -~]$/.test(text) ? { _tag: "Plain", text: text.toLowerCase() } : anything

/** Ranks literals by the shortest of them, since a longer literal occurs in fewer texts. Fewer literals rank higher. */
const specificity = (literals: Literals): number =>
  literals === undefined ? 0 : Math.min(...literals.map(({ length }) => length)) - literals.length / 100
