/**
 * An MCP server as a process: JSON-RPC, one message a line, over its standard input and output.
 *
 * Messages are taken as they are: what a server says wrongly is what the linter is for. Whatever else it prints is kept, to
 * be told where it does not answer. It is ended with the scope: its input is closed, and after two seconds it is killed.
 */
import * as JsonText from "effect-toolguard/internal/domain/json/JsonText"
import { field, isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Problem, problem } from "#kit/cli/console/Problem"
import { fit, plain } from "#kit/cli/console/Screen"

/** What a server answers: a result, or an error. */
type Answer = { readonly result: unknown } | { readonly error: unknown }

export interface McpProcess {
  /** Sends a request; fails where the server ends before it answers. */
  readonly ask: (method: string, params: object) => Effect.Effect<Answer, Problem>
  /** Sends a notification. */
  readonly tell: (method: string) => Effect.Effect<void>
  /** What is wrong, and the last that the server wrote. */
  readonly problem: (what: string) => Problem
}

const patience = "2 seconds"

/** Starts a server. */
export const start = (
  command: ReadonlyArray<string>
): Effect.Effect<McpProcess, Problem, ChildProcessSpawner | Scope.Scope> =>
  Effect.gen(function* () {
    const [name = "", ...args] = command
    const { spawn } = yield* ChildProcessSpawner
    const child = yield* spawn(ChildProcess.make(name, args, { extendEnv: true })).pipe(
      Effect.mapError(() =>
        problem(`The command ${plain(name)} cannot be started.`, "Is it installed? Write it after --, as in a shell.")
      )
    )
    const wire = yield* makeWire
    yield* Stream.fromQueue(wire.input).pipe(
      Stream.encodeText,
      Stream.run(child.stdin),
      Effect.ignore,
      Effect.forkScoped
    )
    yield* child.stderr.pipe(
      Stream.decodeText(),
      Stream.runForEach((text) => Effect.sync(() => wire.noise.push(text))),
      Effect.ignore,
      Effect.forkScoped
    )
    const reading = yield* child.stdout.pipe(
      Stream.decodeText(),
      Stream.runForEach(wire.read),
      Effect.ignore,
      Effect.forkScoped
    )
    yield* child.exitCode.pipe(
      Effect.map((code) => `ended with exit code ${code}`),
      Effect.orElseSucceed(() => "was killed"),
      // what it wrote last is read first
      Effect.tap(() => Effect.timeoutOption(Fiber.await(reading), patience)),
      Effect.flatMap((how) => wire.end(`The server ${how} before it had answered.`)),
      Effect.forkScoped
    )
    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        yield* Queue.end(wire.input)
        const exit = yield* child.exitCode.pipe(Effect.timeoutOption(patience), Effect.option)
        const isAlive = Option.isSome(exit) && Option.isNone(exit.value)
        if (isAlive) yield* Effect.ignore(child.kill({ killSignal: "SIGTERM", forceKillAfter: patience }))
      })
    )
    return wire
  })

/** Longest message, in UTF-16 units. */
const longest = JsonText.resultLimits.maxBytes

/** Requests under way, and what the server has said. */
const makeWire = Effect.gen(function* () {
  /** What nobody but us asks. */
  const asked = new Set<unknown>()
  const pending = new Map<unknown, Deferred.Deferred<Answer, Problem>>()
  const ended = yield* Deferred.make<never, Problem>()
  const input = yield* Queue.unbounded<string, Cause.Done>()
  const noise = makeNoise()
  let buffer = ""
  let ids = 0

  const send = (message: object) =>
    Effect.asVoid(Queue.offer(input, `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`))
  const told = (what: string) => problem(what, noise.remedy())
  const end = (what: string) => Effect.asVoid(Effect.suspend(() => Deferred.fail(ended, told(what))))

  const receive = (line: string): Effect.Effect<void> => {
    const parsed = JsonText.parse(line, JsonText.resultLimits)
    const message = Result.isSuccess(parsed) ? parsed.success : undefined
    if (!isJsonObject(message) || message["jsonrpc"] !== "2.0") return Effect.sync(() => noise.push(`${line}\n`))
    if (asked.has(message["method"])) return Effect.sync(() => noise.push(`${line}\n`))
    if (typeof message["method"] === "string") {
      // we offer nothing but to be there
      if (message["id"] === undefined) return Effect.void
      const answer =
        message["method"] === "ping" ? { result: {} } : { error: { code: -32601, message: "Not offered." } }
      return send({ id: message["id"], ...answer })
    }
    const request = pending.get(message["id"])
    const error = field(message, "error")
    const answer: Answer = error === undefined ? { result: field(message, "result") } : { error }
    // an error without an id is the answer to what could not be read
    if (request !== undefined) return Effect.asVoid(Deferred.succeed(request, answer))
    return error !== undefined && (message["id"] ?? null) === null
      ? Effect.forEach(pending.values(), (each) => Deferred.succeed(each, answer), { discard: true })
      : Effect.void
  }

  return {
    input,
    noise,
    end,
    problem: told,
    read: (text: string): Effect.Effect<void> => {
      const lines = (buffer + text).split("\n")
      buffer = lines.pop() ?? ""
      const reading = Effect.forEach(
        lines.filter((line) => line.trim() !== ""),
        receive,
        { discard: true }
      )
      return buffer.length > longest
        ? Effect.andThen(reading, end(`The server sent a message of over ${longest} characters.`))
        : reading
    },
    tell: (method: string) => send({ method }),
    ask: (method: string, params: object) =>
      Effect.gen(function* () {
        const id = (ids += 1)
        const answer = yield* Deferred.make<Answer, Problem>()
        pending.set(id, answer)
        asked.add(method)
        yield* send({ id, method, params })
        return yield* Effect.raceFirst(Deferred.await(answer), Deferred.await(ended))
      })
  }
})

/** The last that a server wrote beside its messages. */
const makeNoise = () => {
  let text = ""
  return {
    push: (more: string): void => {
      text = (text + more).slice(-2_000)
    },
    remedy: (): string => {
      const lines = text.split("\n").filter((line) => line.trim() !== "" && !uninteresting.test(line))
      const said = lines.find((line) => telling.test(line)) ?? lines.at(-1)
      return said === undefined ? "It wrote nothing else." : `It wrote: ${fit(plain(said), 80)}`
    }
  }
}

/** Lines of a stack trace. */
const uninteresting = /^\s*(?:at\s|\^|[{}[\]()]|throw\s|node:|Node\.js v|File "|Traceback)/u

const telling = /\b\w*(?:error|exception)\b.*:|\b(?:cannot|not found|missing|required|denied|no such)\b/iu
