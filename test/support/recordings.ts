/** Reads the recorded conversations, which are messages of chat completions. */
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

/** Returns the files of recorded conversations. */
export const recordedFiles = (): ReadonlyArray<string> => {
  const folder = join(data, "traffic")
  return readdirSync(folder)
    .filter((name) => name.endsWith(".gz"))
    .map((name) => join(folder, name))
}

/** Reads the objects in a gzip-compressed file of JSON lines. */
export const linesOf = (file: string): ReadonlyArray<any> =>
  gunzipSync(readFileSync(file))
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

/** Reads the conversations of one source, for example `toolbench`. */
export const recordingsOf = (source: string): ReadonlyArray<Recording> =>
  linesOf(join(data, "traffic", `${source}.jsonl.gz`))

/** Reads every conversation of every file. */
export const recordings = (): ReadonlyArray<Recording> => recordedFiles().flatMap(linesOf)
