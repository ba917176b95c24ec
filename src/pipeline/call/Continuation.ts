/** The full encoded arguments of the call that continues this one: what was sent, with what changes put over it. */
import type { Call } from "./Call.ts"

export const continuation = (call: Call, next: object): unknown =>
  call.tool.contract.encode({ ...(call.arguments as object), ...next })
