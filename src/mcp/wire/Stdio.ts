/**
 * A connection to an MCP server process: one message a line over its standard input and output.
 *
 * The scope ends it: its input is closed, after two seconds it gets SIGTERM, after two more SIGKILL. Its standard error goes to
 * `noise`; if the process dies, the error quotes the last line.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { excerptOf, gone, McpError } from "./McpError.ts"
import * as Pipes from "./Pipes.ts"
import type { Transport } from "./Transport.ts"

export interface Command {
  readonly command: string
  readonly args?: ReadonlyArray<string>
  /** Variables added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Receives the process's standard error. Default: ignored, but the last line is quoted if the process dies. */
  readonly noise?: (text: string) => void
}

const patience = "2 seconds"

export const make = (options: Command): Effect.Effect<Transport, McpError, ChildProcessSpawner | Scope.Scope> =>
  Effect.gen(function* () {
    const { args = [], command, cwd, env = {}, noise } = options
    const { spawn } = yield* ChildProcessSpawner
    const child = yield* spawn(
      ChildProcess.make(command, args, { extendEnv: true, env, ...(cwd === undefined ? {} : { cwd }) })
    ).pipe(
      Effect.mapError(
        () => new McpError({ reason: "not_started", message: `The command ${command} cannot be started.` })
      )
    )
    let said = ""
    const pipes: Pipes.Pipes = yield* Pipes.make({
      input: child.stdout,
      output: child.stdin,
      who: "The server",
      // a process that closed its output answers no more; its exit status is reported first
      exhausted: Effect.andThen(
        Effect.sleep(patience),
        Effect.sync(() => pipes.end(gone("The server closed its output.")))
      )
    })
    yield* child.stderr.pipe(
      Stream.decodeText(),
      Stream.runForEach((text) =>
        Effect.sync(() => {
          said = (said + text).slice(-2_000)
          noise?.(text)
        })
      ),
      Effect.ignore,
      Effect.forkScoped
    )
    yield* child.exitCode.pipe(
      Effect.map((code) => `ended with exit code ${code}`),
      Effect.orElseSucceed(() => "was killed"),
      // its last output is read first
      Effect.tap(Effect.timeoutOption(pipes.read, patience)),
      Effect.flatMap((how) => Effect.sync(() => pipes.end(gone(`The server ${how}.${lastOf(said)}`)))),
      Effect.forkScoped
    )
    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        pipes.end(gone("The connection was closed."))
        yield* Effect.timeoutOption(pipes.close, patience)
        const exit = yield* child.exitCode.pipe(Effect.timeoutOption(patience), Effect.option)
        const isAlive = Option.isSome(exit) && Option.isNone(exit.value)
        if (isAlive) yield* Effect.ignore(child.kill({ killSignal: "SIGTERM", forceKillAfter: patience }))
      })
    )
    return pipes
  })

/** The last non-empty line that a process wrote. */
const lastOf = (said: string): string => {
  const lines = said.split("\n").filter((line) => /\w/u.test(line) && !/^\s*at\s|^Node\.js v/u.test(line))
  const line = lines.find((each) => /\b\w*(?:error|exception)\b.*:/iu.test(each)) ?? lines.at(-1)
  return line === undefined ? "" : ` It wrote: ${excerptOf(line)}`
}
