/**
 * Keeps budgets in a store of texts: reads the account, applies the pure rule, and writes if the account has not
 * changed since the read.
 *
 * No lock is held between the steps, so a process that crashes or hangs does not block the others. If another
 * process has written in the meantime, the account is read again; in each round of attempts, one process succeeds.
 *
 * If a write fails, for example because its connection broke, the account is read once more: the store may have written
 * it before the connection broke. Each state contains the id of its write, so that it is recognised.
 *
 * Times in accounts are in the store's clock. Callers pass and receive times of their own clock, so that processes
 * whose clocks differ agree on when a unit becomes available again.
 */
import * as Account from "#domain/turn/Account"
import * as AccountText from "#domain/turn/AccountText"
import * as Turn from "#domain/turn/Turn"
import { type Budgets, BudgetsUnavailable } from "#services/Budgets"
import * as AtRest from "#services/AtRest"
import * as Effect from "effect/Effect"
import { hash } from "node:crypto"
import * as StoreClock from "./StoreClock.ts"

/** Stores accounts as texts. `turn` and `key` are digests. */
export interface AccountStore {
  readonly read: (turn: string, key: string) => Effect.Effect<ReadAccount, BudgetsUnavailable>
  /** Writes `after` if the state is still `before` (undefined: no row). Otherwise returns false. */
  readonly swap: (
    turn: string,
    key: string,
    before: string | undefined,
    after: StorableAccount
  ) => Effect.Effect<boolean, BudgetsUnavailable>
  /** Deletes the turn's other accounts that are not open. */
  readonly progress: (turn: string, key: string) => Effect.Effect<void, BudgetsUnavailable>
  /** Deletes the accounts of the turn. */
  readonly end: (turn: string) => Effect.Effect<void, BudgetsUnavailable>
}

/** An account that was read, if it exists, and the time of the store's clock, in epoch milliseconds. */
interface ReadAccount {
  readonly account: AccountText.AccountText | undefined
  readonly now: number
}

/** An account as a store keeps it. It is open while an attempt is running or if the effect of an attempt is unknown. */
interface StorableAccount extends AccountText.AccountText {
  readonly isOpen: boolean
}

/** The maximum number of attempts. Few processes make the same call in one turn, so the limit is never reached in practice. */
const maxAttempts = 1_000

const sha256 = (text: string): string => hash("sha256", text, "hex")

/** Creates the service over a store. The cipher seals states and results. `writerId` identifies this instance. */
export const budgets = (store: AccountStore, cipher: AtRest.AtRestCipher, writerId: string): Budgets["Service"] => {
  let writes = 0
  const opened = (
    stored: AccountText.AccountText | undefined,
    place: AtRest.Place
  ): Effect.Effect<AccountText.AccountText | undefined, BudgetsUnavailable> => {
    if (stored === undefined) return Effect.succeed(undefined)
    const open = (text: string | undefined) =>
      text === undefined ? Effect.succeed(undefined) : AtRest.openText(cipher, text, place)
    return Effect.mapError(
      Effect.zipWith(AtRest.openText(cipher, stored.state, place), open(stored.result), (state, result) => ({
        state,
        result
      })),
      (cause) => new BudgetsUnavailable({ cause })
    )
  }
  const clock = StoreClock.make()
  /**
   * Applies `step`, which receives the lead of the store's clock in milliseconds. Writes nothing if `step` returns no
   * account or the same account.
   */
  const change = <A>(
    turn: Turn.Turn,
    key: string,
    step: (account: Account.Account | undefined, ahead: number) => readonly [A, Account.Account | undefined]
  ): Effect.Effect<A, BudgetsUnavailable> => {
    const [turnId, keyId] = [sha256(Turn.key(turn)), sha256(key)]
    const place: AtRest.Place = ["budgets", turnId, keyId]
    const attempt = (left: number): Effect.Effect<A, BudgetsUnavailable> =>
      Effect.gen(function* () {
        const [{ account: stored }, ahead] = yield* clock.timed(store.read(turnId, keyId))
        const text = yield* opened(stored, place)
        const account = text === undefined ? undefined : AccountText.read(text)
        if (text !== undefined && account === undefined) return yield* broken("A stored budget is damaged.")
        const [answer, after] = step(account, ahead)
        if (after === undefined || after === account) return answer
        const { result, state } = AccountText.write(after, `${writerId} ${++writes}`)
        const storable = {
          state: cipher.seal(state, place),
          result: result === undefined ? undefined : cipher.seal(result, place),
          isOpen: Account.isOpen(after)
        }
        const isWritten = yield* Effect.catch(store.swap(turnId, keyId, stored?.state, storable), (error) =>
          Effect.matchEffect(store.read(turnId, keyId), {
            onFailure: () => Effect.fail(error),
            onSuccess: ({ account }) => (account?.state === storable.state ? Effect.succeed(true) : Effect.fail(error))
          })
        )
        if (isWritten) return answer
        return left === 0 ? yield* broken("Too many processes use one account.") : yield* attempt(left - 1)
      })
    return attempt(maxAttempts)
  }
  return {
    spend: (turn, key, limit, spender) =>
      change<Account.Spending>(turn, key, (account, ahead) => {
        const inStoreTime = { ...spender, now: spender.now + ahead }
        const [spending, after] = Account.spend(account ?? Account.unspent, limit, inStoreTime)
        return spending._tag === "Spent" ? [spending, after] : [inCallerTime(spending, ahead), undefined]
      }),
    settle: (turn, key, settlement) =>
      change(turn, key, (account, ahead) => {
        const { readyAt } = settlement
        const inStoreTime = readyAt === undefined ? settlement : { ...settlement, readyAt: readyAt + ahead }
        return Account.settle(account ?? Account.started, inStoreTime)
      }),
    refund: (turn, key, isRepeat) =>
      change(turn, key, (account) => [undefined, account && Account.refund(account, isRepeat)]),
    progress: (turn, key) => store.progress(sha256(Turn.key(turn)), sha256(key)),
    end: (turn) => store.end(sha256(Turn.key(turn)))
  }
}

/** Converts the time of a refusal to the caller's clock. */
const inCallerTime = (
  spending: Extract<Account.Spending, { _tag: "Exhausted" }>,
  ahead: number
): Extract<Account.Spending, { _tag: "Exhausted" }> =>
  spending.back === undefined ? spending : { ...spending, back: { ...spending.back, at: spending.back.at - ahead } }

const broken = (why: string): BudgetsUnavailable => new BudgetsUnavailable({ cause: new Error(why) })
