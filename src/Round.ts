/** One round: a request to the model, its calls run through the guard, and every call answered in order. */
import * as CallKey from "#domain/CallKey"
import * as JsonText from "#domain/JsonText"
import * as ModelResponse from "#domain/ModelResponse"
import * as Transcript from "#domain/Transcript"
import type { Turn } from "#domain/Turn"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { RunOptions } from "./AgentOptions.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import type { Guard, ModelAnswer } from "./Guard.ts"
import type { AiTool, AnyTool, RequirementsOf } from "./ToolClass.ts"

export interface RoundContext<Tools extends AnyTool> {
  readonly options: RunOptions<Tools>
  readonly guard: Guard["Service"]
  readonly turn: Turn
  readonly emit: (event: AgentEvent) => Effect.Effect<void>
  readonly round: number
  readonly transcript: Prompt.Prompt
  /** When the run must be over, in epoch milliseconds. */
  readonly deadline: number
}

/** What a round cost. */
export interface Spent {
  readonly calls: number
  readonly attempts: number
  readonly inputTokens: number
  readonly outputTokens: number
}

/** What a round came to. */
export interface Made {
  readonly transcript: Prompt.Prompt
  readonly spent: Spent
  readonly result:
    | { readonly _tag: "Said"; readonly text: string; readonly finishReason: Response.FinishReason }
    | { readonly _tag: "Called"; readonly answers: ReadonlyArray<ModelAnswer> }
    | { readonly _tag: "Failed"; readonly error: AiError.AiError }
    | { readonly _tag: "TimedOut" }
    | { readonly _tag: "Interrupted" }
}

const nothing: Spent = { calls: 0, attempts: 0, inputTokens: 0, outputTokens: 0 }

type Parts = ReadonlyArray<Response.AnyPart>
type CallPart = Extract<Response.AnyPart, { readonly type: "tool-call" }>

/** Makes one round. */
export const make = <Tools extends AnyTool>(
  context: RoundContext<Tools>
): Effect.Effect<Made, never, LanguageModel.LanguageModel | RequirementsOf<Tools> | Guard> =>
  Effect.gen(function* () {
    const { options, transcript } = context
    const left = context.deadline - (yield* Clock.currentTimeMillis)
    const asked = yield* within(request(context), left, options.interruptWhen)
    if (asked._tag !== "Done") return { transcript, spent: nothing, result: asked }
    if (asked.value._tag === "Failure") {
      return { transcript, spent: nothing, result: { _tag: "Failed", error: asked.value.failure } }
    }
    const { parts } = Transcript.freshIds(asked.value.success, Transcript.callIds(transcript))
    const said = Prompt.concat(transcript, Prompt.fromResponseParts(parts))
    const calls = parts.filter((part): part is CallPart => part.type === "tool-call" && !part.providerExecuted)
    const finish = parts.findLast((part) => part.type === "finish")
    const spent = {
      calls: calls.length,
      attempts: 0,
      inputTokens: finish?.usage.inputTokens.total ?? 0,
      outputTokens: finish?.usage.outputTokens.total ?? 0
    }
    const finishReason = finish?.reason ?? "unknown"
    if (calls.length === 0)
      return { transcript: said, spent, result: { _tag: "Said", text: textOf(parts), finishReason } }
    const cutId = finishReason === "length" ? calls.at(-1)?.id : undefined
    const answers = yield* answerAll(context, calls, cutId)
    return {
      transcript: Prompt.concat(said, [toolMessage(calls, answers)]),
      spent: { ...spent, attempts: answers.reduce((sum, { attempts }) => sum + attempts, 0) },
      result: answers.some(isInterrupted) ? { _tag: "Interrupted" } : { _tag: "Called", answers }
    }
  })

const textOf = (parts: Parts): string => parts.map((part) => (part.type === "text" ? part.text : "")).join("")

/** Asks the model; what it streams is told piece by piece. */
const request = <Tools extends AnyTool>({ emit, options, round, transcript }: RoundContext<Tools>) => {
  const asked = {
    prompt: transcript,
    toolkit: options.tools.toolkit as unknown as Toolkit.Toolkit<Record<string, AiTool<string, typeof Schema.Unknown>>>,
    disableToolCallResolution: true,
    toolCallValidation: "deferred"
  } as const
  const tell = (delta: string) => emit({ _tag: "Text", round, delta })
  const parts: Effect.Effect<Parts, AiError.AiError, LanguageModel.LanguageModel> =
    options.streaming === true
      ? LanguageModel.streamText(asked).pipe(
          Stream.tap((part) =>
            part.type === "text-delta"
              ? tell(part.delta)
              : part.type === "error"
                ? Effect.fail(streamFailed(part.error))
                : Effect.void
          ),
          Stream.runCollect,
          Effect.map((pieces) => ModelResponse.collect(pieces as Parts))
        )
      : LanguageModel.generateText(asked).pipe(
          Effect.map(({ content }) => content as Parts),
          Effect.tap((content) => (textOf(content) === "" ? Effect.void : tell(textOf(content))))
        )
  return Effect.result(parts)
}

/** Providers that tell of a failure inside of the stream. */
const streamFailed = (error: unknown): AiError.AiError =>
  AiError.isAiError(error)
    ? error
    : AiError.make({
        module: "Agent",
        method: "streamText",
        reason: new AiError.InternalProviderError({ description: String(error).slice(0, 200) })
      })

type Within<A> =
  | { readonly _tag: "Done"; readonly value: A }
  | { readonly _tag: "TimedOut" }
  | { readonly _tag: "Interrupted" }

/** An effect within the run's time and until it is interrupted. */
const within = <A, R>(
  effect: Effect.Effect<A, never, R>,
  millis: number,
  interruptWhen: Effect.Effect<unknown> | undefined
): Effect.Effect<Within<A>, never, R> => {
  const done: Effect.Effect<Within<A>, never, R> = Effect.map(effect, (value) => ({ _tag: "Done", value }))
  const timed =
    millis === Infinity
      ? done
      : Effect.map(
          Effect.timeoutOption(done, millis),
          Option.getOrElse((): Within<A> => ({ _tag: "TimedOut" }))
        )
  return interruptWhen === undefined
    ? timed
    : Effect.raceFirst(timed, Effect.as(interruptWhen, { _tag: "Interrupted" } as const))
}

/** Runs the calls of a round; each settles on its own, and the answers stand in the order of the calls. */
const answerAll = <Tools extends AnyTool>(
  context: RoundContext<Tools>,
  calls: ReadonlyArray<CallPart>,
  cutId: string | undefined
): Effect.Effect<ReadonlyArray<ModelAnswer>, never, RequirementsOf<Tools> | Guard> => {
  const { emit, guard, options, round, turn } = context
  const firstOf = firstEqual(calls, options.tools.tools)
  const answerOne = (call: CallPart) =>
    Effect.gen(function* () {
      const { id: callId, name: tool } = call
      yield* emit({ _tag: "CallStarted", round, callId, tool, arguments: call.params })
      const answered = yield* within(
        options.tools.answer({ name: tool, arguments: call.params, callId, round, isCut: callId === cutId }),
        Infinity,
        options.interruptWhen
      )
      const answer = answered._tag === "Done" ? answered.value : interrupted
      yield* guard.saw(turn, answer.text)
      yield* emit({ _tag: "CallEnded", round, callId, tool, answer })
      return answer
    })
  const distinct = calls.filter((call) => firstOf.get(call.id) === call.id)
  return Effect.gen(function* () {
    const answers = yield* Effect.forEach(distinct, answerOne, { concurrency: options.parallelCalls ?? 8 })
    const byId = new Map(distinct.map((call, index) => [call.id, answers[index]]))
    return yield* Effect.forEach(calls, (call) => {
      const own = byId.get(call.id)
      if (own !== undefined) return Effect.succeed(own)
      const shared = { ...(byId.get(firstOf.get(call.id) ?? "") ?? interrupted), attempts: 0 }
      return Effect.as(emit({ _tag: "CallEnded", round, callId: call.id, tool: call.name, answer: shared }), shared)
    })
  })
}

/** For each call the first equal one of the round, where the tool only reads; else itself. */
const firstEqual = (
  calls: ReadonlyArray<CallPart>,
  tools: ReadonlyMap<string, AnyTool>
): ReadonlyMap<string, string> => {
  const seen = new Map<string, string>()
  const first = new Map<string, string>()
  for (const call of calls) {
    const key = tools.get(call.name)?.access === "read" ? keyOf(call) : call.id
    if (!seen.has(key)) seen.set(key, call.id)
    first.set(call.id, seen.get(key) ?? call.id)
  }
  return first
}

const keyOf = ({ id, name, params }: CallPart): string => {
  const parsed = typeof params === "string" ? JsonText.parseArguments(params, JsonText.argumentLimits) : undefined
  if (parsed?._tag === "Failure") return `${name} ${String(params)}`
  const value = parsed === undefined ? params : parsed.success.value
  return typeof value === "object" && value !== null ? CallKey.of(name, value) : id
}

const interruptedText = String(Transcript.interrupted({ id: "", name: "" }))

/** Stands for a call that was stopped from outside while it ran. */
const interrupted: ModelAnswer = {
  text: interruptedText,
  outcome: { _tag: "Success", value: undefined },
  traceId: "",
  attempts: 0,
  decisions: [{ stage: "agent", decision: "interrupted", reason: "the run was interrupted" }]
}

const isInterrupted = (answer: ModelAnswer): boolean => answer.text === interruptedText

const toolMessage = (calls: ReadonlyArray<CallPart>, answers: ReadonlyArray<ModelAnswer>): Prompt.ToolMessage =>
  Prompt.toolMessage({
    content: calls.map(({ id, name }, index) => {
      const answer = answers[index] ?? interrupted
      return Prompt.toolResultPart({
        id,
        name,
        isFailure: answer.outcome._tag === "Failure" && answer.outcome.failure._tag !== "PartialData",
        result: answer.text,
        providerExecuted: false
      })
    })
  })
