/**
 * Asks the person at the terminal, one question at a time, and waits for the answer.
 *
 * Answers `NoPerson` if standard input is not a terminal.
 */
import type { Settling } from "#domain/approval/UnknownOutcome"
import { linesOf } from "#domain/approval/ShownCall"
import { shown } from "#domain/text/VisibleText"
import { systemUser } from "#layers/internal/terminal/SystemUser"
import { Escalation, type EscalationRequest } from "#services/Escalation"
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

const question = (request: EscalationRequest, revealed?: string): string =>
  [
    "",
    request.level === "block" ? "Stopped until a person decides:" : "A person must confirm:",
    ...callLines(request, revealed),
    request.revealed === undefined || revealed !== undefined
      ? "Type yes to approve, anything else to deny: "
      : "Type yes to approve, show to see the hidden parts, anything else to deny: "
  ].join("\n")

const notice = (request: EscalationRequest): string =>
  [
    request.level === "inform" ? "For your information:" : "A person should know, and is not asked:",
    ...callLines(request)
  ].join("\n")

const outcomeQuestion = (request: EscalationRequest): string =>
  [
    "",
    "It is not known whether this call was done:",
    ...callLines(request),
    "Find out. Type done, or not done (the call is made again), anything else to leave it open: "
  ].join("\n")

const resultQuestion = "Its result as JSON, or nothing if there is none: "

/** Reads a result until it is JSON that the tool's contract accepts. An empty line means that there is no result. */
const readResult = (
  terminal: Terminal.Terminal,
  faultIn: (result: unknown) => string | undefined
): Effect.Effect<Settling["result"], Terminal.QuitError | PlatformError> =>
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

/** Asks at the terminal of this process. */
export const layer: Layer.Layer<Escalation, never, Terminal.Terminal> = Layer.effect(
  Escalation,
  Effect.gen(function* () {
    const terminal = yield* Terminal.Terminal
    const turn = yield* Semaphore.make(1)
    const by = systemUser()
    const isInteractive = process.stdin.isTTY === true
    return {
      isShared: false,
      inform: (request) => Console.error(notice(request)),
      ask: (request) =>
        isInteractive
          ? turn
              .withPermits(1)(
                Effect.gen(function* () {
                  yield* terminal.display(question(request))
                  let line = (yield* terminal.readLine).trim().toLowerCase()
                  const isRevealed = line === "show" && request.revealed !== undefined
                  if (isRevealed) {
                    yield* terminal.display(question(request, Redacted.value(request.revealed)))
                    line = (yield* terminal.readLine).trim().toLowerCase()
                  }
                  const decided = { by, ...(isRevealed ? { isRevealed } : {}) }
                  return line === "yes"
                    ? { _tag: "Approved" as const, ...decided }
                    : { _tag: "Denied" as const, reason: "", ...decided }
                })
              )
              .pipe(Effect.orElseSucceed(() => ({ _tag: "NoPerson" as const })))
          : Effect.succeed({ _tag: "NoPerson" }),
      settle: (request, faultIn) =>
        isInteractive
          ? turn
              .withPermits(1)(
                Effect.gen(function* () {
                  yield* terminal.display(outcomeQuestion(request))
                  const line = (yield* terminal.readLine).trim().toLowerCase()
                  if (line === "not done") return { finding: "not_done", by, reason: "" } as const
                  if (line !== "done") return undefined
                  return { finding: "done", result: yield* readResult(terminal, faultIn), by, reason: "" } as const
                })
              )
              .pipe(Effect.orElseSucceed(() => undefined))
          : Effect.undefined
    }
  })
)
