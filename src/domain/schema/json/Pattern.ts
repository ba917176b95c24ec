/** Compiles the regular expressions of `pattern` and `patternProperties`, and tells whether they are safe to run. */

/** Compiles a pattern with the flag `u`, as JSON Schema recommends. Returns `undefined` for an invalid pattern. */
export const compile = (pattern: string): RegExp | undefined => {
  try {
    return new RegExp(pattern, "u")
  } catch {
    return undefined
  }
}

/**
 * True if a pattern can take exponential time on a text that does not match: a repeated group contains a repetition or
 * a choice.
 */
export const isSlow = (pattern: string): boolean => {
  const open: Array<boolean> = []
  let isInClass = false
  for (let at = 0; at < pattern.length; at++) {
    const one = pattern[at]
    if (one === "\\") at += 1
    else if (isInClass) isInClass = one !== "]"
    else if (one === "[") isInClass = true
    else if (one === "(") open.push(false)
    else if (one === ")") {
      const containsRepetition = open.pop() === true
      const isRepeated = /^(?:[*+]|\{\d+,\d*\})/.test(pattern.slice(at + 1, at + 20))
      if (containsRepetition && isRepeated) return true
      if (containsRepetition || isRepeated) mark(open)
    } else if (
      one === "*" ||
      one === "+" ||
      one === "|" ||
      (one === "{" && /^\{\d+,/.test(pattern.slice(at, at + 12)))
    ) {
      mark(open)
    }
  }
  return false
}

const mark = (open: Array<boolean>): void => {
  if (open.length > 0) open[open.length - 1] = true
}
