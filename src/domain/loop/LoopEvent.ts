/** The calls that the loop detector reads, and its verdicts. */
import type { Access } from "#domain/tool/Access"
import type { FailureTag } from "#domain/failure/Failure"
import type * as LoopLog from "./LoopLog.ts"
import type { LoopPattern } from "./LoopPattern.ts"
import type { LoopThresholds } from "#domain/tool/LoopThresholds"
import type { StatusPoll } from "./StatusPoll.ts"

/**
 * The verdict on a call. `Tell` notifies the model. `Stop` asks a person, or ends the run if `isEnd`, because a person
 * was already asked in this turn, and refused to let the calls continue or could not be reached.
 */
export type LoopVerdict =
  | { readonly _tag: "Proceed" }
  | ({ readonly _tag: "Tell" } & Finding)
  | ({ readonly _tag: "Stop"; readonly isEnd: boolean } & Finding)

interface Finding {
  readonly pattern: LoopPattern
  /** The number of calls, or of repetitions of a cycle. */
  readonly count: number
  /** One sentence for the model or a person. */
  readonly reason: string
}

/**
 * The decision on a call before it runs: `Proceed`, `Stop`, or a decision about unfinished work or a pending result.
 *
 * - `Unfinished`: the question has no `at`. Wait for the time that `StatusPoll.waiting` returns, and ask again with its
 *   `at`.
 * - `Early`: the call comes sooner than the model was asked to make it, or within a second of a pending result. It gets
 *   the last result.
 */
export type LoopDecision =
  | LoopVerdict
  | { readonly _tag: "Unfinished"; readonly status: StatusPoll }
  | { readonly _tag: "Early"; readonly waitMillis: number }

/** A call that is about to run. */
export interface LoopQuestion {
  /** The thresholds of the tool. Default: `LoopThresholds.defaults`. */
  readonly thresholds?: LoopThresholds | undefined
  readonly tool: string
  /** The tool and the canonical arguments. */
  readonly key: string
  /** True if the tool is a poll whose awaited result has not arrived. */
  readonly poll?: boolean | undefined
  readonly turn?: string | undefined
  /**
   * The time of the call, after the guard's wait, in epoch milliseconds. Used only for the status of unfinished work,
   * and for a call that came too soon after a pending result.
   */
  readonly at?: number | undefined
  /** The time of the call, in epoch milliseconds. Used only after a Transient failure or a pending result. */
  readonly now?: number | undefined
}

/** A call and its outcome. */
export interface LoopEvent extends LoopQuestion {
  readonly access: Access
  readonly outcome:
    | {
        readonly _tag: "Success"
        /**
         * The digest of the result without volatile fields. A function is called at most once, when the digest is
         * needed.
         */
        readonly digest: LoopLog.Digest
      }
    | {
        readonly _tag: "Failure"
        readonly class: FailureTag
        readonly code: string
        /** The path of the first affected field. */
        readonly path?: string | undefined
        /** The digest of the data of PartialData. */
        readonly digest?: LoopLog.Digest | undefined
      }
  /** True if no attempt was made, because the call was recalled or refused. */
  readonly recalled?: boolean | undefined
  /**
   * True if no attempt was made because of a temporary state that the model did not cause: the call came before its
   * `readyAt`, or the circuit was open.
   */
  readonly isUnmade?: boolean | undefined
  /** True if the tool is a write whose repeats are allowed. */
  readonly isRepeatable?: boolean | undefined
  /** True if the result is the status of unfinished work, and the tool declares no poll. */
  readonly isUnfinished?: boolean | undefined
  /** True if the result says that something is pending, is not `isUnfinished`, and the tool declares no poll. */
  readonly isPending?: boolean | undefined
  /** When the call ended, in epoch milliseconds. Default: `at`. */
  readonly endedAt?: number | undefined
  /** When the model may make the call again after a Transient failure, in epoch milliseconds; absent if it may not. */
  readonly readyAt?: number | undefined
  /** The round within the turn. */
  readonly round?: number | undefined
}
