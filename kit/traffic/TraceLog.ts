/**
 * Collects the requests and tool executions of traces that a log stores in any order, and returns the conversations that
 * they form.
 *
 * **Details**
 *
 * - The traces of a conversation id are one conversation; a trace without one is a conversation.
 * - Requests are read in the order of their start, and merged (`Assembler`).
 * - Traces are returned at the end of the file, or when the window of open traces is full.
 */
import type { Place } from "./Conversation.ts"
import * as Assembler from "./Assembler.ts"
import type { Item } from "./Reader.ts"
import { nothing } from "./Reader.ts"
import type { ToolExecution } from "./ToolExecutions.ts"
import * as Window from "./Window.ts"

/** A request or an execution of a trace. */
type Step =
  | { readonly start: number; readonly request: Omit<Assembler.Exchange, "id" | "key"> }
  | { readonly start: number; readonly execution: Omit<ToolExecution, "conversation"> }

/** The open steps of a trace. */
interface Trace {
  readonly id: string
  readonly place: Place
  readonly steps: Array<Step>
  /** The id of the trace's conversation, if one of its steps states it. */
  conversation: string
}

/** Collects the steps of the traces of one file. */
interface TraceLog {
  /** States the conversation of a trace. Returns the conversations that the limits closed. */
  readonly name: (trace: string, conversation: string, place: Place) => ReadonlyArray<Item>
  /** Adds a step. Returns the conversations that the limits closed. */
  readonly take: (trace: string, step: Step, place: Place) => ReadonlyArray<Item>
  /** Closes and returns all conversations. */
  readonly end: () => ReadonlyArray<Item>
}

/** Creates an empty log. */
export const make = (): TraceLog => {
  const window = Window.make<Trace>()
  const traceOf = (id: string, place: Place): readonly [Trace, ReadonlyArray<Item>] => {
    const open = window.get(id)
    if (open !== undefined) return [open, nothing]
    const trace: Trace = { id, place, steps: [], conversation: "" }
    return [trace, window.open(id, trace) ? [Window.split(id, place)] : nothing]
  }
  const grow = (id: string, size: number, reports: ReadonlyArray<Item>): ReadonlyArray<Item> => {
    window.grow(id, size)
    const closed = window.overflow()
    return closed.length === 0 ? reports : [...conversationsOf(closed), ...reports]
  }
  return {
    name: (trace, conversation, place) => {
      const [open, reports] = traceOf(trace, place)
      const size = open.conversation === "" ? conversation.length : 0
      open.conversation ||= conversation
      return grow(trace, size, reports)
    },
    take: (trace, step, place) => {
      const [open, reports] = traceOf(trace, place)
      open.steps.push(step)
      return grow(trace, sizeOf(step), reports)
    },
    end: () => conversationsOf(window.all())
  }
}

const sizeOf = (step: Step): number => {
  if ("execution" in step) return step.execution.text.length + Window.sizeOf(step.execution.arguments)
  const { answer, messages } = step.request
  let size = answer === undefined ? 0 : Window.sizeOf(answer)
  for (const message of messages) size += message.text.length + 10
  return size
}

const conversationsOf = (traces: ReadonlyArray<Trace>): ReadonlyArray<Item> => {
  const byConversation = new Map<string, Array<Trace>>()
  for (const trace of traces) {
    const id = trace.conversation || trace.id
    const own = byConversation.get(id)
    if (own === undefined) byConversation.set(id, [trace])
    else own.push(trace)
  }
  return [...byConversation].flatMap(([id, own]) => assembled(id, own))
}

const assembled = (id: string, traces: ReadonlyArray<Trace>): ReadonlyArray<Item> => {
  const assembler = Assembler.make()
  const steps = traces.flatMap((trace) => trace.steps).sort((one, other) => one.start - other.start)
  const closed = steps.flatMap((step) =>
    "request" in step
      ? assembler.take({ ...step.request, key: id, id })
      : assembler.takeExecution(id, { ...step.execution, conversation: id })
  )
  return [...closed, ...assembler.end()]
}
