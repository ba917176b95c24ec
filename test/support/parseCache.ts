/** Parses each source once. The rules for sources share the results, because parsing takes most of their time. */
import { parseSync, type ParseResult } from "oxc-parser"

const results = new Map<string, ParseResult>()

/** Returns the syntax tree and the comments of a source. */
export const parsed = (path: string, source: string): ParseResult => {
  const key = `${path}\0${source}`
  const known = results.get(key)
  if (known !== undefined) return known
  const result = parseSync(path, source)
  results.set(key, result)
  return result
}
