/**
 * Keeps the data of a log about a message, besides its content, in the options of the message.
 *
 * - `openai.name`: the name of the author. The chat completions API accepts at most 64 characters, without white space,
 *   `<`, `>`, `|`, `/` and `\`.
 * - `toolguard.read`: how a reader changed the message. A repair removes these notes and reports them as changes.
 */
import type * as Prompt from "effect/ai/Prompt"
import type { Change } from "./Change.ts"
import * as Fields from "#domain/json/Fields"

type Options = Prompt.ProviderOptions

/** The changes that a reader makes, and that the next repair reports. */
const readNotes = ["ImagesMoved", "ImageLeftOut", "PartKeptAsText"] as const
export type Note = (typeof readNotes)[number]

/** Creates the options of a message with a name and notes. An empty name is left out. */
export const make = (name: string, notes: ReadonlyArray<Note> = []): Options => ({
  ...(name === "" ? {} : { openai: { name } }),
  ...(notes.length === 0 ? {} : { toolguard: { read: [...new Set(notes)] } })
})

/** Returns the name of a message's author. Empty if the message names no author. */
export const nameOf = ({ options }: Prompt.Message): string => Fields.string(Fields.of(options["openai"])["name"])

const maxNameLength = 64

const validName = (name: string): string => name.replaceAll(/[\s<|\\/>]/gu, "_").slice(0, maxNameLength)

const isNote = (value: unknown): value is Note => readNotes.some((note) => note === value)

/** Returns the notes of a message's reader. */
export const notesOf = ({ options }: Prompt.Message): ReadonlyArray<Note> => {
  const { read } = Fields.of(options["toolguard"])
  return Array.isArray(read) ? read.filter(isNote) : []
}

/** Returns a message with other options. */
const withOptions = <M extends Prompt.Message>(message: M, options: Options): M => ({ ...message, options })

/** Removes a field from the options of one provider, and the provider if it has no other field. */
const without = (options: Options, provider: string, field: string): Options => {
  const { [field]: _, ...rest } = Fields.of(options[provider])
  const { [provider]: __, ...others } = options
  // The fields come from options, so they still fit.
  return Object.keys(rest).length === 0 ? others : { ...others, [provider]: rest as NonNullable<Options[string]> }
}

/** Replaces the invalid characters of names, and removes the notes of readers. Reports both. */
export const settle = (messages: ReadonlyArray<Prompt.Message>) => {
  const changes: Array<Change> = []
  const settled = messages.map((message, index): Prompt.Message => {
    const notes = notesOf(message)
    const was = nameOf(message)
    const name = validName(was)
    if (notes.length === 0 && name === was) return message
    for (const _tag of notes) changes.push({ _tag, message: index })
    const options = notes.length === 0 ? message.options : without(message.options, "toolguard", "read")
    if (name === was) return withOptions(message, options)
    changes.push({ _tag: "NameReplaced", message: index, name, was })
    const others = Fields.of(options["openai"]) as NonNullable<Options[string]> // the fields come from options
    return withOptions(message, { ...options, openai: Object.assign({}, others, { name }) })
  })
  return { messages: settled, changes }
}

/** Removes the names of authors, for a provider that does not accept them. Reports each removed name. */
export const withoutNames = (messages: ReadonlyArray<Prompt.Message>) => {
  const changes: Array<Change> = []
  const nameless = messages.map((message, index): Prompt.Message => {
    const name = nameOf(message)
    if (name === "" || message.role === "tool") return message
    changes.push({ _tag: "NameLeftOut", message: index, name })
    return withOptions(message, without(message.options, "openai", "name"))
  })
  return { messages: nameless, changes }
}
