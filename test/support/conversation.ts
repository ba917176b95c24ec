/** Conversations for tests: builders, valid conversations from a plan, and random damage. */
import { Prompt } from "effect/ai"
import { Schema } from "effect"

export const system = (content: string) => Prompt.systemMessage({ content })
export const user = (text: string) => Prompt.userMessage({ content: [Prompt.textPart({ text })] })
export const text = (text: string) => Prompt.textPart({ text })
export const call = (id: string, name = "search", params: unknown = { q: id }) =>
  Prompt.toolCallPart({ id, name, params, providerExecuted: false })
export const result = (id: string, value: unknown = `result of ${id}`, name = "search") =>
  Prompt.toolResultPart({ id, name, isFailure: false, result: value, providerExecuted: false })
export const assistant = (...content: ReadonlyArray<Prompt.AssistantMessagePart>) =>
  Prompt.assistantMessage({ content })
export const tool = (...content: ReadonlyArray<Prompt.ToolMessagePart>) => Prompt.toolMessage({ content })
export const conversation = (...messages: ReadonlyArray<Prompt.Message>) => Prompt.fromMessages(messages)

/** A plan of a valid conversation. `apart` gives each result a separate message, and `userFirst` adds a user message. */
export const Plan = Schema.Array(
  Schema.Struct({
    calls: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 })),
    apart: Schema.Boolean,
    userFirst: Schema.Boolean
  })
).check(Schema.isMaxLength(8))

/** Builds the valid conversation of a plan. */
export const fromPlan = (plan: typeof Plan.Type): Prompt.Prompt => {
  let n = 0
  return conversation(
    system("be brief"),
    ...plan.flatMap(({ apart, calls, userFirst }): ReadonlyArray<Prompt.Message> => {
      const ids = Array.from({ length: calls }, () => `c${n++}`)
      const results = ids.map((id) => result(id))
      const answer = ids.length === 0 ? [tool()] : apart ? results.map((part) => tool(part)) : [tool(...results)]
      return [
        ...(userFirst ? [user(`question ${n}`)] : []),
        assistant(text(`thinking ${n}`), ...ids.map((id) => call(id))),
        ...answer.filter((message) => message.content.length > 0)
      ]
    })
  )
}

const place = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))

/** A change that damages a conversation: its kind, the message (modulo the length) and a target position. */
export const Damage = Schema.Struct({
  kind: Schema.Literals([
    "drop message",
    "repeat message",
    "move message",
    "empty message",
    "empty id",
    "rename id",
    "drop part",
    "repeat part",
    "reverse parts",
    "result to assistant",
    "result to user",
    "result to bare user",
    "lose value",
    "insert user",
    "blank text",
    "odd id",
    "odd name",
    "unsigned reasoning",
    "fail silently",
    "late system"
  ]),
  at: place,
  to: place
})

type Part = Prompt.AssistantMessagePart | Prompt.ToolMessagePart

const withParts = (
  message: Prompt.Message,
  change: (parts: ReadonlyArray<Part>) => ReadonlyArray<Part>
): Prompt.Message =>
  message.role === "assistant" || message.role === "tool"
    ? ({ ...message, content: change(message.content) } as Prompt.Message)
    : message

const withId = (part: Part, id: string): Part =>
  part.type === "tool-call" || part.type === "tool-result" ? { ...part, id } : part

const damageMessage = (message: Prompt.Message, { kind, to }: typeof Damage.Type): ReadonlyArray<Prompt.Message> => {
  switch (kind) {
    case "drop message":
      return []
    case "repeat message":
      return [message, message]
    case "empty message":
      return [message.role === "system" ? system("") : ({ ...message, content: [] } as Prompt.Message)]
    case "empty id":
      return [withParts(message, (parts) => parts.map((part) => withId(part, "")))]
    case "rename id":
      return [withParts(message, (parts) => parts.map((part) => withId(part, `c${to}`)))]
    case "drop part":
      return [withParts(message, (parts) => parts.filter((_, index) => index !== to % Math.max(1, parts.length)))]
    case "repeat part":
      return [
        withParts(message, (parts) =>
          parts.flatMap((part, index) => (index === to % parts.length ? [part, part] : [part]))
        )
      ]
    case "reverse parts":
      return [withParts(message, (parts) => parts.toReversed())]
    case "result to assistant":
      return message.role === "tool"
        ? [assistant(...message.content.filter((part) => part.type === "tool-result"))]
        : [message]
    case "result to user":
      return message.role === "tool"
        ? message.content.flatMap((part) =>
            part.type === "tool-result" ? [user(`Tool result for ${part.id}: x`)] : []
          )
        : [message]
    case "result to bare user":
      return message.role === "tool"
        ? message.content.flatMap((part) => (part.type === "tool-result" ? [user(JSON.stringify([part.id]))] : []))
        : [message]
    case "lose value":
      return [
        withParts(message, (parts) =>
          parts.map((part) => (part.type === "tool-result" ? { ...part, result: undefined } : part))
        )
      ]
    case "blank text":
      return message.role === "assistant"
        ? [assistant(text(" \n"), ...message.content, text("\t")), assistant(text("so \n"))]
        : [user(" "), message]
    case "odd id":
      return [
        withParts(message, (parts) =>
          parts.map((part) => ("id" in part ? withId(part, `functions.x:${part.id}`) : part))
        )
      ]
    case "odd name":
      return [
        withParts(message, (parts) =>
          parts.map((part) => ("name" in part ? { ...part, name: `my ${part.name}!`.repeat(1 + (to % 30)) } : part))
        )
      ]
    case "unsigned reasoning":
      return [
        message.role === "assistant" ? assistant(Prompt.reasoningPart({ text: "hm" }), ...message.content) : message
      ]
    case "fail silently":
      return [
        withParts(message, (parts) =>
          parts.map((part) => (part.type === "tool-result" ? { ...part, isFailure: true, result: "" } : part))
        )
      ]
    case "late system":
      return [message, system(`rule ${to}`)]
    case "insert user":
      return [user("wait"), message]
    case "move message":
      return [message]
  }
}

/** Applies one damaging change to a conversation. */
export const damage = (prompt: Prompt.Prompt, change: typeof Damage.Type): Prompt.Prompt => {
  const messages = prompt.content
  if (messages.length === 0) return prompt
  const at = change.at % messages.length
  const message = messages[at]
  if (message === undefined) return prompt
  if (change.kind !== "move message") {
    return Prompt.fromMessages(messages.flatMap((each, index) => (index === at ? damageMessage(each, change) : [each])))
  }
  const rest = messages.filter((_, index) => index !== at)
  return Prompt.fromMessages(rest.toSpliced(change.to % messages.length, 0, message))
}
