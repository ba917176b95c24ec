/**
 * What a turn remembers of its calls, as a pure fold: failures to recall, effects that were committed, denials, and
 * the latest results of each tool.
 *
 * **Details**
 *
 * - A failure is recalled until a write by any tool was done; a committed one for the whole turn (SPEC 4.6).
 * - A denial is remembered for the whole turn (10.4).
 * - At most `heldResults` results of a tool are held, for its checks; of everything else the latest (`Recent`).
 */
import * as HashMap from "effect/HashMap"
import type { Access } from "#domain/tool/Access"
import * as Failure from "#domain/failure/Failure"
import type { Failed, Outcome } from "#domain/call/Outcome"
import * as Recent from "./Recent.ts"

export interface TurnHistory {
  readonly failures: Recent.Recent<Failure.Failure>
  readonly committed: Recent.Recent<Failure.Failure>
  readonly denials: Recent.Recent<Failure.Failure>
  readonly results: HashMap.HashMap<string, ReadonlyArray<unknown>>
  /** Idempotency key by call, where the model gave one. */
  readonly keys: Recent.Recent<string>
  /** Polls by call. */
  readonly polls: Recent.Recent<Polled>
  /** Bytes of the salvaged answers that are held. */
  readonly salvaged: number
}

/** How long a call has been polled for. Epoch milliseconds. */
export interface Polled {
  readonly startedAt: number
  readonly lastAt: number
  /** The awaited result was there. */
  readonly isOver: boolean
}

export const empty: TurnHistory = {
  failures: Recent.empty(),
  committed: Recent.empty(),
  denials: Recent.empty(),
  results: HashMap.empty(),
  keys: Recent.empty(),
  polls: Recent.empty(),
  salvaged: 0
}

export const heldResults = 10
/** Most bytes of salvaged answers that a turn holds. */
export const salvagedBytes = 262_144

/** A cut answer is cut again by the same call; what was salvaged of it is recalled while it is small. */
const isSmallSalvage = (failure: Failure.Failure, bytes: number): boolean =>
  failure._tag === "PartialData" && failure.code === "salvaged" && bytes > 0 && bytes <= salvagedBytes

const recallable = (failure: Failure.Failure): boolean =>
  failure._tag === "ToolArgError" ||
  failure._tag === "SchemaMismatch" ||
  failure._tag === "SemanticGarbage" ||
  (failure._tag === "Permanent" && failure.code !== "unauthorized" && failure.code !== "store_unavailable")

/** The failure that the identical call ended with before in this turn, if it is to be answered from memory. */
export const recall = (history: TurnHistory, key: string): Failure.Failure | undefined =>
  Recent.get(history.committed, key) ?? Recent.get(history.failures, key)

/** Notes a failure of a call that ran or was refused. Failures that a repeat may change leave no trace. */
export const failed = (history: TurnHistory, key: string, { bytes = 0, failure }: Failed): TurnHistory => {
  if (failure.sideEffect === "committed") {
    return wrote({ ...history, committed: Recent.set(history.committed, key, withoutData(failure)) })
  }
  if (recallable(failure)) return { ...history, failures: Recent.set(history.failures, key, failure) }
  if (!isSmallSalvage(failure, bytes) || history.salvaged + bytes > salvagedBytes) return history
  return {
    ...history,
    failures: Recent.set(history.failures, key, failure),
    salvaged: history.salvaged + bytes
  }
}

/** A committed action is recalled for what it did; its data stands in the conversation already. */
const withoutData = (failure: Failure.Failure): Failure.Failure =>
  failure._tag !== "PartialData"
    ? failure
    : Failure.ofCode("done_unreadable", {
        tool: failure.tool,
        detail: "The action was done; its answer was given above.",
        hint: "Do not call again.",
        sideEffect: "committed",
        traceId: failure.traceId
      })

/** Notes that a call changed the world, by a success or by evidence of it: failures from before it may now pass. */
export const wrote = (history: TurnHistory): TurnHistory =>
  Recent.isEmpty(history.failures) ? history : { ...history, failures: Recent.empty(), salvaged: 0 }

/** Notes a result, for the checks of the same tool. */
export const answered = (history: TurnHistory, tool: string, result: unknown): TurnHistory => {
  const found = HashMap.get(history.results, tool)
  const before = found._tag === "Some" ? found.value : []
  return { ...history, results: HashMap.set(history.results, tool, [...before.slice(1 - heldResults), result]) }
}

/** A call that has ended, as far as a turn remembers it. */
export interface Ended {
  readonly tool: string
  readonly access: Access
  /** The tool has checks, which are given its earlier results. */
  readonly isChecked: boolean
  readonly key: string
  /** The tool was run: a replay, or a result that is given again, changes nothing. */
  readonly isFresh: boolean
}

/** Notes how a call ended. */
export const ended = (history: TurnHistory, call: Ended, outcome: Outcome): TurnHistory => {
  if (outcome._tag === "Failure") return failed(history, call.key, outcome)
  if (!call.isFresh) return history
  const written = call.access === "read" ? history : wrote(history)
  return call.isChecked ? answered(written, call.tool, outcome.value) : written
}

/** The earlier results of a tool in this turn, oldest first. */
export const previous = (history: TurnHistory, tool: string): ReadonlyArray<unknown> => {
  const found = HashMap.get(history.results, tool)
  return found._tag === "Some" ? found.value : []
}

/** Notes the key of a call; the first one stays. */
export const keyed = (history: TurnHistory, call: string, key: string): TurnHistory =>
  Recent.get(history.keys, call) === undefined ? { ...history, keys: Recent.set(history.keys, call, key) } : history

export const denied = (history: TurnHistory, binding: string, failure: Failure.Failure): TurnHistory => ({
  ...history,
  denials: Recent.set(history.denials, binding, failure)
})

export const denial = (history: TurnHistory, binding: string): Failure.Failure | undefined =>
  Recent.get(history.denials, binding)

export const polls = (history: TurnHistory, key: string, polled: Polled): TurnHistory => ({
  ...history,
  polls: Recent.set(history.polls, key, polled)
})

export const polled = (history: TurnHistory, key: string): Polled | undefined => Recent.get(history.polls, key)
