/**
 * The handler of an imported tool: it sends one request and returns the response for the guard to judge.
 *
 * **Details**
 *
 * - An attempt sends one request: there is no retry beneath the guard, and redirects are not followed, so that credentials go
 *   only where the document says. If a redirect is the success, its address is the result.
 * - The idempotency key goes into the header that the document names.
 * - A connection error reaches the guard without the request's headers and query.
 */
import * as Failure from "#domain/failure/Failure"
import { withParts } from "#domain/parts/Part"
import type { HandlerContext } from "#pipeline/call/CompiledTool"
import type { Requirement } from "#src/openapi/document/Security"
import type { Answers } from "#src/openapi/document/Responses"
import { build, type Plan } from "#src/openapi/request/BuildRequest"
import { type Credentials, prove } from "#src/openapi/request/Credentials"
import type { Refused } from "#src/openapi/request/Unwritable"
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
import type { Noted } from "./ResponseNotes.ts"
import * as OwnAnswers from "./GuardedResponse.ts"
import { nextLink } from "./Pages.ts"

type HttpClientResponse = ClientResponse.HttpClientResponse

/** The inputs of a handler. */
interface Calling {
  readonly plan: Plan
  readonly answers: Answers
  readonly requirement: Requirement
  readonly credentials: Credentials
  readonly keyHeader: string | undefined
  /** Whether the server is a guard of this library. */
  readonly isOwn: boolean
  readonly noted: Noted
}

/** Makes the handler. */
export const handler =
  (calling: Calling) =>
  (args: unknown, { idempotencyKey }: HandlerContext): Effect.Effect<unknown, unknown, HttpClient.HttpClient> =>
    Effect.gen(function* () {
      const { answers, credentials, isOwn, keyHeader, noted, plan, requirement } = calling
      const built = build(plan, args)
      if (Result.isFailure(built)) return yield* Effect.fail(refused(built.failure))
      const keyed =
        keyHeader === undefined || idempotencyKey === ""
          ? built.success
          : HttpClientRequest.setHeader(built.success, keyHeader, idempotencyKey)
      const { request, secretHeaders } = yield* prove(keyed, requirement, credentials)
      const client = yield* HttpClient.HttpClient
      const response = yield* client.execute(request).pipe(
        Effect.mapError((error) => bare(error, plan)),
        Effect.updateService(Headers.CurrentRedactedNames, (names) => [...names, ...secretHeaders]),
        Effect.updateContext(withoutRedirects)
      )
      if (isOwn) return yield* ownAnswer(response, args as object, calling)
      const link = nextLink(response.headers["link"])
      if (link !== undefined) noted.link.set(args as object, link)
      else noted.link.delete(args as object)
      const { location } = response.headers
      if (answers.kind === "location" && isRedirect(response.status) && location !== undefined) return { location }
      const isFine = response.status >= 200 && response.status <= 299
      return answers.kind === "bytes" && isFine ? yield* file(response, plan) : response
    })

const isRedirect = (status: number): boolean => status >= 301 && status <= 308 && status !== 304

const withoutRedirects = (context: Context.Context<never>): Context.Context<never> =>
  Context.add(context, FetchHttpClient.RequestInit, {
    ...Context.getOrUndefined(context, FetchHttpClient.RequestInit),
    redirect: "manual"
  })

/** The failure of arguments that cannot be sent; nothing was sent. */
const refused = ({ argument, reason }: Refused): Failure.ToolArgError =>
  Failure.ofCode("invalid_arguments", {
    tool: "",
    detail: `Please rewrite the input with valid arguments. Errors: ${argument}: ${reason}`,
    hint: "",
    fields: [argument]
  })

/** A connection error whose request holds neither credentials nor arguments. */
const bare = (error: HttpClientError.HttpClientError, plan: Plan): unknown => {
  const { reason } = error
  if (reason._tag !== "TransportError") return error
  const request = HttpClientRequest.make(plan.method.toUpperCase() as HttpMethod)(plan.base + plan.path)
  return new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({
      request,
      ...(reason.cause === undefined ? {} : { cause: reason.cause }),
      ...(reason.description === undefined ? {} : { description: reason.description })
    })
  })
}

/** The result of a binary response: its media type and size, with the bytes as a part. */
const file = (response: HttpClientResponse, plan: Plan): Effect.Effect<unknown, unknown> =>
  Effect.map(bytesOf(response, plan), (bytes) => {
    const mediaType = (response.headers["content-type"] ?? "").split(";")[0]?.trim() ?? ""
    const isPlain = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(mediaType)
    const value = { media_type: isPlain ? mediaType : "application/octet-stream", bytes: bytes.length }
    return bytes.length === 0 ? value : withParts(value, [{ type: "file", mediaType: value.media_type, data: bytes }])
  })

/** The answer of a guarded server; the unchanged response if another server answers. */
const ownAnswer = (
  response: HttpClientResponse,
  args: object,
  { noted, plan }: Calling
): Effect.Effect<unknown, unknown> =>
  Effect.flatMap(bytesOf(response, plan), (bytes): Effect.Effect<unknown, unknown> => {
    const own = OwnAnswers.read(response.status, new TextDecoder().decode(bytes))
    if (own._tag === "Failed") return Effect.fail(own.failure)
    if (own._tag === "Foreign") return Effect.succeed(again(response, bytes))
    if (own.more === undefined) noted.more.delete(args)
    else noted.more.set(args, own.more)
    const text = JSON.stringify(own.data)
    return Effect.succeed(own.parts.length === 0 ? text : withParts(text, own.parts))
  })

/** A response whose body was read and can be read again. */
const again = (
  { headers, request, status }: HttpClientResponse,
  bytes: Uint8Array<ArrayBuffer>
): HttpClientResponse => {
  const isBodiless = bytes.length === 0 || status === 204 || status === 205 || status === 304
  return ClientResponse.fromWeb(request, new Response(isBodiless ? null : bytes, { status, headers: { ...headers } }))
}
