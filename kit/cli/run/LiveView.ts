/** Shows a run live: each call with its arguments, its outcome and the text that the model reads. */
import type { Backend } from "effect-toolguard/internal/tool/Backend"
import type { AgentEvent } from "effect-toolguard/internal/agent/AgentEvent"
import type { ModelAnswer } from "effect-toolguard/internal/guard/Guard"
import type { CallEvent } from "effect-toolguard/services/CallObserver"
import type { BareCall } from "./BareLoop.ts"
import * as EnvelopeSummary from "#kit/cli/console/EnvelopeSummary"
import { fit, plain, type Screen, type Style, wrap } from "#kit/cli/console/Screen"

const indent = " ".repeat(5)

/** Returns the arguments of a call as text. */
const textOf = (args: unknown): string => (typeof args === "string" ? args : (JSON.stringify(args) ?? ""))

const count = (attempts: number): string => `${attempts} ${attempts === 1 ? "attempt" : "attempts"}`

/** Prints a styled head and a tail on one line, cut to the screen. */
const printMarked = (screen: Screen, head: string, style: Style, rest: string): void => {
  const room = screen.columns - indent.length
  const shown = fit(head, room)
  const tail = fit(rest, Math.max(0, room - shown.length - 2))
  screen.line(`${indent}${screen.styled(style, shown)}${tail === "" || tail === "…" ? "" : `  ${tail}`}`)
}

/** Prints a call: its round, tool and arguments. */
const printCall = (screen: Screen, round: number, name: string, args: unknown): void => {
  const number = String(round).padStart(3)
  const text = fit(plain(`${name} ${textOf(args)}`), screen.columns - indent.length)
  screen.line(`${number}  ${screen.styled("bold", text.slice(0, name.length))}${text.slice(name.length)}`)
}

/** Prints the backend, the model and the prompt before a run. */
export const opening = (screen: Screen, backend: Backend, model: string, prompt: string | undefined): void => {
  screen.line(`${screen.styled("bold", "backend")}  ${fit(plain(backend.name), screen.columns - 9)}`)
  if (backend.note !== undefined) screen.line(`         ${fit(plain(backend.note), screen.columns - 9)}`)
  screen.line(`${screen.styled("bold", "model")}    ${fit(plain(model), screen.columns - 9)}`)
  screen.line(`${screen.styled("bold", "prompt")}   ${fit(plain(prompt ?? backend.prompt), screen.columns - 9)}`)
  screen.line("")
}

/** Prints the model's answer, or why there is no answer. */
export const answer = (screen: Screen, text: string, style: Style): void => {
  for (const line of wrap(plain(text), screen.columns - indent.length)) {
    screen.line(`${indent}${screen.styled(style, line)}`)
  }
}

/** Prints a finished call of the bare loop. */
export const bare = (screen: Screen, { arguments: args, attempts, isError, name, round, text }: BareCall): void => {
  printCall(screen, round, name, args)
  const head = `${count(attempts)} · ${isError ? "error" : "ok"}`
  printMarked(screen, head, isError ? "red" : "green", `reads: ${EnvelopeSummary.line(text, args)}`)
}

const decisionOf = ({ answer, isApproved }: Extract<AgentEvent, { readonly _tag: "Escalated" }>): string =>
  answer !== undefined ? "answered" : isApproved ? "approved" : "not approved"

/** Says where a run continues, and how many calls are not made again. */
const resumedAt = ({ calls, round }: Extract<AgentEvent, { readonly _tag: "Resumed" }>): string => {
  const kept = calls === 1 ? "1 finished call is" : `${calls} finished calls are`
  return `Resumed from checkpoint at round ${round}: ${kept} not made again.`
}

/** Prints how an ended run is resumed. */
export const resumable = (screen: Screen, run: string): void =>
  screen.line(`${indent}The run is saved: resume it with --resume ${fit(plain(run), screen.columns - 43)}`)

const headOf = ({ attempts, outcome }: ModelAnswer): readonly [head: string, style: Style] => {
  if (outcome._tag === "Success") return [`${count(attempts)} · success`, "green"]
  const { _tag, code } = outcome.failure
  return [`${count(attempts)} · ${_tag} ${code}`, _tag === "PartialData" && attempts > 0 ? "yellow" : "red"]
}

/** Creates a view of one guarded run, which receives the run's events in order. */
export const guarded = (screen: Screen): ((event: AgentEvent) => void) => {
  const argumentsById = new Map<string, unknown>()
  return (event) => {
    switch (event._tag) {
      case "Resumed":
        return screen.line(`${indent}${screen.styled("yellow", resumedAt(event))}`)
      case "RoundStarted":
        return argumentsById.clear()
      case "CallStarted":
        argumentsById.set(event.callId, event.arguments)
        return printCall(screen, event.round, event.tool, event.arguments)
      case "CallEnded": {
        const [head, style] = headOf(event.answer)
        const name = argumentsById.size > 1 ? `${event.tool} ` : ""
        const summary = EnvelopeSummary.line(event.answer.text, argumentsById.get(event.callId))
        return printMarked(screen, head, style, `${name}reads: ${summary}`)
      }
      case "Escalated":
        return printMarked(screen, decisionOf(event), "yellow", plain(event.detail))
      case "HistoryRepaired":
        return printMarked(screen, "conversation repaired", "yellow", event.changes.map(({ _tag }) => _tag).join(", "))
    }
  }
}

/** Creates a view of the retries inside calls. */
export const retries = (screen: Screen): ((event: CallEvent) => void) => {
  const failed = new Map<string, string>()
  return (event) => {
    if (event._tag === "AttemptEnded") failed.set(event.callId, `${event.outcome} ${event.code ?? ""}`.trim())
    if (event._tag !== "RetryScheduled") return
    const { attempt, callId, delayMillis } = event
    printMarked(
      screen,
      failed.get(callId) ?? "",
      "yellow",
      `attempt ${attempt} follows in ${Math.round(delayMillis)} ms`
    )
  }
}
