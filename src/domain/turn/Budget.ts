/**
 * Attempts without progress, per call key, within one turn (SPEC 4.7).
 *
 * A persistent map of accounts and pure steps: `spend` before an attempt, `settle` after it, `progress` when the world
 * changed. What happens to one account is `Account`'s; layers only store it.
 *
 * **Gotchas**
 *
 * A result is held only where no further attempt is left, at most `heldResults` of at most `Account.heldBytes`, so that
 * a turn of big results stays small; a repeat of such a call is then refused without its data. Of a turn with very many
 * calls the latest are counted (`Recent`).
 */
import * as Account from "./Account.ts"
import * as Recent from "./Recent.ts"

/** The accounts of one turn. */
export interface Budget {
  readonly accounts: Recent.Recent<Account.Account>
  /** The keys whose successes are held, oldest first. */
  readonly held: ReadonlyArray<string>
}

export const empty: Budget = { accounts: Recent.empty(), held: [] }

export const heldResults = 20

const set = (budget: Budget, key: string, account: Account.Account): Budget => ({
  accounts: Recent.set(budget.accounts, key, account),
  held: budget.held
})

/** Takes one unit, or says that none is left. */
export const spend = (budget: Budget, key: string, limit: Account.Limit): readonly [Account.Spending, Budget] => {
  const before = Recent.get(budget.accounts, key) ?? Account.unspent
  const [spending, account] = Account.spend(before, limit)
  return [spending, account === before ? budget : set(budget, key, account)]
}

/** Gives back a unit that was taken and not used. */
export const refund = (budget: Budget, key: string): Budget => {
  const account = Recent.get(budget.accounts, key)
  return account === undefined ? budget : set(budget, key, Account.refund(account))
}

const letGo = (budget: Budget): Budget => {
  if (budget.held.length <= heldResults) return budget
  const [oldest, ...held] = budget.held as readonly [string, ...Array<string>]
  const account = Recent.get(budget.accounts, oldest)
  if (account?.last?._tag !== "Success") return { ...budget, held }
  return { accounts: Recent.set(budget.accounts, oldest, { ...account, last: undefined }), held }
}

/** Notes how an attempt ended. True: the result is the one before, so nothing new was learned. */
export const settle = (budget: Budget, key: string, settlement: Account.Settlement): readonly [boolean, Budget] => {
  const before = Recent.get(budget.accounts, key) ?? Account.begun
  const [unchanged, account] = Account.settle(before, settlement)
  const settled = set(budget, key, account)
  if (account.last?._tag !== "Success") return [unchanged, settled]
  return [unchanged, letGo({ ...settled, held: [...settled.held.filter((held) => held !== key), key] })]
}

/** A non-read call made progress: all other keys start anew, but those that are open. */
export const progress = (budget: Budget, key: string): Budget => {
  const own = Recent.get(budget.accounts, key)
  const open = Recent.filter(budget.accounts, Account.isOpen)
  return own === undefined
    ? { accounts: open, held: [] }
    : { accounts: Recent.set(open, key, own), held: budget.held.filter((held) => held === key) }
}
