import { assert, describe, it } from "@effect/vitest"
import * as Account from "#domain/turn/Account"
import * as AccountText from "#domain/turn/AccountText"
import * as Failure from "#domain/failure/Failure"
import { failed, type Outcome, success } from "#domain/call/Outcome"

const fields = { tool: "t", code: "c", detail: "d", hint: "h", sideEffect: "unknown", traceId: "tr" } as const
const permanent = failed(new Failure.Permanent(fields))
const written: Outcome = { ...success(new Date(0)), json: `{"n":1}`, digest: "x" }
const read: Outcome = { _tag: "Success", value: { n: 1 }, json: `{"n":1}`, digest: "x", isEncoded: true }

const account = (over: Partial<Account.Account>): Account.Account => ({ ...Account.unspent, ...over })
const write = (written: Account.Account) => AccountText.write(written, "w 1")
const roundTrip = (over: Partial<Account.Account>) => AccountText.read(write(account(over)))

describe("an account as text", () => {
  it("4.7 contains the counts, the digest and the last failure", () => {
    for (const over of [
      {},
      { spent: 3, running: 2 },
      { spent: 1, digest: "d", isAnswered: true, answeredEffect: "unknown" as const }
    ]) {
      assert.deepStrictEqual(roundTrip(over), account(over))
    }
    assert.deepStrictEqual(roundTrip({ last: permanent }), account({ last: { ...permanent, isEncoded: true } }))
  })

  it("4.7 writes a result as JSON, separate from the state", () => {
    assert.deepStrictEqual(roundTrip({ last: written }), account({ last: read }))
    const { result, state } = write(account({ last: written }))
    assert.deepStrictEqual(write(account({})), { state, result: undefined })
    assert.deepStrictEqual(AccountText.read({ state, result: undefined }), account({}))
    assert.strictEqual(write(account({ last: read })).result, result)
  })

  it("4.7 does not write a result that is not available as JSON", () => {
    assert.deepStrictEqual(roundTrip({ last: success(1n) }), account({}))
  })

  it("4.7 writes a result of a store again without its JSON text; a failure is not a result", () => {
    const encoded: Outcome = { _tag: "Success", value: { n: 1 }, isEncoded: true }
    assert.deepStrictEqual(roundTrip({ last: encoded })?.last, { ...encoded, json: '{"n":1}' })
    for (const failure of [permanent, { ...permanent, isEncoded: true } as const])
      assert.isUndefined(write(account({ last: failure })).result)
    const partial = failed(new Failure.PartialData({ ...fields, data: { n: [1] }, next: { page: 2 } }))
    assert.deepStrictEqual(roundTrip({ last: partial })?.last, { ...partial, isEncoded: true })
  })

  it("4.7 differs from the text of another write of an equal account", () => {
    const [one, other] = ["w 1", "w 2"].map((writeId) => AccountText.write(account({}), writeId))
    assert.notStrictEqual(one!.state, other!.state)
    assert.deepStrictEqual(AccountText.read(one!), AccountText.read(other!))
  })

  it("3.1 refuses texts that are not an account", () => {
    const { state } = write(Account.started)
    for (const text of [
      { state: "", result: undefined },
      { state: `{"spent":"1"}`, result: undefined },
      { state: state.slice(1), result: undefined },
      { state, result: "{" }
    ]) {
      assert.isUndefined(AccountText.read(text))
    }
  })
})
