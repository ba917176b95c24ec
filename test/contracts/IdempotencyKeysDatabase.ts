/** Tests of idempotency keys that are stored in a database, alone and together with approvals. */
import * as ApprovalsSql from "#layers/ApprovalsSql"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import { Approvals } from "#services/Approvals"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { onTestTime } from "../support/storeTime.ts"
import { opening } from "./Approvals.ts"
import { actionOf, idempotencyKeysContract } from "./IdempotencyKeys.ts"

export const databaseContract = (
  name: string,
  onOwnTime: Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable>
): void => {
  const database = onTestTime(onOwnTime)
  idempotencyKeysContract(name, Layer.provide(IdempotencyKeysSql.layer, database), { isShared: true })

  describe(`IdempotencyKeys and Approvals (${name})`, () => {
    const layer = Layer.provide(Layer.merge(IdempotencyKeysSql.layer, ApprovalsSql.layer), database)

    it.effect("10.3 the claim and the consumption of its approval are one transaction", () =>
      Effect.gen(function* () {
        const [approvals, keys] = yield* Effect.all([Approvals, IdempotencyKeys])
        const { request } = yield* approvals.open(opening(`${name} one write`))
        yield* approvals.decide(request.id, { verdict: "approve", by: "ana", reason: "" })
        const consume = Effect.orDie(approvals.consume(request.id, request.binding))
        const action = actionOf(`${name} one write`)
        const state = Effect.map(approvals.find(request.id), (found) => found?.state)
        // dies after the approval is consumed, and before the claim is committed
        const dying = Effect.tap(consume, (isUsed) => (isUsed ? Effect.die(new Error("killed")) : Effect.void))
        yield* Effect.exit(keys.claim(action, dying))
        assert.deepStrictEqual([yield* state, yield* keys.find(action)], ["approved", undefined])
        assert.strictEqual((yield* keys.claim(action, consume))._tag, "Claimed")
        assert.strictEqual(yield* state, "used")
        assert.strictEqual((yield* keys.claim({ ...action, key: "another" }, consume))._tag, "NotApproved")
      }).pipe(Effect.provide(layer))
    )
  })
}
