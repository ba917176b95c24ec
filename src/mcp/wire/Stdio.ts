/**
 * An MCP server as a process: one message a line over its standard input and output.
 *
 * It is ended with the scope: its input is closed, after two seconds it is asked to end, after two more it is killed. What it
 * writes to standard error goes to `noise`; the end of it is told where the process dies.
 */
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Lines from "./Lines.ts"
import { excerptOf, gone, McpError } from "./McpError.ts"
import * as Message from "./Message.ts"
import type { Incoming, Transport } from "./Transport.ts"

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

/** Texts that wait to be written, after which `room` waits. */
const mostWaiting = 256

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
    const input = yield* Queue.unbounded<string, Cause.Done>()
    const over = yield* Deferred.make<never, McpError>()
    let said = ""

    yield* Stream.fromQueue(input).pipe(Stream.encodeText, Stream.run(child.stdin), Effect.ignore, Effect.forkScoped)
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
    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        yield* Deferred.fail(over, gone("The connection was closed."))
        yield* Queue.end(input)
        const exit = yield* child.exitCode.pipe(Effect.timeoutOption(patience), Effect.option)
        const isAlive = Option.isSome(exit) && Option.isNone(exit.value)
        if (isAlive) yield* Effect.ignore(child.kill({ killSignal: "SIGTERM", forceKillAfter: patience }))
      })
    )

    const listen = (receive: (incoming: Incoming) => Effect.Effect<void>) =>
      Effect.gen(function* () {
        const lines = Lines.make(Message.limits.maxBytes)
        const reading = yield* child.stdout.pipe(
          Stream.runForEach((chunk) => {
            const read: Array<Incoming> = []
            const take = (text: string, ordinal: number) => void read.push(...Message.read(text, `line ${ordinal}`))
            const fits = lines.feed(chunk, take)
            if (!fits) Deferred.doneUnsafe(over, Effect.fail(tooLarge))
            const [only] = read
            if (only !== undefined && read.length === 1) return receive(only)
            return Effect.forEach(read, receive, { discard: true })
          }),
          Effect.ignore,
          Effect.forkScoped
        )
        yield* child.exitCode.pipe(
          Effect.map((code) => `ended with exit code ${code}`),
          Effect.orElseSucceed(() => "was killed"),
          // what it wrote last is read first
          Effect.tap(() => Effect.timeoutOption(Fiber.await(reading), patience)),
          Effect.flatMap((how) => Deferred.fail(over, gone(`The server ${how}.${lastOf(said)}`))),
          Effect.forkScoped
        )
        // one that has closed its output answers nothing any more
        yield* Fiber.await(reading).pipe(
          Effect.andThen(Effect.sleep(patience)),
          Effect.andThen(Deferred.fail(over, gone("The server closed its output."))),
          Effect.forkScoped
        )
        yield* Deferred.await(over).pipe(
          Effect.catch(() => Effect.andThen(Fiber.interrupt(reading), Queue.end(input))),
          Effect.forkScoped
        )
      })

    const scope = yield* Effect.scope
    return {
      post: (message, lost) => {
        if (!Queue.offerUnsafe(input, `${message.text}\n`)) lost(gone("The connection is closed."))
      },
      listen: (receive) => Effect.provideService(listen(receive), Scope.Scope, scope),
      abandon: () => {},
      room: Effect.suspend(() =>
        Queue.sizeUnsafe(input) < mostWaiting
          ? Effect.void
          : Effect.repeat(Effect.sleep("1 millis"), {
              until: () => Queue.sizeUnsafe(input) < mostWaiting
            })
      ),
      ended: Deferred.await(over),
      end: (error) => void Deferred.doneUnsafe(over, Effect.fail(error))
    }
  })

const tooLarge = new McpError({
  reason: "too_large",
  message: `The server sent a line of over ${Message.limits.maxBytes} characters.`
})

/** The last line that says something, of what a process wrote. */
const lastOf = (said: string): string => {
  const lines = said.split("\n").filter((line) => /\w/u.test(line) && !/^\s*at\s|^Node\.js v/u.test(line))
  const line = lines.find((each) => /\b\w*(?:error|exception)\b.*:/iu.test(each)) ?? lines.at(-1)
  return line === undefined ? "" : ` It wrote: ${excerptOf(line)}`
}
