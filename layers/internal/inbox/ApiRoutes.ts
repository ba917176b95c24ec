/** Handles the requests to the inbox's API. */
import type { ApprovalsUnavailable, NewDecision } from "#services/Approvals"
import type { UnknownOutcomesUnavailable } from "#services/UnknownOutcomes"
import * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import {
  Authorization,
  CurrentApprover,
  InboxApi,
  NoSuchRequest,
  NotAnApprover,
  NotSettled,
  NotTaken,
  OutOfOrder
} from "./Api.ts"
import { findVisible, type Inbox } from "./Inbox.ts"
import { secured } from "./BrowserSecurity.ts"
import * as Outcomes from "./OutcomeInput.ts"
import { refusalSentence, settleRefusalSentence } from "./DecisionSentences.ts"

const authorization = ({ approvers }: Inbox) =>
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

const storeOf = ({ _tag }: ApprovalsUnavailable | UnknownOutcomesUnavailable): string =>
  _tag === "ApprovalsUnavailable" ? "approvals" : "unknown outcomes"

const orUnavailable = <A>(effect: Effect.Effect<A, ApprovalsUnavailable | UnknownOutcomesUnavailable>) =>
  Effect.catch(effect, (error) =>
    Effect.andThen(
      Effect.logError("The inbox cannot respond.", error),
      Effect.fail(new OutOfOrder({ message: `The store of ${storeOf(error)} does not respond. Try again soon.` }))
    )
  )

const handlers = (inbox: Inbox) => {
  const { approvals } = inbox
  const missing = Effect.suspend(() =>
    Effect.fail(new NoSuchRequest({ message: "This request does not exist, or you may not decide it." }))
  )
  const find = (id: string) =>
    Effect.flatMap(CurrentApprover, (approver) =>
      Effect.flatMap(orUnavailable(findVisible(inbox, id, approver)), (found) =>
        found === undefined ? missing : Effect.succeed(found)
      )
    )
  const decide = (id: string, deciding: Omit<NewDecision, "by">) =>
    Effect.gen(function* () {
      const { name } = yield* CurrentApprover
      yield* find(id)
      const decided = yield* orUnavailable(approvals.decide(id, { ...deciding, by: name }))
      if (decided._tag === "Unknown") return yield* missing
      const { request } = decided
      if (decided._tag === "Taken") return request
      const by = request.decision === undefined ? {} : { by: request.decision.by }
      const message = refusalSentence(decided.refusal, request, yield* Clock.currentTimeMillis)
      return yield* new NotTaken({ message, refusal: decided.refusal, state: request.state, ...by })
    })

  return HttpApiBuilder.group(InboxApi, "approvals", (handlers) =>
    handlers
      .handle("list", ({ query: { after, limit = 50 } }) =>
        Effect.flatMap(CurrentApprover, ({ tenants, tools }) =>
          orUnavailable(approvals.pending({ limit, after, tenants, tools }))
        )
      )
      .handle("get", ({ params }) => find(params.id))
      .handle("reveal", ({ params: { id } }) =>
        Effect.gen(function* () {
          const { name } = yield* CurrentApprover
          yield* find(id)
          const revealed = yield* orUnavailable(approvals.reveal(id, name))
          return revealed === undefined ? yield* missing : { arguments: revealed }
        })
      )
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

const outcomeHandlers = (inbox: Inbox) => {
  const { outcomes } = inbox
  const missing = Effect.suspend(() =>
    Effect.fail(new NoSuchRequest({ message: "This outcome does not exist, or you may not settle it." }))
  )
  const find = (id: string) =>
    Effect.flatMap(CurrentApprover, (approver) =>
      Effect.flatMap(orUnavailable(Outcomes.findVisible(inbox, id, approver)), (found) =>
        found === undefined ? missing : Effect.succeed(found)
      )
    )
  return HttpApiBuilder.group(InboxApi, "outcomes", (handlers) =>
    handlers
      .handle("list", ({ query: { answered, limit = 50 } }) =>
        Effect.flatMap(CurrentApprover, ({ tenants, tools }) =>
          Effect.map(
            orUnavailable(outcomes.open({ limit, answered: answered === "true", tenants, tools })),
            (outcomes) => ({ outcomes })
          )
        )
      )
      .handle("get", ({ params }) => find(params.id))
      .handle("settle", ({ params, payload: { reason = "", ...settling } }) =>
        Effect.gen(function* () {
          const { name } = yield* CurrentApprover
          yield* find(params.id)
          const settled = yield* orUnavailable(outcomes.settle(params.id, { ...settling, reason, by: name }))
          if (settled === undefined) return yield* missing
          if (settled._tag === "Taken") return settled.outcome
          const by = settled.outcome.settlement === undefined ? {} : { by: settled.outcome.settlement.by }
          const message = settleRefusalSentence(settled.refusal, settled.outcome, yield* Clock.currentTimeMillis)
          return yield* new NotSettled({ message, refusal: settled.refusal, ...by })
        })
      )
  )
}

/** Limits the size of request bodies, and adds the security headers to every response. */
const bounded = HttpRouter.middleware((answer) =>
  Effect.map(Effect.provideService(answer, HttpIncomingMessage.MaxBodySize, ByteSize.kibibytes(64)), secured)
).layer

/** Creates the routes of the API. */
export const make = (inbox: Inbox) =>
  HttpApiBuilder.layer(InboxApi, { openapiPath: "/api/openapi.json" }).pipe(
    Layer.provide([handlers(inbox), outcomeHandlers(inbox)]),
    Layer.provide(authorization(inbox)),
    Layer.provide(bounded)
  )
