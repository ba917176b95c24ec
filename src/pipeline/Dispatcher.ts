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
import * as ToolRegistry from "./ToolRegistry.ts"
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

    const registered = yield* ToolRegistry.make
    const chains = new WeakMap<CompiledTool, Chain>()
    const chainOf = (reference: ToolReference): Chain => {
      const compiled = compiledOf(reference)
      const known = chains.get(compiled)
      if (known !== undefined) return known
      const tool = registered(reference)
      const chain = { tool, run: nest(arounds, tool, dispatch, last) }
      chains.set(compiled, chain)
      return chain
    }

    const dispatch: Dispatch = (reference, args, parent, purpose) => {
      const { run, tool } = chainOf(reference)
      const inner = Call.make({
        tool,
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
      return Effect.map(run(inner), (outcome) => {
        parent.trace.innerAttempts += attemptsOf(inner)
        return outcome
      })
    }

    const unknown: Chain = { tool: unknownTool, run: nest(arounds, unknownTool, dispatch, last) }

    return {
      /** Returns the compiled tool that this guard uses for a reference. */
      toolOf: (reference: ToolReference | undefined): CompiledTool =>
        reference === undefined ? unknownTool : chainOf(reference).tool,
      /** Runs a program's call of one tool. */
      call: (reference: ToolReference, args: unknown): Effect.Effect<Outcome> =>
        Effect.withFiber((fiber) => {
          const { run, tool } = chainOf(reference)
          return run(
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
        }),
      /** Runs a call of a model, which names the tool. */
      answer: (tools: ReadonlyMap<string, ToolReference>, request: ModelCall): Effect.Effect<ModelAnswer> =>
        Effect.withFiber((fiber) => {
          const found = tools.get(request.name)
          const { run, tool } = found === undefined ? unknown : chainOf(found)
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
          return Effect.flatMap(run(call), (outcome) => {
            const rendered = render(readers, tools, call, outcome)
            return Effect.isEffect(rendered)
              ? Effect.map(rendered, (rendering) => answerOf(outcome, rendering))
              : Effect.succeed(answerOf(outcome, rendered))
          })
        })
    }
  })

/** A compiled tool, with its nested stages. */
interface Chain {
  readonly tool: CompiledTool
  readonly run: Next
}

/** Counts the executions of handlers, including those of the calls that the guard made for this call. */
const attemptsOf = ({ trace }: Call.Call): number => trace.attempts.length + trace.innerAttempts

/** Returns the outcome that the stages produced, as the innermost step. */
const last: Next = (call) =>
  call.outcome === undefined
    ? Effect.die(new Error("No stage produced an outcome: `classify` is missing from the pipeline."))
    : Effect.succeed(call.outcome)
