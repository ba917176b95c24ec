/**
 * Reads files of recorded traffic as a stream of conversations, in bounded memory.
 *
 * **Details**
 *
 * - A file is JSON Lines, or one JSON document (a list of conversations, one conversation, an OTLP export) of at most
 *   64 MB. Gzip is detected by its first bytes. `-` is standard input. In a list, the number of the item replaces the
 *   line.
 * - The format is detected for each file, unless `format` names it.
 * - Lines that `CallLogFile` encrypted are decrypted with the keys of the environment. An encrypted line without its
 *   key is a `Problem`.
 * - Conversations with too many calls or tools are cut, and the rest is `Skipped` (`LongConversation`).
 * - Unreadable lines are `Skipped`. A file that cannot be read or has no known format is a `Problem`, as are files
 *   without a conversation, or without a call although the model wrote some as text, after their last batch. All files
 *   are checked for existence before the first file is read.
 *
 * **Example** (Count the conversations and the skipped parts of files)
 *
 *     Stream.runFold(Traffic.stream(["monday.jsonl.gz"]), () => 0, (count, { items }) => count + items.length)
 */
import { type AtRestCipher, linePlace } from "effect-toolguard/services/AtRest"
import type { FormatName } from "#kit/traffic/Format"
import type { Mapping } from "#kit/traffic/Mapping"
import * as Format from "#kit/traffic/Format"
import type { Place, Skipped } from "#kit/traffic/Conversation"
import * as FormatDetector from "#kit/traffic/formats/FormatDetector"
import { type Item, nothing, skipped } from "#kit/traffic/Reader"
import { atRestCipher } from "#kit/cli/console/AtRest"
import { misuse, type Problem, problem } from "#kit/cli/console/Problem"
import { stat } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Bytes from "./Bytes.ts"
import * as LongConversation from "./LongConversation.ts"
import { folder, nothingRead, refusal, unknownFormat } from "./Refusal.ts"
import * as Values from "./Values.ts"

/** The conversations read since the last batch: about a megabyte of text. */
export interface Batch {
  readonly items: ReadonlyArray<Item>
  /** The name of the file, or `standard input`. */
  readonly file: string
  /** The format of the file; absent until it is known. */
  readonly format?: FormatName
  /** The number of bytes of all files read so far, before unpacking. */
  readonly bytes: number
  /** The number of bytes of all files; absent if one of them is not a regular file. */
  readonly total?: number
}

/** How to read the files. */
export interface Options {
  /** The format of every file. Default: detected for each. */
  readonly format?: FormatName | undefined
  /** The mapping by which every file is read, instead of a format. */
  readonly mapping?: Mapping
}

/** Reads files one after the other. A consumer that stops early closes the open file. */
export const stream = (names: ReadonlyArray<string>, options: Options = {}): Stream.Stream<Batch, Problem> =>
  Stream.unwrap(
    Effect.map(atRestCipher, (cipher) =>
      Stream.fromAsyncIterable(batches(names, options, cipher), (error) => refusal(names.join(", "), error))
    )
  )

/** Reads the batches of files. Throws `Problem`. */
const batches = async function* (
  names: ReadonlyArray<string>,
  options: Options,
  cipher: AtRestCipher
): AsyncGenerator<Batch, void> {
  if (names.filter((name) => name === "-").length > 1) {
    throw misuse("Standard input (-) is named more than once.", "Name it once.")
  }
  if (names.includes("")) {
    throw misuse("The files of recorded traffic include an empty name.", "Name each file, or - for standard input.")
  }
  const total = await sizeOf(names)
  const count: Bytes.Count = { bytes: 0 }
  let isNothingRead = true
  let hasCalls = false
  let firstSkipped: Skipped | undefined
  let firstWritten: Skipped | undefined
  const watch = (items: ReadonlyArray<Item>): ReadonlyArray<Item> => {
    for (const item of hasCalls ? nothing : items) {
      if (item._tag === "Conversation") {
        isNothingRead = false
        hasCalls ||= item.messages.some((message) => message.role === "assistant" && message.calls.length > 0)
      } else if (item.isCall === true) firstWritten ??= item
      else firstSkipped ??= item
    }
    return items
  }
  for (const name of names) {
    const file = name === "-" ? "standard input" : name
    const source = make(file, options, cipher)
    const batch = (): Batch => {
      const known = source.format()
      return {
        items: watch(source.take()),
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
  const isMapped = options.mapping !== undefined
  if (isNothingRead) throw nothingRead(names, firstSkipped, isMapped)
  if (!hasCalls && firstWritten !== undefined) throw nothingRead(names, firstWritten, isMapped)
}

/** Returns the number of bytes of all files; undefined if one of them is not a regular file. */
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

/** The maximum number of invalid lines before the first valid line. */
const maxProblems = 100

/** Creates a reader of one file, which collects items from its chunks. */
const make = (file: string, { format, mapping }: Options, cipher: AtRestCipher) => {
  const reader = mapping === undefined ? FormatDetector.make(format) : FormatDetector.mapped(mapping)
  let items: Array<Item> = []
  let values = 0
  let problems = 0
  let firstProblem = ""
  const cut = LongConversation.make()
  const add = (more: ReadonlyArray<Item>): void => {
    for (const item of more) items.push(...cut(item))
  }
  const place = (line: number): Place => ({ file, line })

  const unreadable = (): Problem =>
    problem(`${file} is not JSON Lines. ${firstProblem}`, "Write one JSON value per line.")
  const check = (): void => {
    const found = reader.found()
    if (found._tag !== "Unknown") return
    throw unknownFormat(file, found.first)
  }
  const parser = Values.make({
    value: (value, line) => {
      const isDocument = values === 0 && Array.isArray(value) && value.length > 0
      const isList = isDocument && (mapping !== undefined || Format.of(value) === undefined)
      values += 1
      if (isList && Array.isArray(value))
        value.forEach((one: unknown, index) => add(reader.read(one, place(index + 1))))
      else add(reader.read(value, place(line)))
    },
    problem: (reason, line) => {
      problems += 1
      if (problems === 1) firstProblem = `Line ${line}: ${reason}`
      items.push(skipped(place(line), reason))
      if (values === 0 && problems > maxProblems) throw unreadable()
    },
    open: (text) =>
      Result.getOrThrowWith(cipher.open(text, linePlace), ({ detail, remedy }) =>
        problem(`${file} cannot be read. ${detail}`, remedy)
      ),
    broken: (reason) => {
      throw problem(
        `${file} cannot be read. ${reason}`,
        "Write one JSON value per line: jq -c '.[]' FILE, or jq -c . FILE"
      )
    }
  })

  return {
    format: (): FormatName | undefined => {
      const found = reader.found()
      return found._tag === "Known" ? found.format : undefined
    },
    take: (): ReadonlyArray<Item> => {
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
      if (problems > 0) throw unreadable()
      items.push(skipped(place(1), "The file is empty."))
    }
  }
}
