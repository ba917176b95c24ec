/** Starts calls: builds the call, finds the tool's nested stages, and renders what a model reads. */
import type { Outcome } from "#domain/call/Outcome"
import type { ToolReference } from "#domain/tool/ToolDefinition"
import * as Verdict from "#domain/tool/Verdict"
import { type CallEvent, CallObserver } from "#services/CallObserver"
import { CurrentTurn } from "#services/CurrentTurn"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { Call } from "#pipeline/call/Call"
import { type CompiledTool, compiledOf } from "#pipeline/call/CompiledTool"
import * as Journaled from "./Journaled.ts"
import * as Metrics from "#pipeline/record/Metrics"
import type { ModelStage, Read } from "#pipeline/call/ModelStage"
import { type Shown, shown } from "./Shown.ts"
import { type Around, type Dispatch, nest, type Next, type Purpose, type Stage } from "#pipeline/call/Stage"
import { unknownTool } from "#pipeline/call/UnknownTool"

/** What differs from call to call when one begins. */
interface Beginning {
  readonly name: string
  readonly input: unknown
  readonly isText: boolean
  readonly isParsed?: boolean
  readonly isCut: boolean
  readonly callId: string
  readonly round: number
  readonly known: ReadonlyArray<string>
  readonly isInner: boolean
  readonly purpose?: Purpose
  readonly journal?: ModelRequest["journal"]
  readonly idempotencyKey?: string | undefined
}

export interface ModelRequest {
  readonly name: string
  readonly arguments: unknown
  readonly callId: string
  readonly round?: number
  readonly isCut?: boolean
  /** As in `ModelCall` of the guard. */
  readonly journal?: "new" | "resumed" | "changed"
  readonly idempotencyKey?: string
}

const nothingKnown: ReadonlyArray<string> = []
const noKey = () => ""

/** Takes the stages' services, and gives the two ways into the pipeline. */
export const make = <R>(stages: ReadonlyArray<Stage<R>>, modelStages: ReadonlyArray<ModelStage<R>>) =>
  Effect.gen(function* () {
    const arounds: Array<Around> = []
    for (const stage of stages) arounds.push(yield* stage.make)
    const readers: Array<(tool: CompiledTool) => Read> = []
    for (const stage of modelStages) readers.push(yield* stage.make)
    const prefix = `tr_${(yield* Random.nextIntBetween(0x1000_0000, 0x7fff_ffff)).toString(16)}_`
    let count = 0

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
      const inner = callOf(compiled, parent.context, parent.turn, {
        name: compiled.definition.name,
        input: args,
        isText: false,
        isCut: false,
        callId: parent.callId,
        round: parent.round,
        known: nothingKnown,
        isInner: true,
        purpose,
        ...(parent.isJournaled ? { journal: parent.isResumed ? "resumed" : "new" } : {})
      })
      return Effect.map(chainOf(compiled)(inner), (outcome) => {
        parent.trace.innerAttempts += attemptsOf(inner)
        return outcome
      })
    }

    const callOf = (
      tool: CompiledTool,
      context: Context.Context<never>,
      turn: Call["turn"],
      beginning: Beginning
    ): Call => {
      const traceId = prefix + (count += 1)
      return {
        tool,
        name: beginning.name,
        input: beginning.input,
        isText: beginning.isText,
        isParsed: beginning.isParsed === true,
        isCut: beginning.isCut,
        callId: beginning.callId === "" ? traceId : beginning.callId,
        round: beginning.round,
        turn,
        known: beginning.known,
        clock: Context.get(context, Clock.Clock),
        context,
        trace: {
          decisions: [],
          attempts: [],
          innerAttempts: 0,
          arguments: undefined,
          decoded: undefined,
          key: undefined,
          running: 0,
          isPolling: false,
          isStarted: false,
          event: undefined,
          idempotencyKey: "",
          spent: undefined,
          polled: undefined,
          observe: unharmed(Context.get(context, CallObserver))
        },
        traceId,
        isInner: beginning.isInner,
        isLookup: beginning.purpose === "lookup",
        isJournaled: beginning.journal !== undefined,
        isResumed: beginning.journal === "resumed",
        isChanged: beginning.journal === "changed",
        isOnlyBegun: beginning.purpose === "begun",
        arguments: undefined,
        key: noKey,
        idempotencyKey: beginning.idempotencyKey ?? "",
        confirm: undefined,
        wasStarted: false,
        consume: undefined,
        startedAt: 0,
        deadlineAt: Number.MAX_SAFE_INTEGER,
        attempt: 1,
        lastFailure: undefined,
        remaining: undefined,
        slots: undefined,
        limitMillis: Number.MAX_SAFE_INTEGER,
        answer: undefined,
        result: undefined,
        verdict: Verdict.ok,
        outcome: undefined
      }
    }

    return {
      /** A typed call of one tool. */
      call: (tool: CompiledTool, args: unknown): Effect.Effect<Outcome> =>
        Effect.withFiber((fiber) =>
          chainOf(tool)(
            callOf(tool, fiber.context, Context.get(fiber.context, CurrentTurn), {
              name: tool.definition.name,
              input: args,
              isText: false,
              isCut: false,
              callId: "",
              round: 0,
              known: nothingKnown,
              isInner: false
            })
          )
        ),
      /** A model's call by name. */
      answer: (tools: ReadonlyMap<string, ToolReference>, request: ModelRequest) =>
        Effect.withFiber((fiber) => {
          const found = tools.get(request.name)
          const tool = found === undefined ? unknownTool : compiledOf(found)
          const call = callOf(tool, fiber.context, Context.get(fiber.context, CurrentTurn), {
            name: request.name,
            input: request.arguments,
            isText: typeof request.arguments === "string",
            isParsed: typeof request.arguments !== "string",
            isCut: request.isCut === true,
            callId: request.callId,
            round: request.round ?? 0,
            known: found === undefined ? [...tools.keys()] : nothingKnown,
            isInner: false,
            idempotencyKey: request.idempotencyKey,
            ...(request.journal === undefined ? {} : { journal: request.journal })
          })
          const answered = (outcome: Outcome, { parts, shows, text }: Shown) => {
            if (shows === "preview") Metrics.of(tool).shown(text, fiber.context)
            const answer = {
              text,
              isFailure: shows === "error",
              outcome,
              traceId: call.traceId,
              attempts: attemptsOf(call),
              decisions: call.trace.decisions,
              ...(parts === undefined || parts.length === 0 || shows === "error" ? {} : { parts })
            }
            return call.isJournaled ? { ...answer, journal: Journaled.write(call, answer) } : answer
          }
          return Effect.flatMap(chainOf(tool)(call), (outcome) => {
            const rendered = shown(readers, tools, call, outcome)
            return Effect.isEffect(rendered)
              ? Effect.map(rendered, (waited) => answered(outcome, waited))
              : Effect.succeed(answered(outcome, rendered))
          })
        })
    }
  })

/** Executions of handlers that the call cost, those of the calls made for it included. */
const attemptsOf = ({ trace }: Call): number => trace.attempts.length + trace.innerAttempts

/** An observer that throws must not change what it observes. */
const unharmed = (observe: ((event: CallEvent) => void) | undefined) =>
  observe === undefined
    ? undefined
    : (event: CallEvent) => {
        try {
          observe(event)
        } catch {
          // it has nothing to say in a call
        }
      }

/** The innermost step: the outcome that the stages have made. */
const last: Next = (call) =>
  call.outcome === undefined
    ? Effect.die(new Error("No stage gave the call an outcome: `classify` is missing from the pipeline."))
    : Effect.succeed(call.outcome)
