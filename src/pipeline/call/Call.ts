/**
 * Defines a call in the pipeline.
 *
 * **Details**
 *
 * - A call is a value: a stage that produces something (decoded arguments, an answer, a verdict) passes a copy of the
 *   call with that field to the next stage.
 * - Only `trace` changes in place: see `Trace`.
 */
import type { Failure } from "#domain/failure/Failure"
import * as UnenforcedFailure from "#domain/call/UnenforcedFailure"
import type { Outcome } from "#domain/call/Outcome"
import type { UnknownOutcome } from "#domain/approval/UnknownOutcome"
import type { PlainPart } from "#domain/parts/Part"
import type { Doubt } from "#domain/turn/DoubtfulWrites"
import type { Turn } from "#domain/turn/Turn"
import * as Verdict from "#domain/tool/Verdict"
import { CallObserver } from "#services/CallObserver"
import { Drain, type ProcessDrain } from "#services/Drain"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Answer } from "./Answer.ts"
import type { CompiledTool } from "./CompiledTool.ts"
import { type GuardPolicies, policyOf } from "./GuardPolicies.ts"
import type { Slots } from "./Slots.ts"
import * as Trace from "./Trace.ts"

/**
 * Who wrote the arguments of a call, and in which form.
 *
 * - `program`: a program passed encoded arguments as a value; `parse` passes it on.
 * - `text`: a model wrote JSON text; `parse` reads it.
 * - `parsed`: a model wrote text that a host has parsed; `parse` checks the value.
 */
type Origin = "program" | "text" | "parsed"

/** Who requested the call. A call that the guard makes for another call has the requester of the other call. */
type Requester = "model" | "program"

/**
 * Why a call is made.
 *
 * - `request`: the model or the program asked for it. All other calls are made by the guard, within another call.
 * - `fallback`: asks another tool after the requested tool failed.
 * - `lookup`: asks whether an effect happened. A lookup is never answered from memory and spends no budget.
 * - `completion`: completes a call that a crashed process left unfinished. It is refused if that process never started
 *   the call.
 */
export type Purpose = "request" | "fallback" | "lookup" | "completion"

/**
 * How a call relates to the journal of its run. A write in such a run is claimed under its call id if it has no key.
 *
 * - `new`: the call was not started before.
 * - `resumed`: a process that crashed may have started the call.
 * - `changed`: like `resumed`, but its tool has changed since then.
 */
export type JournalState = "new" | "resumed" | "changed"

/** The claim that a call holds on its key. */
export interface HeldClaim {
  readonly fencingToken: number
  /** When the claim was requested, in epoch milliseconds of the caller's clock. The lease began later. */
  readonly since: number
  /** Restarts the lease. False if the claim is no longer held. */
  readonly renew: Effect.Effect<boolean, unknown>
}

export interface Call {
  readonly tool: CompiledTool
  /** The name that was called. It differs from the tool's own name only if no tool has it. */
  readonly name: string
  /** The arguments as received: text from a model, a value from a program or a host. After `parse`: always a value. */
  readonly input: unknown
  /** Who wrote `input`, and in which form. */
  readonly origin: Origin
  /** Recall, loop detection and budgets apply only to the calls of a model [4.7]. */
  readonly requester: Requester
  /**
   * True if the caller reads JSON of any shape: an answer that violates `success` may pass if the tool only advises.
   * False for callers that rely on the Type of `success`.
   */
  readonly acceptsAnyShape: boolean
  /**
   * The arguments as the model wrote them; undefined if a program made the call, or if a host has parsed them and has
   * not kept the text.
   */
  readonly argumentsText: string | undefined
  /** True if the arguments may be incomplete because the model's output ended early. */
  readonly isCut: boolean
  /** True if the time of the call is not known, because it is replayed from a log without times. */
  readonly isUntimed: boolean
  readonly callId: string
  readonly round: number
  /** True if the loop of the call asks a person about a failure at the level `confirm` or `block`. */
  readonly loopAsks: boolean
  readonly turn: Turn | undefined
  /** The names of the existing tools, from which `locate` suggests one if `name` is unknown. */
  readonly known: ReadonlyArray<string>
  readonly clock: Clock.Clock
  /** The caller's context, in which implementations are found. */
  readonly context: Context.Context<never>
  /** The policies of the guard's layer. `policyOf` combines them with the policies of `context`. */
  readonly guardPolicies: GuardPolicies
  /** The drain of the process; undefined if the process has no drain. */
  readonly drain: ProcessDrain | undefined
  readonly trace: Trace.Trace
  readonly traceId: string
  /** Why the call is made. */
  readonly purpose: Purpose
  /** How the call relates to the journal of its run; undefined if the run has no journal. */
  readonly journal: JournalState | undefined

  /** After `decodeArguments`: the decoded arguments. */
  readonly arguments: unknown
  /** After `decodeArguments`: returns the text of the tool and its canonical arguments, computed on first use. */
  readonly key: () => string
  /** Set by `loop`, `settle`, `recall` and `claim`: the name of the separate budget of a call; empty for the usual budget. */
  readonly occasion: string
  /** Set by `recall`: true if a read has succeeded since the effect became unknown, so that the model may repeat the write. */
  readonly isLookedAt: boolean
  /** Set by `loop`: true if a person lets the repetition continue; counts then restart. */
  readonly isContinued: boolean
  /** After `idempotency`: the key of the action; empty if the action has no key. */
  readonly idempotencyKey: string
  /** True if the host gave an empty idempotency key, which `idempotency` refuses. */
  readonly hasEmptyKey: boolean
  /**
   * After `idempotency`: why a person must confirm the call, whatever the tool declares; undefined if no confirmation
   * is needed.
   */
  readonly confirm: string | undefined
  /** After `idempotency`: the action was started before and never completed, so it has already been approved. */
  readonly wasStarted: boolean
  /** Set by `settle` or by a resumed run: the settled outcome of an identical call, if this call repeats it. */
  readonly settled: UnknownOutcome | undefined
  /** Set by `settle`: true if the call may repeat an action that is open under its key. */
  readonly mayReopen: boolean
  /** After `idempotency`: the stored outcome of the open action that the call repeats; undefined if it repeats none. */
  readonly reopened: string | undefined
  /** After `approve`: consumes the approval, in the same write that starts the call. */
  readonly consume: Effect.Effect<boolean> | undefined
  /** Set by `claim`: the `occasion` of the process whose action this call has taken over; undefined otherwise. */
  readonly takenFrom: string | undefined
  /** After `claim`: the claim on the key of the action; undefined if the call has no key. */
  readonly claim: HeldClaim | undefined
  /** Set by `retry`: the time until which a call that came too early has waited, in epoch milliseconds; 0 otherwise. */
  readonly waitedUntil: number
  /** After `deadline`: when the first attempt started, in epoch milliseconds. */
  readonly startedAt: number
  /** After `deadline`: when all attempts and waits must be over, in epoch milliseconds. */
  readonly deadlineAt: number
  /**
   * Set by `recall` and `retry`: the unknown side effects of earlier identical calls of the turn and of earlier attempts;
   * undefined if all are known.
   */
  readonly doubt: Doubt | undefined
  /** Within `retry`: which attempt this is, from 1. */
  readonly attempt: number
  /** Within `retry`: the failure of the previous attempt. */
  readonly lastFailure: Failure | undefined
  /** After `budget`: how many more attempts the budget allows. */
  readonly remaining: number | undefined
  /** After `concurrency`: the slots of the tool's handlers. */
  readonly slots: Slots | undefined
  /** After `timeout`: the time limit of this attempt, in milliseconds. */
  readonly limitMillis: number
  /** After `run`: the answer of the handler. */
  readonly answer: Answer | undefined
  /** After `parseResult`: the parsed text. After `decodeResult`: the decoded result. */
  readonly result: unknown
  /** After `decodeResult`: the parts that accompany the result; absent if there are none. */
  readonly parts?: ReadonlyArray<PlainPart>
  /** After `decodeResult`: a sentence on the failure that the result of a write states; absent if it states none. */
  readonly statedFailure?: string
  /** After `check`: the verdict of the checks. */
  readonly verdict: Verdict.Verdict
  /** After `classify`: the outcome of the attempt. */
  readonly outcome: Outcome | undefined
}

/** The fields with which a call starts. */
interface Start {
  readonly tool: CompiledTool
  /** The name that was called; default: the tool's own. */
  readonly name?: string
  readonly input: unknown
  readonly origin: Origin
  /** Default: `program` if `origin` is `program`, otherwise `model`. */
  readonly requester?: Requester
  /** Default: true if a model made the call. */
  readonly acceptsAnyShape?: boolean | undefined
  readonly argumentsText?: string | undefined
  readonly isCut?: boolean | undefined
  /** Default false. */
  readonly isUntimed?: boolean | undefined
  /** Default: `traceId`. */
  readonly callId?: string | undefined
  /** Default: 0, a call outside rounds. */
  readonly round?: number | undefined
  /** Default false. */
  readonly loopAsks?: boolean | undefined
  readonly turn: Turn | undefined
  /** Default: none. */
  readonly known?: ReadonlyArray<string> | undefined
  readonly context: Context.Context<never>
  readonly guardPolicies: GuardPolicies
  readonly traceId: string
  /** Default: `request`. */
  readonly purpose?: Purpose
  readonly journal?: JournalState | undefined
  readonly idempotencyKey?: string | undefined
  readonly settled?: UnknownOutcome | undefined
}

const nothingKnown: ReadonlyArray<string> = []
const noKey = () => ""

/** Creates a call that no stage has seen yet. */
export const make = (start: Start): Call => {
  const { callId, context, guardPolicies, tool, traceId } = start
  const requester = start.requester ?? (start.origin === "program" ? "program" : "model")
  return {
    tool,
    name: start.name ?? tool.definition.name,
    input: start.input,
    origin: start.origin,
    requester,
    acceptsAnyShape: start.acceptsAnyShape ?? requester === "model",
    argumentsText: start.argumentsText,
    isCut: start.isCut === true,
    isUntimed: start.isUntimed === true,
    callId: callId === undefined || callId === "" ? traceId : callId,
    round: start.round ?? 0,
    loopAsks: start.loopAsks ?? false,
    turn: start.turn,
    known: start.known ?? nothingKnown,
    clock: Context.get(context, Clock.Clock),
    context,
    guardPolicies,
    drain: policyOf(start, Drain),
    trace: Trace.make(policyOf(start, CallObserver)),
    traceId,
    purpose: start.purpose ?? "request",
    journal: start.journal,
    arguments: undefined,
    key: noKey,
    occasion: "",
    isLookedAt: false,
    isContinued: false,
    idempotencyKey: start.idempotencyKey ?? "",
    hasEmptyKey: start.idempotencyKey === "",
    confirm: undefined,
    wasStarted: false,
    settled: start.settled,
    mayReopen: false,
    reopened: undefined,
    consume: undefined,
    takenFrom: undefined,
    claim: undefined,
    waitedUntil: 0,
    startedAt: 0,
    deadlineAt: Number.MAX_SAFE_INTEGER,
    doubt: undefined,
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

/** Returns the full encoded arguments of the call that continues this call: its arguments, changed by `next`. */
export const continuation = (call: Call, next: object): unknown =>
  // decoded arguments are always a struct
  call.tool.contract.encode({ ...(call.arguments as object), ...next })

/** Records a decision of a stage. */
export const decide = (call: Call, stage: string, decision: string, reason: string): void => {
  call.trace.decisions.push({ stage, decision, reason })
}

/** Records that a stage found a failure and did not enforce it. `reason` defaults to the failure's detail. */
export const advise = (
  call: Call,
  stage: string,
  failure: Parameters<typeof UnenforcedFailure.of>[0],
  reason: string = failure.detail
): void => {
  call.trace.notEnforced.push(UnenforcedFailure.of(failure))
  decide(call, stage, "advised", reason)
}

/** Returns the time of the caller's clock, in epoch milliseconds. */
export const now = (call: Call): number => call.clock.currentTimeMillisUnsafe()
