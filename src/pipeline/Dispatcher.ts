/** Starts calls: creates the call, runs the tool's chain of stages, and renders what a model reads. */
import type { Outcome } from "#domain/call/Outcome"
import type { ToolReference } from "#domain/tool/ToolDefinition"
import { CurrentTurn } from "#services/CurrentTurn"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Call from "#pipeline/call/Call"
import { type CompiledTool, compiledOf } from "#pipeline/call/CompiledTool"
import * as GuardPolicies from "#pipeline/call/GuardPolicies"
import * as CallJournal from "./CallJournal.ts"
import * as Metrics from "#pipeline/record/Metrics"
import type { ModelAnswer, ModelCall } from "./ModelCall.ts"
import type { ModelStage, Read } from "#pipeline/call/ModelStage"
import { render, type Rendering } from "./Rendering.ts"
import { type Around, type Dispatch, nest, type Next, type Stage } from "#pipeline/call/Stage"
import { unknownTool } from "#pipeline/call/UnknownTool"

/** Takes the stages' services, and returns the two entry points of the pipeline. */
export const make = <R>(stages: ReadonlyArray<Stage<R>>, modelStages: ReadonlyArray<ModelStage<R>>) =>
  Effect.gen(function* () {
    const arounds: Array<Around> = []
    for (const stage of stages) arounds.push(yield* stage.make)
    const readers: Array<(tool: CompiledTool) => Read> = []
    for (const stage of modelStages) readers.push(yield* stage.make)
    const prefix = `tr_${(yield* Random.nextIntBetween(0x1000_0000, 0x7fff_ffff)).toString(16)}_`
    const guardPolicies = yield* GuardPolicies.capture
    let count = 0
    const freshTraceId = () => prefix + (count += 1)

    const chains = new WeakMap<CompiledTool, Next>()
    const chainOf = (tool: CompiledTool): Next => {
      const known = chains.get(tool)
      if (known !== undefined) return known
      const chain = nest(arounds, tool, dispatch, last)
      chains.set(tool, chain)
      return chain
    }

    const dispatch: Dispatch = (tool, args, parent, purpose) => {
      const compiled = compiledOf(tool)
      const inner = Call.make({
        tool: compiled,
        input: args,
        origin: "program",
        callId: parent.callId,
        round: parent.round,
        turn: parent.turn,
        context: parent.context,
        guardPolicies,
        traceId: freshTraceId(),
        purpose,
        journal: parent.journal
      })
      return Effect.map(chainOf(compiled)(inner), (outcome) => {
        parent.trace.innerAttempts += attemptsOf(inner)
        return outcome
      })
    }

    return {
      /** Runs a program's call of one tool. */
      call: (tool: CompiledTool, args: unknown): Effect.Effect<Outcome> =>
        Effect.withFiber((fiber) =>
          chainOf(tool)(
            Call.make({
              tool,
              input: args,
              origin: "program",
              turn: Context.get(fiber.context, CurrentTurn),
              context: fiber.context,
              guardPolicies,
              traceId: freshTraceId()
            })
          )
        ),
      /** Runs a model's call by name. */
      answer: (tools: ReadonlyMap<string, ToolReference>, request: ModelCall): Effect.Effect<ModelAnswer> =>
        Effect.withFiber((fiber) => {
          const found = tools.get(request.name)
          const tool = found === undefined ? unknownTool : compiledOf(found)
          const { arguments: input } = request
          const text = typeof input === "string" ? input : undefined
          const call = Call.make({
            tool,
            name: request.name,
            input,
            origin: text === undefined ? "parsed" : "text",
            argumentsText: text ?? request.argumentsText,
            isCut: request.isCut,
            callId: request.callId,
            round: request.round,
            turn: Context.get(fiber.context, CurrentTurn),
            known: found === undefined ? [...tools.keys()] : undefined,
            context: fiber.context,
            guardPolicies,
            traceId: freshTraceId(),
            journal: request.journal,
            idempotencyKey: request.idempotencyKey
          })
          const answerOf = (outcome: Outcome, { parts, shows, text }: Rendering) => {
            if (shows === "preview") Metrics.of(tool).shown(text, fiber.context)
            const answer = {
              text,
              isFailure: shows === "error",
              outcome,
              traceId: call.traceId,
              attempts: attemptsOf(call),
              decisions: call.trace.decisions,
              record: call.trace.record,
              ...(parts === undefined || parts.length === 0 || shows === "error" ? {} : { parts })
            }
            return call.journal !== undefined ? { ...answer, journal: CallJournal.write(call, answer) } : answer
          }
          return Effect.flatMap(chainOf(tool)(call), (outcome) => {
            const rendered = render(readers, tools, call, outcome)
            return Effect.isEffect(rendered)
              ? Effect.map(rendered, (waited) => answerOf(outcome, waited))
              : Effect.succeed(answerOf(outcome, rendered))
          })
        })
    }
  })

/** Executions of handlers, including those of the calls that the guard made for this one. */
const attemptsOf = ({ trace }: Call.Call): number => trace.attempts.length + trace.innerAttempts

/** The innermost step: returns the outcome that the stages produced. */
const last: Next = (call) =>
  call.outcome === undefined
    ? Effect.die(new Error("No stage produced an outcome: `classify` is missing from the pipeline."))
    : Effect.succeed(call.outcome)
