/**
 * The API of the inbox, as an Effect `HttpApi`: list, look, approve, deny, answer, with an approver's token as bearer.
 *
 * Programs that decide use it as a typed client: `HttpApiClient.make(InboxApi, …)`. No cookie counts here, so no page of others can
 * use it in a person's name. Times are milliseconds since 1970.
 */
import { ApprovalRequest, type Approver, State } from "#domain/approval/ApprovalRequest"
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"

/** Who asks. */
export class CurrentApprover extends Context.Service<CurrentApprover, Approver>()(
  "effect-toolguard/inbox/CurrentApprover"
) {}

/** The bearer token is nobody's. */
export class NotAnApprover extends Schema.TaggedError<NotAnApprover>("effect-toolguard/inbox/NotAnApprover")(
  "NotAnApprover",
  { message: Schema.String },
  { httpApiStatus: 401 }
) {}

/** There is no such request, or it is not this approver's. */
export class NoSuchRequest extends Schema.TaggedError<NoSuchRequest>("effect-toolguard/inbox/NoSuchRequest")(
  "NoSuchRequest",
  { message: Schema.String },
  { httpApiStatus: 404 }
) {}

/** The decision was not taken. `by` says who was quicker, where somebody was. */
export class NotTaken extends Schema.TaggedError<NotTaken>("effect-toolguard/inbox/NotTaken")(
  "NotTaken",
  { message: Schema.String, refusal: Schema.String, state: State, by: Schema.optionalKey(Schema.String) },
  { httpApiStatus: 409 }
) {}

/** The store of the approvals does not answer. */
export class OutOfOrder extends Schema.TaggedError<OutOfOrder>("effect-toolguard/inbox/OutOfOrder")(
  "OutOfOrder",
  { message: Schema.String },
  { httpApiStatus: 503 }
) {}

export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: CurrentApprover }>()(
  "effect-toolguard/inbox/Authorization",
  { requiredForClient: true, security: { bearer: HttpApiSecurity.bearer }, error: NotAnApprover }
) {}

const id = { id: Schema.String }
const binding = Schema.optionalKey(Schema.String)
const words = Schema.String.check(Schema.isMaxLength(2_000))
const noSuch = [NoSuchRequest, OutOfOrder] as const
const mayFail = [NoSuchRequest, NotTaken, OutOfOrder] as const

export class ApprovalsGroup extends HttpApiGroup.make("approvals")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 }))),
        after: Schema.optionalKey(Schema.String)
      },
      success: Schema.Struct({ requests: Schema.Array(ApprovalRequest), total: Schema.Int }),
      error: OutOfOrder
    }),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: ApprovalRequest, error: noSuch }),
    HttpApiEndpoint.post("approve", "/:id/approve", {
      params: id,
      payload: Schema.Struct({ reason: Schema.optionalKey(words), binding }),
      success: ApprovalRequest,
      error: mayFail
    }),
    HttpApiEndpoint.post("deny", "/:id/deny", {
      params: id,
      payload: Schema.Struct({ reason: Schema.optionalKey(words), binding }),
      success: ApprovalRequest,
      error: mayFail
    }),
    HttpApiEndpoint.post("answer", "/:id/answer", {
      params: id,
      payload: Schema.Struct({ answer: words, binding }),
      success: ApprovalRequest,
      error: mayFail
    })
  )
  .middleware(Authorization)
  .prefix("/api/approvals") {}

export class InboxApi extends HttpApi.make("effect-toolguard-inbox")
  .add(ApprovalsGroup)
  .annotateMerge(OpenApi.annotations({ title: "Approvals", version: "1" })) {}
