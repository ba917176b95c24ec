/**
 * How much of a person an event needs: the default policy as a table of rules, and the function over it (SPEC 10.1, 10.2).
 *
 * - Every rule that fits gives its level and the most severe one counts; where none fits it is `auto`.
 * - A policy is a function `(event) => Level`. Users replace it, or put rules of their own beside these with `make`.
 *
 * **Gotchas**
 *
 * The policy does not know whether a person can be reached. Where nobody can, `confirm` and `block` do not wait: that is
 * the pipeline's and the loop's part.
 */
import type { Access } from "./Access.ts"
import type { FailureTag } from "#domain/failure/Failure"

/**
 * `auto` recovers silently, `inform` recovers and tells a person, `confirm` asks before going on, `block` stops and
 * waits for one.
 */
export type Level = "auto" | "inform" | "confirm" | "block"

/** What the policy is asked about. */
export type EscalationEvent =
  /** A call is about to run, its arguments decoded. */
  | { readonly _tag: "CallRequested"; readonly tool: string; readonly access: Access; readonly critical: boolean }
  /** A call has failed for good: retries and alternatives are behind it. */
  | {
      readonly _tag: "CallFailed"
      readonly tool: string
      readonly access: Access
      readonly critical: boolean
      readonly failure: FailureTag
      readonly code: string
      /** Executions of the handler for this call; 0 where it was refused or recalled. */
      readonly attempts: number
      /** True where the handler died instead of failing. */
      readonly defect: boolean
    }
  /** The loop detector stops a call, or finds that the model goes on with what it was told to leave. */
  | { readonly _tag: "LoopDetected"; readonly tool: string; readonly pattern: string }
  /** Retries and fallbacks of the model's provider are used up. */
  | { readonly _tag: "ProviderExhausted" }

/** Decides the level of an event. */
export type EscalationPolicy = (event: EscalationEvent) => Level

/** What a policy says. `crash`: it broke, and with what. */
export interface Answer {
  readonly level: Level
  readonly crash?: { readonly error: unknown }
}

/** Whether a value is one of the four levels. */
export const isLevel = (value: unknown): value is Level => typeof value === "string" && Object.hasOwn(severity, value)

/** Asks a policy. Total: one that throws, or names no level, is answered by `confirm` (SPEC 10.2). */
export const levelOf = (policy: EscalationPolicy, event: EscalationEvent): Answer => {
  try {
    const level: unknown = policy(event)
    return isLevel(level) ? { level } : { level: "confirm", crash: { error: "it named no level" } }
  } catch (error) {
    return { level: "confirm", crash: { error } }
  }
}

/** One row of a policy. */
export interface EscalationRule {
  /** The row as a sentence, for documentation and `explain`. */
  readonly name: string
  readonly level: Level
  readonly when: (event: EscalationEvent) => boolean
}

const severity = { auto: 0, inform: 1, confirm: 2, block: 3 } as const

/** The more severe of two levels. Neutral element: `auto`. */
export const strictest = (self: Level, that: Level): Level => (severity[that] > severity[self] ? that : self)

/** Attempts after which a transient failure is told to a person. Source: SPEC 10.2. */
export const attemptsBeforeInform = 3

const failed = (
  name: string,
  level: Level,
  when: (event: Extract<EscalationEvent, { readonly _tag: "CallFailed" }>) => boolean
): EscalationRule => ({ name, level, when: (event) => event._tag === "CallFailed" && when(event) })

/** The default policy, row by row. */
export const rules: ReadonlyArray<EscalationRule> = [
  {
    name: "A destructive call is confirmed before it runs",
    level: "confirm",
    when: (event) => event._tag === "CallRequested" && event.access === "destructive"
  },
  failed("A limit that waiting does not lift blocks", "block", ({ failure }) => failure === "Resource"),
  failed(
    "Wrong arguments for a destructive tool are confirmed",
    "confirm",
    ({ access, failure }) => failure === "ToolArgError" && access === "destructive"
  ),
  failed(
    "A transient failure after three attempts informs",
    "inform",
    ({ attempts, failure }) => failure === "Transient" && attempts >= attemptsBeforeInform
  ),
  failed(
    "A permanent failure of a critical tool informs",
    "inform",
    ({ critical, failure }) => failure === "Permanent" && critical
  ),
  failed("A defect of a handler informs", "inform", ({ defect }) => defect),
  { name: "A loop is confirmed", level: "confirm", when: (event) => event._tag === "LoopDetected" },
  {
    name: "A model provider that stays away blocks",
    level: "block",
    when: (event) => event._tag === "ProviderExhausted"
  }
]

/** Makes a policy of rules. The most severe rule that fits decides; without one it is `auto`. */
export const make =
  (rules: ReadonlyArray<EscalationRule>): EscalationPolicy =>
  (event) =>
    rules.reduce<Level>((level, rule) => (rule.when(event) ? strictest(level, rule.level) : level), "auto")

/** The default policy (SPEC 10.2). */
export const decide: EscalationPolicy = make(rules)
