/** What a host that knows it tells of the call whose handler it runs. A reference, so it shows in no requirements. */
import * as Context from "effect/Context"

export interface HostedCallInfo {
  /** The model's output ended inside of this call. */
  readonly isCut: boolean
}

export const HostedCall = Context.Reference<HostedCallInfo>("effect-toolguard/HostedCall", {
  defaultValue: () => ({ isCut: false })
})
