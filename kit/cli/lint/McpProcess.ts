/**
 * Runs an MCP server as a process: JSON-RPC over its standard input and output, one message per line.
 *
 * Results are not validated, because the linter checks them. Other output is kept for the problem if the server does not
 * respond. When the scope closes, the server's input is closed; a server that still runs after two seconds is stopped.
 */
import * as ChildEnvironment from "effect-toolguard/internal/mcp/wire/ChildEnvironment"
import * as LineReader from "effect-toolguard/internal/mcp/wire/LineReader"
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

/** A response of the server: a result or an error, and the length of its text. */
type Response = ({ readonly result: unknown } | { readonly error: unknown }) & { readonly length: number }

/** A running MCP server. */
export interface McpProcess {
  /** Sends a request. Fails if the server exits before it responds. */
  readonly request: (method: string, params: object) => Effect.Effect<Response, Problem>
  /** Sends a notification. */
  readonly notify: (method: string) => Effect.Effect<void>
  /** Creates a problem with an excerpt of the server's output. */
  readonly problem: (what: string) => Problem
}

const gracePeriod = "2 seconds"

/** Starts a server. `variables` are added to its inherited variables (see `ChildEnvironment`). */
export const start = (
  command: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>>
): Effect.Effect<McpProcess, Problem, ChildProcessSpawner | Scope.Scope> =>
  Effect.gen(function* () {
    const [name = "", ...args] = command
    const { spawn } = yield* ChildProcessSpawner
    const env = yield* Effect.mapError(Effect.fromResult(ChildEnvironment.make(variables)), (text) => problem(text, ""))
    const child = yield* spawn(ChildProcess.make(name, args, { env })).pipe(
      Effect.mapError(() =>
        problem(
          `The command ${plain(name)} cannot be started.`,
          "Check that it is installed. Write it after --, as in a shell."
        )
      )
    )
    const wire = yield* makeWire
    yield* Stream.fromQueue(wire.input).pipe(
      Stream.encodeText,
      Stream.run(child.stdin),
      Effect.ignore,
      Effect.forkScoped
    )
    yield* child.stderr.pipe(Stream.runForEach(wire.readError), Effect.ignore, Effect.forkScoped)
    const reading = yield* child.stdout.pipe(Stream.runForEach(wire.read), Effect.ignore, Effect.forkScoped)
    yield* child.exitCode.pipe(
      Effect.map((code) => `exited with code ${code}`),
      Effect.orElseSucceed(() => "was killed"),
      // read the server's last output first
      Effect.tap(() => Effect.timeoutOption(Fiber.await(reading), gracePeriod)),
      Effect.flatMap((how) => wire.end(`The server ${how} before it responded.`)),
      Effect.forkScoped
    )
    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        yield* Queue.end(wire.input)
        const exit = yield* child.exitCode.pipe(Effect.timeoutOption(gracePeriod), Effect.option)
        const isAlive = Option.isSome(exit) && Option.isNone(exit.value)
        if (isAlive) yield* Effect.ignore(child.kill({ killSignal: "SIGTERM", forceKillAfter: gracePeriod }))
      })
    )
    return wire
  })

/** The maximum length of a message, in UTF-16 code units. */
const maxMessageLength = JsonText.resultLimits.maxBytes

/** The maximum number of responses that the server has not read. */
const maxAnswers = 1_000

/** The maximum number of lines that the server may send. Reading its list takes one response per page, and two more. */
const maxLines = 10_000

/** The maximum number of bytes that the server may write to its standard output, and to its standard error. */
const maxBytes = { output: 100_000_000, error: 20_000_000 }

/** Creates the wire, which keeps the pending requests and handles the messages of the server. */
const makeWire = Effect.gen(function* () {
  /** The methods that this client has sent. A server that sends such a method echoes its input. */
  const ownMethods = new Set<unknown>()
  const pending = new Map<unknown, Deferred.Deferred<Response, Problem>>()
  const ended = yield* Deferred.make<never, Problem>()
  const input = yield* Queue.unbounded<string, Cause.Done>()
  const output = makeOutput()
  const lines = LineReader.make(maxMessageLength)
  const errors = new TextDecoder()
  let ids = 0
  let received = 0
  const bytes = { output: 0, error: 0 }

  const send = (message: object) =>
    Effect.asVoid(Queue.offer(input, `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`))
  const problemOf = (what: string) => problem(what, output.remedy())
  const end = (what: string) => Effect.asVoid(Effect.suspend(() => Deferred.fail(ended, problemOf(what))))
  // the failure ends the reading; otherwise a server that never stops sending would be read until it is killed
  const stop = (what: string): Effect.Effect<never, Problem> => {
    const tooMuch = problemOf(`The server sent ${what}.`)
    return Effect.andThen(Deferred.fail(ended, tooMuch), Effect.fail(tooMuch))
  }

  const receive = (line: string): Effect.Effect<void> => {
    const parsed = JsonText.parse(line, JsonText.resultLimits)
    const message = Result.isSuccess(parsed) ? parsed.success : undefined
    if (!isJsonObject(message) || message["jsonrpc"] !== "2.0") return Effect.sync(() => output.push(`${line}\n`))
    if (ownMethods.has(message["method"])) return Effect.sync(() => output.push(`${line}\n`))
    if (typeof message["method"] === "string") {
      // this client supports only the method ping
      if (message["id"] === undefined) return Effect.void
      const response =
        message["method"] === "ping" ? { result: {} } : { error: { code: -32601, message: "Method not found" } }
      // a server that does not read responses receives no further responses
      return Queue.sizeUnsafe(input) < maxAnswers ? send({ id: message["id"], ...response }) : Effect.void
    }
    const request = pending.get(message["id"])
    const error = field(message, "error")
    const { length } = line
    const response: Response = error === undefined ? { result: field(message, "result"), length } : { error, length }
    // an error without an id responds to a message that the server could not read
    if (request !== undefined) return Effect.asVoid(Deferred.succeed(request, response))
    return error !== undefined && (message["id"] ?? null) === null
      ? Effect.forEach(pending.values(), (each) => Deferred.succeed(each, response), { discard: true })
      : Effect.void
  }

  return {
    input,
    output,
    end,
    problem: problemOf,
    read: (chunk: Uint8Array): Effect.Effect<void, Problem> => {
      const read: Array<string> = []
      const fits = lines.feed(chunk, (text) => void read.push(text))
      received += read.length
      bytes.output += chunk.length
      const reading = Effect.forEach(read, receive, { discard: true })
      if (!fits) return Effect.andThen(reading, stop(`a message of more than ${maxMessageLength} characters`))
      if (bytes.output > maxBytes.output) return stop(`more than ${maxBytes.output} bytes`)
      return received > maxLines ? Effect.andThen(reading, stop(`more than ${maxLines} messages`)) : reading
    },
    readError: (chunk: Uint8Array): Effect.Effect<void, Problem> => {
      bytes.error += chunk.length
      if (bytes.error > maxBytes.error) return stop(`more than ${maxBytes.error} bytes to its standard error`)
      return Effect.sync(() => output.push(errors.decode(chunk, { stream: true })))
    },
    notify: (method: string) => send({ method }),
    request: (method: string, params: object) =>
      Effect.gen(function* () {
        const id = (ids += 1)
        const response = yield* Deferred.make<Response, Problem>()
        pending.set(id, response)
        ownMethods.add(method)
        yield* send({ id, method, params })
        return yield* Effect.raceFirst(Deferred.await(response), Deferred.await(ended))
      })
  }
})

/** Creates a buffer of the last 2,000 characters that a server wrote besides its messages. */
const makeOutput = () => {
  let text = ""
  return {
    push: (more: string): void => {
      text = (text + more).slice(-2_000)
    },
    remedy: (): string => {
      const lines = text.split("\n").filter((line) => line.trim() !== "" && !stackTrace.test(line))
      const excerpt = lines.find((line) => informative.test(line)) ?? lines.at(-1)
      return excerpt === undefined ? "It wrote nothing else." : `It wrote: ${fit(plain(excerpt), 80)}`
    }
  }
}

/** Lines of a stack trace. */
const stackTrace = /^\s*(?:at\s|\^|[{}[\]()]|throw\s|node:|Node\.js v|File "|Traceback)/u

/** Lines that describe an error. */
const informative = /\b\w*(?:error|exception)\b.*:|\b(?:cannot|not found|missing|required|denied|no such)\b/iu
