/**
 * The size up to which a model reads a complete result. For a larger result, it reads a preview and a link.
 *
 * A policy with a default, so that it never appears in requirements: of the guard's limit and the one around a call, the latter
 * takes precedence.
 */
import * as Policy from "./Policy.ts"

/** The largest size of a result as JSON, in UTF-8 bytes. Default 10,240. A preview has at most 10,240 bytes, whatever the limit is. */
export const ResultLimit: Policy.Policy<number> = Policy.make("effect-toolguard/ResultLimit", {
  defaultValue: () => 10_240,
  combine: Policy.nearer
})
