/**
 * Asks the person at the terminal, one question at a time, and waits for the answer.
 *
 * Answers `NoPerson` if standard input is not a terminal.
 */
import type { Settling } from "#domain/approval/UnknownOutcome"
import { shown, visibleJson } from "#domain/text/VisibleText"
import { systemUser } from "#layers/internal/terminal/SystemUser"
import { Escalation, type EscalationRequest } from "#services/Escalation"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as Terminal from "effect/Terminal"

const parse = Schema.decodeOption(Schema.fromJsonString(Schema.Json))

/** The maximum number of characters of a text that is shown. */
const longest = 2_000

/** Returns the start of a long text, with the number of omitted characters. */
const cut = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length - longest} more characters are not shown)`

const callLines = ({ arguments: args, sentence, tool }: EscalationRequest): ReadonlyArray<string> => [
  `  ${cut(shown(sentence))}`,
  `  tool      ${shown(tool)}`,
  ...(args === undefined ? [] : [`  arguments ${cut(visibleJson(JSON.stringify(args)))}`])
]

const question = (request: EscalationRequest): string =>
  [
    "",
    request.level === "block" ? "Stopped until a person decides:" : "A person must confirm:",
    ...callLines(request),
    "Type yes to approve, anything else to deny: "
  ].join("\n")

const outcomeQuestion = (request: EscalationRequest): string =>
  [
    "",
    "It is not known whether this call was done:",
    ...callLines(request),
    "Find out. Type done, or not done (the call is made again), anything else to leave it open: "
  ].join("\n")

const resultQuestion = "Its result as JSON, or nothing if there is none: "

/** Reads a result until it is JSON that the tool's contract accepts; an empty line is no result. */
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
      inform: (request) => Console.error(shown(`${request.level}: ${request.tool}: ${request.sentence}`)),
      ask: (request) =>
        isInteractive
          ? turn
              .withPermits(1)(
                Effect.andThen(
                  terminal.display(question(request)),
                  Effect.map(terminal.readLine, (line) =>
                    line.trim().toLowerCase() === "yes"
                      ? { _tag: "Approved" as const, by }
                      : { _tag: "Denied" as const, by, reason: "" }
                  )
                )
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
