import * as AtRest from "#services/AtRest"
import { type AccountStore, budgets } from "#layers/internal/stores/AccountStore"
import { BudgetsUnavailable } from "#services/Budgets"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { done, permanent, turn } from "../../../contracts/values.ts"

const limit = { limit: 2, onlyAfterTransient: true }
const spender = { now: 0 }
const unavailable = new BudgetsUnavailable({ cause: new Error("the connection broke") })

/** A store in memory that any number of processes share. Records the operations. */
const shared = () => {
  const stored = new Map<string, { readonly state: string; readonly result: string | undefined }>()
  const operations: Array<string> = []
  let isRepeating = false
  const store: AccountStore = {
    read: (_turn, key) =>
      Effect.sync(() => {
        operations.push("read")
        return { account: stored.get(key), now: 0 }
      }),
    swap: (_turn, key, before, after) =>
      Effect.sync(() => {
        if (isRepeating) {
          isRepeating = false
          operations.push("write")
          stored.set(key, after)
        }
        const isCurrent = stored.get(key)?.state === before
        operations.push(isCurrent ? "write" : "refused write")
        if (isCurrent) stored.set(key, after)
        return isCurrent ? { now: 0 } : undefined
      }),
    progress: () => Effect.sync(() => stored.clear()),
    end: () => Effect.sync(() => stored.clear())
  }
  return {
    process: (writerId: string) => Effect.map(AtRest.AtRest, (cipher) => budgets(store, cipher, writerId)),
    /** Makes the store write twice, as after a connection that broke before the first answer. */
    repeatNextWrite: () => {
      isRepeating = true
    },
    /** Returns the operations since the last time. */
    operations: () => operations.splice(0)
  }
}

describe("a store of budgets", () => {
  const settled = { outcome: done({ n: 1 }), digest: "d", isLast: true }
  const failed = { outcome: permanent(), digest: "", isLast: true }

  it.effect("4.7 a spend and a settle are one write each", () =>
    Effect.gen(function* () {
      const { operations, process } = shared()
      const { settle, spend } = yield* process("a")
      yield* spend(turn, "k", limit, spender)
      yield* settle(turn, "k", settled)
      assert.deepStrictEqual(operations(), ["write", "write"])
    })
  )

  it.effect("4.7 refuses only by an account that it has read", () =>
    Effect.gen(function* () {
      const { operations, process } = shared()
      const [one, other] = [yield* process("a"), yield* process("b")]
      const once = { limit: 1, onlyAfterTransient: false }
      yield* one.spend(turn, "k", once, spender)
      yield* one.settle(turn, "k", failed)
      // the other process resets the account
      yield* other.progress(turn, "k")
      operations()
      assert.strictEqual((yield* one.spend(turn, "k", once, spender))._tag, "Spent")
      assert.deepStrictEqual(operations(), ["read", "write"])
    })
  )

  it.effect("4.7 counts what other processes spent on an account that it remembers", () =>
    Effect.gen(function* () {
      const { operations, process } = shared()
      const [one, other] = [yield* process("a"), yield* process("b")]
      const two = { limit: 2, onlyAfterTransient: false }
      yield* one.spend(turn, "k", two, spender)
      assert.deepStrictEqual(yield* other.spend(turn, "k", two, spender), { _tag: "Spent", remaining: 0, returning: 0 })
      operations()
      assert.strictEqual((yield* one.spend(turn, "k", two, spender))._tag, "Exhausted")
      assert.deepStrictEqual(operations(), ["refused write", "read"])
    })
  )

  it.effect("4.7 has spent one unit if the store repeated a write whose answer was lost", () =>
    Effect.gen(function* () {
      const { operations, process, repeatNextWrite } = shared()
      const { spend } = yield* process("a")
      repeatNextWrite()
      assert.deepStrictEqual(yield* spend(turn, "k", limit, spender), { _tag: "Spent", remaining: 1, returning: 0 })
      assert.deepStrictEqual(operations(), ["write", "refused write", "read"])
    })
  )

  it.effect("4.7 reads an account whose result it holds no more in memory", () =>
    Effect.gen(function* () {
      const { operations, process } = shared()
      const { settle, spend } = yield* process("a")
      yield* spend(turn, "k", limit, spender)
      yield* settle(turn, "k", settled)
      operations()
      assert.deepInclude(yield* spend(turn, "k", limit, spender), { _tag: "Exhausted", isAnswered: true })
      assert.deepStrictEqual(operations(), ["read"])
    })
  )
})

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
        if (broken !== undefined) return Effect.fail(unavailable)
        return Effect.succeed(isCurrent ? { now: 0 } : undefined)
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
