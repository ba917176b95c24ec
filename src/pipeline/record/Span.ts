/**
 * [15.1] One span per call, by the OpenTelemetry GenAI conventions.
 *
 * A span costs as much as the rest of the guard, so it is made only if a tracer is installed. Arguments, results and
 * details never enter a span; `effect_toolguard.trace_id` finds the call in the log.
 */
import type { Outcome } from "#domain/call/Outcome"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import type { Call } from "#pipeline/call/Call"

/** The tracer of a program that installs none. */
const silent = Context.get(Context.empty(), Tracer.Tracer)

/** Runs the call inside a span `execute_tool NAME`, if a tracer is installed. */
export const traced = (call: Call, run: (call: Call) => Effect.Effect<Outcome>): Effect.Effect<Outcome> =>
  Context.get(call.context, Tracer.Tracer) === silent
    ? run(call)
    : Effect.useSpan(
        `execute_tool ${call.name}`,
        {
          attributes: {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.name,
            "gen_ai.tool.call.id": call.callId,
            "effect_toolguard.trace_id": call.traceId
          }
        },
        (span) =>
          Effect.map(
            Effect.withParentSpan(run({ ...call, context: Context.add(call.context, Tracer.ParentSpan, span) }), span),
            (outcome) => {
              const { attempts, decisions } = call.trace
              span.attribute("effect_toolguard.attempts", attempts.length)
              if (decisions.length > 0) {
                span.attribute(
                  "effect_toolguard.decisions",
                  decisions.map(({ decision, stage }) => `${stage}: ${decision}`)
                )
              }
              if (outcome._tag === "Failure") {
                span.attribute("error.type", outcome.failure._tag)
                span.attribute("effect_toolguard.code", outcome.failure.code)
                if (outcome.remaining !== undefined) {
                  span.attribute("effect_toolguard.budget.remaining", outcome.remaining)
                }
              }
              return outcome
            }
          )
      )
