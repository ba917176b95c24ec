/** Replaces the ids and tool names of calls that an API does not accept, in the calls and their results [9.4]. */
import * as Prompt from "effect/ai/Prompt"
import * as CallIds from "./CallIds.ts"
import type { Change } from "./Change.ts"

/** What an API accepts. Tool names consist of letters, digits, `_` and `-`. */
export interface Rules {
  readonly isId: (id: string) => boolean
  /** The maximum number of characters of a tool's name. */
  readonly maxNameLength: number
}

/** Replaces ids and names. */
interface Renamer {
  /** Returns the call or result with the names that the API accepts. Adds the changes of a call to `changes`. */
  readonly part: <P extends Prompt.ToolCallPart | Prompt.ToolResultPart>(part: P, message: number) => P
  /** Returns an approval request of the renamed call. */
  readonly approval: (part: Prompt.ToolApprovalRequestPart) => Prompt.ToolApprovalRequestPart
}

const callsIn = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Prompt.ToolCallPart> =>
  messages.flatMap((message) =>
    message.role === "assistant"
      ? message.content.filter((part) => part.type === "tool-call").filter((part) => !part.providerExecuted)
      : []
  )

/** Returns a replacement for each id that the API rejects. `Transcript.repair` replaces empty ids. */
const idsFor = (
  calls: ReadonlyArray<Prompt.ToolCallPart>,
  known: ReadonlySet<string>,
  { isId }: Rules
): ReadonlyMap<string, string> => {
  const taken = new Set(known)
  const invalid = new Set(calls.map(({ id }) => id).filter((id) => id !== "" && !isId(id)))
  return new Map(
    [...invalid].map((id) => {
      const next = CallIds.next(taken)
      taken.add(next)
      return [id, next]
    })
  )
}

/** Creates the renamer of a conversation, which adds its changes to `changes`. */
export const renamer = (messages: ReadonlyArray<Prompt.Message>, rules: Rules, changes: Array<Change>): Renamer => {
  const nameFor = (name: string): string =>
    name.replaceAll(/[^a-zA-Z0-9_-]/gu, "_").slice(0, rules.maxNameLength) || "_"
  const calls = callsIn(messages)
  const ids = idsFor(calls, CallIds.callIds(Prompt.fromMessages(messages)), rules)
  const names = new Map(calls.map(({ name }) => [name, nameFor(name)]))
  return {
    part: (part, message) => {
      if (part.providerExecuted) return part
      const name = names.get(part.name) ?? part.name
      const id = ids.get(part.id) ?? part.id
      if (name === part.name && id === part.id) return part
      if (part.type === "tool-call") {
        if (name !== part.name) changes.push({ _tag: "ToolNameReplaced", message, name, was: part.name })
        if (id !== part.id) changes.push({ _tag: "CallIdReplaced", message, callId: id, was: part.id })
      }
      return { ...part, id, name }
    },
    approval: (part) => {
      const id = ids.get(part.toolCallId)
      return id === undefined ? part : { ...part, toolCallId: id }
    }
  }
}

type Part = Prompt.AssistantMessagePart | Prompt.ToolMessagePart | Prompt.UserMessagePart

/** Replaces each part of the messages by the parts that `repairPart` returns. Unchanged messages stay the same object. */
export const mapParts = (
  messages: ReadonlyArray<Prompt.Message>,
  repairParts: (parts: ReadonlyArray<Part>, message: number) => ReadonlyArray<Part>
): ReadonlyArray<Prompt.Message> =>
  messages.map((message, index): Prompt.Message => {
    if (message.role === "system") return message
    const before = message.content as ReadonlyArray<Part>
    const after = repairParts(before, index)
    const isSame = after.length === before.length && after.every((part, place) => part === before[place])
    // Each part keeps its type, so it still fits its message.
    return isSame ? message : ({ ...message, content: after } as Prompt.Message)
  })
