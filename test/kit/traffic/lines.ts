/** Lines of a file as a reader takes them: JSON values, numbered from 1. */
import type { Conversation, Place, Skipped } from "#kit/traffic/Conversation"
import type { Item, Reader } from "#kit/traffic/Reader"

export const at = (line: number): Place => ({ file: "log.jsonl", line })

/** Reads values, each encoded and decoded as JSON like a line of a file, and returns all items. */
export const readAll = (reader: Reader, ...values: ReadonlyArray<unknown>): ReadonlyArray<Item> => [
  ...values.flatMap((value, index) => reader.read(JSON.parse(JSON.stringify(value) ?? "null"), at(index + 1))),
  ...reader.end()
]

/** Creates a conversation at the first line, without tools unless given. */
export const conversation = (rest: Partial<Conversation> & Pick<Conversation, "messages">): Conversation => ({
  _tag: "Conversation",
  id: "log.jsonl:1",
  place: at(1),
  tools: [],
  ...rest
})

export const skipped = (line: number, reason: string): Skipped => ({ _tag: "Skipped", place: at(line), reason })
