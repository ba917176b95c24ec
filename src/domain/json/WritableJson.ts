/** Whether a value can be written as JSON. */

/** False for a value that is nested too deeply to be written. */
export const isWritable = (value: unknown): boolean => {
  try {
    JSON.stringify(value)
    return true
  } catch {
    return false
  }
}
