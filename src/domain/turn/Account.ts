/**
 * The account of what one call key has spent in its turn, and pure steps on the account [4.7].
 *
 * The budget of a turn in memory (`Budget`) and the stores that keep one row per key apply the same steps.
 */
import type { Outcome } from "#domain/call/Outcome"

/** The account of one call key. */
export interface Account {
  readonly spent: number
  /** The number of units whose attempts are not settled. An interrupted attempt is never settled. */
  readonly running: number
  readonly last: Outcome | undefined
  /** The digest of the last result, complete or partial. */
  readonly digest: string | undefined
  /** True if there was a result, complete or partial. */
  readonly isAnswered: boolean
}

/** An account that has spent nothing. */
export const unspent: Account = { spent: 0, running: 0, last: undefined, digest: undefined, isAnswered: false }

/** An account whose first attempt is running. It replaces an account that was evicted while its attempt ran. */
export const started: Account = { ...unspent, spent: 1, running: 1 }

/** The maximum number of bytes of a result that is held, so that it can be returned again. */
export const heldBytes = 262_144

/** How many units a key may spend. */
export interface Limit {
  readonly limit: number
  /** True if another unit is available only after a transient failure. */
  readonly onlyAfterTransient: boolean
  /** True if only failures spend units, because `RepeatedWrites` counts the successes. Default false. */
  readonly countsFailures?: boolean
}

/** The result of `spend`. */
export type Spending =
  | { readonly _tag: "Spent"; readonly remaining: number }
  | { readonly _tag: "Exhausted"; readonly last: Outcome | undefined; readonly isAnswered: boolean }

/** The end of an attempt. */
export interface Settlement {
  readonly outcome: Outcome
  /**
   * The text of a short result, the SHA-256 of a long result, or empty without a result. Equal results have equal
   * digests.
   */
  readonly digest: string
  /** True if no attempt remains. A result of at most `heldBytes` is then held for the next identical call. */
  readonly isLast: boolean
  /** True if only failures spend units. A success then returns the spent units. Default false. */
  readonly countsFailures?: boolean
}

const isFinal = (outcome: Outcome | undefined): boolean =>
  outcome?._tag === "Failure" && outcome.failure._tag !== "Transient"

/** Takes one unit. If none is left, the account is returned unchanged. */
export const spend = (
  account: Account,
  { countsFailures = false, limit, onlyAfterTransient }: Limit
): readonly [Spending, Account] => {
  const { isAnswered, last, running, spent } = account
  if (onlyAfterTransient && !countsFailures && running > 0)
    return [{ _tag: "Exhausted", last: undefined, isAnswered }, account]
  const isSettled = countsFailures ? isFinal(last) : isAnswered || isFinal(last)
  const counted = countsFailures ? Math.max(0, spent - running) : spent
  const used = onlyAfterTransient && isSettled ? limit : counted
  return used >= limit
    ? [{ _tag: "Exhausted", last, isAnswered }, account]
    : [
        { _tag: "Spent", remaining: limit - counted - 1 },
        { ...account, spent: spent + 1, running: running + 1 }
      ]
}

const ended = (account: Account): Account => ({ ...account, running: Math.max(0, account.running - 1) })

/** Returns a unit that was taken and not used. */
export const refund = (account: Account): Account => ({ ...ended(account), spent: Math.max(0, account.spent - 1) })

/** Records the end of an attempt. The Boolean is true if the result has the digest of the previous result. */
export const settle = (
  before: Account,
  { countsFailures = false, digest, isLast, outcome }: Settlement
): readonly [boolean, Account] => {
  const account = ended(before)
  if (outcome._tag === "Failure" && outcome.failure._tag !== "PartialData")
    return [false, { ...account, last: outcome }]
  if (countsFailures) {
    // a repeated success is not a result that stays the same
    return [false, { ...account, spent: account.running, last: undefined, digest, isAnswered: true }]
  }
  const unchanged = account.digest === digest
  const isHeld = isLast && outcome._tag === "Success" && (outcome.bytes ?? 0) + partBytes(outcome) <= heldBytes
  return [
    unchanged,
    {
      ...account,
      spent: account.digest !== undefined && !unchanged ? 0 : account.spent,
      last: isHeld ? outcome : undefined,
      digest,
      isAnswered: true
    }
  ]
}

/** Returns the approximate size, in bytes, of the parts beside a result. */
export const partBytes = ({ parts }: { readonly parts?: Outcome["parts"] | undefined }): number =>
  parts === undefined ? 0 : JSON.stringify(parts).length

/**
 * True if the account is kept when another call makes progress, because its attempt is running or its side effect is
 * unknown.
 */
export const isOpen = ({ last, running }: Account): boolean =>
  running > 0 || (last?._tag === "Failure" && last.failure.sideEffect === "unknown")
