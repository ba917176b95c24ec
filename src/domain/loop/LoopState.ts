/**
 * The state of the loop detector for one conversation, and its serialised form.
 *
 * The state is immutable and bounded: it has at most 128 calls, the counts of at most 4,000 calls before them, and at
 * most 16 kinds of failure. A restored state leads to the same verdicts.
 */
import * as Schema from "effect/Schema"
import * as EarlierCalls from "./EarlierCalls.ts"
import * as LoopLog from "./LoopLog.ts"

/** A kind of failure of a tool, with the calls that failed. */
export interface FailureCount {
  readonly tool: string
  /** The class, code and path of the failure. */
  readonly signature: string
  /** The number of failures with different arguments. */
  readonly count: number
  /** The latest distinct keys of the failed calls, at most the threshold `sameFailure`. */
  readonly keys: ReadonlyArray<string>
}

/** The state of the loop detector. */
export interface LoopState {
  readonly log: LoopLog.LoopLog
  readonly failures: ReadonlyArray<FailureCount>
  /** The number of consecutive calls without progress. */
  readonly stale: number
  /** The number of consecutive calls that continued a cycle. */
  readonly cycling: number
  /** The latest successful write: tool and arguments; empty before the first. */
  readonly wroteBy: string
  /** The position of the latest successful write; 0 before the first. */
  readonly wroteAt: number
  /** The position of the latest successful write of another tool or with other arguments; 0 before the first. */
  readonly wroteElseAt: number
  /** The turn and round of the latest notice to the model; empty before the first. */
  readonly toldIn: string
  /** The turn in which a person did not let the calls continue; empty if there is no such turn. */
  readonly deniedIn: string
}

/** The state of a conversation without calls. */
export const initial: LoopState = {
  log: LoopLog.empty,
  failures: [],
  stale: 0,
  cycling: 0,
  wroteBy: "",
  wroteAt: 0,
  wroteElseAt: 0,
  toldIn: "",
  deniedIn: ""
}

const Call = Schema.Struct({
  key: Schema.String,
  tool: Schema.String,
  digest: Schema.String,
  count: Schema.Int,
  at: Schema.Int,
  turn: Schema.optionalKey(Schema.String),
  isExempt: Schema.optionalKey(Schema.Literal(true)),
  readyAt: Schema.optionalKey(Schema.Finite),
  pending: Schema.optionalKey(Schema.Struct({ dueAt: Schema.Finite, isTold: Schema.Boolean })),
  status: Schema.optionalKey(Schema.Struct({ toldMillis: Schema.Int, endedAt: Schema.Finite, askedAt: Schema.Finite }))
})

const Earlier = Schema.Array(
  Schema.Struct({
    key: Schema.String,
    tool: Schema.String,
    digest: Schema.String,
    count: Schema.Int,
    at: Schema.Int,
    turn: Schema.String,
    readyAt: Schema.optionalKey(Schema.Finite)
  })
)

/** A state as JSON. Source: [7.3], "survives a checkpoint". */
export const LoopSnapshot = Schema.Struct({
  size: Schema.Int,
  calls: Schema.Array(Call),
  /** The counts of the calls before these: an older and a younger part. */
  earlier: Schema.optionalKey(Schema.Tuple([Earlier, Earlier])),
  failures: Schema.Array(
    Schema.Struct({
      tool: Schema.String,
      signature: Schema.String,
      count: Schema.Int,
      keys: Schema.Array(Schema.String)
    })
  ),
  stale: Schema.Int,
  cycling: Schema.Int,
  wroteBy: Schema.String,
  wroteAt: Schema.Int,
  wroteElseAt: Schema.Int,
  toldIn: Schema.String,
  deniedIn: Schema.String
})
export type LoopSnapshot = typeof LoopSnapshot.Type

/** Serialises a state. Computes the digests that were not needed before. */
export const snapshot = ({ log, ...rest }: LoopState): LoopSnapshot => ({
  ...rest,
  size: log.size,
  earlier: EarlierCalls.held(log.earlier),
  calls: LoopLog.entries(log).map(({ at, count, digest, isExempt, key, pending, readyAt, status, tool, turn }) => ({
    key,
    tool,
    digest: digest(),
    count,
    at,
    ...(turn === "" ? {} : { turn }),
    ...(isExempt ? { isExempt } : {}),
    ...(pending === undefined ? {} : { pending }),
    ...(readyAt === undefined ? {} : { readyAt }),
    ...(status === undefined ? {} : { status })
  }))
})

/** Restores a serialised state. */
export const restore = ({ calls, earlier = [[], []], size, ...rest }: LoopSnapshot): LoopState => ({
  ...rest,
  log: LoopLog.restore(
    size,
    calls.map(({ at, count, digest, isExempt = false, key, pending, readyAt, status, tool, turn = "" }) => ({
      key,
      hash: LoopLog.hashOf(key),
      tool,
      digest: () => digest,
      count,
      at,
      turn,
      isExempt,
      pending,
      readyAt,
      status
    })),
    EarlierCalls.restore(...earlier)
  )
})
