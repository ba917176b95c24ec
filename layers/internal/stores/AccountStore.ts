/**
 * Budgets over a store of texts: read the account, decide by the pure rule, write where it is still as it was read.
 *
 * No lock is held between the steps, so a process that dies or hangs stands in nobody's way. Where another process was
 * faster the account is read again: each round somebody has got on.
 */
import * as Account from "#domain/turn/Account"
import * as AccountText from "#domain/turn/AccountText"
import * as Turn from "#domain/turn/Turn"
import { type Budgets, BudgetsUnavailable } from "#services/Budgets"
import * as Effect from "effect/Effect"
import { hash } from "node:crypto"

/** A place where accounts are kept. `turn` and `key` are short and hold no text of a call. */
export interface AccountStore {
  readonly read: (turn: string, key: string) => Effect.Effect<AccountText.AccountText | undefined, BudgetsUnavailable>
  /** Writes `after` where the state is still `before` (undefined: there is none); false where it is not. */
  readonly swap: (
    turn: string,
    key: string,
    before: string | undefined,
    after: Written
  ) => Effect.Effect<boolean, BudgetsUnavailable>
  /** Forgets the turn's other accounts, but those that are open. */
  readonly progress: (turn: string, key: string) => Effect.Effect<void, BudgetsUnavailable>
  readonly end: (turn: string) => Effect.Effect<void, BudgetsUnavailable>
}

export interface Written extends AccountText.AccountText {
  readonly isOpen: boolean
}

/** Rounds against other processes. Each that is lost was won by somebody, and few want one call of one turn. */
const mostRounds = 1_000

const sha256 = (text: string): string => hash("sha256", text, "hex")

export const budgets = (store: AccountStore): Budgets["Service"] => {
  /** Applies `step`. An account that is undefined, or the one that came in, is not written. */
  const change = <A>(
    turn: Turn.Turn,
    key: string,
    step: (account: Account.Account | undefined) => readonly [A, Account.Account | undefined]
  ): Effect.Effect<A, BudgetsUnavailable> => {
    const [turnId, keyId] = [sha256(Turn.key(turn)), sha256(key)]
    const round = (left: number): Effect.Effect<A, BudgetsUnavailable> =>
      Effect.flatMap(store.read(turnId, keyId), (text) => {
        const account = text === undefined ? undefined : AccountText.read(text)
        if (text !== undefined && account === undefined) return Effect.fail(broken("An account of it is damaged."))
        const [answer, after] = step(account)
        if (after === undefined || after === account) return Effect.succeed(answer)
        const written = { ...AccountText.write(after), isOpen: Account.isOpen(after) }
        return Effect.flatMap(store.swap(turnId, keyId, text?.state, written), (isWritten) =>
          isWritten
            ? Effect.succeed(answer)
            : left === 0
              ? Effect.fail(broken("Too many processes want one account."))
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
      change(turn, key, (account) => Account.settle(account ?? Account.begun, settlement)),
    refund: (turn, key) => change(turn, key, (account) => [undefined, account && Account.refund(account)]),
    progress: (turn, key) => store.progress(sha256(Turn.key(turn)), sha256(key)),
    end: (turn) => store.end(sha256(Turn.key(turn)))
  }
}

const broken = (why: string): BudgetsUnavailable => new BudgetsUnavailable({ cause: new Error(why) })
