/** Checks the regular expressions of `pattern` and `patternProperties`. `ForeignPattern` runs foreign patterns. */

/** True if a pattern compiles with the flag `u`, as JSON Schema recommends. */
export const isValid = (pattern: string): boolean => {
  try {
    return new RegExp(pattern, "u") instanceof RegExp
  } catch {
    return false
  }
}
