/**
 * Refuses settings of one source that contradict each other [2.12]. A source is a definition, a use site, a toolbox, a
 * guard, a call, or one policy of a remote tool.
 *
 * Between two sources, such settings are not refused: the nearer one applies (`PolicySources`).
 */
import type { PolicyInput } from "./PolicyInput.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import * as Setting from "./Setting.ts"

/**
 * Throws a RangeError that names the tool, the place, the settings and the remedy. `isRepeatable` is true if a failed
 * attempt may be repeated. Other writes are repeated only after attempts that did nothing, which need no budget [4.7].
 */
export const check = (tool: string, place: string, policy: PolicyInput, isRepeatable: boolean): void => {
  const fault = (isRepeatable ? budgetFault(policy) : undefined) ?? repeatsFault(policy) ?? delayFault(tool, policy)
  if (fault !== undefined) throw new RangeError(`${tool}: ${place}, ${fault}`)
}

const budgetFault = ({ budget, retry }: PolicyInput): string | undefined =>
  budget !== undefined && retry?.attempts !== undefined && budget < retry.attempts
    ? `\`budget\` is ${budget}, below \`retry.attempts\`, which is ${retry.attempts}, so a call could not use all its attempts; set a larger \`budget\` or fewer \`attempts\`, or leave one of them out.`
    : undefined

const repeatsFault = ({ loop, repeats }: PolicyInput): string | undefined =>
  loop?.repeats !== undefined && repeats === "once"
    ? '`loop.repeats` limits the repeats that are allowed, but `repeats` is once; set `repeats: "allowed"`, or remove `loop.repeats`.'
    : undefined

const delayFault = (tool: string, { deadline, retry = {} }: PolicyInput): string | undefined => {
  const deadlineMillis = Setting.optionalMillis(tool, "deadline", deadline) ?? Infinity
  const baseMillis = Setting.optionalMillis(tool, "retry.base", retry.base) ?? 0
  const jitter = retry.jitter ?? RetryPolicy.defaults.jitter
  const shortest = RetryPolicy.delayMillis({ ...RetryPolicy.defaults, baseMillis, capMillis: baseMillis, jitter }, 1, 0)
  return retry.attempts !== 1 && shortest >= deadlineMillis
    ? `\`retry.base\` is ${Setting.words(baseMillis)}, too long for \`deadline\`, which is ${Setting.words(deadlineMillis)}, so no retry could start; set a shorter \`base\` or a longer \`deadline\`, or \`attempts: 1\`.`
    : undefined
}
