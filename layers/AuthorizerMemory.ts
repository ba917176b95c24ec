/** Authorisation by functions in this process. */
import { type AccessDecision, type AccessRequest, allow, Authorizer } from "#services/Authorizer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Rules that decide on a call. */
export interface Rules {
  /** Whether the principal may use the tool. Default: yes. */
  readonly authorize?: (request: AccessRequest) => AccessDecision
  /** Whether the principal may use the tool with these decoded arguments. Default: yes. */
  readonly authorizeArguments?: (request: AccessRequest, args: unknown) => AccessDecision
}

/** Allows every call. The default of the guard. */
export const layer: Layer.Layer<Authorizer> = Layer.succeed(Authorizer, {
  allowsAll: true,
  authorize: () => Effect.succeed(allow),
  authorizeArguments: () => Effect.succeed(allow)
})

/** Authorises calls by rules. A rule that throws denies the call. */
export const layerWith = (rules: Rules): Layer.Layer<Authorizer> =>
  Layer.succeed(Authorizer, {
    allowsAll: false,
    authorize: (request) => Effect.sync(() => rules.authorize?.(request) ?? allow),
    authorizeArguments: (request, args) => Effect.sync(() => rules.authorizeArguments?.(request, args) ?? allow)
  })
