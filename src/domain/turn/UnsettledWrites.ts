/**
 * Records the writes of a turn that an upstream answered with an error, and whose effect is therefore not known [3.3].
 *
 * An identical call is refused for the rest of the turn. If repeats are allowed, the call is made once more after a
 * read has succeeded, because the model may have checked the effect.
 */
import type { Failure } from "#domain/failure/Failure"
import type { Repeats } from "#domain/tool/PolicyInput"
import * as CallMap from "./CallMap.ts"

/** A write whose effect is unknown. */
interface UnsettledWrite {
  /** The failure; undefined if a later call has succeeded. */
  readonly failure: Failure | undefined
  /** The position of the failure among failures and reads. */
  readonly at: number
  /** True if the call was made again after a read. */
  readonly isRepeated: boolean
}

/** The writes of a turn whose effects are unknown. */
export interface UnsettledWrites {
  readonly writes: CallMap.CallMap<UnsettledWrite>
  /** The number of failures, and of successful reads since the first failure. */
  readonly size: number
  /** The position of the latest successful read since the first failure; 0 before it. */
  readonly lookedAt: number
}

/** No writes. */
export const empty: UnsettledWrites = { writes: CallMap.empty(), size: 0, lookedAt: 0 }

/** True if no write has been recorded. A write that has succeeded since is still recorded. */
export const isEmpty = ({ writes }: UnsettledWrites): boolean => CallMap.isEmpty(writes)

const set = (self: UnsettledWrites, call: string, write: UnsettledWrite): UnsettledWrites => ({
  ...self,
  writes: CallMap.set(self.writes, call, write)
})

/** Records a failure after which the effect is unknown. A failure of the repeated call is final. */
export const failed = (self: UnsettledWrites, call: string, failure: Failure): UnsettledWrites => {
  const at = self.size + 1
  const before = CallMap.get(self.writes, call)
  const isRepeated = before !== undefined && before.failure !== undefined
  return set({ ...self, size: at }, call, { failure, at, isRepeated })
}

/**
 * Returns the failure of a write whose effect is unknown; undefined if the write has no such failure, or has succeeded
 * since.
 */
export const failureOf = ({ writes }: UnsettledWrites, call: string): Failure | undefined =>
  CallMap.get(writes, call)?.failure

/** Records that a read has succeeded. */
export const looked = (self: UnsettledWrites): UnsettledWrites =>
  isEmpty(self) ? self : { ...self, size: self.size + 1, lookedAt: self.size + 1 }

/** Records that a write has succeeded. */
export const succeeded = (self: UnsettledWrites, call: string): UnsettledWrites => {
  const before = CallMap.get(self.writes, call)
  return before?.failure === undefined ? self : set(self, call, { ...before, failure: undefined })
}

/**
 * Returns the failure that refuses a write, `again` if the write is made once more, or `settled` if it has succeeded.
 */
export const begin = (
  self: UnsettledWrites,
  call: string,
  repeats: Repeats | undefined
): readonly [Failure | "again" | "settled" | undefined, UnsettledWrites] => {
  const before = CallMap.get(self.writes, call)
  if (before === undefined) return [undefined, self]
  if (before.failure === undefined) return ["settled", self]
  const isAgain = repeats === "allowed" && !before.isRepeated && self.lookedAt > before.at
  return isAgain ? ["again", set(self, call, { ...before, isRepeated: true })] : [before.failure, self]
}
