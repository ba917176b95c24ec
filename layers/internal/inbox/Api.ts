/**
 * The API of the inbox as an Effect `HttpApi`. It lists, reveals and decides approval requests, and lists and settles
 * unknown outcomes. An approver's token is the bearer token.
 *
 * Programs that decide requests can create a typed client: `HttpApiClient.make(InboxApi, …)`. The API ignores cookies,
 * so that a foreign page cannot use it on behalf of a person. Times are epoch milliseconds.
 */
import { ApprovalRequest, type Approver, State } from "#domain/approval/ApprovalRequest"
import { Finding, UnknownOutcome } from "#domain/approval/UnknownOutcome"
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"

/** The approver whose token a request to the API carries. */
export class CurrentApprover extends Context.Service<CurrentApprover, Approver>()(
  "effect-toolguard/inbox/CurrentApprover"
) {}

/** The bearer token does not belong to an approver. */
export class NotAnApprover extends Schema.TaggedError<NotAnApprover>("effect-toolguard/inbox/NotAnApprover")(
  "NotAnApprover",
  { message: Schema.String },
  { httpApiStatus: 401 }
) {}

/** The approval request or unknown outcome does not exist, or this approver may not see it. */
export class NoSuchRequest extends Schema.TaggedError<NoSuchRequest>("effect-toolguard/inbox/NoSuchRequest")(
  "NoSuchRequest",
  { message: Schema.String },
  { httpApiStatus: 404 }
) {}

/** The decision does not count. `by` is the approver who decided before, if there is one. */
export class NotTaken extends Schema.TaggedError<NotTaken>("effect-toolguard/inbox/NotTaken")(
  "NotTaken",
  { message: Schema.String, refusal: Schema.String, state: State, by: Schema.optionalKey(Schema.String) },
  { httpApiStatus: 409 }
) {}

/** The settlement does not count. `by` is the person who settled the outcome first, if it was settled. */
export class NotSettled extends Schema.TaggedError<NotSettled>("effect-toolguard/inbox/NotSettled")(
  "NotSettled",
  { message: Schema.String, refusal: Schema.String, by: Schema.optionalKey(Schema.String) },
  { httpApiStatus: 409 }
) {}

/** The store of approvals or of unknown outcomes does not respond. */
export class OutOfOrder extends Schema.TaggedError<OutOfOrder>("effect-toolguard/inbox/OutOfOrder")(
  "OutOfOrder",
  { message: Schema.String },
  { httpApiStatus: 503 }
) {}

/** Verifies the bearer token. */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: CurrentApprover }>()(
  "effect-toolguard/inbox/Authorization",
  { requiredForClient: true, security: { bearer: HttpApiSecurity.bearer }, error: NotAnApprover }
) {}

const id = { id: Schema.String }
const binding = Schema.optionalKey(Schema.String)
const text = Schema.String.check(Schema.isMaxLength(2_000))
const noSuch = [NoSuchRequest, OutOfOrder] as const
const mayFail = [NoSuchRequest, NotTaken, OutOfOrder] as const

/** The endpoints under `/api/approvals`. */
class ApprovalsGroup extends HttpApiGroup.make("approvals")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 }))),
        after: Schema.optionalKey(Schema.String)
      },
      success: Schema.Struct({
        requests: Schema.Array(ApprovalRequest),
        total: Schema.Int,
        unreadable: Schema.optional(Schema.Array(Schema.String))
      }),
      error: OutOfOrder
    }),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: ApprovalRequest, error: noSuch }),
    HttpApiEndpoint.post("reveal", "/:id/reveal", {
      params: id,
      success: Schema.Struct({ arguments: Schema.String }),
      error: noSuch
    }),
    HttpApiEndpoint.post("approve", "/:id/approve", {
      params: id,
      payload: Schema.Struct({ reason: Schema.optionalKey(text), binding }),
      success: ApprovalRequest,
      error: mayFail
    }),
    HttpApiEndpoint.post("deny", "/:id/deny", {
      params: id,
      payload: Schema.Struct({ reason: Schema.optionalKey(text), binding }),
      success: ApprovalRequest,
      error: mayFail
    }),
    HttpApiEndpoint.post("answer", "/:id/answer", {
      params: id,
      payload: Schema.Struct({ answer: text, binding }),
      success: ApprovalRequest,
      error: mayFail
    })
  )
  .middleware(Authorization)
  .prefix("/api/approvals") {}

/** The endpoints under `/api/outcomes`: calls whose side effect is unknown [10.5]. */
class OutcomesGroup extends HttpApiGroup.make("outcomes")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 }))),
        answered: Schema.optionalKey(Schema.Literals(["true", "false"]))
      },
      success: Schema.Struct({ outcomes: Schema.Array(UnknownOutcome) }),
      error: OutOfOrder
    }),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: UnknownOutcome, error: noSuch }),
    HttpApiEndpoint.post("settle", "/:id/settle", {
      params: id,
      payload: Schema.Struct({
        finding: Finding,
        result: Schema.optionalKey(Schema.Json),
        reason: Schema.optionalKey(text),
        binding
      }),
      success: UnknownOutcome,
      error: [NoSuchRequest, NotSettled, OutOfOrder] as const
    })
  )
  .middleware(Authorization)
  .prefix("/api/outcomes") {}

/** The API of the inbox. */
export class InboxApi extends HttpApi.make("effect-toolguard-inbox")
  .add(ApprovalsGroup)
  .add(OutcomesGroup)
  .annotateMerge(OpenApi.annotations({ title: "Approvals", version: "1" })) {}
