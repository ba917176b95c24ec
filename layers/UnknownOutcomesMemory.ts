/** Keeps unknown outcomes in this process, for tests and for hosts that can afford to lose them at a restart. */
import { settle, type UnknownOutcome } from "#domain/approval/UnknownOutcome"
import { mayDecide } from "#domain/approval/ApprovalRequest"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { unguessableId } from "#services/Unguessable"
import * as NewOutcome from "#layers/internal/stores/NewOutcome"
import { digestOf } from "#layers/internal/stores/NewRequest"

/** The maximum number of outcomes of a tenant. When it is exceeded, the tenant's oldest outcome is dropped. */
const limit = 10_000

/** Keeps at most 10,000 outcomes of each tenant. */
export const layer: Layer.Layer<UnknownOutcomes> = Layer.sync(UnknownOutcomes, () => {
  const outcomes = new Map<string, UnknownOutcome>()
  /** Maps a binding to the id of its latest outcome. */
  const latest = new Map<string, string>()

  /** The ids of the outcomes of each tenant, oldest first. */
  const ofTenants = new Map<string, Set<string>>()

  const dropOldest = (ofTenant: Set<string>) => {
    const [id] = ofTenant
    const oldest = outcomes.get(id ?? "")
    if (oldest === undefined) return
    ofTenant.delete(oldest.id)
    outcomes.delete(oldest.id)
    if (latest.get(oldest.binding) === oldest.id) latest.delete(oldest.binding)
  }
  return {
    isShared: false,
    add: (added) =>
      Effect.map(Effect.all([Clock.currentTimeMillis, unguessableId]), ([now, id]) => {
        const outcome = NewOutcome.make(id, added, now)
        const ofTenant = ofTenants.get(outcome.turn?.tenant ?? "") ?? new Set()
        ofTenants.set(outcome.turn?.tenant ?? "", ofTenant)
        if (ofTenant.size >= limit) dropOldest(ofTenant)
        ofTenant.add(outcome.id)
        outcomes.set(outcome.id, outcome)
        latest.set(outcome.binding, outcome.id)
        return outcome
      }),
    settle: (id, settling) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const outcome = outcomes.get(id)
        if (outcome === undefined) return undefined
        const settled = settle(outcome, settling, now)
        if (settled._tag === "Taken") outcomes.set(id, settled.outcome)
        return settled
      }),
    find: (id) => Effect.sync(() => outcomes.get(id)),
    latest: (binding) => Effect.sync(() => outcomes.get(latest.get(digestOf(binding)) ?? "")),
    open: ({ answered = false, limit, tenants, tools }) =>
      Effect.sync(() => {
        const approver = {
          name: "",
          ...(tools === undefined ? {} : { tools }),
          ...(tenants === undefined ? {} : { tenants })
        }
        const open = [...outcomes.values()].filter(
          (outcome) =>
            outcome.settlement === undefined && (answered || !outcome.isAnswered) && mayDecide(approver, outcome)
        )
        return open.slice(0, limit)
      })
  }
})
