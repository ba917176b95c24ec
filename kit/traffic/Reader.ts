/**
 * What reads one format: a fold over the lines of one file, pure and synchronous.
 *
 * **Details**
 *
 * - `read` takes the value of a line, whatever it is, and never throws; `end` gives what is still open.
 * - A conversation that stands in one line is given at once. One that is spread over lines is given when it is closed:
 *   at the end of the file, or when it was touched least lately and its reader's window is full (`Window`).
 * - Nothing is dropped in silence: what a reader does not understand is `Skipped`. Lines without any message that belong
 *   to a format (titles, snapshots of files, spans of other work) are no conversation and not told.
 */
import type { Conversation, Place, Skipped } from "./Conversation.ts"

/** What a reader gives. */
export type Item = Conversation | Skipped

export interface Reader {
  /** Takes the value of a line. */
  readonly read: (value: unknown, place: Place) => ReadonlyArray<Item>
  /** Takes the end of the file. */
  readonly end: () => ReadonlyArray<Item>
}

/** Gives nothing. */
export const nothing: ReadonlyArray<never> = []

/** Says that something was not read. */
export const skipped = (place: Place, reason: string): Skipped => ({ _tag: "Skipped", place, reason })
