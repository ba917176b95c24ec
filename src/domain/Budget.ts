/**
 * Attempts without progress, per call key, within one turn (SPEC 4.7).
 *
 * A persistent map and three pure steps: `spend` before an attempt, `settle` after it, `progress` when the world
 * changed. Layers only store it.
 *
 * **Gotchas**
 *
 * A result is held only where no further attempt is left, at most `heldResults` of at most `heldBytes`, so that a turn of
 * big results stays small; a repeat of such a call is then refused without its data. Of a turn with very many calls the
 * latest are counted (`Recent`).
 */
import type { Outcome } from "./Outcome.ts"
import * as Recent from "./Recent.ts"

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

const begun: Account = { spent: 1, running: 1, last: undefined, digest: undefined, isAnswered: false }

/** The accounts of one turn. */
export interface Budget {
  readonly accounts: Recent.Recent<Account>
  /** The keys whose successes are held, oldest first. */
  readonly held: ReadonlyArray<string>
}

export const empty: Budget = { accounts: Recent.empty(), held: [] }

export const heldResults = 20
export const heldBytes = 262_144

export interface Limit {
  readonly limit: number
  readonly onlyAfterTransient: boolean
}

export type Spending =
  | { readonly _tag: "Spent"; readonly remaining: number }
  | { readonly _tag: "Exhausted"; readonly last: Outcome | undefined; readonly isAnswered: boolean }

const isTransient = (outcome: Outcome): boolean => outcome._tag === "Failure" && outcome.failure._tag === "Transient"

const set = (budget: Budget, key: string, account: Account): Budget => ({
  accounts: Recent.set(budget.accounts, key, account),
  held: budget.held
})

/** Takes one unit, or says that none is left. */
export const spend = (
  budget: Budget,
  key: string,
  { limit, onlyAfterTransient }: Limit
): readonly [Spending, Budget] => {
  const account = Recent.get(budget.accounts, key)
  if (account === undefined) {
    return [{ _tag: "Spent", remaining: limit - 1 }, set(budget, key, begun)]
  }
  if (onlyAfterTransient && account.running > 0) {
    return [{ _tag: "Exhausted", last: undefined, isAnswered: account.isAnswered }, budget]
  }
  const isSettled = account.isAnswered || (account.last !== undefined && !isTransient(account.last))
  const used = onlyAfterTransient && isSettled ? limit : account.spent
  return used >= limit
    ? [{ _tag: "Exhausted", last: account.last, isAnswered: account.isAnswered }, budget]
    : [
        { _tag: "Spent", remaining: limit - account.spent - 1 },
        set(budget, key, { ...account, spent: account.spent + 1, running: account.running + 1 })
      ]
}

const ended = (account: Account): Account => ({ ...account, running: Math.max(0, account.running - 1) })

/** Gives back a unit that was taken and not used. */
export const refund = (budget: Budget, key: string): Budget => {
  const account = Recent.get(budget.accounts, key)
  return account === undefined ? budget : set(budget, key, { ...ended(account), spent: Math.max(0, account.spent - 1) })
}

const letGo = (budget: Budget): Budget => {
  if (budget.held.length <= heldResults) return budget
  const [oldest, ...held] = budget.held as readonly [string, ...Array<string>]
  const account = Recent.get(budget.accounts, oldest)
  if (account?.last?._tag !== "Success") return { ...budget, held }
  return { accounts: Recent.set(budget.accounts, oldest, { ...account, last: undefined }), held }
}

/**
 * Notes how an attempt ended. True: a result with the same digest as the one before, so nothing new was learned.
 * `isLast`: no further attempt is left, so the result is held to be given again.
 */
export const settle = (
  budget: Budget,
  key: string,
  outcome: Outcome,
  digest: string,
  isLast: boolean
): readonly [boolean, Budget] => {
  const account = ended(Recent.get(budget.accounts, key) ?? begun)
  if (outcome._tag === "Failure" && outcome.failure._tag !== "PartialData") {
    return [false, set(budget, key, { ...account, last: outcome })]
  }
  const unchanged = account.digest === digest
  const isHeld = isLast && outcome._tag === "Success" && (outcome.bytes ?? 0) <= heldBytes
  const settled = set(budget, key, {
    ...account,
    spent: account.digest !== undefined && !unchanged ? 0 : account.spent,
    last: isHeld ? outcome : undefined,
    digest,
    isAnswered: true
  })
  if (!isHeld) return [unchanged, settled]
  return [unchanged, letGo({ ...settled, held: [...settled.held.filter((held) => held !== key), key] })]
}

/** What is still running, or may have been done, is not begun anew whatever else succeeds. */
const isOpen = ({ last, running }: Account): boolean =>
  running > 0 || (last?._tag === "Failure" && last.failure.sideEffect === "unknown")

/** A non-read call made progress: all other keys start anew, but those that are open. */
export const progress = (budget: Budget, key: string): Budget => {
  const own = Recent.get(budget.accounts, key)
  const open = Recent.filter(budget.accounts, isOpen)
  return own === undefined
    ? { accounts: open, held: [] }
    : { accounts: Recent.set(open, key, own), held: budget.held.filter((held) => held === key) }
}
