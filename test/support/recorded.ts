/** The recorded conversations of the data, as chat completions messages. */
import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { data } from "./data.ts"

export interface Recording {
  readonly id: string
  readonly messages: ReadonlyArray<{
    readonly role: string
    readonly content: unknown
    readonly [field: string]: unknown
  }>
}

/** Every conversation of every file. */
export const recordings = (): ReadonlyArray<Recording> => {
  const folder = join(data, "traffic")
  return readdirSync(folder)
    .filter((name) => name.endsWith(".gz"))
    .flatMap((name) =>
      gunzipSync(readFileSync(join(folder, name)))
        .toString()
        .trim()
        .split("\n")
    )
    .map((line): Recording => JSON.parse(line))
}
