/** Keeps approvals in this process, for tests and for hosts that can afford to lose open requests at a restart. */
import * as ApprovalRequest from "#domain/approval/ApprovalRequest"
import { key as turnKey } from "#domain/turn/Turn"
import { Approvals, ApprovalsUnavailable, type DecisionResult, type Listing, type Page } from "#services/Approvals"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Redacted from "effect/Redacted"
import { unguessableId } from "#services/Unguessable"
import * as NewRequest from "#layers/internal/stores/NewRequest"

/**
 * The number of requests of a tenant above which its oldest completed request is dropped. Pending and approved requests
 * are kept; a tenant cannot have more of these than the limit.
 */
const limit = 10_000

interface OpenedRequest {
  readonly request: ApprovalRequest.ApprovalRequest
  readonly isNew: boolean
}

export const layer: Layer.Layer<Approvals> = Layer.effect(
  Approvals,
  Effect.gen(function* () {
    const changed = yield* PubSub.unbounded<string>()
    const requests = new Map<string, ApprovalRequest.ApprovalRequest>()
    /** Maps a binding to the id of the request that an identical call joins. */
    const current = new Map<string, string>()

    /** The number of requests of each tenant. */
    const counts = new Map<string | undefined, number>()

    /** The arguments of pending requests, with their masked parts. */
    const masked = new Map<string, Redacted.Redacted>()

    /** Drops the oldest completed request of a tenant; returns false if the tenant has none. */
    const dropOne = (tenant: string | undefined, now: number): boolean => {
      for (const request of requests.values()) {
        if (request.turn?.tenant !== tenant) continue
        const state = ApprovalRequest.stateAt(request, now)
        if (state === "pending" || state === "approved") continue
        requests.delete(request.id)
        masked.delete(request.id)
        if (current.get(request.binding) === request.id) current.delete(request.binding)
        return true
      }
      return false
    }

    const store = (request: ApprovalRequest.ApprovalRequest): void => {
      requests.set(request.id, request)
      if (request.state !== "pending") masked.delete(request.id)
      PubSub.publishUnsafe(changed, request.id)
    }
    const take = (id: string, step: ApprovalRequest.Step): Effect.Effect<DecisionResult> =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const request = requests.get(id)
        if (request === undefined) return { _tag: "Unknown" }
        const stepped = ApprovalRequest.step(request, step, now)
        if (stepped._tag === "Taken") store(stepped.request)
        return stepped
      })

    return {
      isShared: false,
      open: (opening) =>
        Effect.flatMap(
          Effect.all([Clock.currentTimeMillis, unguessableId]),
          ([now, id]): Effect.Effect<OpenedRequest, ApprovalsUnavailable> => {
            const binding = NewRequest.digestOf(opening.binding)
            const known = requests.get(current.get(binding) ?? "")
            if (known !== undefined && ApprovalRequest.joins(known, opening.turn, now)) {
              return Effect.succeed({ request: ApprovalRequest.at(known, now), isNew: false })
            }
            const request = NewRequest.make(id, opening, now)
            const tenant = request.turn?.tenant
            const count = counts.get(tenant) ?? 0
            if (count < limit) counts.set(tenant, count + 1)
            else if (!dropOne(tenant, now)) {
              const detail = `${limit} requests of this tenant are pending or approved, the limit of ApprovalsMemory.`
              return Effect.fail(new ApprovalsUnavailable({ cause: new Error(detail) }))
            }
            current.set(binding, request.id)
            if (opening.revealed !== undefined) masked.set(request.id, opening.revealed)
            store(request)
            return Effect.succeed({ request, isNew: true })
          }
        ),
      reveal: (id, by) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const [request, text] = [requests.get(id), masked.get(id)]
          if (request === undefined || text === undefined) return undefined
          if (ApprovalRequest.stateAt(request, now) !== "pending") return undefined
          requests.set(id, { ...request, reveals: [...(request.reveals ?? []), { by, at: now }] })
          return Redacted.value(text)
        }),
      decide: (id, deciding) => take(id, { _tag: "Decide", ...deciding }),
      consume: (id, binding) => Effect.map(take(id, { _tag: "Consume", binding }), ({ _tag }) => _tag === "Taken"),
      tell: (id) => Effect.asVoid(take(id, { _tag: "Tell" })),
      withdraw: (turn) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const ofTurn = [...requests.values()].filter(
            (request) => request.turn && turnKey(request.turn) === turnKey(turn)
          )
          const steps = ofTurn.map((request) => ApprovalRequest.step(request, { _tag: "Withdraw" }, now))
          const withdrawn = steps.filter(({ _tag }) => _tag === "Taken")
          for (const { request } of withdrawn) store(request)
          return withdrawn.length
        }),
      find: (id) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const request = requests.get(id)
          return request === undefined ? undefined : ApprovalRequest.at(request, now)
        }),
      pending: (listing) => Effect.map(Clock.currentTimeMillis, (now) => pageOf([...requests.values()], listing, now)),
      expire: Effect.map(Clock.currentTimeMillis, (now) => {
        const over = [...requests.values()].filter((request) => ApprovalRequest.stateAt(request, now) !== request.state)
        for (const request of over) store({ ...request, state: "expired" })
        return over.length
      }),
      changes: PubSub.subscribe(changed)
    }
  })
)

const pageOf = (
  requests: ReadonlyArray<ApprovalRequest.ApprovalRequest>,
  { after, limit, tenants, tools }: Listing,
  now: number
): Page => {
  const approver = {
    name: "",
    ...(tools === undefined ? {} : { tools }),
    ...(tenants === undefined ? {} : { tenants })
  }
  const pending = requests
    .filter((request) => ApprovalRequest.stateAt(request, now) === "pending")
    .filter((request) => ApprovalRequest.mayDecide(approver, request))
    .sort(byAge)
  // the id of a request that the approver may not see is an unknown id
  const isStart = (request: ApprovalRequest.ApprovalRequest) =>
    request.id === after && ApprovalRequest.mayDecide(approver, request)
  const from = after === undefined ? undefined : requests.find(isStart)
  const rest = from === undefined ? pending : pending.filter((request) => byAge(from, request) < 0)
  return { requests: rest.slice(0, limit), total: pending.length }
}

const byAge = (self: ApprovalRequest.ApprovalRequest, that: ApprovalRequest.ApprovalRequest): number =>
  self.requestedAt - that.requestedAt || (self.id < that.id ? -1 : self.id > that.id ? 1 : 0)
