/** Derives the policy of an imported tool from the options, the document and the method of its operation. */
import type { Access } from "#domain/tool/Access"
import { check, isPolled, type RemotePolicy } from "#src/tool/RemotePolicy"
import type * as Operations from "#src/openapi/document/Operations"

/**
 * Returns the policy that the options `policy` and `access` state. Throws a RangeError if the options state two accesses,
 * or if the settings contradict each other.
 */
export const make = (name: string, policy: RemotePolicy = {}, access?: Access): RemotePolicy => {
  check(name, policy)
  if (access === undefined || policy.access === access) return policy
  if (policy.access === undefined) return { ...policy, access }
  throw new RangeError(
    `${name}: the option \`access\` returns ${access}, but \`policy\` states ${policy.access}; remove one of them.`
  )
}

/** Returns the access that the document or the method of an operation implies. */
export const accessOf = ({ extension, method }: Operations.Operation): Access => {
  if (method === "delete") return "destructive"
  return extension.access ?? (method === "get" || method === "head" ? "read" : "write")
}

/**
 * Returns the idempotency of a tool. A server honours the key of a write only if its document declares the key. A
 * polled tool has none, because each poll is a separate call.
 */
export const idempotencyOf = (
  { extension }: Operations.Operation,
  access: Access,
  { idempotency, poll }: RemotePolicy,
  keyHeader: string | undefined
) => {
  if (access === "read" || isPolled(poll) || idempotency === "none") return "none"
  const isKeyed = keyHeader !== undefined || (extension.tool !== undefined && extension.idempotency)
  return isKeyed || idempotency === "derived" ? ({ mode: "derived", upstreamHonoursKey: isKeyed } as const) : "none"
}
