/**
 * Executes runs that survive their process: a journal stores finished steps, and an interrupted run resumes from
 * the journal [12.1].
 *
 * **Details**
 *
 * - You choose the id of a run, for example that of its job. The conversation and the turn default to this id, so that
 *   the run's idempotency keys are the same in every process.
 * - No completed call runs again. A call that was running when the process crashed is settled first, by its idempotency
 *   key.
 * - A run that ended with an answer or a refusal of the model is completed: its journal is cleared, and later requests
 *   for the run return its end.
 * - After any other end the run stays open, and `resume` continues it: after a person has decided, with higher limits,
 *   or when the provider is available again.
 */
import * as JournalRows from "#domain/journal/JournalRows"
import { type CheckpointError, CheckpointRefused, Checkpoints, type OpenRun, type RunKey } from "#services/Checkpoints"
import { CurrentRun } from "#services/CurrentRun"
import { CurrentTurn } from "#services/CurrentTurn"
import { Drain } from "#services/Drain"
import * as Prompt from "effect/ai/Prompt"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { AgentEnd } from "./AgentEnd.ts"
import { checkSettings, emitterOf, type Requirements, type RunOptions } from "./AgentOptions.ts"
import * as CompletedRun from "./CompletedRun.ts"
import * as RunTools from "./RunTools.ts"
import { GuardedTurn, newTurn } from "#src/guard/Guard"
import * as Journal from "./Journal.ts"
import * as JournalEntries from "./JournalEntries.ts"
import { loop } from "./Loop.ts"
import * as RunLease from "./RunLease.ts"
import * as Stop from "./Stop.ts"
import { withdrawing } from "./Withdrawal.ts"
import type { AnyTool } from "#src/tool/ToolClass"

export interface ResumeOptions<Tools extends AnyTool> extends Omit<RunOptions<Tools>, "prompt" | "turn"> {
  /** The run's id: 1 to 200 characters, unique for its tenant and principal. */
  readonly run: string
  /** The tenant of the run. Default `default`. */
  readonly tenant?: string
  /**
   * The principal of the run: 1 to 255 characters. Default: a run without a principal. The run of another tenant or
   * principal is refused as `unknown_run`, like a run that does not exist.
   */
  readonly principal?: string | undefined
  /** The lease of this process on the run, renewed while the process runs. Default 30 seconds. */
  readonly lease?: Duration.Input
  /**
   * Takes over the run without waiting for the lease to expire. Use this option only if the other process has ended.
   * Default false.
   */
  readonly takeOver?: boolean
}

export interface CheckpointOptions<Tools extends AnyTool>
  extends Omit<ResumeOptions<Tools>, "tenant" | "principal">, Pick<RunOptions<Tools>, "prompt" | "turn"> {}

type Needs<Tools extends AnyTool> = Requirements<Tools> | Checkpoints

/**
 * Starts a run with a journal, or resumes it if its process crashed, it was interrupted, or its time expired. After
 * another end that is not final, it returns the same end again, because the caller may not have received it; `resume`
 * continues after that end.
 *
 * Fails with CheckpointRefused (`other_run`) if the id belongs to a run with another prompt, and otherwise like
 * `resume`.
 */
export const checkpointed = <Tools extends AnyTool>(
  options: CheckpointOptions<Tools>
): Effect.Effect<AgentEnd, CheckpointError, Needs<Tools>> =>
  Effect.gen(function* () {
    const { run } = options
    if (!isId(run)) return yield* invalidRun(run)
    const turn = yield* newTurn({ conversation: run, turn: run, ...options.turn })
    return yield* openRun(
      { ...options, tenant: turn.tenant, principal: turn.principal },
      JournalEntries.firstRow(turn, Prompt.make(options.prompt))
    )
  })

/**
 * Resumes a run where it stopped.
 *
 * Fails with CheckpointRefused if the tenant and the principal have no such run, another process holds it, or its
 * journal is damaged or of another format; and with CheckpointsUnavailable if the store does not answer. If this happens
 * during the run, the journal keeps the rows that were written before.
 */
export const resume = <Tools extends AnyTool>(
  options: ResumeOptions<Tools>
): Effect.Effect<AgentEnd, CheckpointError, Needs<Tools>> => openRun(options, undefined)

/** Opens a run in the store and executes it. `requested` is its first row; undefined for `resume`. */
const openRun = <Tools extends AnyTool>(
  options: ResumeOptions<Tools>,
  requested: JournalEntries.FirstRow | undefined
): Effect.Effect<AgentEnd, CheckpointError, Needs<Tools>> =>
  Effect.gen(function* () {
    const store = yield* Checkpoints
    const { lease: leaseInput = "30 seconds", principal, run, takeOver = false, tenant = "default" } = options
    if (!isId(run)) return yield* invalidRun(run)
    if (!isId(tenant)) return yield* refused(run, "invalid_id", "A tenant must be a string of 1 to 200 characters.")
    if (principal !== undefined && !isPrincipal(principal))
      return yield* refused(run, "invalid_id", "A principal must be a string of 1 to 255 characters.")
    checkSettings(options)
    const lease = Duration.fromInputUnsafe(leaseInput)
    const guard = yield* GuardedTurn
    const key = yield* keyOf({ store, sha256: guard.sha256, tenant, principal, run, requested })
    const opening = store.open(key, { mayMake: requested !== undefined, format: JournalRows.format, lease, takeOver })
    const since = yield* Clock.currentTimeMillis
    yield* RunTools.admit(options.tools, guard, { name: "Checkpoints", ...store })
    const drain = yield* guard.policy(Drain)
    const executed = Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(opening, (open) => {
        const owned = { key, open, lease: RunLease.make({ store, key, owner: open.owner, time: lease, since }) }
        // if the run fails or is interrupted, its lease is released immediately, so that another process can resume the run
        return Effect.onError(restore(opened(options, requested, owned)), () =>
          Effect.ignore(store.close(key, open.owner, undefined))
        )
      })
    )
    return yield* drain === undefined ? executed : drain.track(executed, `the run ${JSON.stringify(run)}`)
  })

interface Caller extends Pick<Required<ResumeOptions<never>>, "tenant" | "principal" | "run"> {
  readonly store: Checkpoints["Service"]
  readonly sha256: JournalRows.Sha256
  readonly requested: JournalEntries.FirstRow | undefined
}

/**
 * Returns the key of the caller's run, whether the run exists or not [8.3].
 *
 * A run that the store keeps without a principal, although its turn has one, belongs to the principal of its turn, and
 * does not exist for other callers. It is read before it is opened, so that they never take its lease.
 */
const keyOf = ({ principal, requested, run, sha256, store, tenant }: Caller): Effect.Effect<RunKey, CheckpointError> =>
  Effect.gen(function* () {
    const unowned: RunKey = { tenant, run }
    const stored = yield* store.find(unowned)
    const owner = stored === undefined ? undefined : JournalEntries.turnOf(stored.rows)?.principal
    if (principal === undefined) {
      if (owner === undefined) return unowned
      if (requested === undefined) return yield* refused(run, "unknown_run", "No run has this id.")
      return yield* refused(run, "other_run", CompletedRun.otherRunDetail)
    }
    // an end need not name its principal, but the first row that the caller states proves it
    const isOwn =
      stored?.end === undefined
        ? owner === principal
        : requested !== undefined && CompletedRun.isEndOf(sha256, stored.end, requested.body)
    return isOwn ? unowned : { tenant, principal, run }
  })

/** Reads the journal of an open run, and executes the run. */
const opened = <Tools extends AnyTool>(
  options: ResumeOptions<Tools>,
  requested: JournalEntries.FirstRow | undefined,
  { key, lease, open }: Pick<OpenedRun, "key" | "lease" | "open">
): Effect.Effect<AgentEnd, CheckpointError, Needs<Tools>> =>
  Effect.gen(function* () {
    const { sha256 } = yield* GuardedTurn
    const { run } = key
    const stored = JournalEntries.read(run, open, sha256)
    if (stored instanceof CheckpointRefused) return yield* stored
    if (open.end !== undefined) {
      const end = CompletedRun.read(sha256, run, open.end, requested?.body)
      return end instanceof CheckpointRefused ? yield* end : end
    }
    const firstRow = firstRowOf(run, stored, requested)
    if (firstRow instanceof CheckpointRefused) return yield* firstRow
    return yield* execute(options, { key, open, stored, firstRow, lease, isResuming: requested === undefined })
  })

/** True if the run waits for a person or a provider: `resume` continues after this end, and receives the decision. */
const isWaiting = ({ _tag }: AgentEnd): boolean =>
  _tag === "NeedsPerson" || _tag === "LoopDetected" || _tag === "ModelFailed"

interface OpenedRun {
  readonly key: RunKey
  readonly open: OpenRun
  readonly stored: JournalEntries.StoredSteps
  readonly firstRow: JournalEntries.FirstRow
  readonly lease: RunLease.RunLease
  /**
   * True if the run continues after an end that is not final, as `resume` does. `checkpointed` returns that end
   * instead.
   */
  readonly isResuming: boolean
}

/** Executes the run while this process holds its lease. */
const execute = <Tools extends AnyTool>(
  options: ResumeOptions<Tools>,
  { firstRow, isResuming, key, lease, open, stored }: OpenedRun
): Effect.Effect<AgentEnd, CheckpointError, Needs<Tools>> =>
  Effect.gen(function* () {
    const store = yield* Checkpoints
    const guard = yield* GuardedTurn
    const { sha256 } = guard
    const drain = yield* guard.policy(Drain)
    const { prompt, turn } = firstRow.value
    const failure = yield* Deferred.make<void, CheckpointError>()
    const stop = yield* Stop.watch(options)
    // stops the run immediately: no step may start after a row that was not written
    const fail = (error: CheckpointError) =>
      Effect.andThen(
        Deferred.fail(failure, error),
        Effect.asVoid(Deferred.succeed<Stop.StopCause, never>(stop, { _tag: "Interrupted" }))
      )
    const onEvent = emitterOf(options.onEvent)
    const { tools } = RunTools.make(options.tools, guard).tools
    const journal = Journal.make({
      isResuming,
      store,
      key,
      open,
      lease,
      stored,
      sha256,
      guard,
      turn,
      tools,
      stop: fail,
      onEvent
    })
    const { emit, steps } = journal
    if (stored.firstRow === undefined) yield* journal.writeFirstRow(firstRow.body)
    // replaying the stored steps restores the state of the turn
    else {
      yield* onEvent({ _tag: "Resumed", run: key.run, round: stored.lastRound, calls: stored.calls.size })
      yield* guard.rewind(turn)
    }
    const end = yield* loop({ options: { ...options, prompt, turn }, guard, turn, emit, steps, stop }).pipe(
      Effect.provideService(CurrentTurn, turn),
      Effect.provideService(CurrentRun, key.run),
      Effect.raceFirst(Effect.andThen(Effect.catch(lease.keep, fail), Effect.never)),
      withdrawing({
        // if another process has taken over the run, that process uses the run's requests
        withdraw: Effect.suspend(() => (Deferred.isDoneUnsafe(failure) ? Effect.void : guard.withdraw(turn))),
        isNamed: turn.conversation !== key.run,
        isOpen: (end) => isWaiting(end) || (end._tag === "Interrupted" && drain?.isDraining() === true)
      }),
      // if another process has taken over the run, that process counts the run's usage
      Effect.onExit((exit) =>
        Exit.isSuccess(exit) && !Deferred.isDoneUnsafe(failure) ? guard.endTurn(turn) : guard.forget(turn)
      )
    )
    if (end._tag === "LimitReached" && end.limit !== "time") yield* journal.writeLimit(end.usage.rounds)
    if (Deferred.isDoneUnsafe(failure)) yield* Deferred.await(failure)
    yield* store.close(key, open.owner, Journal.isFinal(end) ? CompletedRun.write(sha256, firstRow, end) : undefined)
    yield* emit({ _tag: "End", end })
    return end
  }).pipe(Effect.scoped)

const refused = (run: string, reason: CheckpointRefused["reason"], detail: string) =>
  new CheckpointRefused({ run, reason, detail })

const invalidRun = (run: string) =>
  refused(String(run), "invalid_id", "A run id must be a string of 1 to 200 characters.")

/** True if the id has 1 to 200 characters. Any characters are allowed. */
const isId = (id: string): boolean => isText(id, 200)

/** Subjects of OpenID Connect have at most 255 characters. */
const isPrincipal = (principal: string): boolean => isText(principal, 255)

const isText = (text: unknown, longest: number): boolean =>
  typeof text === "string" && text.length >= 1 && text.length <= longest

/** Returns the first row of the run: the stored row, or the requested row if the run is new. */
const firstRowOf = (
  run: string,
  { firstRow }: JournalEntries.StoredSteps,
  requested: JournalEntries.FirstRow | undefined
): JournalEntries.FirstRow | CheckpointRefused => {
  if (firstRow === undefined)
    return requested ?? refused(run, "unknown_run", "The run has no steps yet: start it with its prompt.")
  return requested === undefined || requested.body === firstRow.body
    ? firstRow
    : refused(run, "other_run", CompletedRun.otherRunDetail)
}
