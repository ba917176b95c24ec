/**
 * Reads one format: a fold over the lines of one file, pure and synchronous.
 *
 * **Details**
 *
 * - `read` takes any JSON value and never throws. `end` returns the conversations that are still open.
 * - A conversation that fits in one line is returned at once. One that spans several lines is returned when it is closed:
 *   at the end of the file, or when the reader's window is full and this one is the least recently used (`Window`).
 * - Nothing is dropped silently: what a reader does not understand is `Skipped`. Lines that belong to a format but hold no
 *   messages (titles, file snapshots, unrelated spans) yield nothing and are not reported.
 */
import type { Conversation, Place, Skipped } from "./Conversation.ts"

/** What a reader returns. */
export type Item = Conversation | Skipped

/** Reads the lines of one file. */
export interface Reader {
  /** Reads the value of one line. */
  readonly read: (value: unknown, place: Place) => ReadonlyArray<Item>
  /** Ends the file, and returns what is still open. */
  readonly end: () => ReadonlyArray<Item>
}

/** The empty list, shared: most lines yield nothing. */
export const nothing: ReadonlyArray<never> = []

/** Reports something that was not read. */
export const skipped = (place: Place, reason: string): Skipped => ({ _tag: "Skipped", place, reason })
