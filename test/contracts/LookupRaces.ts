/**
 * Tests, with layers of IdempotencyKeys and Budgets, identical calls of a write in several processes, whose lookups race
 * with each other, with attempts and with crashes [8.3, 8.4].
 */
import * as BudgetsMemory from "#layers/BudgetsMemory"
import * as BudgetsSql from "#layers/BudgetsSql"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import { idempotencyKeys } from "#layers/internal/stores/KeyStore"
import * as MemoryKeyStore from "#layers/internal/stores/MemoryKeyStore"
import type { Budgets } from "#services/Budgets"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { explore, type Mode, modes, type ProcessStores } from "./LookupOrders.ts"

/** Builds a layer of stores three times, once for each of three processes. */
export const threeTimes = <E>(stores: Layer.Layer<IdempotencyKeys | Budgets, E>) => {
  const process = Layer.build(Layer.fresh(stores))
  return Effect.all([process, process, process])
}

/** The stores of three processes in one database. */
export const onDatabase = <E>(database: Layer.Layer<SqlClient.SqlClient, E>) =>
  threeTimes(Layer.provide(Layer.merge(IdempotencyKeysSql.layer, BudgetsSql.layer), database))

/** The stores of three processes in memory. */
export const inMemory: Effect.Effect<ReadonlyArray<ProcessStores>, never, Scope.Scope> = Effect.map(
  Layer.build(BudgetsMemory.layer),
  (budgets) => {
    const store = MemoryKeyStore.make()
    let owners = 0
    const newOwner = Effect.sync(() => String((owners += 1)))
    const process = () => Context.add(budgets, IdempotencyKeys, idempotencyKeys(store, newOwner))
    return [process(), process(), process()]
  }
)

/** Explores seeds in each mode. `open` opens the stores of three processes. */
export const lookupRacesContract = <E>(
  name: string,
  open: Effect.Effect<ReadonlyArray<ProcessStores>, E, Scope.Scope>,
  { seeds }: { readonly seeds: number }
): void => {
  describe(`lookups that race (${name})`, () => {
    for (const mode of Object.keys(modes) as ReadonlyArray<Mode>) {
      it.effect(
        `8.3, 8.4 a write ${mode} never has two effects without a report of an unknown outcome, in ${seeds} orders of events`,
        () =>
          Effect.gen(function* () {
            const stores = yield* open
            const counts = { effects: 0, repeated: 0 }
            for (let seed = 1; seed <= seeds; seed++) {
              const { broken, effects, log } = yield* explore(mode, seed, stores, `${name} ${mode} ${seed}`)
              assert.deepStrictEqual(broken, [], `seed ${seed}:\n${log.join("\n")}`)
              if (effects.length > 0) counts.effects += 1
              if (effects.length > 1) counts.repeated += 1
            }
            // the action is performed in enough orders of events to test the promises
            assert.isAbove(counts.effects, seeds / 3, JSON.stringify(counts))
          }).pipe(Effect.scoped)
      )
    }
  })
}
