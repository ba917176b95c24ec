/**
 * Counts attempts without progress, per call key, within one turn [4.7].
 *
 * A budget is an immutable map of accounts with pure steps: `spend` before an attempt, `settle` after it, and
 * `progress` when a call changed something. `Account` has the rules for one account; layers only store the accounts.
 *
 * **Gotchas**
 *
 * A result is held only if no attempt remains. A turn holds at most `heldResults` results of at most
 * `Account.heldBytes` each, so that a turn with large results stays small. If the result of a call is not held, a
 * repeated call is refused without data. In a turn with very many calls, only the latest calls (`RecentEntries`) and the
 * writes whose side effect is unknown (`CallMap`) are counted.
 */
import * as Account from "./Account.ts"
import * as CallMap from "./CallMap.ts"
import * as RecentEntries from "./RecentEntries.ts"

/** The accounts of one turn. */
interface Budget {
  readonly accounts: RecentEntries.RecentEntries<Account.Account>
  /** The accounts of writes whose side effect is unknown. They are not dropped. */
  readonly unknown: CallMap.CallMap<Account.Account>
  /** The keys whose results are held, oldest first. */
  readonly held: ReadonlyArray<string>
}

/** A budget without accounts. */
export const empty: Budget = { accounts: RecentEntries.empty(), unknown: CallMap.empty(), held: [] }

/** The maximum number of results that a turn holds. */
export const heldResults = 20

/** Returns the account of a key, if it has one. */
const get = ({ accounts, unknown }: Budget, key: string): Account.Account | undefined =>
  CallMap.get(unknown, key) ?? RecentEntries.get(accounts, key)

const set = (budget: Budget, key: string, account: Account.Account): Budget =>
  Account.isUnknown(account)
    ? { ...budget, unknown: CallMap.set(budget.unknown, key, account) }
    : {
        accounts: RecentEntries.set(budget.accounts, key, account),
        unknown: CallMap.isEmpty(budget.unknown) ? budget.unknown : CallMap.remove(budget.unknown, key),
        held: budget.held
      }

/** Takes one unit, if one is left. */
export const spend = (
  budget: Budget,
  key: string,
  limit: Account.Limit,
  spender: Account.Spender
): readonly [Account.Spending, Budget] => {
  const before = get(budget, key) ?? Account.unspent
  const [spending, account] = Account.spend(before, limit, spender)
  return [spending, account === before ? budget : set(budget, key, account)]
}

/** Returns a unit that was taken and not used. */
export const refund = (budget: Budget, key: string, isRepeat = false): Budget => {
  const account = get(budget, key)
  return account === undefined ? budget : set(budget, key, Account.refund(account, isRepeat))
}

/** Drops the oldest held result if there are too many. */
const evict = (budget: Budget): Budget => {
  if (budget.held.length <= heldResults) return budget
  const [oldest, ...held] = budget.held as readonly [string, ...Array<string>]
  const account = get(budget, oldest)
  if (account?.last?._tag !== "Success") return { ...budget, held }
  return { ...set(budget, oldest, { ...account, last: undefined }), held }
}

/** Records the end of an attempt. The Boolean is true if the result equals the previous result. */
export const settle = (budget: Budget, key: string, settlement: Account.Settlement): readonly [boolean, Budget] => {
  const before = get(budget, key) ?? Account.started
  const [unchanged, account] = Account.settle(before, settlement)
  const settled = set(budget, key, account)
  if (account.last?._tag !== "Success") return [unchanged, settled]
  return [unchanged, evict({ ...settled, held: [...settled.held.filter((held) => held !== key), key] })]
}

/** Records that a write made progress. Resets all other accounts, except open accounts. */
export const progress = (budget: Budget, key: string): Budget => {
  const own = RecentEntries.get(budget.accounts, key)
  const open = RecentEntries.filter(budget.accounts, Account.isOpen)
  const { unknown } = budget
  return own === undefined
    ? { accounts: open, unknown, held: [] }
    : { accounts: RecentEntries.set(open, key, own), unknown, held: budget.held.filter((held) => held === key) }
}
