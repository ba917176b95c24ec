/**
 * Answers one request for a tool: reads it, calls the guard as a model would, and writes the response.
 *
 * **Details**
 *
 * - A result is returned completely, up to `maxResultBytes`, with secrets redacted as for a model.
 * - Tenant, principal and tool are part of an idempotency key, so that the keys of clients cannot collide.
 */
import type { Envelope } from "#domain/envelope/Envelope"
import type { ToolDefinition, ToolReference } from "#domain/tool/ToolDefinition"
import { type Turn, ownerValues } from "#domain/turn/Turn"
import { compiledOf } from "#pipeline/call/CompiledTool"
import { keyField } from "#pipeline/stages/decodeArguments"
import { ResultLimit } from "#services/ResultLimit"
import { Guard, GuardedTurn, type ModelAnswer } from "#src/guard/Guard"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import { make, refusal, respond, type ToolProblem, traceHeader } from "./ProblemBody.ts"
import { readBody } from "./RequestText.ts"
import * as RequestHeaders from "./RequestHeaders.ts"
import { statusOf } from "./ResponseStatus.ts"
import { conversationOf, type Turns } from "./Turns.ts"

/** The identity behind a request. */
export type Identity = Partial<Pick<Turn, "tenant" | "principal">>

export interface CallOptions {
  /**
   * The maximum size of a request body, in bytes. Default 1,000,000. For larger arguments, also set
   * `limits.argumentBytes` of the tool.
   */
  readonly maxBodyBytes?: number
  /**
   * The maximum size of a result, in bytes of JSON. Default 10,000,000. A larger result returns 502,
   * `response_too_large`.
   */
  readonly maxResultBytes?: number
  /**
   * Returns the identity of the client, or undefined to refuse the request (401). Default: accepts all clients, in one
   * tenant, without a principal.
   */
  readonly identify?: (request: HttpServerRequest) => Effect.Effect<Identity | undefined>
}

/** Answers requests for one tool, or for an unknown name. */
export const call =
  (tools: ReadonlyMap<string, ToolReference>, turns: Turns, options: CallOptions) =>
  (name: string, request: HttpServerRequest): Effect.Effect<HttpServerResponse.HttpServerResponse, never, Guard> =>
    Effect.gen(function* () {
      const identity = yield* identityOf(options, request)
      if (identity === undefined) return unidentified
      const headers = RequestHeaders.read(request.headers)
      if (Result.isFailure(headers))
        return respond(refusal(400, "invalid_header", headers.failure, "Correct the header."))
      const { conversation, key, turn } = headers.success
      const text = yield* readBody(request, options.maxBodyBytes ?? 1_000_000)
      const guard = yield* Guard
      const { definitionOf, sha256 } = yield* GuardedTurn
      const tool = tools.get(name)
      const definition = key === undefined || tool === undefined ? undefined : yield* definitionOf(tool)
      const refused = definition && keyProblem(definition, text)
      if (refused !== undefined) return respond(refused)
      const call = {
        name,
        arguments: text,
        callId: "",
        isTyped: true,
        ...(key === undefined ? {} : { idempotencyKey: keyOf(sha256, identity, name, key) })
      }
      const answer = yield* turns.within(guard.answer(tools, call), {
        ...identity,
        ...(conversation === undefined ? {} : { conversation: conversationOf(conversation) }),
        ...(turn === undefined ? {} : { turn })
      })
      return responseOf(answer, tool)
    }).pipe(
      Effect.provideService(ResultLimit, options.maxResultBytes ?? 10_000_000),
      Effect.catch((problem: ToolProblem) => Effect.succeed(respond(problem)))
    )

/** Returns the identity of a client; undefined refuses the request. */
export const identityOf = (
  { identify }: Pick<CallOptions, "identify">,
  request: HttpServerRequest
): Effect.Effect<Identity | undefined> => (identify === undefined ? Effect.succeed({}) : identify(request))

/** The answer to a request that `identify` refuses. */
export const unidentified = respond(
  refusal(401, "unauthorized", "The credentials are missing or invalid.", "Send valid credentials."),
  { "www-authenticate": "Bearer" }
)

/**
 * Refuses a key that the tool cannot honour, because the client relies on it. A tool that only reads ignores the key.
 */
const keyProblem = ({ access, idempotency, name }: ToolDefinition, text: string): ToolProblem | undefined => {
  if (access === "read") return undefined
  if (idempotency.mode === "none") {
    return refusal(
      400,
      "key_unsupported",
      `${name} does not support idempotency keys.`,
      "Send the request without a key."
    )
  }
  return idempotency.mode === "key" && hasKey(text)
    ? refusal(400, "key_given_twice", `The key is in both the header and ${keyField}.`, "Send it in the header only.")
    : undefined
}

const hasKey = (text: string): boolean => {
  try {
    const args: unknown = JSON.parse(text)
    return typeof args === "object" && args !== null && Object.hasOwn(args, keyField)
  } catch {
    return false
  }
}

/** Derives the upstream's key from the client's key, the tenant, the principal and the tool. */
const keyOf = (
  sha256: (text: string) => string,
  { principal, tenant = "default" }: Identity,
  tool: string,
  key: string
): string => `idem_${sha256(JSON.stringify(["http", ...ownerValues({ tenant, principal }), tool, key])).slice(0, 32)}`

const responseOf = (answer: ModelAnswer, tool: ToolReference | undefined): HttpServerResponse.HttpServerResponse => {
  if (answer.isFailure) {
    // the guard has written the envelope
    const { error } = JSON.parse(answer.text) as Extract<Envelope, { readonly status: "error" }>
    const { outcome } = answer
    const sideEffect = error.side_effect ?? (outcome._tag === "Failure" ? outcome.failure.sideEffect : "none")
    // `partial_data` has data and is therefore never a failure here
    const status = statusOf(
      error.error_class as Exclude<typeof error.error_class, "partial_data">,
      error.code,
      sideEffect,
      error.details !== undefined
    )
    return respond(make(status, error))
  }
  if (!complete.test(answer.text.slice(0, 40))) return respond(tooLarge(answer, tool))
  return HttpServerResponse.text(withParts(answer), {
    contentType: "application/json",
    headers: { [traceHeader]: answer.traceId }
  })
}

const complete = /^\{"status":"(?:success|partial)","data":/

/** Adds the parts to the envelope, with files as base64. */
const withParts = ({ parts, text }: ModelAnswer): string =>
  parts === undefined ? text : `${text.slice(0, -1)},"beside":${JSON.stringify(parts)}}`

const tooLarge = ({ traceId }: ModelAnswer, tool: ToolReference | undefined): ToolProblem => {
  const isDone = tool !== undefined && compiledOf(tool).definition.access !== "read"
  return make(502, {
    error_class: "permanent",
    code: "response_too_large",
    message: "The result is larger than this server sends.",
    hint: isDone ? "The call was executed. Do not send it again." : "Ask for less.",
    next_step: isDone ? "stop" : "fix_arguments",
    ...(isDone ? { side_effect: "committed" as const } : {}),
    retryable: false,
    trace_id: traceId
  })
}
