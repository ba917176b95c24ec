/**
 * The chains of one tool: one for calls without a `ToolPolicy` around them, and one for each such policy.
 *
 * Equal policies share a chain, because a caller may create a new object for each call. Only the newest chains are
 * kept, because a caller that computes its policies may pass any number of them.
 */
import { textOf } from "#domain/tool/EffectivePolicy"
import type { SharedPolicy } from "#domain/tool/PolicyInput"
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import type { Chain } from "#pipeline/call/Stage"
import { withPolicy } from "./ToolRegistry.ts"

/** Returns the chain for the policy around a call. */
export type PolicyChains = (policy: SharedPolicy | undefined) => Chain

/** The maximum number of policies for which a chain is kept. */
const maxChains = 32

/** Returns the chains of a tool. `build` nests the stages. */
export const make = (tool: CompiledTool, build: (tool: CompiledTool) => Chain): PolicyChains => {
  const own = build(tool)
  const byObject = new WeakMap<SharedPolicy, Chain>()
  const byText = new Map<string, Chain>()
  const functions = new WeakMap<object, number>()
  let count = 0
  /** Returns a text that two approvals share only if they are the same level or the same function. */
  const approvalText = (approval: SharedPolicy["approval"]): string => {
    if (typeof approval !== "function") return approval ?? "none"
    const known = functions.get(approval) ?? (count += 1)
    functions.set(approval, known)
    return `function ${known}`
  }
  const ofText = (policy: SharedPolicy): Chain => {
    const changed = withPolicy("call", policy, tool)
    const text =
      changed.refusal ??
      `${approvalText(policy.approval)} ${changed.definition.idempotency.mode} ${textOf(changed.definition)}`
    const chain = byText.get(text) ?? build(changed)
    // the chain becomes the newest
    byText.delete(text)
    byText.set(text, chain)
    const [oldest] = byText.keys()
    if (byText.size > maxChains && oldest !== undefined) byText.delete(oldest)
    return chain
  }
  return (policy) => {
    if (policy === undefined) return own
    const known = byObject.get(policy)
    const chain = known ?? ofText(policy)
    // an untyped caller may pass a text or null
    if (known === undefined && Object(policy) === policy) byObject.set(policy, chain)
    return chain
  }
}
