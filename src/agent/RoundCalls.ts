/** Runs the calls of a round through the guard. Each call settles independently, and all are answered in order. */
import * as CallKey from "#domain/call/CallKey"
import * as Failure from "#domain/failure/Failure"
import { codes } from "#domain/failure/FailureCode"
import * as JsonText from "#domain/json/JsonText"
import * as CallArguments from "#domain/transcript/CallArguments"
import { modelOutput } from "#domain/parts/ShownPart"
import { failed } from "#domain/call/Outcome"
import * as Transcript from "#domain/transcript/Transcript"
import type { UnknownOutcome } from "#domain/approval/UnknownOutcome"
import type { Turn } from "#domain/turn/Turn"
import type { ProcessDrain } from "#services/Drain"
import * as Prompt from "effect/ai/Prompt"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { AgentEvent } from "./AgentEvent.ts"
import type { RunOptions } from "./AgentOptions.ts"
import type { Guard, GuardedTurn, ModelAnswer } from "#src/guard/Guard"
import type { CallResult, CallState, Steps, WaitingCall } from "./Steps.ts"
import * as Stop from "./Stop.ts"
import type { Toolbox } from "#src/tool/Toolbox"
import type { AnyTool, RequirementsOf } from "#src/tool/ToolClass"

/** The context of a round. */
export interface RoundContext<Tools extends AnyTool> {
  readonly options: RunOptions<Tools>
  /** The tools that the request of this round offers to the model. */
  readonly offered: Toolbox<Tools>
  readonly guard: GuardedTurn["Service"]
  readonly turn: Turn
  readonly emit: (event: AgentEvent) => Effect.Effect<void>
  readonly round: number
  readonly transcript: Prompt.Prompt
  /** The call ids in the transcript. */
  readonly seenIds: ReadonlySet<string>
  /** Completes when the run must stop. */
  readonly stop: Stop.Stop
  readonly steps: Steps
  /** The drain of the process; undefined if it has none. */
  readonly drain: ProcessDrain | undefined
}

export type CallPart = Pick<Prompt.ToolCallPart, "id" | "name" | "options" | "params">

/** Answers the calls. `cutId` is the id of the call that was truncated by the model's output limit. */
export const answerAll = <Tools extends AnyTool>(
  context: RoundContext<Tools>,
  calls: ReadonlyArray<CallPart>,
  cutId: string | undefined
): Effect.Effect<ReadonlyArray<ModelAnswer>, never, RequirementsOf<Tools> | Guard> => {
  const { drain, emit, guard, options, round, steps, stop, turn } = context
  const firstOf = firstEqual(calls, options.tools.tools, cutId)
  const started = new Set<string>()
  const answerOne = (call: CallPart) =>
    Effect.gen(function* () {
      const { id: callId, name: tool } = call
      const make = (state: CallState, settled?: UnknownOutcome) => {
        // without a journal, the guard refuses the call, and the model reads the refusal
        const isLeft = () => steps.atShutdown !== "refuse" && drain?.isDraining() === true
        if (isLeft()) return leave(steps)
        const modelCall = {
          name: tool,
          arguments: call.params,
          argumentsText: CallArguments.keptText(call),
          callId,
          round,
          loopAsks: true,
          isCut: callId === cutId
        }
        started.add(callId)
        return emit({ _tag: "CallStarted", round, callId, tool, arguments: call.params }).pipe(
          Effect.andThen(
            Stop.until(
              stop,
              options.tools.answer(state === undefined ? modelCall : { ...modelCall, journal: state, settled })
            )
          ),
          Effect.flatMap((answered) => (isLeft() && isNotMade(answered) ? leave(steps) : Effect.succeed(answered)))
        )
      }
      const called = yield* steps.call({ round, callId, tool }, make)
      return called._tag === "Waiting" ? called : yield* end(call, called)
    })
  const end = ({ id: callId, name: tool }: CallPart, answered: Stop.StoppableResult<ModelAnswer>) =>
    Effect.gen(function* () {
      const answer =
        answered._tag === "Done"
          ? answered.value
          : Deferred.isDoneUnsafe(stop)
            ? interrupted(tool)
            : refusedAtShutdown(tool)
      yield* guard.saw(turn, answer.text)
      if (started.has(callId)) yield* emit({ _tag: "CallEnded", round, callId, tool, answer })
      return answer
    })
  const distinct = calls.filter((call) => firstOf.get(call.id) === call.id)
  return Effect.gen(function* () {
    const concurrency = options.parallelCalls ?? 8
    const called = yield* Effect.forEach(distinct, answerOne, { concurrency })
    // `settleWaiting` passes only indices of `called`, which has the length of `distinct`
    const endAt = (index: number, answered: Stop.StoppableResult<ModelAnswer>) =>
      end(distinct[index] as CallPart, answered)
    const answers = yield* settleWaiting(called, endAt, concurrency)
    const byId = new Map(distinct.map((call, index) => [call.id, answers[index]]))
    return yield* Effect.forEach(calls, (call) => {
      const answer = byId.get(call.id)
      if (answer !== undefined) return Effect.succeed(answer)
      const firstId = firstOf.get(call.id) ?? ""
      const shared = { ...(byId.get(firstId) ?? interrupted(call.name)), attempts: 0 }
      if (!started.has(firstId)) return Effect.succeed(shared)
      return Effect.as(emit({ _tag: "CallEnded", round, callId: call.id, tool: call.name, answer: shared }), shared)
    })
  })
}

/**
 * Maps each read to the first equal read of the round, and any other call to itself. A truncated call is never shared.
 */
const firstEqual = (
  calls: ReadonlyArray<CallPart>,
  tools: ReadonlyMap<string, AnyTool>,
  cutId: string | undefined
): ReadonlyMap<string, string> => {
  const seen = new Map<string, string>()
  const first = new Map<string, string>()
  for (const call of calls) {
    const isShared = call.id !== cutId && tools.get(call.name)?.access === "read"
    const key = isShared ? keyOf(call) : call.id
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

/** Returns the answer to a call that was stopped from outside, before it started or while it ran. */
const interrupted = (tool: string): ModelAnswer => ({
  text: String(Transcript.interrupted({ id: "", name: tool })),
  isFailure: true,
  outcome: failed(Failure.ofCode("interrupted", { tool, detail: codes.interrupted.meaning, sideEffect: "unknown" })),
  traceId: "",
  attempts: 0,
  decisions: [{ stage: "agent", decision: "interrupted", reason: "the run was stopped" }]
})

/** Returns the answer to a call that was not made, because the process is shutting down. */
const refusedAtShutdown = (tool: string): ModelAnswer => ({
  text: String(Transcript.notMade({ id: "", name: tool })),
  isFailure: true,
  outcome: failed(Failure.ofCode("shutting_down", { tool, detail: codes.shutting_down.meaning })),
  traceId: "",
  attempts: 0,
  decisions: [{ stage: "agent", decision: "refused", reason: "the process is shutting down" }]
})

/** Leaves a call to the resumed run, because the process is shutting down. */
const leave = ({ atShutdown }: Steps): Effect.Effect<Stop.StoppableResult<ModelAnswer>> =>
  typeof atShutdown === "object" ? atShutdown.handOver : Effect.succeed({ _tag: "Interrupted" })

/** True if the guard refused a call because the process is shutting down. */
const isNotMade = (answered: Stop.StoppableResult<ModelAnswer>): boolean =>
  answered._tag === "Done" &&
  answered.value.outcome._tag === "Failure" &&
  answered.value.outcome.failure.code === "shutting_down" &&
  answered.value.outcome.failure.sideEffect === "none"

/** Returns the results of a round as one message of the role `tool`. */
export const toolMessage = (calls: ReadonlyArray<CallPart>, answers: ReadonlyArray<ModelAnswer>): Prompt.ToolMessage =>
  Prompt.toolMessage({
    content: calls.map(({ id, name }, index) => {
      const { isFailure, parts, text } = answers[index] ?? interrupted(name)
      const output = modelOutput(text, parts)
      return Prompt.toolResultPart({
        id,
        name,
        isFailure,
        result: text,
        providerExecuted: false,
        ...(output === undefined ? {} : { modelOutput: output })
      })
    })
  })

/** Completes the answered call at an index. */
type AnswerHandler<A, R> = (index: number, answered: Stop.StoppableResult<ModelAnswer>) => Effect.Effect<A, never, R>

/**
 * Settles the calls of a round that wait for people. Each call continues after its own decision, without delaying the
 * others. Continues at most `concurrency` calls at once, and returns the answers in the order of the calls.
 */
const settleWaiting = <A, R, R2>(
  calls: ReadonlyArray<A | WaitingCall<R>>,
  answered: AnswerHandler<A, R2>,
  concurrency: number
): Effect.Effect<ReadonlyArray<A>, never, R | R2> =>
  Effect.gen(function* () {
    const all: Array<A | WaitingCall<R>> = [...calls]
    while (true) {
      const waiting = all.flatMap((call, index) => (isWaiting<A, R>(call) ? [{ call, index }] : []))
      // without waiting calls, all elements are answers
      if (waiting.length === 0) return all as ReadonlyArray<A>
      const decided = yield* Effect.filter(waiting, ({ call }) => call.isDecided)
      if (decided.length === 0) {
        yield* Effect.forEach(waiting, ({ call }) => call.decided, { concurrency: "unbounded", discard: true })
      }
      yield* Effect.forEach(
        decided,
        ({ call, index }) =>
          Effect.flatMap(call.again, (called: CallResult<R>) =>
            called._tag === "Waiting"
              ? Effect.sync(() => void (all[index] = called))
              : Effect.map(answered(index, called), (answer) => void (all[index] = answer))
          ),
        { concurrency, discard: true }
      )
    }
  })

const isWaiting = <A, R>(call: A | WaitingCall<R>): call is WaitingCall<R> =>
  typeof call === "object" && call !== null && "_tag" in call && call._tag === "Waiting"
