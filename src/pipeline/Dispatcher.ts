/** Starts calls: builds the call, finds the tool's nested stages, and renders what a model reads. */
import * as Envelope from "#domain/Envelope"
import type { Outcome } from "#domain/Outcome"
import type { ToolReference } from "#domain/ToolDefinition"
import * as Verdict from "#domain/Verdict"
import { type CallEvent, CallObserver } from "#services/CallObserver"
import { CurrentTurn } from "#services/CurrentTurn"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { Call } from "./Call.ts"
import { type CompiledTool, compiledOf } from "./CompiledTool.ts"
import { maxResultBytes } from "./limit.ts"
import type { ModelStage, Reading } from "./ModelStage.ts"
import { refuse } from "./Refusal.ts"
import { type Around, type Dispatch, nest, type Next, type Stage } from "./Stage.ts"
import { unknownTool } from "./UnknownTool.ts"

/** What differs from call to call when one begins. */
interface Beginning {
  readonly name: string
  readonly input: unknown
  readonly isText: boolean
  readonly isCut: boolean
  readonly callId: string
  readonly round: number
  readonly known: ReadonlyArray<string>
  readonly isInner: boolean
  readonly isLookup?: boolean
}

export interface ModelRequest {
  readonly name: string
  readonly arguments: unknown
  readonly callId: string
  readonly round?: number
  readonly isCut?: boolean
}

const nothingKnown: ReadonlyArray<string> = []
const noKey = () => ""

/** Takes the stages' services, and gives the two ways into the pipeline. */
export const make = <R>(stages: ReadonlyArray<Stage<R>>, modelStages: ReadonlyArray<ModelStage<R>>) =>
  Effect.gen(function* () {
    const arounds: Array<Around> = []
    for (const stage of stages) arounds.push(yield* stage.make)
    const readers: Array<(tool: CompiledTool) => (reading: Reading) => Reading> = []
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
      return chainOf(compiled)(
        callOf(compiled, parent.context, parent.turn, {
          name: compiled.definition.name,
          input: args,
          isText: false,
          isCut: false,
          callId: parent.callId,
          round: parent.round,
          known: nothingKnown,
          isInner: true,
          isLookup: purpose === "lookup"
        })
      )
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
          arguments: undefined,
          key: undefined,
          running: 0,
          isPolling: false,
          isStarted: false,
          observe: unharmed(Context.get(context, CallObserver))
        },
        traceId,
        isInner: beginning.isInner,
        isLookup: beginning.isLookup === true,
        arguments: undefined,
        key: noKey,
        idempotencyKey: "",
        confirm: undefined,
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
            isCut: request.isCut === true,
            callId: request.callId,
            round: request.round ?? 0,
            known: found === undefined ? [...tools.keys()] : nothingKnown,
            isInner: false
          })
          return Effect.map(chainOf(tool)(call), (outcome) => {
            const text = shown(readers, tool, call, outcome)
            return {
              text,
              isFailure: text.startsWith(`{"status":"error"`),
              outcome,
              traceId: call.traceId,
              attempts: call.trace.attempts.length,
              decisions: call.trace.decisions
            }
          })
        })
    }
  })

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

type Readers = ReadonlyArray<(tool: CompiledTool) => (reading: Reading) => Reading>

/** What the model reads. A stage of the reading that throws must not end the run: the failure is shown without it. */
const shown = (readers: Readers, tool: CompiledTool, call: Call, outcome: Outcome): string => {
  try {
    return readingOf(readers, tool, call, outcome)
  } catch {
    const { access } = tool.definition
    const isDone = outcome._tag === "Success" && access !== "read"
    const detail = "The answer could not be shown."
    const refused = isDone
      ? refuse(call, "done_unreadable", { detail, sideEffect: "committed" })
      : refuse(call, "tool_crashed", {
          detail,
          sideEffect: outcome._tag === "Failure" ? outcome.failure.sideEffect : "none"
        })
    return Envelope.render(refused, { access, encode: () => null })
  }
}

const readingOf = (readers: Readers, tool: CompiledTool, call: Call, outcome: Outcome): string =>
  readers.reduce<Reading>((reading, stage) => stage(tool)(reading), {
    outcome,
    name: call.name,
    traceId: call.traceId,
    input: call.input,
    encode: tool.result.encode,
    json: outcome._tag === "Success" ? outcome.json : undefined,
    maxResultBytes,
    text: ""
  }).text
