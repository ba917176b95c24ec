/** Compiles the regular expressions of `pattern` and `patternProperties`, and tells whether they are safe to run. */

/** Compiles a pattern with the flag `u`, as JSON Schema recommends. Returns `undefined` for an invalid pattern. */
export const compile = (pattern: string): RegExp | undefined => {
  try {
    return new RegExp(pattern, "u")
  } catch {
    return undefined
  }
}

/** What a group contains that a text can match in several ways. A repetition outweighs a choice. */
type Content = "nothing" | "choice" | "repetition"

/** The most repetitions with which a choice is still fast: each repetition at most doubles the ways to match `(a|a)`. */
const mostChoices = 8

/**
 * True if a pattern can take exponential time on a text that does not match: a repeated group contains a repetition or
 * a choice. A group that is repeated at most `mostChoices` times may contain a choice.
 */
export const isSlow = (pattern: string): boolean => {
  const open: Array<Content> = []
  let isInClass = false
  for (let at = 0; at < pattern.length; at++) {
    const one = pattern[at]
    if (one === "\\") at += 1
    else if (isInClass) isInClass = one !== "]"
    else if (one === "[") isInClass = true
    else if (one === "(") open.push("nothing")
    else if (one === ")") {
      const content = open.pop() ?? "nothing"
      const most = mostRepetitions(pattern.slice(at + 1, at + 20))
      if (content === "repetition" && most > 1) return true
      if (content === "choice" && most > mostChoices) return true
      mark(open, content === "nothing" && most <= 1 ? "nothing" : most > 1 ? "repetition" : content)
    } else if (one === "|") mark(open, "choice")
    else if (one === "*" || one === "+" || (one === "{" && /^\{\d+,/.test(pattern.slice(at, at + 12)))) {
      mark(open, "repetition")
    }
  }
  return false
}

/** Returns how often a group is repeated at most, by the quantifier after it; 1 for a group that is not repeated. */
const mostRepetitions = (rest: string): number => {
  if (/^[*+]/.test(rest)) return Infinity
  const [, most] = /^\{\d+,(\d*)\}/.exec(rest) ?? []
  return most === undefined ? 1 : most === "" ? Infinity : Number(most)
}

const mark = (open: Array<Content>, content: Content): void => {
  const last = open.length - 1
  if (last >= 0 && content !== "nothing" && open[last] !== "repetition") open[last] = content
}
