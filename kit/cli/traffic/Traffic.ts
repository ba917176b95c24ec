/**
 * Reads files of recorded traffic as a stream of conversations: memory stays flat at any size.
 *
 * **Details**
 *
 * - JSON Lines, or one JSON document (a list of conversations, one conversation, an OTLP export) of at most 64 MB; plain or
 *   gzip, told by the first bytes; `-` is standard input. In a list the number of the item stands for the line.
 * - The format is found out file by file, or given.
 * - What cannot be read of a file is `Skipped`; a file that cannot be read, or whose format is not known, is a `Problem`.
 *   All files are looked up before the first one is read.
 *
 * **Example** (Count the conversations of files)
 *
 *     for await (const { items } of Traffic.read(["monday.jsonl.gz"])) count += items.length
 */
import type { FormatName } from "#kit/traffic/Format"
import * as Format from "#kit/traffic/Format"
import type { Place } from "#kit/traffic/Conversation"
import * as Detect from "#kit/traffic/formats/Detect"
import { type Item, skipped } from "#kit/traffic/Reader"
import { misuse, type Problem, problem } from "#kit/cli/console/Problem"
import { stat } from "node:fs/promises"
import * as Stream from "effect/Stream"
import * as Bytes from "./Bytes.ts"
import { folder, refusal } from "./Refusal.ts"
import * as Values from "./Values.ts"

/** What was read since the last batch: about a megabyte of text. */
export interface Batch {
  readonly items: ReadonlyArray<Item>
  /** The file, as it was named. */
  readonly file: string
  /** Its format; absent until it is known. */
  readonly format?: FormatName
  /** Bytes of all files read so far, as they lie on the disk. */
  readonly bytes: number
  /** Bytes of all files; absent where one is no plain file. */
  readonly total?: number
}

export interface Options {
  /** The format of every file. Default: found out for each. */
  readonly format?: FormatName | undefined
}

/** Reads files one after the other. Throws `Problem`. Whoever stops early closes the file that is open. */
export const read = async function* (
  names: ReadonlyArray<string>,
  { format }: Options = {}
): AsyncGenerator<Batch, void> {
  if (names.filter((name) => name === "-").length > 1) {
    throw misuse("Standard input (-) is named more than once.", "Name it once.")
  }
  const total = await sizeOf(names)
  const count: Bytes.Count = { bytes: 0 }
  for (const name of names) {
    const file = name === "-" ? "standard input" : name
    const source = make(file, format)
    const batch = (): Batch => {
      const known = source.format()
      return {
        items: source.taken(),
        file,
        bytes: count.bytes,
        ...(known === undefined ? {} : { format: known }),
        ...(total === undefined ? {} : { total })
      }
    }
    for await (const chunk of Bytes.chunks(name, count)) {
      source.push(chunk)
      yield batch()
    }
    source.end()
    yield batch()
  }
}

/** The same as a stream of effects. */
export const stream = (names: ReadonlyArray<string>, options: Options = {}): Stream.Stream<Batch, Problem> =>
  Stream.fromAsyncIterable(read(names, options), (error) => refusal(names.join(", "), error))

/** Bytes of all files; `undefined` where one is none. */
const sizeOf = async (names: ReadonlyArray<string>): Promise<number | undefined> => {
  let total: number | undefined = 0
  for (const name of names) {
    if (name === "-") {
      total = undefined
      continue
    }
    const found = await stat(name).catch((error: unknown) => {
      throw refusal(name, error)
    })
    if (found.isDirectory()) throw folder(name)
    total = found.isFile() && total !== undefined ? total + found.size : undefined
  }
  return total
}

/** Most lines of a file that may be no JSON before any that is. */
const mostFaults = 100

/** Reads one file from its chunks. */
const make = (file: string, given: FormatName | undefined) => {
  const reader = Detect.make(given)
  let items: Array<Item> = []
  let values = 0
  let faults = 0
  let firstFault = ""
  const add = (more: ReadonlyArray<Item>): void => {
    for (const item of more) items.push(item)
  }
  const place = (line: number): Place => ({ file, line })

  const unreadable = (): Problem => problem(`${file} is no JSON Lines. ${firstFault}`, "Write one JSON value a line.")
  const check = (): void => {
    const found = reader.found()
    if (found._tag !== "Unknown") return
    throw problem(
      `The format of ${file} is not known: it holds ${found.first}.`,
      `Formats: ${Format.names.join(", ")}; --format names one.`
    )
  }
  const parser = Values.make({
    value: (value, line) => {
      const isList = values === 0 && Array.isArray(value) && value.length > 0 && Format.of(value) === undefined
      values += 1
      if (isList) value.forEach((one: unknown, index: number) => add(reader.read(one, place(index + 1))))
      else add(reader.read(value, place(line)))
    },
    fault: (reason, line) => {
      faults += 1
      if (faults === 1) firstFault = `Line ${line}: ${reason}`
      items.push(skipped(place(line), reason))
      if (values === 0 && faults > mostFaults) throw unreadable()
    },
    broken: (reason) => {
      throw problem(
        `${file} cannot be read. ${reason}`,
        "Write one JSON value a line: jq -c '.[]' FILE, or jq -c . FILE"
      )
    }
  })

  return {
    format: (): FormatName | undefined => {
      const found = reader.found()
      return found._tag === "Known" ? found.format : undefined
    },
    taken: (): ReadonlyArray<Item> => {
      const taken = items
      items = []
      return taken
    },
    push: (chunk: Buffer): void => {
      parser.push(chunk)
      check()
    },
    end: (): void => {
      parser.end()
      add(reader.end())
      check()
      if (values > 0) return
      if (faults > 0) throw unreadable()
      items.push(skipped(place(1), "The file is empty."))
    }
  }
}
