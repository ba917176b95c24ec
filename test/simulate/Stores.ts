/**
 * Creates the stores that all processes of a simulation share, and each process's view of them, with faults.
 *
 * Budgets, approvals, checkpoints, keys and unknown outcomes are shared. Circuits, quotas, turn memory, artifacts and
 * records belong to each process, as in a backend that keeps them in memory.
 */
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as BudgetsMemory from "#layers/BudgetsMemory"
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as EscalationHttp from "#layers/EscalationHttp"
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import { idempotencyKeys, type KeyStore, remote } from "#layers/internal/stores/KeyStore"
import * as MemoryKeyStore from "#layers/internal/stores/MemoryKeyStore"
import { Approvals, ApprovalsUnavailable } from "#services/Approvals"
import { clear } from "#services/AtRest"
import { Budgets, BudgetsUnavailable } from "#services/Budgets"
import { Checkpoints, CheckpointsUnavailable } from "#services/Checkpoints"
import { IdempotencyKeys, IdempotencyKeysUnavailable } from "#services/IdempotencyKeys"
import { UnknownOutcomes, UnknownOutcomesUnavailable } from "#services/UnknownOutcomes"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Scope from "effect/Scope"
import type { Faults } from "./Faults.ts"
import type { Sabotage } from "./Sabotage.ts"
import type { Process, World } from "./World.ts"

/** The shared stores, without faults. */
export interface Stores {
  readonly keys: KeyStore<never>
  readonly approvals: Approvals["Service"]
  readonly budgets: Budgets["Service"]
  readonly checkpoints: Checkpoints["Service"]
  readonly outcomes: UnknownOutcomes["Service"]
  /** How many times each approval was consumed, by its request id. */
  readonly consumed: Map<string, number>
  /** The process that opened each run last. */
  readonly holders: Map<string, string>
}

/** Creates the shared stores on the clock of the world. */
export const make = (world: World): Stores => {
  const layers = Layer.mergeAll(
    ApprovalsMemory.layer,
    BudgetsMemory.layer,
    CheckpointsMemory.layer,
    UnknownOutcomesMemory.layer
  )
  const built = Layer.buildWithScope(layers, Scope.makeUnsafe()).pipe(
    Effect.provideContext(world.server),
    Effect.runSync
  )
  return {
    // a simulation makes too few keys to reach the limit of a tenant
    keys: MemoryKeyStore.make() as KeyStore<never>,
    approvals: Context.get(built, Approvals),
    budgets: Context.get(built, Budgets),
    checkpoints: Context.get(built, Checkpoints),
    outcomes: Context.get(built, UnknownOutcomes),
    consumed: new Map(),
    holders: new Map()
  }
}

/** The services of one process. */
export type ProcessServices = Approvals | Budgets | Checkpoints | IdempotencyKeys | UnknownOutcomes

/** Sends every request of a service through the fault injector. */
const remoteService = <S extends object>(
  service: S,
  send: (name: string, work: Effect.Effect<unknown, unknown>) => Effect.Effect<unknown, unknown>
): S =>
  // the members keep their types: functions that return effects, effects, and plain values
  Object.fromEntries(
    Object.entries(service).map(([name, member]): [string, unknown] => {
      if (Effect.isEffect(member)) return [name, send(name, member as Effect.Effect<unknown, unknown>)]
      if (typeof member !== "function") return [name, member]
      return [name, (...args: ReadonlyArray<unknown>) => send(name, Reflect.apply(member, service, args))]
    })
  ) as S

/** Returns the view of a process on the stores. */
export const viewOf = (
  process: Process,
  stores: Stores,
  { send }: Faults,
  sabotage: Sabotage | undefined
): Layer.Layer<ProcessServices> => {
  const through =
    (store: string, unavailable: (cause: Error) => unknown) =>
    (name: string, work: Effect.Effect<unknown, unknown>): Effect.Effect<unknown, unknown> =>
      send({
        process,
        name: `${store}.${name}`,
        work,
        unavailable: () => unavailable(new Error("The simulated store does not respond.")),
        ...(sabotage === "early answers" && name === "append" ? { early: { answer: undefined } } : {})
      })

  const approvals = (): Approvals["Service"] => {
    const counted: Approvals["Service"] = {
      ...stores.approvals,
      consume: (id, binding) =>
        Effect.tap(stores.approvals.consume(id, binding), (isTaken) =>
          Effect.sync(() => {
            if (isTaken) stores.consumed.set(id, (stores.consumed.get(id) ?? 0) + 1)
          })
        )
    }
    return {
      ...remoteService(
        counted,
        through("approvals", (cause) => new ApprovalsUnavailable({ cause }))
      ),
      isShared: true,
      // changes are those of this process; decisions are made outside of it
      changes: Effect.flatMap(PubSub.unbounded<string>(), PubSub.subscribe)
    }
  }

  const keys = (): IdempotencyKeys["Service"] => {
    const { claim, complete, find, release, renew } = stores.keys
    const remoteSend = <A>(name: string, work: Effect.Effect<A>) =>
      send<A, IdempotencyKeysUnavailable>({
        process,
        name: `keys.${name}`,
        work,
        unavailable: () => new IdempotencyKeysUnavailable({ cause: new Error("The simulated store does not respond.") })
      })
    const leased = (request: Parameters<typeof claim>[0]) =>
      sabotage === "no lease" ? { ...request, lease: Duration.zero } : request
    const claimed: typeof claim = (request, owner, consume) =>
      Effect.map(claim(leased(request), owner, consume), (answer) =>
        sabotage === "no lease" && answer._tag === "Claimed" ? { ...answer, lapsed: undefined } : answer
      )
    const store: KeyStore = {
      find: (request) => remoteSend("find", find(request)),
      // like Redis: the approval is consumed by a separate write before the claim
      claim: (request, owner, consume) =>
        Effect.gen(function* () {
          if (consume === undefined) return yield* remoteSend("claim", claimed(request, owner, undefined))
          const found = yield* remoteSend("find", find(request))
          if (found !== undefined && found._tag !== "Lapsed") return found
          if (!(yield* consume)) return { _tag: "NotApproved" }
          return yield* remoteSend("claim", claimed(request, owner, undefined))
        }),
      renew: (request, owner) => remoteSend("renew", renew(leased(request), owner)),
      complete: (...args) => remoteSend("complete", complete(...args)),
      release: (...args) => remoteSend("release", release(...args))
    }
    let claims = 0
    return idempotencyKeys(
      remote(store, clear),
      Effect.sync(() => `${process.name}/${(claims += 1)}`)
    )
  }

  const checkpoints = (): Checkpoints["Service"] => {
    const noted: Checkpoints["Service"] = {
      ...stores.checkpoints,
      open: (key, options) =>
        Effect.tap(stores.checkpoints.open(key, options), () =>
          Effect.sync(() => void stores.holders.set(key.run, process.name))
        )
    }
    const remoteCheckpoints = remoteService(
      noted,
      through("checkpoints", (cause) => new CheckpointsUnavailable({ cause }))
    )
    if (sabotage === "no release") {
      return {
        ...remoteCheckpoints,
        close: (key, owner, end) => (end === undefined ? Effect.void : remoteCheckpoints.close(key, owner, end))
      }
    }
    if (sabotage !== "no lease") return remoteCheckpoints
    return {
      ...remoteCheckpoints,
      open: (key, options) => remoteCheckpoints.open(key, { ...options, takeOver: true })
    }
  }

  return Layer.mergeAll(
    Layer.sync(Approvals, approvals),
    Layer.sync(IdempotencyKeys, keys),
    Layer.sync(Checkpoints, checkpoints),
    Layer.sync(Budgets, () => ({
      ...remoteService(
        stores.budgets,
        through("budgets", (cause) => new BudgetsUnavailable({ cause }))
      ),
      isShared: true
    })),
    Layer.sync(UnknownOutcomes, () => ({
      ...remoteService(
        stores.outcomes,
        through("outcomes", (cause) => new UnknownOutcomesUnavailable({ cause }))
      ),
      isShared: true
    }))
  )
}

/** Asks people through the shared store of approvals, without waiting for them. */
export const escalation = EscalationHttp.layer({ publicUrl: "https://inbox.example" })
