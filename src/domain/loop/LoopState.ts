/**
 * What a loop detector knows of a conversation, and the form in which that is written down.
 *
 * The state is immutable and bounded: at most 128 calls and 16 ways of failing. `LoopSnapshot` is its serialisable form;
 * going on from a snapshot gives the same verdicts as going on from the state.
 */
import * as Schema from "effect/Schema"
import * as LoopLog from "./LoopLog.ts"

/** One way in which calls of a tool fail, and the calls that did. */
export interface FailureCount {
  readonly tool: string
  /** Class, code and path. */
  readonly signature: string
  /** Failures with different arguments. */
  readonly count: number
  /** The latest different keys, at most four. */
  readonly keys: ReadonlyArray<string>
}

export interface LoopState {
  readonly log: LoopLog.LoopLog
  readonly failures: ReadonlyArray<FailureCount>
  /** Calls in a row that brought nothing new. */
  readonly stale: number
  /** Calls in a row that went on in a circle. */
  readonly cycling: number
  /** The tool of the latest success that was no read; empty before any. */
  readonly wroteBy: string
  /** When that was. */
  readonly wroteAt: number
  /** When another tool than that one did so last; 0 before any. */
  readonly wroteElseAt: number
  /** Turn and round in which the model was told last; empty before. */
  readonly toldIn: string
  /** The turn in which a person said no; empty before. */
  readonly deniedIn: string
}

/** Of a conversation without calls. */
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
  at: Schema.Int
})

/** A state as JSON. Source: SPEC 7.3, "survives a checkpoint". */
export const LoopSnapshot = Schema.Struct({
  size: Schema.Int,
  calls: Schema.Array(Call),
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

/** Writes a state down. Asks for every digest that was not needed so far. */
export const snapshot = ({ log, ...rest }: LoopState): LoopSnapshot => ({
  ...rest,
  size: log.size,
  calls: LoopLog.entries(log).map(({ at, count, digest, key, tool }) => ({ key, tool, digest: digest(), count, at }))
})

/** Goes on from what was written down. */
export const restore = ({ calls, size, ...rest }: LoopSnapshot): LoopState => ({
  ...rest,
  log: LoopLog.restore(
    size,
    calls.map(({ at, count, digest, key, tool }) => ({
      key,
      hash: LoopLog.hashOf(key),
      tool,
      digest: () => digest,
      count,
      at
    }))
  )
})
