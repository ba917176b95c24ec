/**
 * Runs that survive their process: a journal stores every finished step, and an interrupted run resumes from it [12.1].
 *
 * **Details**
 *
 * - You choose the id of a run, for example that of its job. Conversation and turn default to it, so that its idempotency
 *   keys are the same in every process.
 * - No finished call is made again. A call that was running when the process died is settled first: see "Idempotency".
 * - A run that was answered or refused is completed: its journal is cleared, and later requests for it return its end.
 * - After any other end the run stays open, and `resume` continues it: after a person has decided, with higher limits, or
 *   when the provider is available again.
 */
import * as JournalRows from "#domain/journal/JournalRows"
import { type CheckpointError, CheckpointRefused, Checkpoints, type OpenRun, type RunKey } from "#services/Checkpoints"
import { CurrentTurn } from "#services/CurrentTurn"
import * as Prompt from "effect/ai/Prompt"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import type { AgentEnd } from "./AgentEnd.ts"
import type { Requirements, RunOptions } from "./AgentOptions.ts"
import * as CompletedRun from "./CompletedRun.ts"
import { equip } from "./RunTools.ts"
import { GuardedTurn, newTurn } from "#src/guard/Guard"
import * as Journal from "./Journal.ts"
import { loop } from "./Loop.ts"
import * as Stop from "./Stop.ts"
import { emitterOf } from "./EventEmitter.ts"
import type { AnyTool } from "#src/tool/ToolClass"

export interface ResumeOptions<Tools extends AnyTool> extends Omit<RunOptions<Tools>, "prompt" | "turn"> {
  /** The run's id: 1 to 200 characters, unique in the tenant. */
  readonly run: string
  /** Default `default`. */
  readonly tenant?: string
  /** The lease of this process on the run, renewed while the process lives. Default 30 seconds. */
  readonly lease?: Duration.Input
  /** Takes the run over without waiting for the lease of a process that you know is dead. Default false. */
  readonly takeOver?: boolean
}

export interface CheckpointOptions<Tools extends AnyTool>
  extends Omit<ResumeOptions<Tools>, "tenant">, Pick<RunOptions<Tools>, "prompt" | "turn"> {}

type Needs<Tools extends AnyTool> = Requirements<Tools> | Checkpoints

/** How a run starts, and the row that stores it. */
type Wanted = ReturnType<typeof Journal.begun>

/**
 * Starts a run with a journal, or resumes it if its process died. A run that ended without being completed ends in the same
 * way again, because its end may not have been received; `resume` continues after such an end.
 *
 * Fails with CheckpointRefused (`other_run`) if the id belongs to a run with another prompt, and otherwise like `resume`.
 */
export const checkpointed = <Tools extends AnyTool>(
  options: CheckpointOptions<Tools>
): Effect.Effect<AgentEnd, CheckpointError, Needs<Tools>> =>
  Effect.gen(function* () {
    const { run } = options
    const turn = yield* newTurn({ conversation: run, turn: run, ...options.turn })
    return yield* opened({ ...options, tenant: turn.tenant }, Journal.begun(turn, Prompt.make(options.prompt)))
  })

/**
 * Resumes a run where it stopped.
 *
 * Fails with CheckpointRefused if there is no such run, another process holds it, or its journal is damaged or of another
 * format; and with CheckpointsUnavailable if the store does not answer. The journal is then unchanged.
 */
export const resume = <Tools extends AnyTool>(
  options: ResumeOptions<Tools>
): Effect.Effect<AgentEnd, CheckpointError, Needs<Tools>> => opened(options, undefined)

const opened = <Tools extends AnyTool>(
  options: ResumeOptions<Tools>,
  wanted: Wanted | undefined
): Effect.Effect<AgentEnd, CheckpointError, Needs<Tools>> =>
  Effect.gen(function* () {
    const store = yield* Checkpoints
    const { sha256 } = yield* GuardedTurn
    const { lease: leaseInput = "30 seconds", run, takeOver = false, tenant = "default" } = options
    if (!isId(run)) return yield* refused(run, "invalid_id", "A run id must be a text of 1 to 200 characters.")
    if (!isId(tenant)) return yield* refused(run, "invalid_id", "A tenant must be a text of 1 to 200 characters.")
    const lease = Duration.fromInputUnsafe(leaseInput)
    const key: RunKey = { tenant, run }
    const mayMake = wanted !== undefined
    const open = yield* store.open(key, { mayMake, format: JournalRows.format, lease, takeOver })
    const held = Journal.read(run, open, sha256)
    if (held instanceof CheckpointRefused) return yield* letGo(store, key, open, held)
    if (open.end !== undefined) {
      const end = CompletedRun.read(sha256, run, open.end, wanted?.body)
      return end instanceof CheckpointRefused ? yield* end : end
    }
    const begun = begunOf(run, held, wanted)
    if (begun instanceof CheckpointRefused) return yield* letGo(store, key, open, begun)
    return yield* journaled(options, { key, open, held, begun, lease, goesOn: wanted === undefined })
  })

/** A refusal changes nothing. */
const letGo = (store: Checkpoints["Service"], key: RunKey, { owner }: OpenRun, refused: CheckpointRefused) =>
  Effect.andThen(Effect.ignore(store.close(key, owner, undefined)), Effect.fail(refused))

interface Opened {
  readonly key: RunKey
  readonly open: OpenRun
  readonly held: Journal.Held
  readonly begun: Wanted
  readonly lease: Duration.Duration
  /** Whether the run continues after an end that is not final: `resume` does, `checkpointed` returns that end. */
  readonly goesOn: boolean
}

/** Executes the run while this process holds its lease. */
const journaled = <Tools extends AnyTool>(
  options: ResumeOptions<Tools>,
  { begun, goesOn, held, key, lease, open }: Opened
): Effect.Effect<AgentEnd, CheckpointError, Needs<Tools>> =>
  Effect.gen(function* () {
    const store = yield* Checkpoints
    const guard = yield* GuardedTurn
    const { sha256 } = guard
    const { prompt, turn } = begun.value
    const isLost = yield* Deferred.make<void, CheckpointError>()
    const stop = yield* Stop.watch(options)
    // at once: nothing may start after a row that was not written
    const lost = (error: CheckpointError) =>
      Effect.andThen(
        Deferred.fail(isLost, error),
        Effect.asVoid(Deferred.succeed<Stop.Stopped, never>(stop, { _tag: "Interrupted" }))
      )
    const tell = emitterOf(options.onEvent)
    const { tools } = equip(options.tools, guard).tools
    const journal = Journal.make({ goesOn, store, key, open, held, sha256, guard, turn, tools, lost, tell })
    const { emit, steps } = journal
    if (held.begun === undefined) yield* journal.begin(begun.body)
    // the steps of a resumed run restore what this process remembers of it
    else yield* guard.rewind(turn)
    const interval = Duration.divideUnsafe(lease, 3)
    const living = Effect.repeat(store.renew(key, open.owner, lease), Schedule.spaced(interval)).pipe(
      Effect.delay(interval),
      Effect.catch(lost)
    )
    const end = yield* loop({ options: { ...options, prompt, turn }, guard, turn, emit, steps, stop }).pipe(
      Effect.provideService(CurrentTurn, turn),
      Effect.raceFirst(Effect.andThen(living, Effect.never)),
      // if another process has taken the run over, it counts what the run has spent
      Effect.onExit((exit) =>
        Exit.isSuccess(exit) && !Deferred.isDoneUnsafe(isLost) ? guard.endTurn(turn) : guard.forget(turn)
      )
    )
    if (end._tag === "LimitReached" && end.limit !== "time") yield* journal.limited(end.usage.rounds)
    if (Deferred.isDoneUnsafe(isLost)) yield* Deferred.await(isLost)
    yield* store.close(key, open.owner, Journal.isFinal(end) ? CompletedRun.write(sha256, begun.body, end) : undefined)
    yield* emit({ _tag: "End", end })
    return end
  }).pipe(Effect.scoped)

const refused = (run: string, reason: CheckpointRefused["reason"], detail: string) =>
  new CheckpointRefused({ run, reason, detail })

/** Ids are texts, not paths: any characters are allowed. */
const isId = (id: string): boolean => id.length >= 1 && id.length <= 200

/** How the run started: as stored, or as requested now. */
const begunOf = (run: string, held: Journal.Held, wanted: Wanted | undefined): Wanted | CheckpointRefused => {
  const { begun } = held
  if (begun === undefined)
    return wanted ?? refused(run, "unknown_run", "It has no steps yet: start it with its prompt.")
  return wanted === undefined || wanted.body === begun.body ? begun : refused(run, "other_run", CompletedRun.otherRun)
}
