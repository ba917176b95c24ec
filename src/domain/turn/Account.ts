/**
 * What one call key has spent in its turn, and four pure steps on it (SPEC 4.7).
 *
 * The rule stands here alone: the budget of a turn in memory (`Budget`) and the stores that keep one row a key apply the
 * same steps.
 */
import type { Outcome } from "#domain/call/Outcome"

/** One call key's account. */
export interface Account {
  readonly spent: number
  /** Units whose attempts have not been settled; one that was interrupted never is. */
  readonly running: number
  readonly last: Outcome | undefined
  /** Of the last result, whole or partial. */
  readonly digest: string | undefined
  /** A result was given, whole or partial. */
  readonly isAnswered: boolean
}

/** Nothing was spent yet. */
export const unspent: Account = { spent: 0, running: 0, last: undefined, digest: undefined, isAnswered: false }

/** One unit was spent; also what is assumed of an account that was forgotten while its attempt ran. */
export const begun: Account = { ...unspent, spent: 1, running: 1 }

/** Longest text of a result that is held to be given again, in bytes. */
export const heldBytes = 262_144

export interface Limit {
  readonly limit: number
  readonly onlyAfterTransient: boolean
}

export type Spending =
  | { readonly _tag: "Spent"; readonly remaining: number }
  | { readonly _tag: "Exhausted"; readonly last: Outcome | undefined; readonly isAnswered: boolean }

/** How an attempt ended, as its account takes it. */
export interface Settlement {
  readonly outcome: Outcome
  /** Equal for equal results: a short result's text or a long one's SHA-256. Empty for an outcome without a result. */
  readonly digest: string
  /** No further attempt is left, so a result of at most `heldBytes` is held and given again to the next equal call. */
  readonly isLast: boolean
}

const isTransient = (outcome: Outcome): boolean => outcome._tag === "Failure" && outcome.failure._tag === "Transient"

/** Takes one unit, or says that none is left: then the account is the same object. */
export const spend = (account: Account, { limit, onlyAfterTransient }: Limit): readonly [Spending, Account] => {
  const { isAnswered, last, running, spent } = account
  if (onlyAfterTransient && running > 0) return [{ _tag: "Exhausted", last: undefined, isAnswered }, account]
  const isSettled = isAnswered || (last !== undefined && !isTransient(last))
  const used = onlyAfterTransient && isSettled ? limit : spent
  return used >= limit
    ? [{ _tag: "Exhausted", last, isAnswered }, account]
    : [
        { _tag: "Spent", remaining: limit - spent - 1 },
        { ...account, spent: spent + 1, running: running + 1 }
      ]
}

const ended = (account: Account): Account => ({ ...account, running: Math.max(0, account.running - 1) })

/** Gives back a unit that was taken and not used. */
export const refund = (account: Account): Account => ({ ...ended(account), spent: Math.max(0, account.spent - 1) })

/** Notes how an attempt ended. True: a result with the same digest as the one before, so nothing new was learned. */
export const settle = (before: Account, { digest, isLast, outcome }: Settlement): readonly [boolean, Account] => {
  const account = ended(before)
  if (outcome._tag === "Failure" && outcome.failure._tag !== "PartialData")
    return [false, { ...account, last: outcome }]
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

const partBytes = ({ parts }: Outcome): number => (parts === undefined ? 0 : JSON.stringify(parts).length)

/** True where progress elsewhere does not reset the account: its attempt runs, or may have done what nobody knows. */
export const isOpen = ({ last, running }: Account): boolean =>
  running > 0 || (last?._tag === "Failure" && last.failure.sideEffect === "unknown")
