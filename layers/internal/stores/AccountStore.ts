/**
 * Budgets over a store of texts: reads the account, applies the pure rule, and writes if the account has not changed since.
 *
 * No lock is held between the steps, so that a process that dies or hangs blocks no other. If another process has written in the
 * meantime, the account is read again; in every round one process makes progress.
 */
import * as Account from "#domain/turn/Account"
import * as AccountText from "#domain/turn/AccountText"
import * as Turn from "#domain/turn/Turn"
import { type Budgets, BudgetsUnavailable } from "#services/Budgets"
import * as Effect from "effect/Effect"
import { hash } from "node:crypto"

/** Stores accounts as texts. `turn` and `key` are digests. */
export interface AccountStore {
  readonly read: (turn: string, key: string) => Effect.Effect<AccountText.AccountText | undefined, BudgetsUnavailable>
  /** Writes `after` if the state is still `before` (undefined: no row). Otherwise returns false. */
  readonly swap: (
    turn: string,
    key: string,
    before: string | undefined,
    after: StorableAccount
  ) => Effect.Effect<boolean, BudgetsUnavailable>
  /** Deletes the turn's other accounts, except those that are open. */
  readonly progress: (turn: string, key: string) => Effect.Effect<void, BudgetsUnavailable>
  /** Deletes the accounts of the turn. */
  readonly end: (turn: string) => Effect.Effect<void, BudgetsUnavailable>
}

/** `isOpen`: an attempt is running, or its effect is unknown. */
interface StorableAccount extends AccountText.AccountText {
  readonly isOpen: boolean
}

/** The largest number of rounds. Few processes make the same call of one turn, so that the limit is never reached in practice. */
const mostRounds = 1_000

const sha256 = (text: string): string => hash("sha256", text, "hex")

/** The service over a store. */
export const budgets = (store: AccountStore): Budgets["Service"] => {
  /** Applies `step`. The account is not written if it is undefined or the same as before. */
  const change = <A>(
    turn: Turn.Turn,
    key: string,
    step: (account: Account.Account | undefined) => readonly [A, Account.Account | undefined]
  ): Effect.Effect<A, BudgetsUnavailable> => {
    const [turnId, keyId] = [sha256(Turn.key(turn)), sha256(key)]
    const round = (left: number): Effect.Effect<A, BudgetsUnavailable> =>
      Effect.flatMap(store.read(turnId, keyId), (text) => {
        const account = text === undefined ? undefined : AccountText.read(text)
        if (text !== undefined && account === undefined) return Effect.fail(broken("An account in it is damaged."))
        const [answer, after] = step(account)
        if (after === undefined || after === account) return Effect.succeed(answer)
        const storable = { ...AccountText.write(after), isOpen: Account.isOpen(after) }
        return Effect.flatMap(store.swap(turnId, keyId, text?.state, storable), (isWritten) =>
          isWritten
            ? Effect.succeed(answer)
            : left === 0
              ? Effect.fail(broken("Too many processes use one account."))
              : round(left - 1)
        )
      })
    return round(mostRounds)
  }
  return {
    spend: (turn, key, limit) =>
      change(turn, key, (account) => {
        const [spending, after] = Account.spend(account ?? Account.unspent, limit)
        return [spending, spending._tag === "Spent" ? after : undefined]
      }),
    settle: (turn, key, settlement) =>
      change(turn, key, (account) => Account.settle(account ?? Account.started, settlement)),
    refund: (turn, key) => change(turn, key, (account) => [undefined, account && Account.refund(account)]),
    progress: (turn, key) => store.progress(sha256(Turn.key(turn)), sha256(key)),
    end: (turn) => store.end(sha256(Turn.key(turn)))
  }
}

const broken = (why: string): BudgetsUnavailable => new BudgetsUnavailable({ cause: new Error(why) })
