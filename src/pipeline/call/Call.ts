/**
 * One call on its way through the pipeline.
 *
 * A value: a stage that made something (decoded arguments, an answer, a verdict) passes a copy with it to the next
 * stage. Only `trace` grows in place; it is written by the stages and read by `record` alone.
 */
import type { Attempt, Decision } from "#domain/call/CallRecord"
import type { Failure } from "#domain/failure/Failure"
import type { LoopEvent } from "#domain/loop/LoopDetector"
import type { Outcome } from "#domain/call/Outcome"
import type { PlainPart } from "#domain/parts/Part"
import type { Turn } from "#domain/turn/Turn"
import type { Polled } from "#domain/turn/TurnHistory"
import type { Verdict } from "#domain/tool/Verdict"
import type { CallEvent } from "#services/CallObserver"
import type * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Answer } from "./Answer.ts"
import type { CompiledTool } from "./CompiledTool.ts"
import type { Slots } from "./Slots.ts"

/** What the stages did, for the call's record. */
export interface Trace {
  readonly decisions: Array<Decision>
  readonly attempts: Array<Attempt>
  /** Executions of handlers in the calls that the guard made for this one: alternatives and lookups. */
  innerAttempts: number
  /** The decoded arguments and their key, once there are any. */
  arguments: unknown
  key: (() => string) | undefined
  /** What the tool's decoder made of the last answer. */
  decoded: unknown
  /** Handlers of this call that have not ended; one that was left behind at its time may still do its work. */
  running: number
  /** The call polls for a result that is not there yet. */
  isPolling: boolean
  /** The handler has been started. */
  isStarted: boolean
  /** What the loop detector was told of the call. */
  event: LoopEvent | undefined
  /** The key of the action; empty where it has none. */
  idempotencyKey: string
  /** Units that the call took of its budget and did not give back, and under which key. */
  spent: { readonly key: string; readonly units: number } | undefined
  /** How long the call has been polled for. */
  polled: Polled | undefined
  /** Hears what happens inside the call, where somebody listens. */
  readonly observe: ((event: CallEvent) => void) | undefined
}

export interface Call {
  readonly tool: CompiledTool
  /** The name as it was called; differs from the tool's only where no tool has it. */
  readonly name: string
  /** The arguments as they came: text from a model, a value from a program. */
  readonly input: unknown
  /** True where `input` is text that the model wrote. */
  readonly isText: boolean
  /** True where a host has parsed what the model wrote. */
  readonly isParsed: boolean
  /** True where the model's output ended in the middle of this call (finish reason `length`). */
  readonly isCut: boolean
  readonly callId: string
  readonly round: number
  readonly turn: Turn | undefined
  /** Names of the tools that exist, for the nearest one. */
  readonly known: ReadonlyArray<string>
  readonly clock: Clock.Clock
  /** The caller's context: implementations are found here. */
  readonly context: Context.Context<never>
  readonly trace: Trace
  readonly traceId: string
  /** True for a call that the guard makes itself: an alternative, or a lookup whether an effect happened. */
  readonly isInner: boolean
  /** True for a lookup whether an effect happened: it is never answered from memory, and spends nothing. */
  readonly isLookup: boolean
  /** The call belongs to a run with a journal, so that it is claimed under its own id where it has no key. */
  readonly isJournaled: boolean
  /** The call was begun before by a process that died. */
  readonly isResumed: boolean
  /** The call may have been begun before, and its tool was another one then. */
  readonly isChanged: boolean
  /** The call is made only where it was begun before. */
  readonly isOnlyBegun: boolean

  /** After `decodeArguments`: the decoded arguments. */
  readonly arguments: unknown
  /** After `decodeArguments`: tool and canonical arguments; computed when first asked for. */
  readonly key: () => string
  /** After `idempotency`: the key of the action; empty where it has none. */
  readonly idempotencyKey: string
  /** After `idempotency`: why a person must confirm the call whatever its tool says. */
  readonly confirm: string | undefined
  /** After `idempotency`: the action was started before and never ended, so a person has approved it already. */
  readonly wasStarted: boolean
  /** After `approve`: takes the approval, in the write that starts the call. */
  readonly consume: Effect.Effect<boolean> | undefined
  /** After `deadline`: when the first attempt began, in epoch milliseconds. */
  readonly startedAt: number
  /** After `deadline`: when all attempts and waits must be over, in epoch milliseconds. */
  readonly deadlineAt: number
  /** Within `retry`: which attempt this is, from 1. */
  readonly attempt: number
  /** Within `retry`: how the attempt before it failed. */
  readonly lastFailure: Failure | undefined
  /** After `budget`: how many more attempts the budget allows. */
  readonly remaining: number | undefined
  /** After `concurrency`: where the handler waits for its turn. */
  readonly slots: Slots | undefined
  /** After `timeout`: the longest time of this attempt, in milliseconds. */
  readonly limitMillis: number
  /** After `run`: what the handler gave. */
  readonly answer: Answer | undefined
  /** After `parseResult`: the parsed text. After `decodeResult`: the decoded result. */
  readonly result: unknown
  /** After `decodeResult`: what stands beside the result; absent where nothing does. */
  readonly parts?: ReadonlyArray<PlainPart>
  /** After `check`: what the checks say. */
  readonly verdict: Verdict
  /** After `classify`: what the attempt came to. */
  readonly outcome: Outcome | undefined
}

/** Notes what a stage decided. */
export const decide = (call: Call, stage: string, decision: string, reason: string): void => {
  call.trace.decisions.push({ stage, decision, reason })
}

/** Epoch milliseconds by the caller's clock. */
export const now = (call: Call): number => call.clock.currentTimeMillisUnsafe()
