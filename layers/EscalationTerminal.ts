/**
 * Asks the person at the terminal, one question at a time, and waits for the answer.
 *
 * - `yes` approves. `no`, a similar word and an empty line deny; text after `no` is the reason. Any other line is an
 *   answer in words, which the model reads: the call is not made, or the stopped run continues.
 * - Answers `NoPerson` if standard input or standard output is not a terminal.
 */
import type { NewSettlement } from "#domain/approval/UnknownOutcome"
import { longestReason } from "#domain/approval/ApprovalRequest"
import { longestAnswer } from "#domain/approval/PersonAnswer"
import { linesOf } from "#domain/approval/ShownCall"
import { shown } from "#domain/text/VisibleText"
import { systemUser } from "#layers/internal/terminal/SystemUser"
import { Escalation, type EscalationAnswer, type EscalationRequest } from "#services/Escalation"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as Terminal from "effect/Terminal"

const parse = Schema.decodeOption(Schema.fromJsonString(Schema.Json))

const callLines = (request: EscalationRequest, revealed?: string): ReadonlyArray<string> =>
  linesOf(request, revealed).map((line) => `  ${line}`)

const choices = "Type yes to approve, no to deny (optionally with a reason), or an answer for the model: "

const question = (request: EscalationRequest, revealed?: string): string =>
  [
    "",
    request.level === "block" ? "Stopped until a person decides:" : "A person must confirm:",
    ...callLines(request, revealed),
    request.revealed === undefined || revealed !== undefined ? choices : `Type show to see the hidden parts. ${choices}`
  ].join("\n")

/**
 * Reads a typed line as a decision. Only `yes` approves. An empty line, a line that begins with `no`, and a line that
 * is another word of refusal deny: such a line must never run a call or continue a stopped run. Any other line is an
 * answer. Returns undefined for a line that looks like a yes but is not only `yes`.
 */
const decisionOf = (line: string, by: string): Decision | undefined => {
  const text = line.trim()
  if (/^yes$/iu.test(text)) return { _tag: "Approved", by }
  if (text === "" || /^(?:no|n|nope|never|stop|end|deny|denied|reject|cancel|abort|quit|exit)$/iu.test(text)) {
    return { _tag: "Denied", by, reason: "" }
  }
  if (/^(?:y|ye|yep|yeah|ok|okay|sure|approved?)$|^yes\b/iu.test(text)) return undefined
  const denied = /^no\b[\s,.:;!-]*(.*)$/isu.exec(text)
  return denied === null
    ? { _tag: "Answered", by, text: text.slice(0, longestAnswer) }
    : { _tag: "Denied", by, reason: (denied[1] ?? "").slice(0, longestReason) }
}

const unclear = "Type only yes to approve; begin an answer with another word: "

/** Reads lines until one is a decision. The line `show` shows the masked parts. */
const readDecision = (
  terminal: Terminal.Terminal,
  request: EscalationRequest,
  by: string
): Effect.Effect<Decision, Terminal.QuitError | PlatformError> =>
  Effect.gen(function* () {
    let isRevealed = false
    yield* terminal.display(question(request))
    while (true) {
      const line = yield* terminal.readLine
      if (!isRevealed && request.revealed !== undefined && line.trim().toLowerCase() === "show") {
        isRevealed = true
        yield* terminal.display(question(request, Redacted.value(request.revealed)))
        continue
      }
      const decision = decisionOf(line, by)
      if (decision !== undefined) return isRevealed ? { ...decision, isRevealed } : decision
      yield* terminal.display(unclear)
    }
  })

type Decision = Extract<EscalationAnswer, { readonly _tag: "Approved" | "Denied" | "Answered" }>

const notice = (request: EscalationRequest): string =>
  [
    request.level === "inform" ? "For your information:" : "Important (no answer is needed):",
    ...callLines(request)
  ].join("\n")

const outcomeQuestion = (request: EscalationRequest): string =>
  [
    "",
    "It is not known whether this call was done:",
    ...callLines(request),
    "Find out, then type done, or not done to make the call again. Anything else leaves it open: "
  ].join("\n")

const resultQuestion = "Type its result as JSON, or press Enter if it has none: "

/** Reads a result until it is JSON that the tool's contract accepts. An empty line means that there is no result. */
const readResult = (
  terminal: Terminal.Terminal,
  faultIn: (result: unknown) => string | undefined
): Effect.Effect<NewSettlement["result"], Terminal.QuitError | PlatformError> =>
  Effect.gen(function* () {
    yield* terminal.display(resultQuestion)
    while (true) {
      const line = (yield* terminal.readLine).trim()
      if (line === "") return undefined
      const parsed = parse(line)
      const fault = Option.isNone(parsed) ? "it is not JSON" : faultIn(parsed.value)
      if (fault === undefined) return Option.getOrUndefined(parsed)
      yield* terminal.display(`The tool does not return this: ${shown(fault)}\n${resultQuestion}`)
    }
  })

/** Reads a person's finding about an unknown outcome; undefined if the person leaves it open. */
const readSettling = (
  terminal: Terminal.Terminal,
  request: EscalationRequest,
  faultIn: (result: unknown) => string | undefined,
  by: string
): Effect.Effect<NewSettlement | undefined, Terminal.QuitError | PlatformError> =>
  Effect.gen(function* () {
    yield* terminal.display(outcomeQuestion(request))
    const line = (yield* terminal.readLine).trim().toLowerCase()
    if (line === "not done") return { finding: "not_done", by, reason: "" }
    if (line !== "done") return undefined
    return { finding: "done", result: yield* readResult(terminal, faultIn), by, reason: "" }
  })

/** Asks at the terminal of this process. */
export const layer: Layer.Layer<Escalation, never, Terminal.Terminal> = Layer.effect(
  Escalation,
  Effect.gen(function* () {
    const terminal = yield* Terminal.Terminal
    const turn = yield* Semaphore.make(1)
    const by = systemUser()
    // unless both are terminals, the person would not see the question, or could not answer it
    const isInteractive = process.stdin.isTTY === true && process.stdout.isTTY === true
    return {
      isShared: false,
      inform: (request) => Console.error(notice(request)),
      ask: (request) =>
        isInteractive
          ? turn
              .withPermits(1)(readDecision(terminal, request, by))
              .pipe(Effect.orElseSucceed(() => ({ _tag: "NoPerson" as const })))
          : Effect.succeed({ _tag: "NoPerson" }),
      ...(isInteractive
        ? {
            settle: (request, faultIn) =>
              turn
                .withPermits(1)(readSettling(terminal, request, faultIn, by))
                .pipe(Effect.orElseSucceed(() => undefined))
          }
        : {})
    }
  })
)
