/**
 * Starts an MCP server process and connects to it: one message per line over its standard input and output.
 *
 * Closing the scope closes the input of the process, sends SIGTERM after two seconds, and SIGKILL after two more.
 * `noise` receives its standard error. If the process exits, the error quotes one line of its standard error. After
 * 20,000,000 characters of standard error, at most 1,000,000 are read each second.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Allowance from "./Allowance.ts"
import * as ChildEnvironment from "./ChildEnvironment.ts"
import { excerptOf, gone, McpError } from "./McpError.ts"
import * as Pipes from "./Pipes.ts"
import type { Transport } from "./Transport.ts"

export interface Command {
  readonly command: string
  readonly args?: ReadonlyArray<string>
  /**
   * Variables of the server, in addition to PATH, HOME, USER, SHELL, TERM, LANG and TMPDIR of this process (on Windows:
   * those that the official MCP SDK passes). No other variable is inherited. A name with the prefix `TOOLGUARD_` is
   * refused (`not_started`).
   */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /**
   * Receives the standard error of the process. Default: ignored, but the error quotes one line if the process exits.
   */
  readonly noise?: (text: string) => void
}

/** The number of characters of standard error that are read at once, and the rate after that. */
const maxErrors = { burst: 20_000_000, perSecond: 1_000_000 }

const closeTimeout = "2 seconds"

export const make = (options: Command): Effect.Effect<Transport, McpError, ChildProcessSpawner | Scope.Scope> =>
  Effect.gen(function* () {
    const { args = [], command, cwd, noise } = options
    const { spawn } = yield* ChildProcessSpawner
    const env = yield* Effect.mapError(
      Effect.fromResult(ChildEnvironment.make(options.env ?? {})),
      (message) => new McpError({ reason: "not_started", message })
    )
    const child = yield* spawn(ChildProcess.make(command, args, { env, ...(cwd === undefined ? {} : { cwd }) })).pipe(
      Effect.mapError(
        () => new McpError({ reason: "not_started", message: `The command ${command} cannot be started.` })
      )
    )
    const errors = yield* Allowance.make(maxErrors)
    let stderr = ""
    const pipes: Pipes.Pipes = yield* Pipes.make({
      input: child.stdout,
      output: child.stdin,
      who: "The server",
      // a process that closed its output cannot answer; its exit status is reported first if it arrives in time
      exhausted: Effect.andThen(
        Effect.sleep(closeTimeout),
        Effect.sync(() => pipes.end(gone("The server closed its output.")))
      )
    })
    yield* child.stderr.pipe(
      Stream.decodeText(),
      Stream.runForEach((text) =>
        Effect.suspend(() => {
          stderr = (stderr + text).slice(-2_000)
          noise?.(text)
          // a server that floods its standard error waits until it is read
          return errors.spend(text.length)
            ? Effect.void
            : Effect.repeat(Effect.sleep("100 millis"), { until: () => errors.spend(text.length) })
        })
      ),
      Effect.ignore,
      Effect.forkScoped
    )
    yield* child.exitCode.pipe(
      Effect.map((code) => `ended with exit code ${code}`),
      Effect.orElseSucceed(() => "was killed"),
      // the remaining output is read first
      Effect.tap(Effect.timeoutOption(pipes.read, closeTimeout)),
      Effect.flatMap((how) => Effect.sync(() => pipes.end(gone(`The server ${how}.${lastOf(stderr)}`)))),
      Effect.forkScoped
    )
    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        pipes.end(gone("The connection was closed."))
        yield* Effect.timeoutOption(pipes.close, closeTimeout)
        const exit = yield* child.exitCode.pipe(Effect.timeoutOption(closeTimeout), Effect.option)
        const isAlive = Option.isSome(exit) && Option.isNone(exit.value)
        if (isAlive) yield* Effect.ignore(child.kill({ killSignal: "SIGTERM", forceKillAfter: closeTimeout }))
      })
    )
    return pipes
  })

/** Quotes the line of standard error that names an error, or the last line. */
const lastOf = (stderr: string): string => {
  const lines = stderr.split("\n").filter((line) => /\w/u.test(line) && !/^\s*at\s|^Node\.js v/u.test(line))
  const line = lines.find((each) => /\b\w*(?:error|exception)\b.*:/iu.test(each)) ?? lines.at(-1)
  return line === undefined ? "" : ` It wrote: ${excerptOf(line)}`
}
