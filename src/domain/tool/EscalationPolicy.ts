/**
 * Decides the escalation level of events. The default policy is a table of rules [10.1], [10.2].
 *
 * - The most severe level of all matching rules applies. Without a matching rule the level is `auto`.
 * - A policy is a function `(event) => Level`. Users can replace the default policy, or extend its `rules` with `make`.
 * - If two policies apply, each event gets the more severe of their levels; see `strictestOf`.
 *
 * **Gotchas**
 *
 * The policy does not know whether a person can be reached. If no person can be reached, the pipeline and the agent
 * loop do not wait at `confirm` and `block`.
 */
import type { Access } from "./Access.ts"
import type { FailureTag } from "#domain/failure/Failure"

/**
 * The guard's reaction to an event. `auto`: the guard recovers silently. `inform`: it recovers and informs a person.
 * `confirm`: it asks a person before it continues. `block`: it stops and waits for a person.
 */
export type Level = "auto" | "inform" | "confirm" | "block"

/** A limit of a run. */
export type RunLimit = "rounds" | "tokens" | "time" | "cost"

/** An event that a policy decides on. */
export type EscalationEvent =
  /** A call is about to run. Its arguments are decoded. */
  | { readonly _tag: "CallRequested"; readonly tool: string; readonly access: Access; readonly critical: boolean }
  /** A call has failed after all retries and fallbacks. */
  | {
      readonly _tag: "CallFailed"
      readonly tool: string
      /** `write` for a tool that only its server calls destructive, because its errors end no run [3.3]. */
      readonly access: Access
      readonly critical: boolean
      /** True for a tool of another server (MCP, OpenAPI). Default false. */
      readonly isRemote?: boolean
      readonly failure: FailureTag
      readonly code: string
      /** The number of executions of the handler for this call; 0 if the call was refused or recalled. */
      readonly attempts: number
      /** True if the handler died with a defect instead of failing. */
      readonly defect: boolean
    }
  /** The loop detector stops a call, or the model continues a loop after a notice. */
  | { readonly _tag: "LoopDetected"; readonly tool: string; readonly pattern: string }
  /**
   * A schema of a tool seems too strict [15.1]: more than 10 % of its last 50 answers violated `success`, or 10 of its
   * last 500 calls were refused, or ran and worked, although their arguments violated `parameters` at the same place.
   * `confirm` and `block` only inform.
   */
  | {
      readonly _tag: "ContractBroken"
      readonly tool: string
      readonly part: "arguments" | "results"
      readonly calls: number
      readonly broken: number
    }
  /**
   * The model's provider failed after all retries and fallbacks, or refused permanently: a rejected key, an exhausted
   * quota.
   */
  | { readonly _tag: "ProviderExhausted" }
  /** The conversation is too long for the model. */
  | { readonly _tag: "ContextLimitReached" }
  /** A run ends at a limit of its options. `confirm` and `block` only inform, because no person can extend a limit. */
  | { readonly _tag: "LimitReached"; readonly limit: RunLimit }

/** Decides the level of an event. */
export type EscalationPolicy = (event: EscalationEvent) => Level

/** The level that a policy returned. If the policy threw or returned no level, `crash` has the error. */
export interface PolicyDecision {
  readonly level: Level
  readonly crash?: { readonly error: unknown }
}

/** True if a value is one of the four levels. */
export const isLevel = (value: unknown): value is Level => typeof value === "string" && Object.hasOwn(severity, value)

/**
 * Returns the level that a policy gives to an event. Never throws: if the policy throws or returns no level, the level
 * is `confirm` [10.2].
 */
export const levelOf = (policy: EscalationPolicy, event: EscalationEvent): PolicyDecision => {
  const pair = pairs.get(policy)
  if (pair !== undefined) return strictestAnswer(levelOf(pair[0], event), levelOf(pair[1], event))
  try {
    const level: unknown = policy(event)
    return isLevel(level) ? { level } : { level: "confirm", crash: { error: "it returned no level" } }
  } catch (error) {
    return { level: "confirm", crash: { error } }
  }
}

/** Returns the more severe of two answers, with the error of either. */
export const strictestAnswer = (self: PolicyDecision, that: PolicyDecision): PolicyDecision => {
  const crash = self.crash ?? that.crash
  return { level: strictest(self.level, that.level), ...(crash === undefined ? {} : { crash }) }
}

/** One row of a policy. */
export interface EscalationRule {
  /** The rule as a sentence, for documentation and `explain`. */
  readonly name: string
  readonly level: Level
  readonly when: (event: EscalationEvent) => boolean
}

const severity = { auto: 0, inform: 1, confirm: 2, block: 3 } as const

/** Returns the more severe of two levels. Neutral element: `auto`. */
export const strictest = (self: Level, that: Level): Level => (severity[that] > severity[self] ? that : self)

/** The number of attempts after which a person is informed of a transient failure. Source: [10.2]. */
export const attemptsBeforeInform = 3

/** The code of a call whose side effect is unknown. */
export const unknownOutcome = "outcome_unknown"

const failed = (
  name: string,
  level: Level,
  when: (event: Extract<EscalationEvent, { readonly _tag: "CallFailed" }>) => boolean
): EscalationRule => ({ name, level, when: (event) => event._tag === "CallFailed" && when(event) })

/**
 * True if another server (MCP, OpenAPI) answered a call with a failure, which ends no run unless the owner of the tool
 * declared it destructive [3.3]. A refusal of the guard is not such an answer.
 */
const isOfServer = ({
  access,
  attempts,
  isRemote = false
}: Extract<EscalationEvent, { readonly _tag: "CallFailed" }>): boolean =>
  isRemote && attempts > 0 && access !== "destructive"

/** The rules of the default policy. */
export const rules: ReadonlyArray<EscalationRule> = [
  {
    name: "A destructive call is confirmed before it runs",
    level: "confirm",
    when: (event) => event._tag === "CallRequested" && event.access === "destructive"
  },
  failed(
    "An exhausted resource stops the run until a person decides",
    "block",
    (event) => event.failure === "Resource" && !isOfServer(event)
  ),
  failed(
    "A person is informed of an exhausted resource of another server",
    "inform",
    (event) => event.failure === "Resource" && isOfServer(event)
  ),
  failed(
    "Wrong arguments for a destructive tool are confirmed",
    "confirm",
    ({ access, failure }) => failure === "ToolArgError" && access === "destructive"
  ),
  failed(
    "A person is informed of a transient failure after three attempts",
    "inform",
    ({ attempts, failure }) => failure === "Transient" && attempts >= attemptsBeforeInform
  ),
  failed(
    "A person is informed of a permanent failure of a critical tool",
    "inform",
    ({ critical, failure }) => failure === "Permanent" && critical
  ),
  failed("A person is informed of a defect of a handler", "inform", ({ defect }) => defect),
  failed("A person is informed of an unknown outcome", "inform", ({ code }) => code === unknownOutcome),
  failed(
    "A person is informed of a tool that answers that a person must decide",
    "inform",
    ({ code }) => code === "review_requested"
  ),
  { name: "A person is asked about a loop", level: "confirm", when: (event) => event._tag === "LoopDetected" },
  {
    name: "A person is informed of a tool whose schemas seem too strict",
    level: "inform",
    when: (event) => event._tag === "ContractBroken"
  },
  {
    name: "A model provider that remains unavailable stops the run until a person decides",
    level: "block",
    when: (event) => event._tag === "ProviderExhausted"
  },
  {
    name: "A conversation that is too long for the model stops the run until a person decides",
    level: "block",
    when: (event) => event._tag === "ContextLimitReached"
  },
  {
    name: "A run that has used up its tokens or its money ends, and a person is informed",
    level: "block",
    when: (event) => event._tag === "LimitReached" && (event.limit === "tokens" || event.limit === "cost")
  }
]

/** Creates a policy from rules. The most severe matching rule decides; without a matching rule the level is `auto`. */
export const make =
  (rules: ReadonlyArray<EscalationRule>): EscalationPolicy =>
  (event) =>
    rules.reduce<Level>((level, rule) => (rule.when(event) ? strictest(level, rule.level) : level), "auto")

/** The default policy [10.2]. */
export const decide: EscalationPolicy = make(rules)

/** The two policies of each policy that `strictestOf` created. */
const pairs = new WeakMap<EscalationPolicy, readonly [EscalationPolicy, EscalationPolicy]>()

/** The policies that `strictestOf` has created. The same two policies always yield the same function. */
const combined = new WeakMap<EscalationPolicy, WeakMap<EscalationPolicy, EscalationPolicy>>()

/**
 * Returns the policy that gives each event the more severe level of two policies. If a policy throws, its level is
 * `confirm`.
 */
export const strictestOf = (self: EscalationPolicy, that: EscalationPolicy): EscalationPolicy => {
  if (self === that) return self
  const partners = combined.get(self) ?? new WeakMap<EscalationPolicy, EscalationPolicy>()
  combined.set(self, partners)
  const known = partners.get(that)
  if (known !== undefined) return known
  const policy: EscalationPolicy = (event) => levelOf(policy, event).level
  pairs.set(policy, [self, that])
  partners.set(that, policy)
  return policy
}
