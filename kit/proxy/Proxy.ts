/**
 * Runs one session between a client and an MCP server behind the guard, with a separate connection to the server.
 *
 * **Details**
 *
 * - The proxy answers `tools/list` and `tools/call`. Calls and their results pass through the guard.
 * - The proxy answers `resources/read` for links of the guard. All other messages are relayed (see `Relay`).
 * - The session ends after one side has ended and the requests in progress are answered, within a limit (`SessionEnd`).
 *   When the process shuts down, the requests in progress are answered first (`SessionDrain`).
 */
import * as ArtifactLink from "effect-toolguard/internal/domain/envelope/artifact/ArtifactLink"
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { CurrentTurn } from "effect-toolguard/services/CurrentTurn"
import { Redactor } from "effect-toolguard/services/Redactor"
import { ResultLimit } from "effect-toolguard/services/ResultLimit"
import { Guard, GuardedTurn } from "effect-toolguard/internal/guard/Guard"
import { ReadResult } from "effect-toolguard/internal/tool/ReadResult"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Names from "effect-toolguard/internal/mcp/remote/Names"
import type { RemotePolicy } from "effect-toolguard/internal/tool/RemotePolicy"
import type * as Watch from "effect-toolguard/internal/mcp/remote/Watch"
import * as Headers from "effect-toolguard/internal/mcp/wire/Headers"
import { broken, McpError } from "effect-toolguard/internal/mcp/wire/McpError"
import * as Message from "effect-toolguard/internal/mcp/wire/Message"
import type { Transport } from "effect-toolguard/internal/mcp/wire/Transport"
import * as Version from "effect-toolguard/internal/mcp/wire/Version"
import * as Blobs from "./Blobs.ts"
import { type ClientCall, CurrentClientCall, textOf } from "./ClientCall.ts"
import * as Elicitation from "./Elicitation.ts"
import type { Confirm } from "./ProxyTool.ts"
import * as Relay from "./Relay.ts"
import * as ClientResult from "./ClientResult.ts"
import * as Tools from "./Tools.ts"
import * as Turns from "./Turns.ts"
import * as PausableTimeout from "./PausableTimeout.ts"
import * as SessionDrain from "./SessionDrain.ts"
import { untilEnded } from "./SessionEnd.ts"

/** The options of a session. */
export interface ProxyOptions extends Names.Selection, Watch.WatchOptions, Tools.Reports {
  /** The id of the conversation in records. It must be unguessable. */
  readonly conversation: string
  readonly policies: Readonly<Record<string, RemotePolicy>>
  readonly confirm: Confirm
  /** The maximum size of a complete result in bytes, at least 10,240. A larger result becomes a preview. */
  readonly resultBytes: number
  /** The timeout of `initialize`, and of calls of tools whose policy sets no timeout, in milliseconds. */
  readonly timeoutMillis: number
  /** Milliseconds without a call after which a new turn starts. */
  readonly silenceMillis: number
  /** The maximum number of the client's requests that the proxy answers at once, at least 1. */
  readonly maxCalls: number
}

/** The timeout of the proxy's own requests to the server, in milliseconds. */
const requestMillis = 30_000

/** The bytes that a result needs in addition to its texts. */
const wrapperBytes = 512

/** The maximum number of progress tokens to keep for finished calls. */
const maxFinishedTokens = 1_000

/** Runs a session until one side ends. Fails with the reason. */
export const run = (
  clientEnd: Transport,
  serverEnd: Transport,
  options: ProxyOptions
): Effect.Effect<never, McpError, Guard | Redactor | Scope.Scope> =>
  Effect.gen(function* () {
    const guard = yield* Guard
    const guarded = yield* GuardedTurn
    const redactor = yield* Redactor
    const scope = yield* Effect.scope
    const reader = yield* Layer.build(ReadResult.layerGuard)
    const turns = Turns.make(guarded, options.conversation, options.silenceMillis)
    yield* Effect.addFinalizer(() => turns.end)
    const blobs = Blobs.make(guarded.sha256)
    const timeout = PausableTimeout.make()
    const running = new Map<Message.Id, Fiber.Fiber<void>>()
    const finished = new Set<unknown>()
    const tooMany = new McpError({
      reason: "too_many",
      message: `The limit of ${options.maxCalls} concurrent calls (--max-calls) has been reached. Retry this call later.`
    })
    // assigned before the first message is relayed
    let sides: Relay.Sides
    let version: string | undefined
    let capabilities: unknown
    /** The number of running and waiting reads of the list of tools that were caused by a reported change. */
    let lists = 0

    /** The reason why the server has ended; undefined while it runs. */
    let serverGone: McpError | undefined
    const tools = Tools.make({
      ...options,
      guard: guarded,
      parts: {
        confirm: options.confirm,
        timeout,
        blobs,
        call: (params, schema) =>
          Effect.flatMap(
            Effect.suspend(() =>
              serverGone === undefined
                ? sides.server.request("tools/call", params, { schema })
                : // a retry cannot succeed, because the server does not start again
                  Effect.fail(new McpError({ reason: "ended", message: serverGone.message }))
            ),
            ({ place, result, text }) =>
              isJsonObject(result)
                ? Effect.succeed(result)
                : Effect.fail(broken("its `result` is not an object", place, text))
          )
      }
    })
    /** Requests the list of tools as the client would, with the metadata of the client's request. */
    const asking = ({ params }: Pick<Message.Request, "params">) => {
      const { progressToken: _, ...own } = Fields.of(params["_meta"])
      return (page: JsonObject) =>
        Effect.map(
          sides.server.request(
            "tools/list",
            { ...page, ...(Object.keys(own).length === 0 ? {} : { _meta: own }) },
            { millis: requestMillis }
          ),
          ({ result }) => Fields.of(result)
        )
    }
    const resultOptions = (request: Message.Request, name: string): ClientResult.ClientResultOptions => {
      const spoken = Headers.versionOf(request.params) ?? version
      return {
        redactor,
        isStructured: tools.isStructured(name),
        hasLinks: spoken !== undefined && spoken >= Version.links,
        isStateless: spoken === Version.stateless
      }
    }

    const call = (request: Message.Request): Effect.Effect<string, McpError> =>
      Effect.gen(function* () {
        const { id, params } = request
        const { name } = params
        if (typeof name !== "string") return Message.refusal(id, -32_602, "The `name` of the tool is missing.")
        const callable = yield* tools.callable(asking(request))
        const canAsk = Headers.versionOf(params) === undefined && Elicitation.isOffered(capabilities)
        const current: ClientCall = {
          params,
          elicit: canAsk ? Elicitation.ask(sides.client, id) : undefined,
          spent: 0,
          last: undefined,
          passed: undefined
        }
        const turn = yield* turns.current
        // as text, because the record keeps the text of arguments that cannot be decoded
        const sent = textOf(params["arguments"] ?? {})
        if (sent === undefined) return Message.refusal(id, -32_602, "`arguments` are nested too deeply.")
        const answer = yield* guard.answer(callable, { name, arguments: sent, callId: String(id) }).pipe(
          Effect.provideService(CurrentTurn, turn),
          Effect.provideService(CurrentClientCall, current),
          Effect.provideService(ResultLimit, (tools.isStructured(name) ? 2 : 1) * options.resultBytes + wrapperBytes),
          Effect.updateContext((context: Context.Context<never>) => Context.merge(context, reader))
        )
        if (current.passed !== undefined) {
          // the user's answer arrives with an identical call, which must not count as a repetition
          yield* turns.renew
          return "result" in current.passed
            ? Message.answer(id, blobs.restore(current.passed.result))
            : JSON.stringify({ jsonrpc: "2.0", id, error: current.passed.error })
        }
        const isOwn = callable.get(name) === ReadResult || !callable.has(name)
        const shown = resultOptions(request, name)
        return Message.answer(
          id,
          isOwn
            ? ClientResult.ofOwnTool(answer, shown)
            : blobs.restore(ClientResult.ofServerTool(answer, current, shown))
        )
      })

    const read = ({ id, params }: Message.Request, uri: string): Effect.Effect<string> =>
      Effect.gen(function* () {
        const turn = yield* turns.current
        const text = yield* Effect.orElseSucceed(guarded.readKept(turn, uri), () => undefined)
        if (text === undefined)
          return Message.refusal(id, -32_002, "The result does not exist, or has expired.", {
            uri
          })
        return Message.answer(id, {
          contents: [{ uri, mimeType: "application/json", text }],
          ...(Headers.versionOf(params) === undefined ? {} : { resultType: "complete" })
        })
      })

    /** Answers a request in a separate fiber, which the client can cancel. */
    const answering = (
      request: Message.Request,
      text: Effect.Effect<string, McpError>,
      { client }: Relay.Sides
    ): Effect.Effect<void> =>
      Effect.catch(running.size < options.maxCalls ? text : Effect.fail(tooMany), (error) =>
        Effect.succeed(Relay.faultText(request.id, error))
      ).pipe(
        // the client gets an answer even after a defect
        Effect.catchDefect((defect) =>
          Effect.as(
            Effect.logError("A request could not be answered", defect),
            Message.refusal(request.id, -32_603, `The proxy could not answer ${request.method}.`)
          )
        ),
        Effect.tap((text) => {
          client.tell({ text, about: request.id })
          return client.room
        }),
        Effect.ensuring(
          Effect.sync(() => {
            running.delete(request.id)
            const token = Relay.tokenOf(request)
            if (token === undefined) return
            finished.add(token)
            if (finished.size > maxFinishedTokens) for (const oldest of finished) if (finished.delete(oldest)) break
          })
        ),
        SessionDrain.track(request.id, client),
        Effect.forkIn(scope, { startImmediately: true }),
        Effect.map((fiber) => {
          // the effect above handles every error
          if (fiber.pollUnsafe() === undefined) running.set(request.id, fiber as Fiber.Fiber<void>)
        }),
        // no further input is read from a client that does not read its answers
        Effect.andThen(Effect.suspend(() => client.room))
      )

    sides = yield* Relay.make(clientEnd, serverEnd, {
      ready: (both) => {
        sides = both
      },
      timeout,
      initializeMillis: options.timeoutMillis,
      broken: options.broken,
      isAnswering: (id) => running.has(id),
      hasCapability: (name) => isJsonObject(capabilities) && isJsonObject(capabilities[name]),
      answer: (request, both) => {
        const { method, params } = request
        finished.delete(Relay.tokenOf(request))
        switch (method) {
          case "initialize":
            capabilities = params["capabilities"]
            return undefined
          case "tools/list":
            return answering(
              request,
              Effect.map(tools.list(asking(request)), (result) => Message.answer(request.id, result)),
              both
            )
          case "tools/call":
            return answering(request, call(request), both)
          case "resources/read": {
            const { uri } = params
            const isOwn = typeof uri === "string" && ArtifactLink.isLink(uri)
            return isOwn ? answering(request, read(request, uri), both) : undefined
          }
          default:
            return undefined
        }
      },
      cancelled: (id) => {
        const fiber = running.get(id)
        fiber?.interruptUnsafe()
        return fiber !== undefined
      },
      notified: (notification, { client }) => {
        const token = Relay.progressToken(notification)
        if (token !== undefined && finished.has(token)) return Effect.succeed(false)
        if (notification.method !== "notifications/tools/list_changed") return Effect.succeed(true)
        // the client is notified after the new list was compared; a waiting read also covers further changes
        if (lists >= 2) return Effect.succeed(false)
        lists += 1
        return Effect.ignore(tools.list(asking({ params: {} }))).pipe(
          Effect.andThen(Effect.sync(() => client.tell(notification))),
          Effect.ensuring(Effect.sync(() => (lists -= 1))),
          Effect.forkIn(scope, { startImmediately: true }),
          Effect.as(false)
        )
      },
      answered: ({ method }, settled) => {
        if (method !== "initialize" || settled._tag === "Failure") return
        const agreed = Fields.of(settled.success.result)["protocolVersion"]
        if (typeof agreed === "string") version = agreed
      }
    })
    const isQuiet = () => running.size === 0 && sides.isIdle()
    yield* SessionDrain.trackRelayed(isQuiet)
    return yield* untilEnded(sides, isQuiet, (error) => void (serverGone = error))
  })
