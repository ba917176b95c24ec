/**
 * Marks a decision about approval or escalation as a deliberate loosening.
 *
 * If several policies decide about approval or escalation, the strictest level applies. A marked function is the
 * exception: it applies instead of the guard's policy.
 */
const Weakened = Symbol.for("effect-toolguard/Weakened")

/**
 * Marks a function as a deliberate loosening of the guard's escalation policy: a policy around a call, or the
 * `approval` of a tool.
 *
 * **Example** (One call that needs no confirmation)
 *
 * `Effect.provideService(call, EscalationPolicy, weaken(() => "auto"))`
 */
export const weaken = <A, const B>(decide: (subject: A) => B): ((subject: A) => B) =>
  Object.assign((subject: A) => decide(subject), { [Weakened]: true })

/** True if `weaken` created the value. */
export const isWeakened = (value: unknown): boolean => typeof value === "function" && Weakened in value
