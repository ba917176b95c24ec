/**
 * [15.1] The spans of a run, following the OpenTelemetry GenAI conventions: `invoke_agent` around the requests to the
 * model and the calls of tools. All spans contain the conversation's id.
 */
import type { Turn } from "#domain/turn/Turn"
import * as Telemetry from "effect/ai/Telemetry"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import { type AgentEnd, modelErrorOf } from "./AgentEnd.ts"

/** Runs the loop inside a span. If a request to the model ended the run, the span ends with its error. */
export const traced = <R>({ conversation }: Turn, run: Effect.Effect<AgentEnd, never, R>) =>
  Effect.flatMap(Effect.makeSpan("invoke_agent", { attributes: attributesOf(conversation) }), (span) =>
    run.pipe(
      withConversation(conversation),
      Effect.withParentSpan(span),
      Effect.onExit((exit) =>
        Clock.clockWith((clock) =>
          Effect.sync(() => {
            if (Exit.isSuccess(exit)) describe(span, exit.value)
            span.end(clock.currentTimeNanosUnsafe(), Exit.isSuccess(exit) ? endOf(exit.value) : exit)
          })
        )
      )
    )
  )

const attributesOf = (conversation: string) => ({
  "gen_ai.operation.name": "invoke_agent",
  "gen_ai.conversation.id": conversation
})

/** Adds the conversation to the span of each answered request to the model. */
const withConversation =
  (conversation: string) =>
  <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.serviceOption(Telemetry.CurrentSpanTransformer), (outer) =>
      Effect.provideService(run, Telemetry.CurrentSpanTransformer, (options) => {
        options.span.attribute("gen_ai.conversation.id", conversation)
        if (Option.isSome(outer)) outer.value(options)
      })
    )

const describe = (span: Tracer.Span, end: AgentEnd): void => {
  const { _tag, usage } = end
  span.attribute("effect_toolguard.end", _tag)
  span.attribute("effect_toolguard.rounds", usage.rounds)
  span.attribute("gen_ai.usage.input_tokens", usage.inputTokens)
  span.attribute("gen_ai.usage.output_tokens", usage.outputTokens)
  if (modelErrorOf(end) !== undefined) span.attribute("error.type", "ModelFailed")
}

const endOf = (end: AgentEnd): Exit.Exit<void, unknown> => {
  const error = modelErrorOf(end)
  return error === undefined ? Exit.void : Exit.fail(error)
}
