/**
 * Three models as functions from a conversation to what they say next. They differ in one thing: what they do with an
 * answer that tells them nothing.
 *
 * - `deaf` makes the same call again, whatever it reads.
 * - `stubborn` makes the same call again as long as it is told nothing of use, and follows an instruction when it gets one.
 * - `obedient` follows instructions as well, and otherwise gives up and says so.
 */
import { type Call, exchanges, fieldsOf, type Message, question } from "./Conversation.ts"
import { read } from "./Instruction.ts"
import * as Task from "./Task.ts"

/** What a model says: text, with or without a call. */
export interface Said {
  readonly text: string
  readonly call?: Call
}

export type Model = (messages: ReadonlyArray<Message>) => Said

const begin = (asked: string): Said => {
  const call = Task.firstCall(asked)
  return call === undefined
    ? { text: "Which customer or which order do you mean? I need a number such as C-9921 or O-1047." }
    : { text: "Let me look that up.", call }
}

const withChanges = ({ arguments: before, name }: Call, next: object): Call => ({
  name,
  arguments: { ...(before as object), ...next }
})

/** How many rows are asked for where more were too many. */
const fewer = 10

const askForLess = (call: Call, sentence: string): Said =>
  fieldsOf(call.arguments)["limit"] === fewer
    ? { text: `I could not finish this. ${sentence}` }
    : { text: "That was too much at once.", call: withChanges(call, { limit: fewer }) }

const attentive =
  (whenToldNothing: (call: Call) => Said): Model =>
  (messages) => {
    const asked = question(messages)
    const all = exchanges(messages)
    const last = all.at(-1)
    if (last === undefined) return begin(asked)
    const told = read(last.answer)
    if (told._tag === "Nothing") return whenToldNothing(last.call)
    if (told._tag === "TooLarge") return askForLess(last.call, told.sentence)
    if (told.next !== undefined) return { text: "There is more; I go on.", call: withChanges(last.call, told.next) }
    if (told._tag === "Instruction") {
      return told.step === "wait"
        ? { text: "I try it again in a moment.", call: last.call }
        : { text: `I could not finish this. ${told.sentence} ${Task.answer(all, false)}`.trim() }
    }
    const call = Task.nextCall(asked, last)
    return call === undefined ? { text: Task.answer(all, true) } : { text: "Now I can do it.", call }
  }

const deaf: Model = (messages) => begin(question(messages))

const stubborn: Model = attentive((call) => ({ text: "That did not work. Let me try again.", call }))

const obedient: Model = attentive(() => ({
  text: "The order system gave an answer that I cannot read. I am sorry: please ask again later."
}))

/** The models by name; the first is the default. */
export const models: Readonly<Record<"stubborn" | "deaf" | "obedient", Model>> = { stubborn, deaf, obedient }
