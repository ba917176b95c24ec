/** The handlers of the inbox's API. */
import type { ApprovalsUnavailable, Deciding } from "#services/Approvals"
import * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { Authorization, CurrentApprover, InboxApi, NoSuchRequest, NotAnApprover, NotTaken, OutOfOrder } from "./Api.ts"
import { type Desk, named } from "./Desk.ts"
import { secured } from "./Guarding.ts"
import { refusalOf } from "./Words.ts"

const authorization = ({ approvers }: Desk) =>
  Layer.succeed(Authorization, {
    bearer: (next, { credential }) =>
      Effect.gen(function* () {
        const approver = yield* approvers.verify(credential)
        if (approver === undefined) {
          return yield* new NotAnApprover({ message: "Send an approver's token as Authorization: Bearer tga_…" })
        }
        return yield* Effect.provideService(next, CurrentApprover, approver)
      })
  })

const inOrder = <A>(effect: Effect.Effect<A, ApprovalsUnavailable>) =>
  Effect.catchTag(effect, "ApprovalsUnavailable", (error) =>
    Effect.andThen(
      Effect.logError("The inbox cannot answer.", error),
      Effect.fail(new OutOfOrder({ message: "The store of the approvals does not answer. Try again soon." }))
    )
  )

const handlers = (desk: Desk) => {
  const { approvals } = desk
  const missing = Effect.suspend(() =>
    Effect.fail(new NoSuchRequest({ message: "There is no such request, or it is not yours to decide." }))
  )
  const find = (id: string) =>
    Effect.flatMap(CurrentApprover, (approver) =>
      Effect.flatMap(inOrder(named(desk, id, approver)), (found) =>
        found === undefined ? missing : Effect.succeed(found)
      )
    )
  const decide = (id: string, deciding: Omit<Deciding, "by">) =>
    Effect.gen(function* () {
      const { name } = yield* CurrentApprover
      yield* find(id)
      const decided = yield* inOrder(approvals.decide(id, { ...deciding, by: name }))
      if (decided._tag === "Unknown") return yield* missing
      const { request } = decided
      if (decided._tag === "Taken") return request
      const by = request.decision === undefined ? {} : { by: request.decision.by }
      const message = refusalOf(decided.refusal, request, yield* Clock.currentTimeMillis)
      return yield* new NotTaken({ message, refusal: decided.refusal, state: request.state, ...by })
    })

  return HttpApiBuilder.group(InboxApi, "approvals", (handlers) =>
    handlers
      .handle("list", ({ query: { after, limit = 50 } }) =>
        Effect.flatMap(CurrentApprover, ({ tenants, tools }) =>
          inOrder(approvals.pending({ limit, after, tenants, tools }))
        )
      )
      .handle("get", ({ params }) => find(params.id))
      .handle("approve", ({ params, payload: { binding, reason = "" } }) =>
        decide(params.id, { verdict: "approve", reason, binding })
      )
      .handle("deny", ({ params, payload: { binding, reason = "" } }) =>
        decide(params.id, { verdict: "deny", reason, binding })
      )
      .handle("answer", ({ params, payload: { answer, binding } }) =>
        decide(params.id, { verdict: "answer", reason: answer, binding })
      )
  )
}

/** Bodies are small, and every answer has the headers of the inbox. */
const bounded = HttpRouter.middleware((answer) =>
  Effect.map(Effect.provideService(answer, HttpIncomingMessage.MaxBodySize, ByteSize.kibibytes(64)), secured)
).layer

export const make = (desk: Desk) =>
  HttpApiBuilder.layer(InboxApi, { openapiPath: "/api/openapi.json" }).pipe(
    Layer.provide(handlers(desk)),
    Layer.provide(authorization(desk)),
    Layer.provide(bounded)
  )
