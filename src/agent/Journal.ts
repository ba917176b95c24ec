/**
 * Creates the steps of a run with a journal: a step in the journal is replayed, and any other step is executed. The
 * result is written before the run continues, except the result of a notice or of a refused question [12.1, 12.2].
 *
 * If a row cannot be written, the run stops, because an unwritten step would be repeated.
 */
import type { PersonAnswer } from "#domain/approval/PersonAnswer"
import type { UnknownOutcome } from "#domain/approval/UnknownOutcome"
import type { JournalledCall } from "#domain/journal/JournalledCall"
import * as JournalRows from "#domain/journal/JournalRows"
import type { ToolReference } from "#domain/tool/ToolDefinition"
import type { Turn } from "#domain/turn/Turn"
import type { CheckpointError, Checkpoints, OpenRun, RunKey } from "#services/Checkpoints"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { AgentEvent } from "./AgentEvent.ts"
import { contractsOf, hasChanged } from "./CalledContracts.ts"
import type { GuardedTurn, ModelAnswer } from "#src/guard/Guard"
import { type EndDecision, modelErrorOf } from "./AgentEnd.ts"
import { encode, type Entry, plainReply, type StoredSteps, writable } from "./JournalEntries.ts"
import { decisionNow, type PersonDecision, type Reply, type Steps } from "./Steps.ts"
import type { RunLease } from "./RunLease.ts"
import type { StoppableResult } from "./Stop.ts"

interface JournalOptions {
  /** True if the run continues after a stored end that is not final. Otherwise the same end is returned again. */
  readonly isResuming: boolean
  readonly store: Checkpoints["Service"]
  readonly key: RunKey
  readonly open: OpenRun
  readonly lease: RunLease
  readonly stored: StoredSteps
  readonly sha256: JournalRows.Sha256
  readonly guard: GuardedTurn["Service"]
  readonly turn: Turn
  readonly tools: ReadonlyMap<string, ToolReference>
  /** Stops the run because a row was not written, or because another process owns the run. */
  readonly stop: (error: CheckpointError) => Effect.Effect<void>
  readonly onEvent: (event: AgentEvent) => Effect.Effect<void>
}

interface Journal {
  readonly steps: Steps
  /** Writes the first row. */
  readonly writeFirstRow: (body: string) => Effect.Effect<void>
  /** Records that a limit ended the run after a round. The events of that round are then not emitted again. */
  readonly writeLimit: (round: number) => Effect.Effect<void>
  /** Emits an event, unless it was emitted before the run was resumed. */
  readonly emit: (event: AgentEvent) => Effect.Effect<void>
}

/** Creates the steps of an open run. */
export const make = ({
  guard,
  isResuming,
  key,
  lease,
  onEvent,
  open,
  sha256,
  stop,
  store,
  stored,
  tools,
  turn
}: JournalOptions): Journal => {
  const writing = Semaphore.makeUnsafe(1)
  let last: JournalRows.Row | undefined = open.rows.at(-1)
  let isWritable = true
  const write = (entry: Entry) => writeText(encode(entry))
  /** Writes rows one at a time, since their checksums form a chain. After a failed write, no further row is written. */
  const writeText = (body: string): Effect.Effect<void> =>
    writing
      .withPermits(1)(
        Effect.suspend(() => {
          if (!isWritable) return Effect.void
          const row = JournalRows.next(sha256, last, body)
          return Effect.matchEffect(lease.proving(store.append(key, open.owner, row)), {
            onSuccess: () => Effect.sync(() => void (last = row)),
            onFailure: (error) => {
              isWritable = false
              return stop(error)
            }
          })
        })
      )
      .pipe(Effect.uninterruptible)
  /** Returns the state of a call: `resumed` if its round is in the journal, since the call may have been started. */
  const stateOf = (round: number, tool: string) =>
    Effect.map(hasChanged(guard, tools, stored.contracts.get(round) ?? {}, tool), (isChanged) => {
      if (isChanged) return "changed"
      return stored.replies.has(round) ? "resumed" : "new"
    })
  /** Stops the run if this process cannot prove that it still owns the run. A call of a stopped run is not started. */
  const ensureOwned = Effect.catch(lease.ensure, stop)
  const done = <A>(value: A): StoppableResult<A> => ({ _tag: "Done", value })
  const emit = (event: AgentEvent) => (isOld(stored, event) ? Effect.void : onEvent(event))
  // about the round that `end` decides: whether later rounds are stored, its stored end, and whether a person refused
  let isPast = false
  let storedEnd: string | undefined
  let isRefused = false
  /** The calls of the restored rounds by call id: the restored answers, and the settled outcomes. */
  const held = new Map<string, ModelAnswer | UnknownOutcome>()
  /**
   * Restores the stored calls of a round in the order of their rows, which is the order in which they ended: a write
   * resets the counts of the calls that ended before it.
   */
  const restoreRound = (round: number, reply: Reply): Effect.Effect<void> => {
    const names = toolNames(reply)
    return Effect.forEach(
      [...stored.calls].filter(([callId]) => names.has(callId)),
      ([callId, call]) => {
        const tool = names.get(callId) ?? ""
        // the model has already read the outcome of an earlier round
        const settledOf = isResuming && round === stored.lastRound ? guard.settledOf(call) : Effect.undefined
        return Effect.flatMap(settledOf, (settled) => {
          const restored: Effect.Effect<ModelAnswer | UnknownOutcome> =
            settled === undefined ? guard.restore(tools, turn, tool, call) : Effect.succeed(settled)
          return Effect.map(restored, (value) => void held.set(callId, value))
        })
      },
      { discard: true }
    )
  }
  return {
    writeFirstRow: writeText,
    writeLimit: (round) =>
      round < 1 || stored.ended.has(round) ? Effect.void : write({ kind: "ended", round, end: "LimitReached" }),
    emit,
    steps: {
      isOpen: true,
      atShutdown: "leave",
      reply: (round, ask) => {
        const reply = stored.replies.get(round)
        if (reply !== undefined) return Effect.as(restoreRound(round, reply), done(reply))
        return Effect.flatMap(ask, (result) => {
          if (result._tag !== "Done") return Effect.succeed(result)
          return Effect.flatMap(contractsOf(guard, tools, result.value), (contracts) => {
            const { body, value } = writable(
              result.value,
              (reply) => ({ kind: "reply", round, reply, contracts }),
              plainReply
            )
            return Effect.as(writeText(body), done(value))
          })
        })
      },
      call: ({ callId, round, tool }, make) => {
        const executed = (settled?: UnknownOutcome) =>
          Effect.tap(
            Effect.andThen(
              ensureOwned,
              Effect.flatMap(stateOf(round, tool), (state) => make(state, settled))
            ),
            (answered) =>
              answered._tag === "Done"
                ? write({ kind: "call", callId, call: asJson(answered.value.journal) })
                : Effect.void
          )
        const before = held.get(callId)
        if (before === undefined) return executed()
        return "text" in before ? Effect.succeed(done(before)) : executed(before)
      },
      keep: (callId, keep) => {
        const url = stored.kept.get(callId)
        if (url !== undefined) return Effect.succeed(url)
        return Effect.tap(keep, (url) => (url === undefined ? Effect.void : write({ kind: "kept", callId, url })))
      },
      ask: (question, ask) => {
        const yes = (answer: PersonAnswer | undefined): PersonDecision =>
          answer === undefined ? { _tag: "Yes" } : { _tag: "Yes", answer }
        const no: PersonDecision = { _tag: "No" }
        if (stored.agreed.has(question)) return Effect.succeed(yes(stored.agreed.get(question)))
        // no approval is stored: the run continued without asking, or it ended and now returns that end again
        if (isPast || (storedEnd !== undefined && !isResuming)) return Effect.succeed(no)
        // a run that ended with a failed request is resumed by asking the model again
        if (storedEnd === "ModelFailed") return Effect.succeed(yes(undefined))
        return Effect.tap(Effect.map(ask, decisionNow), (decision) => {
          if (decision._tag === "Yes") {
            const { answer } = decision
            return write({ kind: "agreed", question, ...(answer === undefined ? {} : { answer }) })
          }
          isRefused = true
          return Effect.void
        })
      },
      notify: (_, round, notify) => (round < stored.lastRound || stored.ended.has(round) ? Effect.void : notify),
      end: (round, decide) =>
        Effect.suspend(() => {
          isPast = round < stored.lastRound
          storedEnd = stored.ended.get(round)
          isRefused = false
          return Effect.flatMap(decide, (end): Effect.Effect<EndDecision | undefined> => {
            const emitCheckpoint = Effect.suspend(() =>
              isWritable ? emit({ _tag: "Checkpointed", run: key.run, round }) : Effect.void
            )
            if (end === undefined || isFinal(end)) return Effect.as(emitCheckpoint, end)
            if (isStopped(end)) return Effect.succeed(end)
            if (isPast) return Effect.succeed(undefined)
            // a resumed run continues after its stored end, unless a person refuses
            if (storedEnd !== undefined) return Effect.succeed(isRefused || !isResuming ? end : undefined)
            const kind = modelErrorOf(end) === undefined ? end._tag : "ModelFailed"
            return Effect.as(Effect.andThen(write({ kind: "ended", round, end: kind }), emitCheckpoint), end)
          })
        })
    }
  }
}

/** Returns the tools that a reply calls, by call id. */
const toolNames = (reply: Reply): ReadonlyMap<string, string> =>
  new Map(
    reply._tag === "Failed"
      ? []
      : reply.said.content.flatMap(({ content, role }) =>
          role === "assistant"
            ? content.flatMap((part) => (part.type === "tool-call" ? [[part.id, part.name] as const] : []))
            : []
        )
  )

/**
 * True if an event was emitted before the run was resumed. In the last stored round, this is true of `RoundStarted`, and
 * of all events if the run ended after that round.
 */
const isOld = ({ ended, lastRound }: StoredSteps, event: AgentEvent): boolean => {
  if (!("round" in event)) return false
  return (
    event.round < lastRound || (event.round === lastRound && (event._tag === "RoundStarted" || ended.has(lastRound)))
  )
}

/** True if the end is final: the run cannot be resumed. */
export const isFinal = <End extends EndDecision>(
  end: End
): end is Extract<End, { readonly _tag: "Answered" | "Refused" }> => end._tag === "Answered" || end._tag === "Refused"

/** True if the run was stopped from outside. A step that was stopped has no result and is executed again. */
const isStopped = ({ _tag }: EndDecision): boolean => _tag === "Interrupted" || _tag === "LimitReached"

/** Converts a journalled call to JSON, which has no undefined members. */
const asJson = (call: JournalledCall | undefined): Schema.Json => JSON.parse(JSON.stringify(call ?? null))
