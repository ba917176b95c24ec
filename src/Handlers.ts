/**
 * [11.4] The guard behind the handlers of an effect/ai toolkit, for hosts that run the tools themselves.
 *
 * A success is the envelope as JSON; a failure is the envelope too, as the tool's declared failure, so that hosts that
 * tell them apart (MCP's `isError`) do. What the host decides before a handler runs stays the host's: unknown names,
 * the order of results, truncated calls.
 */
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Guard, ModelAnswer, ModelCall } from "./Guard.ts"

const decodeJson = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Json))

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
          (args: unknown) =>
            answer({ name, arguments: args, callId: "" }).pipe(
              Effect.flatMap(({ isFailure, text }) =>
                isFailure ? Effect.fail(decodeJson(text)) : Effect.succeed(decodeJson(text))
              ),
              Effect.updateContext((call: Context.Context<never>) => Context.merge(services, call))
            )
        ])
      )
    ) as never
  ) as never
