/** Reads one line of a file of labels, or reports where the file is malformed and what to do. */

/** The error of a file that cannot be read: what is wrong, where, and what to do. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile"
}

export interface LabelledLine {
  readonly row: Readonly<Record<string, unknown>>
  /** Throws `UnreadableFile` with the place and the remedy. */
  readonly refuse: (what: string) => never
}

/** Reads a line. Throws `UnreadableFile` if it is not a JSON object. */
export const read = (path: string, line: string, number: number, remedy: string): LabelledLine => {
  const refuse = (what: string): never => {
    throw new UnreadableFile(`${path}:${number}: ${what}. ${remedy}`)
  }
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return refuse("not valid JSON")
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return refuse("not a JSON object")
  return { row: value as Readonly<Record<string, unknown>>, refuse }
}
