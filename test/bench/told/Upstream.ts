/**
 * Starts a real HTTP server on loopback that answers as the situations state, and creates the handlers that call it.
 *
 * A request names its situation in its path, so that all situations share one server.
 */
import * as Failure from "#domain/failure/Failure"
import * as GuardedTool from "#src/tool/GuardedTool"
import { Cause, Effect, Schema, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Answer } from "./Answer.ts"
import type { ErrorFields, HandlerEnd } from "./HandlerEnd.ts"
import type { Ledger } from "./Ledger.ts"

/** The refusal that the tools of the benchmark declare. */
export class OutOfStock extends Schema.TaggedError<OutOfStock>()("OutOfStock", { left: Schema.Int }) {}

/** The upstream's part in one situation. */
export interface Behaviour {
  readonly answer: Answer
  readonly ledger: Ledger
  /** True if the upstream recognises the keys of earlier requests. */
  readonly honoursKeys: boolean
}

/** The upstream of all situations. */
export interface Upstream {
  /** Adds a situation. Returns the handler of its tool. */
  readonly handler: (
    behaviour: Behaviour
  ) => (args: unknown, context: { readonly idempotencyKey?: string | undefined }) => Effect.Effect<any, any>
  /** Adds a situation. Returns the address under which its upstream answers. */
  readonly url: (behaviour: Behaviour) => string
  readonly close: () => Promise<void>
}

const closedPort = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

/** Starts the upstream. */
export const start = async (): Promise<Upstream> => {
  const behaviours: Array<Behaviour> = []
  const unusedPort = await closedPort(createServer())
  const server = createServer((request, response) => {
    request.resume()
    request.on("end", () => {
      const behaviour = behaviours[Number(/^\/(\d+)/.exec(request.url ?? "")?.[1])]
      if (behaviour === undefined || !("http" in behaviour.answer.given)) return void response.writeHead(421).end()
      const { answer, ledger } = behaviour
      const key = request.headers["idempotency-key"]
      const isRepeated = ledger.act(isRecognised(behaviour) && typeof key === "string" ? key : undefined)
      if (isRepeated) return void response.writeHead(200, { "content-type": "application/json" }).end('{"n":1}')
      // the type is narrowed above
      const {
        body = "",
        ends,
        headers,
        status
      } = (answer.given as Extract<HandlerEnd, { readonly http: unknown }>).http
      if (ends === "silence") {
        ledger.unanswered += 1
        return
      }
      if (ends === "reset") return void request.socket.destroy()
      if (ends === "cut") {
        response.writeHead(status, { ...headers, "content-length": String(body.length + 100) })
        response.write(body, () => setTimeout(() => request.socket.destroy(), 2))
        return
      }
      response.writeHead(status, status === 204 ? {} : headers).end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const url = (behaviour: Behaviour): string => {
    const id = behaviours.push(behaviour) - 1
    const { given } = behaviour.answer
    return `http://127.0.0.1:${"http" in given && given.http.ends === "refused" ? unusedPort : port}/${id}`
  }
  return {
    url,
    handler: (behaviour) => handlerOf(behaviour, url(behaviour)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

/** True if the upstream recognises a key. It keeps no key of a request that it has refused. */
const isRecognised = ({ answer, honoursKeys }: Behaviour): boolean => honoursKeys && answer.evidence !== "none"

const handlerOf =
  (behaviour: Behaviour, url: string) =>
  (_: unknown, { idempotencyKey }: { readonly idempotencyKey?: string | undefined }): Effect.Effect<any, any> =>
    Effect.suspend(() => {
      const { answer, ledger } = behaviour
      const { given } = answer
      const key = isRecognised(behaviour) ? idempotencyKey : undefined
      if ("http" in given) {
        const sent = send(url, key)
        const returned = given.http.isRead === true ? Effect.tap(sent, ({ stream }) => Stream.runDrain(stream)) : sent
        const answered: Effect.Effect<unknown, unknown> = answer.depth === 0 ? returned : read(url, key)
        return Effect.mapError(answered, (error) => enclose(error, answer))
      }
      if (ledger.act(key)) return Effect.succeed({ n: 1 })
      if ("value" in given) return Effect.succeed(given.value)
      if ("rejects" in given) {
        return Effect.mapError(
          Effect.tryPromise(() => Promise.reject(given.rejects)),
          (error) => enclose(error, answer)
        )
      }
      if ("ends" in given && given.ends === "interruption") return Effect.interrupt
      if ("ends" in given && given.ends === "crash") return Effect.die(given.throws ?? new Error("boom"))
      const failed = Effect.fail(enclose(errorOf(given), answer))
      return "beside" in given && given.beside !== undefined ? ends[given.beside](failed) : failed
    })

const lost = Effect.suspend(() => Effect.fail(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })))

/** Ends a handler that fails, as another of its parts ends. */
const ends: Readonly<
  Record<"crash" | "interruption" | "reset", (failed: Effect.Effect<never, unknown>) => Effect.Effect<any, any>>
> = {
  crash: Effect.ensuring(Effect.die(new Error("boom"))),
  interruption: Effect.ensuring(Effect.interrupt),
  // both parts have started, and the second cannot be interrupted when the first fails
  reset: (failed) => {
    const second = Effect.uninterruptible(Effect.andThen(Effect.yieldNow, Effect.andThen(Effect.yieldNow, lost)))
    return Effect.all([Effect.andThen(Effect.yieldNow, failed), second], { concurrency: 2 })
  }
}

/** Returns the error, enclosed by two errors of the handler if the answer says so. */
const enclose = (error: unknown, { depth }: Answer): unknown =>
  depth === 0 ? error : new Error("The clerk failed.", { cause: new Error("The desk failed.", { cause: error }) })

const errorOf = (given: HandlerEnd): unknown => {
  if ("refusal" in given) return new OutOfStock({ left: given.refusal.left })
  if ("failure" in given) {
    const { class: tag, code, side_effect } = given.failure
    return Failure.make(tag, code, {
      tool: "close_ticket",
      detail: "The ticket is already closed",
      sideEffect: side_effect
    })
  }
  if (!("error" in given)) return new Cause.TimeoutError()
  const error = withFields(given.error)
  return given.states === undefined ? error : statements[given.states](error)
}

const withFields = ({ message, ...fields }: ErrorFields): Error => Object.assign(new Error(message), fields)

const statements = {
  nothingDone: GuardedTool.nothingDone,
  done: GuardedTool.done,
  unknown: GuardedTool.unknown
} as const

const send = (url: string, key: string | undefined) =>
  Effect.provide(
    HttpClient.execute(
      HttpClientRequest.setHeaders(HttpClientRequest.delete(url), key === undefined ? {} : { "idempotency-key": key })
    ),
    FetchHttpClient.layer
  )

/** Creates a handler that reads the response itself, and fails with its client's error. */
const read = (url: string, key: string | undefined) =>
  Effect.flatMap(Effect.flatMap(send(url, key), HttpClientResponse.filterStatusOk), ({ json }) => json)
