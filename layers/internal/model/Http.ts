/**
 * Sends a request to a provider and reads its complete answer, within limits. The provider's protocol interprets the
 * answer.
 *
 * - At most `maxBytes` of a body are read, and the request fails if the body is not complete within `timeout`.
 * - Redirects are not followed, so that credentials and conversation go only to the configured address.
 * - Every failure is a reason of `AiError`; a connection that breaks within the body is a transient failure.
 */
import { withTracedOrigins } from "#services/TracedOrigins"
import type * as AiError from "effect/ai/AiError"
import type * as Response from "effect/ai/Response"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Failures from "./Failures.ts"
import type { Protocol } from "./Protocol.ts"

type Reason = AiError.AiErrorReason

/** The secret of a request and the header that carries it. */
export type Credentials =
  | { readonly _tag: "Bearer"; readonly secret: Redacted.Redacted }
  | { readonly _tag: "Header"; readonly name: string; readonly secret: Redacted.Redacted }

/** The address of a request, and the limits of its answer. */
export interface Endpoint {
  readonly protocol: Protocol
  readonly client: HttpClient.HttpClient
  readonly url: string
  readonly credentials: Credentials | undefined
  readonly headers: { readonly [name: string]: string }
  /** How long a complete answer may take, and the longest silence between two parts of a streamed answer. */
  readonly timeout: Duration.Duration
  /** The maximum number of bytes of an answer that are read. */
  readonly maxBytes: number
}

/** A request before it is written as JSON, and the call ids in its conversation. */
export interface Request {
  readonly body: { readonly [field: string]: unknown }
  readonly takenIds: ReadonlySet<string>
  /** Returns the body to send after a refusal; undefined if the refusal is final. Called for each refusal. */
  readonly instead?: (reason: Reason) => Request["body"] | undefined
}

/** The maximum number of bytes of an error body that are read. */
const maxErrorBytes = 65_536

/** Returns the secret that errors must not repeat; empty if there is none. */
export const secretOf = ({ credentials }: Endpoint): string =>
  credentials === undefined ? "" : Redacted.value(credentials.secret)

const authorize = (credentials: Credentials | undefined) => {
  if (credentials === undefined) return identity<HttpClientRequest.HttpClientRequest>
  return credentials._tag === "Bearer"
    ? HttpClientRequest.bearerToken(credentials.secret)
    : HttpClientRequest.setHeader(credentials.name, Redacted.value(credentials.secret))
}

/** Converts an error of the connection to its reason. */
export const transport =
  (endpoint: Endpoint) =>
  (error: Parameters<typeof Failures.transport>[0]): Reason =>
    Failures.transport(error, {
      address: Failures.addressOf(endpoint.url),
      secret: secretOf(endpoint),
      url: endpoint.url
    })

/** Returns the reason for an answer, or a part of a streamed answer, that does not arrive within the `timeout`. */
export const silent = ({ url }: Endpoint): Reason => Failures.cut("no answer in time", Failures.addressOf(url))

/** Fails with the error that the server reported. Omit `status` for an error that came in place of an answer. */
export const refuse = (
  endpoint: Endpoint,
  { headers, status }: { readonly headers: Failures.Headers; readonly status?: number },
  body: unknown
): Effect.Effect<never, Reason> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const { errorIn, name: provider } = endpoint.protocol
    const error = errorIn(body) ?? body
    return Effect.fail(Failures.refused({ provider, status, headers, body: error, now, secret: secretOf(endpoint) }))
  })

/** Reads the text of a body up to a number of bytes, and reports whether there was more. */
const readText = (
  response: HttpClientResponse.HttpClientResponse,
  maxBytes: number,
  endpoint: Endpoint
): Effect.Effect<readonly [text: string, more: boolean], Reason> =>
  Effect.suspend(() => {
    const decoder = new TextDecoder()
    let text = ""
    let size = 0
    return response.stream.pipe(
      Stream.takeUntil((chunk) => {
        size += chunk.length
        if (size <= maxBytes) text += decoder.decode(chunk, { stream: true })
        return size > maxBytes
      }),
      Stream.runDrain,
      Effect.catchIf(
        (error) => error.reason._tag === "EmptyBodyError",
        () => Effect.void
      ),
      Effect.mapError(transport(endpoint)),
      Effect.map(() => [text + decoder.decode(), size > maxBytes])
    )
  })

/** Returns the value of a JSON text, or undefined for any other text. */
export const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const unreadable = (text: string): Reason => {
  if (text.trim() === "") return Failures.broken("the answer is empty")
  return /^\s*[{[]/u.test(text)
    ? Failures.broken("the answer's JSON is cut")
    : Failures.invalid("the answer is not JSON")
}

/** Turns redirects off: by default the fetch client follows them, and sends every header except `authorization`. */
const withoutRedirects = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(effect, (context: Context.Context<R>) =>
    Context.add(context, FetchHttpClient.RequestInit, {
      ...Context.getOrUndefined(context, FetchHttpClient.RequestInit),
      redirect: "manual"
    })
  )

/** Sends a request, and after a refusal the request to send instead. Fails if the server refuses both. */
export const send = (
  endpoint: Endpoint,
  request: Request
): Effect.Effect<HttpClientResponse.HttpClientResponse, Reason> =>
  Effect.catch(sendBody(endpoint, request.body), (reason) => {
    const body = request.instead?.(reason)
    return body === undefined ? Effect.fail(reason) : send(endpoint, { ...request, body })
  })

const sendBody = (
  endpoint: Endpoint,
  body: Request["body"]
): Effect.Effect<HttpClientResponse.HttpClientResponse, Reason> =>
  Effect.gen(function* () {
    const text = yield* Effect.try({ try: () => JSON.stringify(body), catch: Failures.unwritable })
    const request = HttpClientRequest.post(endpoint.url).pipe(
      HttpClientRequest.setHeaders(endpoint.headers),
      authorize(endpoint.credentials),
      HttpClientRequest.bodyText(text, "application/json")
    )
    const response = yield* endpoint.client
      .execute(request)
      .pipe(withoutRedirects, withTracedOrigins(endpoint.url), Effect.mapError(transport(endpoint)))
    if (response.status >= 200 && response.status < 300) return response
    const [refusal] = yield* Effect.orElseSucceed(readText(response, maxErrorBytes, endpoint), () => [""] as const)
    return yield* refuse(endpoint, response, parse(refusal) ?? refusal)
  })

/** Reads the parts of an answer that is not streamed. */
export const readWhole = (
  endpoint: Endpoint,
  response: HttpClientResponse.HttpClientResponse,
  takenIds: ReadonlySet<string>
): Effect.Effect<Array<Response.PartEncoded>, Reason> =>
  Effect.gen(function* () {
    const { maxBytes, protocol } = endpoint
    const [text, more] = yield* readText(response, maxBytes, endpoint)
    if (more) return yield* Failures.invalid(`the answer exceeds ${maxBytes} bytes`)
    const body = parse(text)
    if (body === undefined) return yield* unreadable(text)
    if (protocol.errorIn(body) !== undefined) return yield* refuse(endpoint, { headers: response.headers }, body)
    return yield* Effect.fromResult(protocol.readWhole(body, takenIds))
  })

/** Limits the wait for the beginning of an answer. */
export const inTime =
  (endpoint: Endpoint) =>
  <A>(answer: Effect.Effect<A, Reason>): Effect.Effect<A, Reason> =>
    Effect.timeoutOrElse(answer, { duration: endpoint.timeout, orElse: () => Effect.fail(silent(endpoint)) })

/** Requests a complete answer. */
export const request = (endpoint: Endpoint, prepared: Request): Effect.Effect<Array<Response.PartEncoded>, Reason> =>
  Effect.flatMap(send(endpoint, prepared), (response) => readWhole(endpoint, response, prepared.takenIds)).pipe(
    inTime(endpoint)
  )
