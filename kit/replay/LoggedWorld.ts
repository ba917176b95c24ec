/**
 * Provides the environment of the guard in a replay: tools that answer from the log, a clock with the log's times, an
 * escalation that grants every approval but never lets a loop continue, and a memory for each conversation.
 *
 * A conversation is judged by itself, as in `explain`: nothing is remembered from the conversations before it.
 */
import * as Failure from "effect-toolguard/internal/domain/failure/Failure"
import { compiledOf, type Implementation } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import { CallLog } from "effect-toolguard/services/CallLog"
import { Escalation } from "effect-toolguard/services/Escalation"
import { IdempotencyKeys } from "effect-toolguard/services/IdempotencyKeys"
import { TurnMemory } from "effect-toolguard/services/TurnMemory"
import { idempotencyKeys } from "effect-toolguard/internal/layers/stores/KeyStore"
import * as MemoryKeyStore from "effect-toolguard/internal/layers/stores/MemoryKeyStore"
import * as TurnHistories from "effect-toolguard/internal/layers/stores/TurnHistories"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CallableTool } from "./CallableTool.ts"
import * as ConversationClock from "./ConversationClock.ts"
import * as EqualAnswers from "./EqualAnswers.ts"
import type { ClassifiedAnswer } from "./RecordedAnswer.ts"
import type * as RecordedOutcome from "./RecordedOutcome.ts"
import * as Timeline from "#kit/traffic/Timeline"

type TimelineCall = Timeline.TimelineCall

/**
 * The environment of the guard, with the current call and its answer. There is one current call, because replay is
 * sequential.
 */
export interface LoggedWorld {
  readonly layer: Layer.Layer<CallLog | Escalation | IdempotencyKeys | TurnMemory>
  readonly clock: Clock.Clock
  /** The handler of a tool of the log. A failure has the class as which the answer is classified. */
  readonly handler: Implementation["handler"]
  /** The handler of a guarded tool. A failure is an error with the logged text, which the guard classifies. */
  readonly raw: Implementation["handler"]
  /**
   * Forgets the keys, turns and texts of the previous conversation, and sets the clock to the times of this one. Times
   * that the other times of the conversation contradict do not count (see `ConversationClock`).
   */
  readonly open: (turns: ReadonlyArray<Timeline.Turn>) => void
  /** Sets the current call, and its tool if there is one. */
  readonly begin: (call: TimelineCall, tool: CallableTool | undefined) => void
  /** Returns the end of the current call, which is determined on first use; `undefined` if the log has no answer. */
  readonly loggedEnd: () => RecordedOutcome.LoggedEnd | undefined
  /** The current call for the stages of `RecordedOutcome`. */
  readonly current: RecordedOutcome.CurrentCall
  /** Returns whether the current call ended as its record says. */
  readonly endsAsRecorded: () => boolean
}

/** Creates the logged failure. The log does not record side effects, so the side effect `none` is assumed. */
const failureOf = (
  tool: string,
  { class: tag, code, detail }: Extract<ClassifiedAnswer, { readonly _tag: "Failure" }>
) =>
  Failure.make(tag === "PartialData" || tag === "SemanticGarbage" ? "Permanent" : tag, code, { tool, detail, hint: "" })

const interrupted = (tool: string) =>
  Failure.ofCode("interrupted", { tool, detail: "The log contains no answer.", hint: "" })

/** The latest valid time of a `Date`. Later times in a log are ignored. */
const latestTime = 8_640_000_000_000_000

const timeOf = ({ answer }: TimelineCall): number | undefined => {
  const at = answer?.at
  return at !== undefined && Number.isInteger(at) && at >= 0 && at <= latestTime ? at : undefined
}

/** Returns the times of all calls of a conversation that the clock follows, in the order of the calls' numbers. */
const timesOf = (turns: ReadonlyArray<Timeline.Turn>): ReadonlyArray<number | undefined> =>
  ConversationClock.inOrder(turns.flatMap(({ rounds }) => rounds.flatMap(({ calls }) => calls.map(timeOf))))

/**
 * The time between two calls without times: longer than the guard asks a model to wait, so that no poll of a status is
 * stopped only because the log does not say when it was made. After a failure no time passes: a model that repeats a
 * failed call without times has not shown that it waited.
 */
const untimedMillis = 60_000

/** True if a tool has a declared poll. Its calls without times count as made immediately, before its deadline. */
const isPolled = (tool: CallableTool | undefined): boolean =>
  tool !== undefined && compiledOf(tool).definition.poll !== undefined

/** Creates a clock with the log's times. The clock advances only from call to call. */
const clockOf = (millis: () => number): Clock.Clock => {
  const nanos = () => BigInt(millis()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: () => Effect.void
  }
}

/** The memory of one conversation. Most conversations need no keys. */
interface Memory {
  readonly turns: TurnMemory["Service"]
  keys: IdempotencyKeys["Service"] | undefined
}

const emptyMemory = (): Memory => ({ turns: TurnHistories.make(), keys: undefined })

const emptyKeys = (): IdempotencyKeys["Service"] => {
  let count = 0
  const keys = idempotencyKeys(
    MemoryKeyStore.make(),
    Effect.sync(() => String((count += 1)))
  )
  return { ...keys, isShared: false }
}

/** Provides the services of the current memory, which changes with the conversation. */
const memoryLayer = (current: () => Memory): Layer.Layer<IdempotencyKeys | TurnMemory> => {
  const keys = () => (current().keys ??= emptyKeys())
  const turns = () => current().turns
  return Layer.mergeAll(
    Layer.succeed(IdempotencyKeys, {
      isShared: false,
      claim: (...args) => keys().claim(...args),
      renew: (...args) => keys().renew(...args),
      find: (claim) => keys().find(claim),
      complete: (...args) => keys().complete(...args),
      release: (...args) => keys().release(...args),
      leave: (...args) => keys().leave(...args)
    }),
    Layer.succeed(TurnMemory, {
      isShared: false,
      modifyTurn: (turn, f) => turns().modifyTurn(turn, f),
      modifyLoop: (turn, f) => turns().modifyLoop(turn, f),
      endTurn: (turn) => turns().endTurn(turn),
      saw: (turn, text) => turns().saw(turn, text),
      hasSeen: (turn, value) => turns().hasSeen(turn, value)
    })
  )
}

/** Creates the environment of the guard for one replay. */
export const make = (): LoggedWorld => {
  let call: TimelineCall | undefined
  let tool: CallableTool | undefined
  let loggedEnd: RecordedOutcome.LoggedEnd | undefined
  let isClassified = false
  let endsAsRecorded = false
  let millis = 0
  let times: ReadonlyArray<number | undefined> = []
  let memory = emptyMemory()
  const endOf = EqualAnswers.make()
  const loggedEndWith = (
    source: EqualAnswers.ArgumentSource,
    args: () => unknown
  ): RecordedOutcome.LoggedEnd | undefined => {
    if (isClassified || call === undefined) return loggedEnd
    isClassified = true
    loggedEnd = endOf(call, tool, source, args)
    return loggedEnd
  }
  const answered = (
    args: unknown,
    failed: (tool: string, failure: Extract<ClassifiedAnswer, { readonly _tag: "Failure" }>) => unknown
  ): Effect.Effect<string, unknown> => {
    const name = call?.call.name ?? ""
    const answer = loggedEndWith("decoded", () => args)
    if (answer === undefined) return Effect.fail(interrupted(name))
    if (answer._tag === "Refused") return Effect.fail(failed(name, { ...answer, _tag: "Failure", class: "Permanent" }))
    return answer._tag === "Failure" && answer.class !== "SemanticGarbage"
      ? Effect.fail(failed(name, answer))
      : Effect.succeed(call?.answer?.text ?? "")
  }
  return {
    clock: clockOf(() => millis),
    handler: (args) => answered(args, failureOf),
    raw: (args) => answered(args, () => new Error(call?.answer?.text)),
    open: (turns) => {
      memory = emptyMemory()
      millis = 0
      times = timesOf(turns)
    },
    begin: (next, its) => {
      const hasFailed = loggedEnd?._tag === "Failure"
      call = next
      tool = its
      isClassified = false
      endsAsRecorded = false
      loggedEnd = undefined
      const time = times[next.number - 1]
      if (time !== undefined) millis = Math.max(millis, time)
      else if (!hasFailed && !isPolled(its)) millis += untimedMillis
    },
    loggedEnd: () => loggedEndWith("logged", () => Timeline.parsed(call?.call.arguments)),
    current: {
      end: () => call?.call.end,
      text: () => call?.answer?.text ?? "",
      markAsRecorded: () => {
        endsAsRecorded = true
      }
    },
    endsAsRecorded: () => endsAsRecorded,
    layer: Layer.mergeAll(
      memoryLayer(() => memory),
      Layer.succeed(CallLog, {
        keep: "none",
        append: () => {},
        records: Effect.succeed([]),
        recordsOf: () => Effect.succeed([]),
        appendLate: () => {},
        lateOutcomes: Effect.succeed([])
      }),
      Layer.succeed(Escalation, {
        isShared: false,
        inform: () => Effect.void,
        ask: ({ reason }) =>
          Effect.succeed(reason === "loop_detected" ? { _tag: "NoPerson" } : { _tag: "Approved", by: "replay" })
      })
    )
  }
}
