/**
 * What a turn remembers of its calls, as a pure fold: failures to recall, effects that were committed, denials, and
 * the latest results of each tool.
 *
 * **Details**
 *
 * - A failure is recalled until a write by any tool was done; a committed one for the whole turn (SPEC 4.6).
 * - A denial is remembered for the whole turn (10.4).
 * - At most `heldResults` results of a tool are held, for its checks.
 */
import * as HashMap from "effect/HashMap"
import { type Failure, SchemaMismatch } from "./Failure.ts"
import type { Failed } from "./Outcome.ts"

export interface TurnHistory {
  readonly failures: HashMap.HashMap<string, Failure>
  readonly committed: HashMap.HashMap<string, Failure>
  readonly denials: HashMap.HashMap<string, Failure>
  readonly results: HashMap.HashMap<string, ReadonlyArray<unknown>>
  /** Idempotency key by call, where the model gave one. */
  readonly keys: HashMap.HashMap<string, string>
  /** Polls by call. */
  readonly polls: HashMap.HashMap<string, Polled>
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
  failures: HashMap.empty(),
  committed: HashMap.empty(),
  denials: HashMap.empty(),
  results: HashMap.empty(),
  keys: HashMap.empty(),
  polls: HashMap.empty(),
  salvaged: 0
}

export const heldResults = 10
/** Most bytes of salvaged answers that a turn holds. */
export const salvagedBytes = 262_144

/** A cut answer is cut again by the same call; what was salvaged of it is recalled while it is small. */
const isSmallSalvage = (failure: Failure, bytes: number): boolean =>
  failure._tag === "PartialData" && failure.code === "salvaged" && bytes > 0 && bytes <= salvagedBytes

const recallable = (failure: Failure): boolean =>
  failure._tag === "ToolArgError" ||
  failure._tag === "SchemaMismatch" ||
  failure._tag === "SemanticGarbage" ||
  (failure._tag === "Permanent" && failure.code !== "unauthorized" && failure.code !== "store_unavailable")

/** The failure that the identical call ended with before in this turn, if it is to be answered from memory. */
export const recall = (history: TurnHistory, key: string): Failure | undefined => {
  const committed = HashMap.get(history.committed, key)
  if (committed._tag === "Some") return committed.value
  const failure = HashMap.get(history.failures, key)
  return failure._tag === "Some" ? failure.value : undefined
}

/** Notes a failure of a call that ran or was refused. Failures that a repeat may change leave no trace. */
export const failed = (history: TurnHistory, key: string, { bytes = 0, failure }: Failed): TurnHistory => {
  if (failure.sideEffect === "committed") {
    return wrote({ ...history, committed: HashMap.set(history.committed, key, withoutData(failure)) })
  }
  if (recallable(failure)) return { ...history, failures: HashMap.set(history.failures, key, failure) }
  if (!isSmallSalvage(failure, bytes) || history.salvaged + bytes > salvagedBytes) return history
  return {
    ...history,
    failures: HashMap.set(history.failures, key, failure),
    salvaged: history.salvaged + bytes
  }
}

/** A committed action is recalled for what it did; its data stands in the conversation already. */
const withoutData = (failure: Failure): Failure =>
  failure._tag !== "PartialData"
    ? failure
    : new SchemaMismatch({
        tool: failure.tool,
        code: "done_unreadable",
        detail: "The action was done; its answer was given above.",
        hint: "Do not call again.",
        sideEffect: "committed",
        traceId: failure.traceId
      })

/** Notes that a call changed the world, by a success or by evidence of it: failures from before it may now pass. */
export const wrote = (history: TurnHistory): TurnHistory =>
  HashMap.size(history.failures) === 0 ? history : { ...history, failures: HashMap.empty(), salvaged: 0 }

/** Notes a result, for the checks of the same tool. */
export const answered = (history: TurnHistory, tool: string, result: unknown): TurnHistory => {
  const found = HashMap.get(history.results, tool)
  const before = found._tag === "Some" ? found.value : []
  return { ...history, results: HashMap.set(history.results, tool, [...before.slice(1 - heldResults), result]) }
}

/** The earlier results of a tool in this turn, oldest first. */
export const previous = (history: TurnHistory, tool: string): ReadonlyArray<unknown> => {
  const found = HashMap.get(history.results, tool)
  return found._tag === "Some" ? found.value : []
}

export const denied = (history: TurnHistory, binding: string, failure: Failure): TurnHistory => ({
  ...history,
  denials: HashMap.set(history.denials, binding, failure)
})

export const denial = (history: TurnHistory, binding: string): Failure | undefined => {
  const found = HashMap.get(history.denials, binding)
  return found._tag === "Some" ? found.value : undefined
}

export const polls = (history: TurnHistory, key: string, polled: Polled): TurnHistory => ({
  ...history,
  polls: HashMap.set(history.polls, key, polled)
})

export const polled = (history: TurnHistory, key: string): Polled | undefined => {
  const found = HashMap.get(history.polls, key)
  return found._tag === "Some" ? found.value : undefined
}
