/**
 * [11.4] The guard behind the handlers of an effect/ai toolkit, for hosts that run the tools themselves.
 *
 * A success is the envelope as JSON; a failure is the envelope too, as the tool's declared failure, so that hosts that
 * tell them apart (MCP's `isError`) do. What the host decides before a handler runs stays the host's: unknown names,
 * the order of results, truncated calls.
 *
 * Parts beside a success reach the model as the result's `modelOutput`, behind the envelope.
 *
 * What a handler answered counts as seen in the turn. What the user said the host has to tell, for tools whose arguments
 * must have been seen (`entityId`): `Guard.turn(effect, { texts: [message] })`.
 */
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { CurrentTurn } from "#services/CurrentTurn"
import * as Beside from "./Beside.ts"
import { type Guard, GuardedTurn, type ModelAnswer, type ModelCall } from "#src/guard/Guard"
import { HostedCall } from "./HostedCall.ts"

/** An envelope as the value that it writes. */
export const envelopeOf = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Json))

/** What a model has read counts as seen in its turn. */
const noted = (text: string): Effect.Effect<void, never, Guard> =>
  Effect.flatMap(CurrentTurn, (turn) =>
    turn === undefined ? Effect.void : Effect.flatMap(GuardedTurn, (guard) => guard.saw(turn, text))
  )

type Answer = (call: ModelCall) => Effect.Effect<ModelAnswer, never, Guard>

/** One handler per tool name, each a call for a model. */
export const handlersOf = (
  toolkit: Toolkit.Toolkit<Record<string, Tool.Any>>,
  names: ReadonlyArray<string>,
  answer: Answer
): Layer.Layer<never, never, Guard> =>
  toolkit.toLayer(
    Effect.map(Effect.context<Guard>(), (services) =>
      Object.fromEntries(
        names.map((name) => [
          name,
          (args: unknown, { toolCallId = "" }: { readonly toolCallId?: string | undefined } = {}) =>
            Effect.flatMap(HostedCall, ({ isCut }) =>
              answer({ name, arguments: args, callId: toolCallId, isCut })
            ).pipe(
              Effect.tap(({ text }) => noted(text)),
              Effect.flatMap(({ isFailure, parts, text }) =>
                isFailure ? Effect.fail(envelopeOf(text)) : Effect.succeed(Beside.put(envelopeOf(text), text, parts))
              ),
              Effect.updateContext((call: Context.Context<never>) => Context.merge(services, call))
            )
        ])
      )
    ) as never
  ) as never
