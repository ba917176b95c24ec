/**
 * Keeps budgets in a store of texts: takes the account, applies the pure rule, and writes if the stored account is still
 * the one that it took.
 *
 * An account that this process wrote last is known, and an account that it has not seen is assumed to be new. Both are
 * written without reading first: a spend and a settle are one write each. If the assumption is wrong, the write changes
 * nothing, and the account is read. An answer without a write, such as a refusal, always comes from an account that was
 * read.
 *
 * No lock is held between the steps, so a process that crashes or hangs does not block the others. If another
 * process has written in the meantime, the account is read again; in each round of attempts, one process succeeds.
 *
 * A store may repeat a write whose connection broke. If a write fails, for example because its connection broke, the account is read once more: the store may have written
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
import { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { hash } from "node:crypto"
import * as KnownAccounts from "./KnownAccounts.ts"
import * as StoreClock from "./StoreClock.ts"

/** Stores accounts as texts. `turn` and `key` are digests. */
export interface AccountStore {
  readonly read: (turn: string, key: string) => Effect.Effect<ReadAccount, BudgetsUnavailable>
  /**
   * Writes `after` if the state is still `before` (undefined: no row), and returns the time of the store's clock.
   * Otherwise returns undefined.
   */
  readonly swap: (
    turn: string,
    key: string,
    before: string | undefined,
    after: StorableAccount
  ) => Effect.Effect<{ readonly now: number } | undefined, BudgetsUnavailable>
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
  const known = KnownAccounts.make()
  /**
   * Applies `step`, which receives the lead of the store's clock in milliseconds. Writes nothing if `step` returns no
   * account or the same account.
   */
  const change = <A>(
    turn: Turn.Turn,
    key: string,
    step: (account: Account.Account | undefined, ahead: number) => readonly [A, Account.Account | undefined]
  ): Effect.Effect<A, BudgetsUnavailable> =>
    Effect.suspend(() => {
      const [turnId, keyId] = [sha256(Turn.key(turn)), sha256(key)]
      const place: AtRest.Place = ["budgets", turnId, keyId]
      const id = `${turnId}${keyId}`
      const toStore = (after: Account.Account): StorableAccount => {
        const { result, state } = AccountText.write(after, `${writerId} ${++writes}`)
        return {
          state: cipher.seal(state, place),
          result: result === undefined ? undefined : cipher.seal(result, place),
          isOpen: Account.isOpen(after)
        }
      }
      /** Returns true if the store holds the state, although writing it failed. */
      const isStored = ({ state }: StorableAccount, error: BudgetsUnavailable) =>
        Effect.matchEffect(store.read(turnId, keyId), {
          onFailure: () => Effect.fail(error),
          onSuccess: ({ account }) => (account?.state === state ? Effect.succeed(true) : Effect.fail(error))
        })
      /**
       * Applies the step to an account and writes the result. Continues with `otherwise` if the stored state is not
       * `before`, or if there is nothing to write and the account is only assumed.
       */
      const applied = (
        before: AccountText.AccountText | undefined,
        account: Account.Account | undefined,
        isAssumed: boolean,
        otherwise: (tried?: { readonly state: string; readonly answer: A }) => Effect.Effect<A, BudgetsUnavailable>
      ): Effect.Effect<A, BudgetsUnavailable> => {
        const [answer, after] = step(account, clock.ahead())
        if (after === undefined || after === account) return isAssumed ? otherwise() : Effect.succeed(answer)
        const storable = toStore(after)
        const writing = Effect.catch(
          Effect.map(
            clock.timed(store.swap(turnId, keyId, before?.state, storable)),
            (swapped) => swapped !== undefined
          ),
          // a store that hangs would let the caller wait twice as long
          (error) => (isAssumed && isTimeout(error) ? Effect.fail(error) : isStored(storable, error))
        )
        return Effect.flatMap(writing, (isWritten) => {
          if (!isWritten) return otherwise({ state: storable.state, answer })
          known.set(id, storable, after)
          return Effect.succeed(answer)
        })
      }
      /**
       * Reads the account and applies the step. `tried` is the state of the last write, which changed nothing: if it is
       * stored, the store has repeated the write because its first answer was lost.
       */
      const attempt = (
        left: number,
        tried?: { readonly state: string; readonly answer: A }
      ): Effect.Effect<A, BudgetsUnavailable> =>
        Effect.flatMap(clock.timed(store.read(turnId, keyId)), ({ account: stored }) =>
          Effect.flatMap(opened(stored, place), (text) => {
            const account = text === undefined ? undefined : AccountText.read(text)
            if (text !== undefined && account === undefined) return broken("A stored budget is damaged.")
            if (stored !== undefined && account !== undefined) known.set(id, stored, account)
            if (tried !== undefined && tried.state === stored?.state) return Effect.succeed(tried.answer)
            return applied(stored, account, false, (tried) =>
              left === 0 ? broken("Too many processes use one account.") : attempt(left - 1, tried)
            )
          })
        )
      const assumed = known.take(id)
      return assumed === undefined
        ? attempt(maxAttempts)
        : applied(assumed.stored, assumed.account, true, (tried) => attempt(maxAttempts, tried))
    })
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

const isTimeout = ({ cause }: BudgetsUnavailable): boolean =>
  cause instanceof DatabaseUnavailable && Cause.isTimeoutError(cause.cause)

const broken = (why: string): Effect.Effect<never, BudgetsUnavailable> =>
  Effect.fail(new BudgetsUnavailable({ cause: new Error(why) }))
