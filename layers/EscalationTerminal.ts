/**
 * Asks the person at the terminal, and waits for the answer.
 *
 * One question at a time. Where standard input is no terminal nobody can be reached, and it answers `NoPerson`.
 */
import { Escalation, type EscalationRequest } from "#services/Escalation"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as Terminal from "effect/Terminal"
import { userInfo } from "node:os"

/** Characters that move the cursor, break the line or turn its direction: a tool's text must not repaint the question. */
const unprintable = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

const printable = (text: string): string => text.replaceAll(unprintable, " ")

const longest = 2_000

/** What is left out is said: nobody approves what they cannot see without knowing so. */
const cut = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length - longest} more characters are not shown)`

const shown = ({ arguments: args, level, sentence, tool }: EscalationRequest): string =>
  [
    "",
    level === "block" ? "Stopped until a person decides:" : "A person must confirm:",
    `  ${cut(printable(sentence))}`,
    `  tool      ${printable(tool)}`,
    ...(args === undefined ? [] : [`  arguments ${cut(printable(JSON.stringify(args)))}`]),
    "Type yes to approve, anything else to deny: "
  ].join("\n")

export const layer: Layer.Layer<Escalation, never, Terminal.Terminal> = Layer.effect(
  Escalation,
  Effect.gen(function* () {
    const terminal = yield* Terminal.Terminal
    const turn = yield* Semaphore.make(1)
    const by = userName()
    const isThere = process.stdin.isTTY === true
    return {
      inform: (request) => Console.error(printable(`${request.level}: ${request.tool}: ${request.sentence}`)),
      ask: (request) =>
        isThere
          ? turn
              .withPermits(1)(
                Effect.andThen(
                  terminal.display(shown(request)),
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

/** In a container the user may have no name; the system then gives an error. */
const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    return "terminal"
  }
}
