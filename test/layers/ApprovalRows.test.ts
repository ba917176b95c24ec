/** Tests rows of approval requests that were damaged by hand, and requests of a process that ended between two writes. */
import * as ApprovalsSql from "#layers/ApprovalsSql"
import { Approvals, ApprovalsUnavailable, type Page } from "#services/Approvals"
import { AtRestUnreadable } from "#services/AtRest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { opening } from "../contracts/Approvals.ts"
import { sqliteFile } from "../support/sqliteFile.ts"

const layer = Layer.fresh(Layer.provideMerge(Layer.orDie(ApprovalsSql.layer), sqliteFile))

/** The ways in which a row is damaged, as assignments of an UPDATE. */
const damages = [
  "request = x'7b7d'",
  "request = '{}'",
  "decision = ''",
  "decision = 'x'",
  "decision = x'7b7d'",
  `decision = '{"verdict":"perhaps"}'`,
  "state = 'signed'",
  "expires_at = 'never'",
  "expires_at = 1.5",
  "told_at = 'never'"
]

describe("rows of approval requests", () => {
  for (const damage of damages) {
    it.effect(`10.3 a request with ${damage} leads to an error`, () =>
      Effect.gen(function* () {
        const { consume, decide, find, open } = yield* Approvals
        const sql = yield* SqlClient.SqlClient
        const { request } = yield* open(opening("damaged"))
        yield* decide(request.id, { verdict: "approve", by: "ana", reason: "" })
        yield* sql.unsafe(`UPDATE toolguard_approvals SET ${damage}`)
        const deciding = decide(request.id, { verdict: "deny", by: "ben", reason: "" })
        const steps = [Effect.asVoid(find(request.id)), Effect.asVoid(deciding), consume(request.id, request.binding)]
        for (const step of steps) {
          assert.instanceOf(yield* Effect.flip(step), ApprovalsUnavailable)
        }
      }).pipe(Effect.provide(layer))
    )
  }

  it.effect("10.3 a damaged list of the people who have seen masked parts leads to an error", () =>
    Effect.gen(function* () {
      const { find, open } = yield* Approvals
      const sql = yield* SqlClient.SqlClient
      const { request } = yield* open(opening("damaged", { revealed: Redacted.make("secret") }))
      yield* sql`UPDATE toolguard_reveals SET reveals = 'nobody'`
      assert.instanceOf(yield* Effect.flip(find(request.id)), ApprovalsUnavailable)
    }).pipe(Effect.provide(layer))
  )

  for (const damage of damages.filter((damage) => !/^(?:state|expires_at = 1)/.test(damage))) {
    it.effect(`10.3 a pending request with ${damage} is named in lists and does not hide the others`, () =>
      Effect.gen(function* () {
        const { open, pending } = yield* Approvals
        const sql = yield* SqlClient.SqlClient
        const opened = (name: string) =>
          Effect.map(Effect.tap(open(opening(name)), TestClock.adjust("1 second")), ({ request }) => request.id)
        const [first, damaged, last] = yield* Effect.all([opened("first"), opened("damaged"), opened("last")])
        yield* sql.unsafe(`UPDATE toolguard_approvals SET ${damage} WHERE id = '${damaged}'`)
        const ids = ({ requests, total, unreadable }: Page) => [requests.map(({ id }) => id), unreadable, total]
        assert.deepStrictEqual(ids(yield* pending({ limit: 10 })), [[first, last], [damaged], 3])
        assert.deepStrictEqual(ids(yield* pending({ limit: 10, after: damaged })), [[last], undefined, 3])
      }).pipe(Effect.provide(layer))
    )
  }

  it.effect("10.3 a list with a request that was encrypted with an unknown key leads to an error", () =>
    Effect.gen(function* () {
      const { open, pending } = yield* Approvals
      const sql = yield* SqlClient.SqlClient
      yield* open(opening("sealed"))
      yield* sql`UPDATE toolguard_approvals SET request = 'toolguard-aes1:other:00000000:AAAA'`
      const { cause } = yield* Effect.flip(pending({ limit: 10 }))
      assert.instanceOf(cause, AtRestUnreadable)
      assert.strictEqual(cause.reason, "no_key")
    }).pipe(Effect.provide(layer))
  )

  it.effect("10.3 a request is not stored without its masked parts", () =>
    Effect.gen(function* () {
      const { open, pending } = yield* Approvals
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TRIGGER stopped BEFORE INSERT ON toolguard_reveals BEGIN SELECT RAISE(ABORT, 'stopped'); END`
      const question = opening("masked", { revealed: Redacted.make("secret") })
      assert.instanceOf(yield* Effect.flip(open(question)), ApprovalsUnavailable)
      assert.strictEqual((yield* pending({ limit: 10 })).total, 0)
      yield* sql`DROP TRIGGER stopped`
      const { isNew, request } = yield* open(question)
      assert.isTrue(isNew)
      assert.strictEqual(yield* (yield* Approvals).reveal(request.id, "ana"), "secret")
    }).pipe(Effect.provide(layer))
  )
})
