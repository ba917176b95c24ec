/**
 * [11.4] Creates the guarded handlers of an effect/ai toolkit, for hosts that run the tools themselves.
 *
 * **Details**
 *
 * - A successful call returns the envelope as JSON. A failed call fails with the envelope, so that hosts can
 *   distinguish the two (MCP's `isError`).
 * - The host still decides what happens before a handler runs: unknown names, the order of results, truncated calls.
 * - Parts of a success reach the model as the result's `modelOutput`, after the envelope.
 * - Ids in answers count as seen in the turn. For tools whose arguments must have been seen (`entityId`), the host
 *   passes the user's message: `Guard.turn(effect, { texts: [message] })`.
 */
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { ToolReference } from "#domain/tool/ToolDefinition"
import { CurrentTurn } from "#services/CurrentTurn"
import * as EnvelopeParts from "./EnvelopeParts.ts"
import { type Guard, GuardedTurn, type ModelAnswer, type ModelCall } from "#src/guard/Guard"
import { HostedCall, unhosted } from "./HostedCall.ts"

/** Parses the text of an envelope. */
export const envelopeOf = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Json))

/** Records that the model has seen a text in its turn. */
const markSeen = (text: string): Effect.Effect<void, never, Guard> =>
  Effect.flatMap(CurrentTurn, (turn) =>
    turn === undefined ? Effect.void : Effect.flatMap(GuardedTurn, (guard) => guard.saw(turn, text))
  )

type Answer = (call: ModelCall) => Effect.Effect<ModelAnswer, never, Guard>

/**
 * Returns the layer with one handler per tool. Each handler answers a model's call. Building the layer dies with a
 * `RangeError` if the guard cannot keep two classes with one id apart [2.10].
 */
export const handlersOf = (
  toolkit: Toolkit.Toolkit<Record<string, Tool.Any>>,
  tools: ReadonlyMap<string, ToolReference>,
  answer: Answer
): Layer.Layer<never, never, Guard> =>
  toolkit.toLayer(
    Effect.map(
      Effect.tap(
        Effect.context<Guard>(),
        (services) =>
          // a guard that is provided as a plain value supports only calls
          Context.getOrUndefined(services, GuardedTurn)?.admit(tools.values()) ?? Effect.void
      ),
      (services) =>
        Object.fromEntries(
          [...tools.keys()].map((name) => [
            name,
            (args: unknown, { toolCallId = "" }: { readonly toolCallId?: string | undefined } = {}) =>
              Effect.flatMap(HostedCall, ({ argumentsText, isCut }) =>
                // the host's facts apply to this call, not to the calls that its handler makes
                Effect.provideService(
                  answer({ name, arguments: args, argumentsText, callId: toolCallId, isCut }),
                  HostedCall,
                  unhosted
                )
              ).pipe(
                Effect.tap(({ text }) => markSeen(text)),
                Effect.flatMap(({ isFailure, parts, text }) =>
                  isFailure
                    ? Effect.fail(envelopeOf(text))
                    : Effect.succeed(EnvelopeParts.put(envelopeOf(text), text, parts))
                ),
                Effect.updateContext((call: Context.Context<never>) => Context.merge(services, call))
              )
          ])
        )
      // handlers are typed by name, and these names are known only at run time
    ) as never
    // the same applies to the layer
  ) as never
