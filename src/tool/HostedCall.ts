/** Facts about a call that only its host knows. A reference, so that handlers do not require it. */
import * as Context from "effect/Context"

interface HostedCallInfo {
  /** Whether the model's output ended in the middle of this call. */
  readonly isCut: boolean
}

export const HostedCall = Context.Reference<HostedCallInfo>("effect-toolguard/HostedCall", {
  defaultValue: () => ({ isCut: false })
})
