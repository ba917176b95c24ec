/**
 * An MCP server behind the guard, for any client: one session of a client with its own connection to the server.
 *
 * **Details**
 *
 * - `tools/list` and `tools/call` are answered here: what is called passes the guard, and what the server gives does.
 * - `resources/read` of a link that the guard gave is answered here. All else is passed on (`Relay`).
 * - It ends when either side does.
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
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Names from "effect-toolguard/internal/mcp/remote/Names"
import type * as RemoteTool from "effect-toolguard/internal/mcp/remote/RemoteTool"
import type * as Watch from "effect-toolguard/internal/mcp/remote/Watch"
import { broken, type McpError } from "effect-toolguard/internal/mcp/wire/McpError"
import * as Message from "effect-toolguard/internal/mcp/wire/Message"
import type { Transport } from "effect-toolguard/internal/mcp/wire/Transport"
import * as Version from "effect-toolguard/internal/mcp/wire/Version"
import * as Blobs from "./Blobs.ts"
import { type ClientCall, CurrentClientCall } from "./ClientCall.ts"
import * as Elicitation from "./Elicitation.ts"
import type { Confirm } from "./ProxyTool.ts"
import * as Relay from "./Relay.ts"
import * as Shown from "./Shown.ts"
import * as Tools from "./Tools.ts"
import * as Turns from "./Turns.ts"
import * as Waiting from "./Waiting.ts"

export interface ProxyOptions extends Names.Selection, Watch.WatchOptions {
  /** Names the session in records; unguessable. */
  readonly conversation: string
  readonly policies: Readonly<Record<string, RemoteTool.RemotePolicy>>
  readonly confirm: Confirm
  /** Largest result that is given whole, in bytes; at least 10,240. */
  readonly resultBytes: number
  /** Longest time for the server's answer to `initialize`, in milliseconds. */
  readonly helloMillis: number
  /** Milliseconds without a call, after which a new turn begins. */
  readonly silenceMillis: number
  /** Hears of messages that break the protocol. */
  readonly broken: (side: "client" | "server", error: McpError) => void
}

/** Longest time for the server's answer to what we ask beside calls, in milliseconds. */
const patience = 30_000

/** Bytes that a result has beside its texts. */
const wrapping = 512

/** Progress tokens of finished calls that are remembered. */
const mostTokens = 1_000

/** Runs a session until one side ends; fails with why. */
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
    const waiting = Waiting.make()
    const running = new Map<Message.Id, Fiber.Fiber<void>>()
    const finished = new Set<unknown>()
    // known before the first message is handed over
    let sides: Relay.Sides
    let version: string | undefined
    let capabilities: unknown
    /** Lists that are being read because the server said that they changed, or wait for that. */
    let lists = 0

    const tools = Tools.make({
      ...options,
      guard: guarded,
      parts: {
        confirm: options.confirm,
        waiting,
        blobs,
        call: (params, schema) =>
          Effect.flatMap(
            Effect.suspend(() => sides.server.request("tools/call", params, { schema })),
            ({ place, result, text }) =>
              isJsonObject(result)
                ? Effect.succeed(result)
                : Effect.fail(broken("its `result` is no object", place, text))
          )
      }
    })
    /** Asks for the list as the client would: what it says of itself with each request goes along. */
    const asking = ({ params }: Pick<Message.Request, "params">) => {
      const { progressToken: _, ...own } = Fields.of(params["_meta"])
      return (page: JsonObject) =>
        Effect.map(
          sides.server.request(
            "tools/list",
            { ...page, ...(Object.keys(own).length === 0 ? {} : { _meta: own }) },
            { millis: patience }
          ),
          ({ result }) => Fields.of(result)
        )
    }
    const shownOptions = (request: Message.Request, name: string): Shown.ShownOptions => {
      const spoken = versionOf(request) ?? version
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
        if (typeof name !== "string") return Message.refusal(id, -32_602, "`name` of the tool is missing.")
        const callable = yield* tools.callable(asking(request))
        const canAsk = versionOf(request) === undefined && Elicitation.isOffered(capabilities)
        const current: ClientCall = {
          params,
          elicit: canAsk ? Elicitation.ask(sides.client, id) : undefined,
          spent: 0,
          last: undefined,
          passed: undefined
        }
        const turn = yield* turns.current
        // as text, so that a record holds what was sent even where no tool could read it
        const sent = textOf(params["arguments"] ?? {})
        if (sent === undefined) return Message.refusal(id, -32_602, "`arguments` are nested too deeply.")
        const answer = yield* guard.answer(callable, { name, arguments: sent, callId: String(id) }).pipe(
          Effect.provideService(CurrentTurn, turn),
          Effect.provideService(CurrentClientCall, current),
          Effect.provideService(ResultLimit, (tools.isStructured(name) ? 2 : 1) * options.resultBytes + wrapping),
          Effect.updateContext((context: Context.Context<never>) => Context.merge(context, reader))
        )
        if (current.passed !== undefined) {
          // the user's answer comes with an equal call: it must not count as a repeat
          yield* turns.renew
          return "result" in current.passed
            ? Message.answer(id, blobs.putBack(current.passed.result))
            : JSON.stringify({ jsonrpc: "2.0", id, error: current.passed.error })
        }
        const isOurs = callable.get(name) === ReadResult || !callable.has(name)
        const shown = shownOptions(request, name)
        return Message.answer(
          id,
          isOurs ? Shown.ofOurs(answer, shown) : blobs.putBack(Shown.ofTool(answer, current, shown))
        )
      })

    const read = ({ id, params }: Message.Request, uri: string): Effect.Effect<string> =>
      Effect.gen(function* () {
        const turn = yield* turns.current
        const text = yield* Effect.orElseSucceed(guarded.kept(turn, uri), () => undefined)
        if (text === undefined)
          return Message.refusal(id, -32_002, "Nothing can be read here: there is nothing, or its time is over.", {
            uri
          })
        return Message.answer(id, {
          contents: [{ uri, mimeType: "application/json", text }],
          ...(versionOf({ params }) === undefined ? {} : { resultType: "complete" })
        })
      })

    /** Answers a request in a fiber of its own, which the client may cancel. */
    const answering = (
      request: Message.Request,
      text: Effect.Effect<string, McpError>,
      { client }: Relay.Sides
    ): Effect.Effect<void> =>
      Effect.catch(text, (error) => Effect.succeed(Relay.faultText(request.id, error))).pipe(
        // whatever breaks here: the client is not left waiting
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
            if (finished.size > mostTokens) for (const oldest of finished) if (finished.delete(oldest)) break
          })
        ),
        Effect.forkIn(scope, { startImmediately: true }),
        Effect.map((fiber) => {
          if (fiber.pollUnsafe() === undefined) running.set(request.id, fiber as Fiber.Fiber<void>)
        })
      )

    sides = yield* Relay.make(clientEnd, serverEnd, {
      ready: (both) => {
        sides = both
      },
      waiting,
      helloMillis: options.helloMillis,
      broken: options.broken,
      ours: (request, both) => {
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
            const isOurs = typeof uri === "string" && ArtifactLink.isLink(uri)
            return isOurs ? answering(request, read(request, uri), both) : undefined
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
        // the client hears of it when it has been compared; a list that is about to be read says all that is new
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
    const afterAnswers = (ended: Effect.Effect<never, McpError>, patience: Duration.Input) =>
      Effect.catch(ended, (error) =>
        Effect.repeat(Effect.sleep("20 millis"), { until: () => running.size === 0 && sides.isIdle() }).pipe(
          Effect.timeoutOption(patience),
          Effect.andThen(Effect.fail(error))
        )
      )
    return yield* Effect.raceFirst(
      // a client that has asked all it wants to know may close its output before it has read the answers
      afterAnswers(sides.client.ended, "60 seconds"),
      // calls are told how they ended
      afterAnswers(sides.server.ended, "5 seconds")
    )
  })

/** A value as JSON; undefined where it is nested deeper than can be written. */
const textOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** The version that a request names itself; undefined where a session has one. */
const versionOf = ({ params }: Pick<Message.Request, "params">): string | undefined => {
  const version = Fields.of(params["_meta"])["io.modelcontextprotocol/protocolVersion"]
  return typeof version === "string" ? version : undefined
}
