/**
 * Asks the person at the terminal, one question at a time, and waits for the answer.
 *
 * Answers `NoPerson` if standard input is not a terminal.
 */
import { shown, visibleJson } from "#domain/text/VisibleText"
import { systemUser } from "#layers/internal/terminal/SystemUser"
import { Escalation, type EscalationRequest } from "#services/Escalation"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as Terminal from "effect/Terminal"

/** The maximum number of characters of a text that is shown. */
const longest = 2_000

/** Returns the start of a long text, with the number of omitted characters. */
const cut = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length - longest} more characters are not shown)`

const question = ({ arguments: args, level, sentence, tool }: EscalationRequest): string =>
  [
    "",
    level === "block" ? "Stopped until a person decides:" : "A person must confirm:",
    `  ${cut(shown(sentence))}`,
    `  tool      ${shown(tool)}`,
    ...(args === undefined ? [] : [`  arguments ${cut(visibleJson(JSON.stringify(args)))}`]),
    "Type yes to approve, anything else to deny: "
  ].join("\n")

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
          : Effect.succeed({ _tag: "NoPerson" })
    }
  })
)
