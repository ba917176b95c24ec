/**
 * The definition of a tool with every default filled in, as the stages read it.
 *
 * Users write the typed `GuardedTool.Definition`; `resolvePolicy` fills in its policy fields. Arguments and results
 * have the type `unknown` here: the contract decodes them before a stage reads them.
 */
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type { Access } from "./Access.ts"
import type { Approval } from "./Approval.ts"
import type { Level } from "./EscalationPolicy.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import * as Setting from "./Setting.ts"
import * as TimeLimits from "./TimeLimits.ts"
import type { Verdict } from "./Verdict.ts"

/** A schema that needs no services. */
export type Codec = Schema.Codec<unknown, unknown, never, never>

/** What a check receives in addition to the result. */
export interface CheckContext<out Arguments = unknown, out Result = unknown> {
  readonly arguments: Arguments
  /** This tool's earlier results in the turn, oldest first. */
  readonly previous: ReadonlyArray<Result>
  /** The current time by the guard's clock, in epoch milliseconds. */
  readonly nowMillis: number
  /** True if `salvage` recovered the result from a truncated answer. It can have fewer rows than it claims. */
  readonly isSalvaged?: true
}

/** A check of a tool. */
export interface Check {
  readonly name: string
  readonly run: (result: unknown, context: CheckContext) => Verdict
}

/** How the rows of a truncated answer are recovered, and how to continue after them. */
export interface Salvage {
  /** The dotted path of the array in the encoded result, such as `data.items`; empty if the result is the array. */
  readonly path: string
  /** Returns the encoded fields that were lost with the end of the answer, such as `{ has_more: true }`. */
  readonly rest?: (rows: ReadonlyArray<unknown>, args: unknown) => object
  /** Returns the changed arguments of the call that continues after the rows. */
  readonly next?: (result: unknown, args: unknown) => object
  /** A sentence on how to narrow the request, if it cannot be continued. */
  readonly narrow?: string
}

/** How a tool is polled. Repeated polls are not a loop. */
export interface Poll {
  /** The minimum time between two identical calls, in milliseconds. */
  readonly intervalMillis: number
  /** The time limit from the first call, in milliseconds. */
  readonly deadlineMillis: number
  /** True if a result is the awaited result. Identical calls after the awaited result are ordinary repetitions. */
  readonly until: (result: unknown) => boolean
}

/** Where the idempotency key of a write comes from, and whether its upstream honours it. */
export interface Idempotency {
  readonly mode: "derived" | "key" | "none"
  /** The arguments from which the key is derived; if absent, all arguments. */
  readonly fields: ReadonlyArray<string> | undefined
  /**
   * True if the upstream does a keyed action only once, so that an unknown outcome may be retried with the same key.
   */
  readonly upstreamHonoursKey: boolean
  readonly timeToLive: Duration.Duration
}

/** A reference to another tool. */
export interface ToolReference {
  readonly toolName: string
}

/** An alternative tool. */
export interface Fallback {
  readonly tool: ToolReference
  /** Maps decoded arguments to the encoded arguments of the alternative. */
  readonly arguments: (args: unknown) => unknown
}

/** A tool that looks up whether an action has happened. */
export interface Reconcile {
  readonly tool: ToolReference
  /** Maps decoded arguments to the encoded arguments of the lookup. */
  readonly arguments: (args: unknown, idempotencyKey: string) => unknown
  /** Returns the result of the action in `Some` if the action happened, and `None` if it did not happen. */
  readonly found: (result: unknown, args: unknown) => Option.Option<unknown>
}

/** The policy of a tool with defaults filled in. Times are in milliseconds. */
export interface Policy {
  readonly attemptMillis: number
  readonly deadlineMillis: number
  /** The time limits that the user set. If one is overridden, the unset limits are derived again. */
  readonly stated: TimeLimits.StatedLimits
  readonly retry: RetryPolicy.RetryPolicy
  readonly budget: number
  readonly concurrency: number
  readonly circuit: { readonly failures: number; readonly openFor: Duration.Duration } | undefined
  readonly enforce: "enforce" | "advise"
}

/** The definition of a tool. */
export interface ToolDefinition extends Policy {
  /** The name by which a model calls the tool. */
  readonly name: string
  /** Identifies the tool outside the process: in keys, circuits, quotas, approvals and records. */
  readonly id: string
  readonly description: string
  readonly access: Access
  readonly critical: boolean
  readonly parameters: Codec
  readonly success: Codec
  /** With `json`, a text is parsed even if `success` is a string. */
  readonly answers: "json" | "value"
  readonly checks: ReadonlyArray<Check>
  readonly fallbacks: ReadonlyArray<Fallback>
  readonly idempotency: Idempotency
  readonly reconcile: Reconcile | undefined
  readonly salvage: Salvage | undefined
  readonly poll: Poll | undefined
  readonly approval: Level | ((args: unknown) => Approval | Effect.Effect<Approval, unknown>) | undefined
}

/**
 * True if a failed attempt, or one with an unknown outcome, may be repeated: a read, or a keyed or reconciled write.
 */
export const isRepeatable = ({
  access,
  idempotency,
  reconcile
}: Pick<ToolDefinition, "access" | "idempotency" | "reconcile">): boolean =>
  access === "read" || idempotency.mode !== "none" || reconcile !== undefined

/** The policy fields that users write. All are optional. */
export interface PolicyInput {
  /** The time limit of one attempt. Default 5 seconds, or the deadline if that is shorter. */
  readonly timeout?: Duration.Input
  /**
   * The time limit of all attempts and waits, except for approval; at least the timeout. Default 30 seconds, or longer
   * if all attempts and the delays between them need it.
   */
  readonly deadline?: Duration.Input
  readonly retry?: RetryInput
  /**
   * The number of attempts without progress per turn and arguments. Default 3 for reads and for writes with idempotency
   * or reconcile, otherwise 1.
   */
  readonly budget?: number
  /** The maximum number of handlers that run at once. Default 16. */
  readonly concurrency?: number
  /**
   * When the circuit opens, and for how long. Default: after 5 failures in a row, for 30 seconds. `false` disables it.
   */
  readonly circuit?: { readonly failures?: number; readonly openFor?: Duration.Input } | false
  /** `advise` only records violations of parameters and checks, and runs the call as sent. Default `enforce`. */
  readonly enforce?: "enforce" | "advise"
}

/** The retry policy that users write. All fields are optional. */
export interface RetryInput {
  /**
   * The number of executions, including the first. Default 3 for reads and for writes with idempotency or reconcile,
   * otherwise 1.
   */
  readonly attempts?: number
  /** The first delay. Default 200 milliseconds, or the cap if that is shorter. */
  readonly base?: Duration.Input
  /** The longest delay. Default 20 seconds, or the base if that is longer. */
  readonly cap?: Duration.Input
  /** Default `equal`. */
  readonly jitter?: RetryPolicy.Jitter
}

/**
 * Fills in the defaults of [2.9]. The budget is at least the attempts [4.7]. Throws a RangeError that names the tool
 * for a count below 1, a time that is not longer than zero, and times that contradict each other.
 */
export const resolvePolicy = (tool: string, input: PolicyInput, repeatable: boolean): Policy => {
  const retry = resolveRetry(tool, input.retry ?? {}, repeatable)
  const stated = statedLimits(tool, input)
  return {
    ...TimeLimits.of(tool, stated, retry),
    stated,
    retry,
    budget: Math.max(retry.attempts, Setting.count(tool, "budget", input.budget ?? (repeatable ? 3 : 1))),
    concurrency: Setting.count(tool, "concurrency", input.concurrency ?? 16),
    circuit:
      input.circuit === false
        ? undefined
        : {
            failures: Setting.count(tool, "circuit.failures", input.circuit?.failures ?? 5),
            openFor: Duration.millis(time(tool, "circuit.openFor", input.circuit?.openFor) ?? 30_000)
          },
    enforce: input.enforce ?? "enforce"
  }
}

/** Returns a time in milliseconds, if it is set. */
const time = (tool: string, setting: string, value: Duration.Input | undefined): number | undefined =>
  value === undefined ? undefined : Setting.millis(tool, setting, value)

const statedLimits = (tool: string, input: PolicyInput): TimeLimits.StatedLimits => {
  const attemptMillis = time(tool, "timeout", input.timeout)
  const deadlineMillis = time(tool, "deadline", input.deadline)
  return {
    ...(attemptMillis === undefined ? {} : { attemptMillis }),
    ...(deadlineMillis === undefined ? {} : { deadlineMillis })
  }
}

/** Fills in the retries. An unset base is at most the cap, and an unset cap at least the base. */
const resolveRetry = (tool: string, input: RetryInput, repeatable: boolean): RetryPolicy.RetryPolicy => {
  const { attempts, baseMillis, capMillis, jitter } = RetryPolicy.defaults
  const base = time(tool, "retry.base", input.base)
  const cap = time(tool, "retry.cap", input.cap)
  if (base !== undefined && cap !== undefined && cap < base) {
    throw Setting.tooShort(
      tool,
      ["retry.cap", cap],
      ["retry.base", base],
      "so that the first delay would be longer than the longest",
      "set a longer `cap` or a shorter `base`"
    )
  }
  return {
    attempts: Setting.count(tool, "retry.attempts", input.attempts ?? (repeatable ? attempts : 1)),
    baseMillis: base ?? Math.min(baseMillis, cap ?? baseMillis),
    capMillis: cap ?? Math.max(capMillis, base ?? capMillis),
    jitter: input.jitter ?? jitter
  }
}
