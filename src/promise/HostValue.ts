/** What a host passes to a tool beside its arguments, such as the second argument of a framework's `execute`. */
import * as Context from "effect/Context"

/** The value of the running call; `undefined` if its host passed none. */
export const HostValue = Context.Reference<unknown>("effect-toolguard/HostValue", { defaultValue: () => undefined })
