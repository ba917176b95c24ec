/**
 * Facts about a call that only its host knows. A `Context.Reference` holds them, so that handlers do not require them.
 */
import * as Context from "effect/Context"

interface HostedCallInfo {
  /** The arguments as the model wrote them; undefined if the host does not know their text. */
  readonly argumentsText: string | undefined
  /** True if the arguments may be incomplete because the model's output ended early. */
  readonly isCut: boolean
}

/** The default, if a host provides no facts. */
export const unhosted: HostedCallInfo = { argumentsText: undefined, isCut: false }

export const HostedCall = Context.Reference<HostedCallInfo>("effect-toolguard/HostedCall", {
  defaultValue: () => unhosted
})
