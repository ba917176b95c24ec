/**
 * Reads one format: a fold over the lines of one file, pure and synchronous.
 *
 * **Details**
 *
 * - `read` takes any JSON value and never throws. `end` returns the conversations that are still open.
 * - A conversation that fits in one line is returned immediately. A conversation that spans several lines is returned
 *   when it is closed: at the end of the file, or when it is the least recently used in a full window (`Window`).
 * - Nothing is dropped silently: everything that a reader does not understand is `Skipped`. Lines that belong to a
 *   format but contain no messages (titles, file snapshots, unrelated spans) return nothing and are not reported.
 */
import type { Conversation, Place, Skipped } from "./Conversation.ts"

/** An item that a reader returns. */
export type Item = Conversation | Skipped

/** Reads the lines of one file. */
export interface Reader {
  /** Reads the value of one line. */
  readonly read: (value: unknown, place: Place) => ReadonlyArray<Item>
  /** Ends the file, and returns the conversations that are still open. */
  readonly end: () => ReadonlyArray<Item>
}

/** The shared empty list, which most lines return. */
export const nothing: ReadonlyArray<never> = []

/** Reports something that was not read. */
export const skipped = (place: Place, reason: string): Skipped => ({ _tag: "Skipped", place, reason })

/** Wraps the constructor of a reader, so that `change` decides what each of its conversations becomes. */
export const mapConversations =
  (make: () => Reader, change: (conversation: Conversation) => ReadonlyArray<Item>) => (): Reader => {
    const reader = make()
    const changed = (item: Item): ReadonlyArray<Item> => (item._tag === "Conversation" ? change(item) : [item])
    return {
      read: (value, place) => reader.read(value, place).flatMap(changed),
      end: () => reader.end().flatMap(changed)
    }
  }
