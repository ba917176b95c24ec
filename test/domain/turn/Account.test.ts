/** Tests the account of one call key: units that are returned, running attempts, and the side effect of its results. */
import { assert, describe, it } from "@effect/vitest"
import { failed, type Outcome, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import * as Account from "#domain/turn/Account"

const fields = { tool: "t", code: "c", detail: "d", hint: "h", sideEffect: "none", traceId: "tr" } as const
const transient = failed(new Failure.Transient(fields))
const permanent = failed(new Failure.Permanent(fields))
const unknown = failed(new Failure.Transient({ ...fields, sideEffect: "unknown" }))
const partial = (sideEffect: Failure.SideEffect): Outcome =>
  failed(new Failure.PartialData({ ...fields, sideEffect, data: [1], next: { page: 2 } }))

const read: Account.Limit = { limit: 3, onlyAfterTransient: false }
const keyed: Account.Limit = { limit: 3, onlyAfterTransient: true }
const repeatable: Account.Limit = { limit: 3, onlyAfterTransient: false, countsFailures: true }

const spend = (account: Account.Account, limit: Account.Limit, spender: Partial<Account.Spender> = {}) =>
  Account.spend(account, limit, { now: 0, ...spender })

/** Returns the account after an attempt. */
const attempted = (
  before: Account.Account,
  outcome: Outcome,
  over: Partial<Account.Settlement> & { readonly now?: number } = {}
): Account.Account => {
  const { now = 0, ...settlement } = over
  const [, running] = spend(before, read, { now })
  return Account.settle(running, { outcome, digest: "", isLast: true, ...settlement })[1]
}

/** Returns the account after transient failures, whose units are returned at `times`. */
const waiting = (...times: ReadonlyArray<number>): Account.Account =>
  times.reduce((account, readyAt) => attempted(account, transient, { readyAt }), Account.unspent)

describe("Account: units that are returned", () => {
  it("4.7 a call before the wait has passed is refused, with the time and the number of units that are returned", () => {
    const [spending, account] = spend(waiting(500, 1_000, 700), read, { now: 999 })
    assert.deepStrictEqual(spending, {
      _tag: "Exhausted",
      last: transient,
      isAnswered: false,
      back: { at: 1_000, units: 3 }
    })
    assert.deepStrictEqual([account.spent, account.returning, account.running], [3, 3, 0])
  })

  it("4.7 when the wait has passed, all units are available again", () => {
    const [spending, account] = spend(waiting(500, 1_000, 700), read, { now: 1_000 })
    assert.deepStrictEqual(spending, { _tag: "Spent", remaining: 2, returning: 0 })
    assert.deepStrictEqual(account, { ...Account.unspent, spent: 1, running: 1, last: transient })
  })

  it("4.7 a failure is never reported as an unchanged result", () => {
    const settled = (readAt: object) =>
      Account.settle(waiting(500), { outcome: transient, digest: "", isLast: true, ...readAt })[0]
    assert.deepStrictEqual([settled({}), settled({ readyAt: 600 })], [false, false])
  })

  it("4.7 units of other failures are not returned", () => {
    const account = attempted(waiting(500, 1_000), permanent)
    assert.deepStrictEqual([account.spent, account.returning, account.readyAt], [3, 2, 1_000])
    assert.deepStrictEqual(spend(account, read, { now: 999 })[0], {
      _tag: "Exhausted",
      last: permanent,
      isAnswered: false,
      back: { at: 1_000, units: 2 }
    })
    assert.deepStrictEqual(spend(account, read, { now: 1_000 })[0], { _tag: "Spent", remaining: 1, returning: 0 })
  })

  it("4.7 the unit of a Transient failure whose effect is unknown is not returned", () => {
    const account = attempted(attempted(attempted(Account.unspent, unknown), unknown), unknown)
    assert.deepStrictEqual(spend(account, read, { now: 1e9 }), [
      { _tag: "Exhausted", last: unknown, isAnswered: false },
      account
    ])
  })

  it("4.7 a repetition within the call takes the unit of the attempt that did nothing", () => {
    const [first, once] = spend(waiting(500, 1_000, 700), read, { isRepeat: true })
    assert.deepStrictEqual(first, { _tag: "Spent", remaining: 0, returning: 2 })
    assert.deepStrictEqual([once.spent, once.returning, once.running, once.readyAt], [3, 2, 1, 1_000])
    const [second, twice] = spend(once, read, { isRepeat: true })
    assert.deepStrictEqual(second, { _tag: "Spent", remaining: 0, returning: 1 })
    assert.deepStrictEqual([twice.spent, twice.returning, twice.running], [3, 1, 2])
    const [, thrice] = spend(twice, read, { isRepeat: true })
    assert.strictEqual(spend(thrice, read, { isRepeat: true })[0]._tag, "Exhausted")
  })

  it("4.7 a repetition takes a new unit while one is left", () => {
    const [spending, account] = spend(waiting(500), read, { isRepeat: true })
    assert.deepStrictEqual(spending, { _tag: "Spent", remaining: 1, returning: 1 })
    assert.deepStrictEqual([account.spent, account.returning], [2, 1])
  })

  it("4.7 after a final outcome of a keyed write, a repetition gets no unit", () => {
    for (const outcome of [permanent, success(1)]) {
      const [spending, account] = spend(attempted(waiting(500), outcome), keyed, { isRepeat: true })
      assert.strictEqual(spending._tag, "Exhausted")
      assert.isFalse("back" in spending)
      assert.strictEqual(account.running, 0)
    }
  })

  it("4.7 the unit of a repetition that was not made is returned at the same time as before", () => {
    const [, repeated] = spend(waiting(500, 1_000, 700), read, { isRepeat: true })
    assert.deepStrictEqual(Account.refund(repeated, true), waiting(500, 1_000, 700))
    const [, first] = spend(Account.unspent, read)
    assert.deepStrictEqual(Account.refund(first), Account.unspent)
    assert.deepStrictEqual(Account.refund(Account.unspent, true), Account.unspent)
  })

  it("4.7 no more units are returned than were spent", () => {
    const settled = Account.settle(waiting(500), { outcome: transient, digest: "", isLast: true, readyAt: 600 })[1]
    assert.deepStrictEqual([settled.spent, settled.returning, settled.readyAt], [1, 1, 600])
  })

  it("4.7 after a result with another digest, no unit waits to be returned", () => {
    const first = attempted(Account.unspent, success(1), { digest: "x" })
    const failedSince = attempted(first, transient, { readyAt: 500 })
    const other = attempted(failedSince, success(2), { digest: "y" })
    assert.deepStrictEqual([other.spent, other.returning, other.readyAt], [0, 0, undefined])
    const same = attempted(failedSince, success(1), { digest: "x" })
    assert.deepStrictEqual([same.spent, same.returning, same.readyAt], [3, 1, 500])
  })
})

describe("Account: running attempts", () => {
  it("4.7 while an attempt of a keyed write runs, the next is refused without an outcome", () => {
    const [, running] = spend(attempted(Account.unspent, transient), keyed)
    assert.deepStrictEqual(spend(running, keyed), [{ _tag: "Exhausted", last: undefined, isAnswered: false }, running])
    assert.strictEqual(spend(running, read)[0]._tag, "Spent")
    assert.strictEqual(spend(running, { ...repeatable, onlyAfterTransient: true })[0]._tag, "Spent")
  })

  it("4.7 if an attempt ends after its account was dropped, the count of running attempts does not fall below zero", () => {
    const [, account] = Account.settle(Account.unspent, { outcome: permanent, digest: "", isLast: true })
    assert.strictEqual(account.running, 0)
    assert.strictEqual(Account.refund(Account.unspent).running, 0)
  })

  it("4.7 an account is kept during progress if its attempt runs or its effect is unknown", () => {
    const [, running] = spend(Account.unspent, read)
    const cases = [Account.unspent, running, attempted(Account.unspent, unknown), attempted(Account.unspent, transient)]
    assert.deepStrictEqual(cases.map(Account.isOpen), [false, true, true, false])
    assert.deepStrictEqual(cases.map(Account.isUnknown), [false, false, true, false])
    const [, both] = spend(attempted(Account.unspent, unknown), read)
    assert.isTrue(Account.isOpen(both))
    assert.isFalse(Account.isOpen(attempted(Account.unspent, success(1))))
  })
})

describe("Account: results", () => {
  it("4.6 a success of a repeatable write frees the units of its failures, but not those of running attempts", () => {
    let account = attempted(attempted(Account.unspent, transient, { readyAt: 500 }), permanent)
    for (let n = 0; n < 2; n++) [, account] = spend(account, repeatable)
    const [unchanged, after] = Account.settle(account, {
      outcome: success(1),
      digest: "x",
      isLast: true,
      countsFailures: true
    })
    assert.isFalse(unchanged)
    assert.deepStrictEqual(after, {
      spent: 1,
      returning: 0,
      readyAt: undefined,
      running: 1,
      last: undefined,
      digest: "x",
      isAnswered: true,
      answeredEffect: "committed"
    })
  })

  it("3.3 the effect of an account is the most serious of its results", () => {
    const effects = (...outcomes: ReadonlyArray<Outcome>) =>
      outcomes.reduce((account, outcome) => attempted(account, outcome), Account.unspent).answeredEffect
    const accepted: Outcome = { ...success(1), isAccepted: true }
    assert.strictEqual(effects(permanent), undefined)
    assert.strictEqual(effects(partial("none")), "none")
    assert.strictEqual(effects(accepted), "unknown")
    assert.strictEqual(effects(success(1)), "committed")
    assert.strictEqual(effects(partial("none"), accepted), "unknown")
    assert.strictEqual(effects(accepted, partial("none")), "unknown")
    assert.strictEqual(effects(accepted, success(1)), "committed")
    assert.strictEqual(effects(success(1), accepted), "committed")
    assert.strictEqual(effects(success(1), partial("none")), "committed")
  })

  it("3.3 the refusal of a call states the effect of its account", () => {
    const account = attempted(Account.unspent, { ...success(1), isAccepted: true })
    assert.deepStrictEqual(spend(account, { ...keyed, limit: 1 })[0], {
      _tag: "Exhausted",
      last: { ...success(1), isAccepted: true },
      isAnswered: true,
      answeredEffect: "unknown"
    })
  })

  it("4.7 the parts of a result count towards the 256 KiB that are held", () => {
    const held = (bytes: number, partBytes: number) => {
      const outcome: Outcome = {
        ...success(1, [{ type: "text", text: "x".repeat(partBytes) }]),
        bytes
      }
      return attempted(Account.unspent, outcome).last !== undefined
    }
    const half = Account.heldBytes / 2
    assert.deepStrictEqual([held(half, half - 100), held(half, half), held(0, Account.heldBytes)], [true, false, false])
  })
})

describe("Account: a failure after an unknown effect", () => {
  const after = attempted(attempted(Account.unspent, unknown), transient)

  it("3.3 the effect stays unknown if the failure did nothing itself", () => {
    assert.isTrue(Account.isUnknown(after))
    assert.strictEqual(after.last?._tag === "Failure" ? after.last.failure._tag : "", "Transient")
  })

  it("3.3 the failure's own effect counts if a lookup found no effect, or the write was done", () => {
    const settledBy = (outcome: Outcome) => Account.isUnknown(attempted(after, outcome))
    const committed = failed(new Failure.Permanent({ ...fields, sideEffect: "committed" }))
    assert.deepStrictEqual([settledBy({ ...transient, isAbsent: true }), settledBy(committed)], [false, false])
  })
})
