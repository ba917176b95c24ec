/**
 * Runs that survive their process: every finished step is in a journal, and a run is gone on with where it stopped
 * (SPEC 12).
 *
 * **Details**
 *
 * - A run has an id that you choose, for example that of the job which it does. Conversation and turn are named after it
 *   where you name none, so that its idempotency keys are the same in every process.
 * - No finished call is made again. A call that was running when the process died is settled first: see "Idempotency".
 * - A run that was answered or refused is completed: its journal is cleared, and who asks for it gets its end.
 * - Any other end leaves the run open. `resume` goes on from it: after a person has decided, with higher limits, when the
 *   provider is back.
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
import { equip } from "./Equipped.ts"
import { GuardedTurn, newTurn } from "#src/guard/Guard"
import * as Journal from "./Journal.ts"
import { loop } from "./Loop.ts"
import * as Stop from "./Stop.ts"
import { emitterOf } from "./EventEmitter.ts"
import type { AnyTool } from "#src/tool/ToolClass"

export interface ResumeOptions<Tools extends AnyTool> extends Omit<RunOptions<Tools>, "prompt" | "turn"> {
  /** 1 to 200 characters, unique in its tenant. */
  readonly run: string
  /** Default `default`. */
  readonly tenant?: string
  /** How long this process has the run without a sign of life. Renewed while it lives. Default 30 seconds. */
  readonly lease?: Duration.Input
  /** You know that the process which had the run is dead: its lease is not waited for. Default false. */
  readonly takeOver?: boolean
}

export interface CheckpointOptions<Tools extends AnyTool>
  extends Omit<ResumeOptions<Tools>, "tenant">, Pick<RunOptions<Tools>, "prompt" | "turn"> {}

type Needs<Tools extends AnyTool> = Requirements<Tools> | Checkpoints

/** How a run is to begin, and the row that says so. */
type Wanted = ReturnType<typeof Journal.begun>

/**
 * Begins a run with a journal, or goes on with it where its process died. A run that had ended without being completed ends
 * there again, since nobody may have heard of it: `resume` goes on after such an end.
 *
 * Fails with CheckpointRefused (`other_run`) where the id belongs to a run with another prompt, and as `resume` does.
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
 * Goes on with a run where it stopped.
 *
 * Fails with CheckpointRefused where there is no such run, where another process has it, or where its journal is damaged or
 * of another format; and with CheckpointsUnavailable where the store does not answer. The journal is then as it was.
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
    if (!isId(run)) return yield* refused(run, "invalid_id", "A run id is a text of 1 to 200 characters.")
    if (!isId(tenant)) return yield* refused(run, "invalid_id", "A tenant is a text of 1 to 200 characters.")
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

/** What is refused is left as it is. */
const letGo = (store: Checkpoints["Service"], key: RunKey, { owner }: OpenRun, refused: CheckpointRefused) =>
  Effect.andThen(Effect.ignore(store.close(key, owner, undefined)), Effect.fail(refused))

interface Opened {
  readonly key: RunKey
  readonly open: OpenRun
  readonly held: Journal.Held
  readonly begun: Wanted
  readonly lease: Duration.Duration
  /** It goes on after an end that is not final: `resume` does, who only asks for the run gets that end again. */
  readonly goesOn: boolean
}

/** The run itself, for as long as it is ours. */
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
    // at once: what comes behind a row that is not written must not begin
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
    // what this process remembers of a run that it goes on with is told anew by its steps
    else yield* guard.rewind(turn)
    const interval = Duration.divideUnsafe(lease, 3)
    const living = Effect.repeat(store.renew(key, open.owner, lease), Schedule.spaced(interval)).pipe(
      Effect.delay(interval),
      Effect.catch(lost)
    )
    const end = yield* loop({ options: { ...options, prompt, turn }, guard, turn, emit, steps, stop }).pipe(
      Effect.provideService(CurrentTurn, turn),
      Effect.raceFirst(Effect.andThen(living, Effect.never)),
      // what a run has spent that another process has now is that one's
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

/** Ids are texts, not paths: any characters will do. */
const isId = (id: string): boolean => id.length >= 1 && id.length <= 200

/** How the run began: as it is held, or as it is wanted now. */
const begunOf = (run: string, held: Journal.Held, wanted: Wanted | undefined): Wanted | CheckpointRefused => {
  const { begun } = held
  if (begun === undefined)
    return wanted ?? refused(run, "unknown_run", "It has no steps yet: begin it with its prompt.")
  return wanted === undefined || wanted.body === begun.body ? begun : refused(run, "other_run", CompletedRun.otherRun)
}
