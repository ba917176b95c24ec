/** What a host knows about the call whose handler it runs. A reference, so that it appears in no requirements. */
import * as Context from "effect/Context"

interface HostedCallInfo {
  /** The model's output ended in the middle of this call. */
  readonly isCut: boolean
}

export const HostedCall = Context.Reference<HostedCallInfo>("effect-toolguard/HostedCall", {
  defaultValue: () => ({ isCut: false })
})
