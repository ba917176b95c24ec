/** Authorization by functions of this process. The default allows everything. */
import { type AccessDecision, type AccessRequest, allow, Authorizer } from "#services/Authorizer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface Rules {
  /** May this principal use this tool? Default: yes. */
  readonly authorize?: (request: AccessRequest) => AccessDecision
  /** And with these decoded arguments? Default: yes. */
  readonly authorizeArguments?: (request: AccessRequest, args: unknown) => AccessDecision
}

/** Allows everything. */
export const layer: Layer.Layer<Authorizer> = Layer.succeed(Authorizer, {
  allowsAll: true,
  authorize: () => Effect.succeed(allow),
  authorizeArguments: () => Effect.succeed(allow)
})

/** Asks the given rules. A rule that throws denies. */
export const layerWith = (rules: Rules): Layer.Layer<Authorizer> =>
  Layer.succeed(Authorizer, {
    allowsAll: false,
    authorize: (request) => Effect.sync(() => rules.authorize?.(request) ?? allow),
    authorizeArguments: (request, args) => Effect.sync(() => rules.authorizeArguments?.(request, args) ?? allow)
  })
