/**
 * Finds many words in a text at the same time, ignoring case, and reads each character once (Aho and Corasick, 1975).
 *
 * The automaton is a table with one look-up per character, regardless of the number of words. The case of letters is
 * ignored only in ASCII.
 */

/** An automaton for a list of words. */
export interface Keywords {
  /** The next state, by state and character class. States are offsets in this table. */
  readonly next: Uint16Array | Uint32Array
  /** The class of each character. */
  readonly classOf: Uint8Array
  readonly classes: number
  /** The first state in which a word ends. */
  readonly firstEnd: number
  /** The indices of the words that end in each state, longest first. */
  readonly ends: ReadonlyArray<ReadonlyArray<number>>
  readonly lengths: ReadonlyArray<number>
}

const fold = (unit: number): number => (unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit)

/**
 * Builds the automaton. Words must not contain upper-case ASCII letters. The position of a word in the list is its
 * index.
 */
export const make = (words: ReadonlyArray<string>): Keywords => {
  // Characters that occur in no word share class 0.
  const classOf = new Uint8Array(65_536)
  let classes = 1
  for (const word of words) {
    for (let i = 0; i < word.length; i++) {
      const unit = word.charCodeAt(i)
      if (classOf[unit] === 0) classOf[unit] = classes++
    }
  }
  for (let unit = 0x41; unit <= 0x5a; unit++) classOf[unit] = classOf[fold(unit)] ?? 0

  const goto: Array<Int32Array> = [new Int32Array(classes)]
  const ends: Array<Array<number>> = [[]]
  words.forEach((word, index) => {
    let state = 0
    for (let i = 0; i < word.length; i++) {
      const row = goto[state]!
      const symbol = classOf[word.charCodeAt(i)]!
      if (row[symbol] === 0) {
        goto.push(new Int32Array(classes))
        ends.push([])
        row[symbol] = goto.length - 1
      }
      state = row[symbol]!
    }
    ends[state]!.push(index)
  })

  const fail = new Int32Array(goto.length)
  const step: Array<Int32Array> = goto.map((row) => row.slice())
  const queue = [0]
  for (let at = 0; at < queue.length; at++) {
    const state = queue[at]!
    for (let symbol = 0; symbol < classes; symbol++) {
      const child = goto[state]![symbol]!
      const shorter = state === 0 ? 0 : step[fail[state]!]![symbol]!
      if (child === 0) {
        step[state]![symbol] = shorter
        continue
      }
      fail[child] = shorter
      ends[child]!.push(...ends[shorter]!)
      queue.push(child)
    }
  }

  // States in which words end come last, so that one comparison finds them.
  const order = queue.toSorted((self, that) => Math.min(1, ends[self]!.length) - Math.min(1, ends[that]!.length))
  const place = new Int32Array(order.length)
  order.forEach((state, index) => (place[state] = index))
  const next = new (order.length * classes < 65_536 ? Uint16Array : Uint32Array)(order.length * classes)
  order.forEach((state, index) => {
    for (let symbol = 0; symbol < classes; symbol++)
      next[index * classes + symbol] = place[step[state]![symbol]!]! * classes
  })
  return {
    next,
    classOf,
    classes,
    firstEnd: order.filter((state) => ends[state]!.length === 0).length * classes,
    ends: order.map((state) => ends[state]!),
    lengths: words.map((word) => word.length)
  }
}

/**
 * True if a text contains any of the words. Most texts contain none, so the search is optimised: reading four
 * characters per step takes two thirds of the time of reading one.
 */
export const mentions = ({ classOf, firstEnd, next }: Keywords, text: string): boolean => {
  const inFours = text.length - 3
  let state = 0
  let i = 0
  for (; i < inFours; i += 4) {
    const one = next[state + classOf[text.charCodeAt(i)]!]!
    const two = next[one + classOf[text.charCodeAt(i + 1)]!]!
    const three = next[two + classOf[text.charCodeAt(i + 2)]!]!
    state = next[three + classOf[text.charCodeAt(i + 3)]!]!
    if (one >= firstEnd || two >= firstEnd || three >= firstEnd || state >= firstEnd) return true
  }
  for (; i < text.length; i++) {
    state = next[state + classOf[text.charCodeAt(i)]!]!
    if (state >= firstEnd) return true
  }
  return false
}

/** Where a search continues: the offset of the next character, and the state of the automaton. */
export interface Place {
  at: number
  state: number
}

/**
 * Calls `onWord` with the index and offset of every word that is found, in the order in which the words end. If
 * `onWord` returns an offset after the current one, the search continues there. Stops before `end`, and moves `place`.
 */
export const search = (
  { classOf, classes, ends, firstEnd, lengths, next }: Keywords,
  text: string,
  onWord: (word: number, at: number) => number,
  place: Place = { at: 0, state: 0 },
  end: number = text.length
): void => {
  let { state } = place
  let i = place.at
  for (; i < end; i++) {
    state = next[state + classOf[text.charCodeAt(i)]!]!
    if (state < firstEnd) continue
    const found = ends[state / classes]!
    for (let n = 0; n < found.length; n++) {
      const word = found[n]!
      const resumeAt = onWord(word, i + 1 - lengths[word]!)
      if (resumeAt > i + 1) {
        i = resumeAt - 1
        state = 0
        break
      }
    }
  }
  place.at = i
  place.state = state
}
