/**
 * Creates the handler of an imported tool, which sends one request and returns the response to the guard.
 *
 * **Details**
 *
 * - An attempt sends one request. The handler does not retry, and does not follow redirects, so that credentials go
 *   only where the document says. If the document declares a redirect as the success, its location is the result.
 * - The idempotency key is sent in the header that the document names.
 * - The server gets the headers of the trace only if its origin is one of `TracedOrigins`.
 * - A connection error does not contain the request's headers or query.
 */
import * as Failure from "#domain/failure/Failure"
import { withParts } from "#domain/parts/Part"
import type { HandlerContext } from "#pipeline/call/CompiledTool"
import type { Requirement } from "#src/openapi/document/Security"
import type { Answers } from "#src/openapi/document/Responses"
import { build, type Plan } from "#src/openapi/request/RequestBuilder"
import { authenticate, type Credentials } from "#src/openapi/request/Credentials"
import type { RefusedArgument } from "#src/openapi/request/RefusedArgument"
import { withTracedOrigins } from "#services/TracedOrigins"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as ClientResponse from "effect/http/HttpClientResponse"
import type { HttpMethod } from "effect/http/HttpMethod"
import * as Result from "effect/Result"
import { bytesOf } from "./ResponseBytes.ts"
import type { ResponseNotes } from "./ResponseNotes.ts"
import * as GuardedResponse from "./GuardedResponse.ts"
import { nextLink } from "./Pages.ts"

type HttpClientResponse = ClientResponse.HttpClientResponse

/** The inputs of a handler. */
interface HandlerOptions {
  readonly plan: Plan
  readonly answers: Answers
  readonly requirement: Requirement
  readonly credentials: Credentials
  readonly keyHeader: string | undefined
  /** True if the server is guarded by this library. */
  readonly isOwn: boolean
  readonly notes: ResponseNotes
}

/** Creates the handler. */
export const handler =
  (options: HandlerOptions) =>
  (args: unknown, { idempotencyKey }: HandlerContext): Effect.Effect<unknown, unknown, HttpClient.HttpClient> =>
    Effect.gen(function* () {
      const { answers, credentials, isOwn, keyHeader, notes, plan, requirement } = options
      const built = build(plan, args)
      if (Result.isFailure(built)) return yield* Effect.fail(refused(built.failure))
      const keyed =
        keyHeader === undefined || idempotencyKey === ""
          ? built.success
          : HttpClientRequest.setHeader(built.success, keyHeader, idempotencyKey)
      const { request, secretHeaders } = yield* authenticate(keyed, requirement, credentials)
      const client = yield* HttpClient.HttpClient
      const response = yield* client.execute(request).pipe(
        Effect.mapError((error) => withoutSecrets(error, plan)),
        Effect.updateService(Headers.CurrentRedactedNames, (names) => [...names, ...secretHeaders]),
        Effect.updateContext(withoutRedirects),
        withTracedOrigins(plan.base)
      )
      // the guard has decoded the arguments of an object schema
      const argumentsKey = args as object
      if (isOwn) return yield* guardedAnswer(response, argumentsKey, options)
      const link = nextLink(response.headers["link"])
      if (link !== undefined) notes.link.set(argumentsKey, link)
      else notes.link.delete(argumentsKey)
      const { location } = response.headers
      if (answers.kind === "location" && isRedirect(response.status) && location !== undefined) return { location }
      const isSuccess = response.status >= 200 && response.status <= 299
      return answers.kind === "bytes" && isSuccess ? yield* file(response, plan) : response
    })

const isRedirect = (status: number): boolean => status >= 301 && status <= 308 && status !== 304

const withoutRedirects = (context: Context.Context<never>): Context.Context<never> =>
  Context.add(context, FetchHttpClient.RequestInit, {
    ...Context.getOrUndefined(context, FetchHttpClient.RequestInit),
    redirect: "manual"
  })

/** Returns the failure of arguments that cannot be sent. Nothing was sent. */
const refused = ({ argument, reason }: RefusedArgument): Failure.ToolArgError =>
  Failure.ofCode("invalid_arguments", {
    tool: "",
    detail: `Please rewrite the input with valid arguments. Errors: ${argument}: ${reason}`,
    hint: "",
    fields: [argument]
  })

/** Removes credentials and arguments from the request of a connection error. */
const withoutSecrets = (error: HttpClientError.HttpClientError, plan: Plan): unknown => {
  const { reason } = error
  if (reason._tag !== "TransportError") return error
  // every method of a plan is an `HttpMethod` in lower case
  const request = HttpClientRequest.make(plan.method.toUpperCase() as HttpMethod)(plan.base + plan.path)
  return new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({
      request,
      ...(reason.cause === undefined ? {} : { cause: reason.cause }),
      ...(reason.description === undefined ? {} : { description: reason.description })
    })
  })
}

/** Returns the result of a binary response: its media type and size, with the bytes as a part. */
const file = (response: HttpClientResponse, plan: Plan): Effect.Effect<unknown, unknown> =>
  Effect.map(bytesOf(response, plan), (bytes) => {
    const mediaType = (response.headers["content-type"] ?? "").split(";")[0]?.trim() ?? ""
    const isPlain = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(mediaType)
    const value = { media_type: isPlain ? mediaType : "application/octet-stream", bytes: bytes.length }
    return bytes.length === 0 ? value : withParts(value, [{ type: "file", mediaType: value.media_type, data: bytes }])
  })

/** Returns the answer of a guarded server, or the unchanged response of another server. */
const guardedAnswer = (
  response: HttpClientResponse,
  args: object,
  { notes, plan }: HandlerOptions
): Effect.Effect<unknown, unknown> =>
  Effect.flatMap(bytesOf(response, plan), (bytes): Effect.Effect<unknown, unknown> => {
    const content = GuardedResponse.read(response.status, new TextDecoder().decode(bytes))
    if (content._tag === "Failed") return Effect.fail(content.failure)
    if (content._tag === "Foreign") return Effect.succeed(withBody(response, bytes))
    if (content.more === undefined) notes.more.delete(args)
    else notes.more.set(args, content.more)
    const text = JSON.stringify(content.data)
    return Effect.succeed(content.parts.length === 0 ? text : withParts(text, content.parts))
  })

/** Returns a response whose body can be read again. */
const withBody = (
  { headers, request, status }: HttpClientResponse,
  bytes: Uint8Array<ArrayBuffer>
): HttpClientResponse => {
  const isBodiless = bytes.length === 0 || status === 204 || status === 205 || status === 304
  return ClientResponse.fromWeb(request, new Response(isBodiless ? null : bytes, { status, headers: { ...headers } }))
}
