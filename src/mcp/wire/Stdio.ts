/**
 * An MCP server as a process: one message a line over its standard input and output.
 *
 * It is ended with the scope: its input is closed, after two seconds it is asked to end, after two more it is killed. What it
 * writes to standard error goes to `noise`; the end of it is told where the process dies.
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
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Hears what the process writes to standard error. Default: nobody, but the last of it is told where the process dies. */
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
      // one that has closed its output answers nothing any more; how it ended is told first
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
      // what it wrote last is read first
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

/** The last line that says something, of what a process wrote. */
const lastOf = (said: string): string => {
  const lines = said.split("\n").filter((line) => /\w/u.test(line) && !/^\s*at\s|^Node\.js v/u.test(line))
  const line = lines.find((each) => /\b\w*(?:error|exception)\b.*:/iu.test(each)) ?? lines.at(-1)
  return line === undefined ? "" : ` It wrote: ${excerptOf(line)}`
}
