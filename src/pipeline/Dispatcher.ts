/** Starts calls: creates the call, runs the tool's chain of stages, and renders the answer for a model. */
import { cut } from "#domain/text/Cut"
import type { Outcome } from "#domain/call/Outcome"
import type { ToolReference } from "#domain/tool/ToolDefinition"
import { CurrentTurn } from "#services/CurrentTurn"
import { IsWithinCall } from "#services/Drain"
import { ToolPolicy } from "#services/Policies"
import { unguessableId } from "#services/Unguessable"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import { type CompiledTool, compiledOf } from "#pipeline/call/CompiledTool"
import * as GuardPolicies from "#pipeline/call/GuardPolicies"
import * as ToolRegistry from "./ToolRegistry.ts"
import * as CallJournal from "./CallJournal.ts"
import * as Metrics from "#pipeline/record/Metrics"
import type { ModelAnswer, ModelCall } from "./ModelCall.ts"
import type { ModelStage, ReadingFilter } from "#pipeline/call/ModelStage"
import { render, type Rendering } from "./Rendering.ts"
import { between } from "#pipeline/call/LargeData"
import { withWait } from "#pipeline/answer/RetryWait"
import * as PolicyChains from "./PolicyChains.ts"
import { type BuiltStage, type Chain, type Dispatch, nest, type Next, type Stage } from "#pipeline/call/Stage"
import { unknownTool } from "#pipeline/call/UnknownTool"

/** Builds the stages. Returns the entry points of the pipeline (`call`, `answer`), and functions on compiled tools. */
export const make = <R>(stages: ReadonlyArray<Stage<R>>, modelStages: ReadonlyArray<ModelStage<R>>) =>
  Effect.gen(function* () {
    const built: Array<BuiltStage> = []
    for (const { make, name } of stages) built.push({ name, around: yield* make })
    const readers: Array<(tool: CompiledTool) => ReadingFilter> = []
    for (const stage of modelStages) readers.push(yield* stage.make)
    const prefix = `tr_${(yield* unguessableId).slice(0, 8)}_`
    const guardPolicies = yield* GuardPolicies.capture
    let count = 0
    const freshTraceId = () => prefix + (count += 1)

    const registry = yield* ToolRegistry.make
    const chains = new WeakMap<CompiledTool, PolicyChains.PolicyChains>()
    /** Returns the chain of a tool for a caller, whose context may have a policy. */
    const chainOf = (reference: ToolReference, context: Context.Context<never>): Chain => {
      const compiled = compiledOf(reference)
      const known = chains.get(compiled)
      const all = known ?? PolicyChains.make(registry.prepare(reference), (tool) => nest(built, tool, dispatch, last))
      if (known === undefined) chains.set(compiled, all)
      return all(GuardPolicies.callerPolicyOf({ context, guardPolicies }, ToolPolicy))
    }

    const dispatch: Dispatch = (reference, args, parent, purpose, settled) => {
      const { run, tool } = chainOf(reference, parent.context)
      const inner = Call.make({
        tool,
        input: args,
        origin: "program",
        requester: parent.requester,
        // the result of a lookup is read by the tool that declares the lookup
        acceptsAnyShape: parent.acceptsAnyShape && purpose !== "lookup",
        callId: parent.callId,
        round: parent.round,
        loopAsks: parent.loopAsks && purpose !== "lookup",
        turn: parent.turn,
        // everything that the guard does to look up a write is part of the write, also while the process shuts down
        context: purpose === "lookup" ? Context.add(parent.context, IsWithinCall, true) : parent.context,
        guardPolicies,
        traceId: freshTraceId(),
        purpose,
        journal: parent.journal,
        settled
      })
      return Effect.map(run(inner), (outcome) => {
        parent.trace.innerAttempts += attemptsOf(inner)
        // the unknown outcome of a fallback is also that of the requesting call
        const { unknownOutcome } = inner.trace
        if (purpose !== "lookup" && unknownOutcome !== "") parent.trace.unknownOutcome = unknownOutcome
        return outcome
      })
    }

    const unknown = nest(built, unknownTool(), dispatch, last)

    return {
      /** Returns the compiled tool that this guard uses for a reference. */
      toolOf: (reference: ToolReference | undefined): CompiledTool =>
        reference === undefined ? unknownTool() : chainOf(reference, Context.empty()).tool,
      /** Returns the chain that a call in this context runs. */
      chainOf,
      admit: registry.admit,
      /** Runs a program's call of one tool. */
      call: (reference: ToolReference, args: unknown): Effect.Effect<Outcome> =>
        Effect.withFiber((fiber) => {
          const { run, tool } = chainOf(reference, fiber.context)
          const call = Call.make({
            tool,
            input: args,
            origin: "program",
            turn: Context.get(fiber.context, CurrentTurn),
            context: fiber.context,
            guardPolicies,
            traceId: freshTraceId()
          })
          return tracked(call, run(call))
        }),
      /** Runs a call of a model, which names the tool. */
      answer: (tools: ReadonlyMap<string, ToolReference>, request: ModelCall): Effect.Effect<ModelAnswer> =>
        Effect.withFiber((fiber) => {
          const found = tools.get(request.name)
          const { run, tool } = found === undefined ? unknown : chainOf(found, fiber.context)
          const { arguments: input } = request
          const text = typeof input === "string" ? input : undefined
          const call = Call.make({
            tool,
            // an unknown name can have any length
            name: found === undefined ? cut(request.name, longestName) : request.name,
            input,
            origin: text === undefined ? "parsed" : "text",
            acceptsAnyShape: request.isTyped !== true,
            argumentsText: text ?? request.argumentsText,
            isCut: request.isCut,
            isUntimed: request.isUntimed,
            callId: request.callId,
            round: request.round,
            loopAsks: request.loopAsks,
            turn: Context.get(fiber.context, CurrentTurn),
            known: found === undefined ? [...tools.keys()] : undefined,
            context: fiber.context,
            guardPolicies,
            traceId: freshTraceId(),
            journal: request.journal,
            idempotencyKey: request.idempotencyKey,
            settled: request.settled
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
          const read = (outcome: Outcome) =>
            between(outcome._tag === "Success" ? (outcome.json?.length ?? 0) : 0, () => {
              const rendered = render(readers, tools, call, outcome)
              return Effect.isEffect(rendered)
                ? Effect.map(rendered, (rendering) => answerOf(outcome, rendering))
                : Effect.succeed(answerOf(outcome, rendered))
            })
          const answered = Effect.flatMap(run(call), (ended) => {
            const outcome = withWait(call, ended)
            return Effect.isEffect(outcome) ? Effect.flatMap(outcome, read) : read(outcome)
          })
          return tracked(call, answered)
        })
    }
  })

/** Tracks a call as work in progress, so that a process that shuts down waits for it. */
const tracked = <A>({ drain, name }: Call.Call, work: Effect.Effect<A>): Effect.Effect<A> =>
  drain === undefined ? work : drain.track(work, `a call of ${name}`)

/** The maximum number of characters of an unknown name that records, spans and messages contain. */
const longestName = 64

/** Counts the executions of handlers, including those of the calls that the guard made for this call. */
const attemptsOf = ({ trace }: Call.Call): number => trace.attempts.length + trace.innerAttempts

/** Returns the outcome that the stages produced, as the innermost step. */
const last: Next = (call) =>
  call.outcome === undefined
    ? Effect.die(new Error("No stage produced an outcome: `classify` is missing from the pipeline."))
    : Effect.succeed(call.outcome)
