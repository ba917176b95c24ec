/**
 * Three models, as functions from a conversation to the next output. They differ in their reaction to a useless answer.
 *
 * - `deaf` makes the same call again, whatever it reads.
 * - `stubborn` makes the same call again until an answer is useful, and follows instructions.
 * - `obedient` follows instructions too, but gives up after a useless answer and says so.
 */
import { type Call, exchanges, fieldsOf, type Message, question } from "./Conversation.ts"
import { read } from "./Instruction.ts"
import * as Task from "./Task.ts"

/** The output of a model: text, with or without a call. */
export interface Output {
  readonly text: string
  readonly call?: Call
}

export type Model = (messages: ReadonlyArray<Message>) => Output

const begin = (request: string): Output => {
  const call = Task.firstCall(request)
  return call === undefined
    ? { text: "Which customer or which order do you mean? I need a number such as C-9921 or O-1047." }
    : { text: "Let me look that up.", call }
}

const withChanges = ({ arguments: before, name }: Call, next: object): Call => ({
  name,
  arguments: { ...(before as object), ...next } // the models only make calls whose arguments are objects
})

/** The number of rows to request after a result was too large. */
const fewer = 10

const askForLess = (call: Call, sentence: string): Output =>
  fieldsOf(call.arguments)["limit"] === fewer
    ? { text: `I could not finish this. ${sentence}` }
    : { text: "That was too much at once.", call: withChanges(call, { limit: fewer }) }

const attentive =
  (whenUseless: (call: Call) => Output): Model =>
  (messages) => {
    const request = question(messages)
    const all = exchanges(messages)
    const last = all.at(-1)
    if (last === undefined) return begin(request)
    const reading = read(last.answer)
    if (reading._tag === "Useless") return whenUseless(last.call)
    if (reading._tag === "TooLarge") return askForLess(last.call, reading.sentence)
    if (reading.next !== undefined)
      return { text: "There is more; I continue.", call: withChanges(last.call, reading.next) }
    if (reading._tag === "Instruction") {
      return reading.step === "wait"
        ? { text: "I will try again in a moment.", call: last.call }
        : { text: `I could not finish this. ${reading.sentence} ${Task.answer(all, false)}`.trim() }
    }
    const call = Task.nextCall(request, last)
    return call === undefined ? { text: Task.answer(all, true) } : { text: "Now I can do it.", call }
  }

const deaf: Model = (messages) => begin(question(messages))

const stubborn: Model = attentive((call) => ({ text: "That did not work. Let me try again.", call }))

const obedient: Model = attentive(() => ({
  text: "The order system gave an answer that I cannot read. I am sorry: please ask again later."
}))

/** The models by name; the first is the default. */
export const models: Readonly<Record<"stubborn" | "deaf" | "obedient", Model>> = { stubborn, deaf, obedient }
