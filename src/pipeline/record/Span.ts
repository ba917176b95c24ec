/**
 * [15.1] One span per call, following the OpenTelemetry GenAI conventions.
 *
 * A span costs as much as the rest of the guard, so it is created only if a tracer is installed. Arguments and results
 * never enter a span; `effect_toolguard.trace_id` finds the call in the log.
 */
import type { FailedOutcome, Outcome } from "#domain/call/Outcome"
import { type Failure, isIncident, make } from "#domain/failure/Failure"
import * as Enforcement from "#domain/turn/Enforcement"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Tracer from "effect/Tracer"
import type { Call } from "#pipeline/call/Call"

/** Effect's default tracer, which records nothing. */
const silent = Context.get(Context.empty(), Tracer.Tracer)

/**
 * Runs the call inside a span `execute_tool NAME`, if a tracer is installed.
 *
 * The span of a failed call ends with the redacted failure of its record: exporters write the status Error and an
 * exception event. A page of a longer result and a declared refusal are not errors.
 */
export const traced = (call: Call, run: (call: Call) => Effect.Effect<Outcome>): Effect.Effect<Outcome> =>
  Context.get(call.context, Tracer.Tracer) === silent
    ? run(call)
    : Effect.flatMap(Effect.makeSpan(`execute_tool ${call.name}`, { attributes: attributesOf(call) }), (span) =>
        run({ ...call, context: Context.add(call.context, Tracer.ParentSpan, span) }).pipe(
          Effect.withParentSpan(span),
          Effect.onExit((exit) =>
            Effect.sync(() => {
              if (Exit.isFailure(exit)) return span.end(call.clock.currentTimeNanosUnsafe(), exit)
              const outcome = call.trace.unguarded?.outcome ?? exit.value
              describe(span, call, outcome)
              span.end(call.clock.currentTimeNanosUnsafe(), endOf(call, outcome))
            })
          )
        )
      )

const attributesOf = ({ callId, name, tool, traceId, turn }: Call) => {
  const side = Enforcement.sideOf(tool.definition.enforce, turn)
  return {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    "gen_ai.tool.call.id": callId,
    ...(turn === undefined ? {} : { "gen_ai.conversation.id": turn.conversation }),
    ...(side === undefined ? {} : { "effect_toolguard.enforcement": side }),
    "effect_toolguard.trace_id": traceId
  }
}

/** Adds the stages' decisions and the failure of the call to the span. */
const describe = (span: Tracer.Span, { trace }: Call, outcome: Outcome): void => {
  const { attempts, decisions, notEnforced, unguarded } = trace
  span.attribute("effect_toolguard.attempts", (unguarded?.attempts ?? attempts).length)
  if (notEnforced.length > 0) {
    span.attribute(
      "effect_toolguard.not_enforced",
      notEnforced.map((failure) => `${failure.class}: ${failure.code}`)
    )
  }
  if (decisions.length > 0) {
    span.attribute(
      "effect_toolguard.decisions",
      decisions.map(({ decision, stage }) => `${stage}: ${decision}`)
    )
  }
  if (outcome._tag === "Success") return
  if (isError(outcome)) span.attribute("error.type", outcome.failure._tag)
  span.attribute("effect_toolguard.code", outcome.failure.code)
  if (outcome.remaining !== undefined) span.attribute("effect_toolguard.budget.remaining", outcome.remaining)
}

const isError = (outcome: Outcome): outcome is FailedOutcome =>
  outcome._tag === "Failure" && isIncident(outcome.failure)

/** Returns a failure without the texts and data of the tool, which only the record redacts. */
const withoutTexts = ({ _tag, code, sideEffect, tool, traceId }: Failure): Failure =>
  make(_tag, code, { tool, traceId, sideEffect, detail: "The record of the call has been lost.", hint: "" })

/**
 * Returns the exit of the span: for a failed call, the redacted failure of its record, or a failure without texts if
 * the call has no record.
 */
const endOf = ({ trace: { record } }: Call, outcome: Outcome): Exit.Exit<void, Failure> => {
  if (!isError(outcome)) return Exit.void
  return Exit.fail(record?.outcome._tag === "Failure" ? record.outcome.failure : withoutTexts(outcome.failure))
}
