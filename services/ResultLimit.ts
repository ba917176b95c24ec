/**
 * The maximum size of a result that a model reads whole. For a larger result, the model reads a preview and a link.
 *
 * The limit is a policy with a default, so it never appears in requirements. A limit around a call takes
 * precedence over the guard's limit.
 */
import * as Policy from "./Policy.ts"

/** The maximum size of a result as JSON, in UTF-8 bytes. Default 10,240. A preview never has more than 10,240 bytes. */
export const ResultLimit: Policy.Policy<number> = Policy.make("effect-toolguard/ResultLimit", {
  defaultValue: () => 10_240,
  combine: Policy.nearer
})
