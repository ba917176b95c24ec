import * as AtRest from "#services/AtRest"
import { type AccountStore, budgets } from "#layers/internal/stores/AccountStore"
import { BudgetsUnavailable } from "#services/Budgets"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { done, turn } from "../../../contracts/values.ts"

const limit = { limit: 2, onlyAfterTransient: true }
const spender = { now: 0 }
const unavailable = new BudgetsUnavailable({ cause: new Error("the connection broke") })

type Break = "before the write" | "after the write" | "for good, after the write"

/** A store of one account, whose connection breaks as `breaks` says, one entry for each write. */
const breaking = (...breaks: ReadonlyArray<Break | undefined>) => {
  let stored: string | undefined
  let isDown = false
  let writes = 0
  let meanwhile: Effect.Effect<unknown, BudgetsUnavailable> = Effect.void
  const store: AccountStore = {
    read: () =>
      Effect.suspend(() =>
        isDown
          ? Effect.fail(unavailable)
          : Effect.succeed({ account: stored === undefined ? undefined : { state: stored, result: undefined }, now: 0 })
      ),
    swap: (_turn, _key, before, { state }) =>
      Effect.suspend(() => {
        const broken = breaks[writes++]
        if (broken === "before the write") return Effect.andThen(meanwhile, Effect.fail(unavailable))
        const isCurrent = stored === before
        if (isCurrent) stored = state
        isDown = broken === "for good, after the write"
        return broken === undefined ? Effect.succeed(isCurrent) : Effect.fail(unavailable)
      }),
    progress: () => Effect.void,
    end: () => Effect.void
  }
  return {
    make: (writerId: string) => Effect.map(AtRest.AtRest, (cipher) => budgets(store, cipher, writerId)),
    /** Runs a step before a write that breaks. */
    overtakenBy: (step: typeof meanwhile) => {
      meanwhile = step
    },
    recover: () => {
      isDown = false
    }
  }
}

describe("a store of budgets whose connection breaks during a write", () => {
  it.effect("4.7 has spent the unit if it had written it: the answer that was lost is read again", () =>
    Effect.gen(function* () {
      const { settle, spend } = yield* breaking("after the write").make("a")
      assert.deepStrictEqual(yield* spend(turn, "k", limit, spender), { _tag: "Spent", remaining: 1, returning: 0 })
      assert.deepInclude(yield* spend(turn, "k", limit, spender), { _tag: "Exhausted", isAnswered: false })
      yield* settle(turn, "k", { outcome: done({ n: 1 }), digest: "d", isLast: true })
      assert.deepInclude(yield* spend(turn, "k", limit, spender), { _tag: "Exhausted", isAnswered: true })
    })
  )

  it.effect("4.7 has not spent the unit if it had not written it, and spends it for the next call", () =>
    Effect.gen(function* () {
      const { spend } = yield* breaking("before the write").make("a")
      assert.deepStrictEqual(yield* Effect.flip(spend(turn, "k", limit, spender)), unavailable)
      assert.deepStrictEqual(yield* spend(turn, "k", limit, spender), { _tag: "Spent", remaining: 1, returning: 0 })
    })
  )

  it.effect("4.7 fails if another process has written an equal account in the meantime", () =>
    Effect.gen(function* () {
      const store = breaking("before the write")
      const [one, other] = [yield* store.make("a"), yield* store.make("b")]
      store.overtakenBy(one.spend(turn, "k", limit, spender))
      assert.deepStrictEqual(yield* Effect.flip(other.spend(turn, "k", limit, spender)), unavailable)
    })
  )

  it.effect("4.7 fails if the account cannot be read again", () =>
    Effect.gen(function* () {
      const store = breaking("for good, after the write")
      const { spend } = yield* store.make("a")
      assert.deepStrictEqual(yield* Effect.flip(spend(turn, "k", limit, spender)), unavailable)
      store.recover()
      assert.deepInclude(yield* spend(turn, "k", limit, spender), { _tag: "Exhausted", isAnswered: false })
    })
  )
})
