/**
 * A tool as data with every default filled in, as the stages read it.
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
import type { Verdict } from "./Verdict.ts"

/** A schema that needs no services. */
export type Codec = Schema.Codec<unknown, unknown, never, never>

/** What a check receives in addition to the result. */
export interface CheckContext<out Arguments = unknown, out Result = unknown> {
  readonly arguments: Arguments
  /** This tool's earlier results in the turn, oldest first. */
  readonly previous: ReadonlyArray<Result>
  /** Epoch milliseconds, by the guard's clock. */
  readonly nowMillis: number
  /** Whether `salvage` recovered the result from a truncated answer: it may have fewer rows than it claims. */
  readonly isSalvaged?: true
}

/** A check of a tool. */
export interface Check {
  readonly name: string
  readonly run: (result: unknown, context: CheckContext) => Verdict
}

/** How the rows of a truncated answer are recovered, and how to continue after them. */
export interface Salvage {
  /** Dotted path of the array in the encoded result, such as `orders` or `data.items`; empty if the result is the array. */
  readonly path: string
  /** Encoded fields lost with the end of the answer, such as `{ has_more: true }`. */
  readonly rest?: (rows: ReadonlyArray<unknown>, args: unknown) => object
  /** The changed arguments of the continuing call. */
  readonly next?: (result: unknown, args: unknown) => object
  /** How to narrow the request, if it cannot be continued. */
  readonly narrow?: string
}

/** How a tool is polled. Repeated polls are not a loop. */
export interface Poll {
  /** The minimum time between two identical calls, in milliseconds. */
  readonly intervalMillis: number
  /** The time limit from the first call, in milliseconds. */
  readonly deadlineMillis: number
  /** Whether a result is the awaited one. Identical calls after it are ordinary repetitions. */
  readonly until: (result: unknown) => boolean
}

/** Where the idempotency key of a write comes from, and whether its upstream honours it. */
export interface Idempotency {
  readonly mode: "derived" | "key" | "none"
  /** The arguments from which the key is derived; all if absent. */
  readonly fields: ReadonlyArray<string> | undefined
  /** Whether the upstream does a keyed action only once, so an unknown outcome may be retried with the same key. */
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
  /** Maps decoded arguments to the encoded arguments of the look-up. */
  readonly arguments: (args: unknown, idempotencyKey: string) => unknown
  /** Some: the action happened, with this result. None: it did not happen. */
  readonly found: (result: unknown, args: unknown) => Option.Option<unknown>
}

/** The policy of a tool with defaults filled in. Times are in milliseconds. */
export interface Policy {
  readonly attemptMillis: number
  readonly deadlineMillis: number
  readonly retry: RetryPolicy.RetryPolicy
  readonly budget: number
  readonly concurrency: number
  readonly circuit: { readonly failures: number; readonly openFor: Duration.Duration } | undefined
  readonly enforce: "enforce" | "advise"
}

/** The definition of a tool. */
export interface ToolDefinition extends Policy {
  readonly name: string
  readonly description: string
  readonly access: Access
  readonly critical: boolean
  readonly parameters: Codec
  readonly success: Codec
  /** `json`: text is parsed even if `success` is a string. */
  readonly answers: "json" | "value"
  readonly checks: ReadonlyArray<Check>
  readonly fallbacks: ReadonlyArray<Fallback>
  readonly idempotency: Idempotency
  readonly reconcile: Reconcile | undefined
  readonly salvage: Salvage | undefined
  readonly poll: Poll | undefined
  readonly approval: Level | ((args: unknown) => Approval | Effect.Effect<Approval, unknown>) | undefined
}

/** Whether a failed attempt, or one with an unknown outcome, may be repeated: a read, or a keyed or reconciled write. */
export const isRepeatable = ({
  access,
  idempotency,
  reconcile
}: Pick<ToolDefinition, "access" | "idempotency" | "reconcile">): boolean =>
  access === "read" || idempotency.mode !== "none" || reconcile !== undefined

/** The policy fields that users write. All are optional. */
export interface PolicyInput {
  /** The time limit of one attempt. Default 5 seconds. */
  readonly timeout?: Duration.Input
  /** The time limit of all attempts and waits, except for approval. Default 30 seconds. */
  readonly deadline?: Duration.Input
  readonly retry?: RetryInput
  /** Attempts without progress per turn and arguments. Default: read 3; write 1, or 3 with idempotency or reconcile. */
  readonly budget?: number
  /** The maximum number of handlers that run at once. Default 16. */
  readonly concurrency?: number
  /** When the circuit opens. Default: after 5 consecutive failures, for 30 seconds. `false`: never. */
  readonly circuit?: { readonly failures?: number; readonly openFor?: Duration.Input } | false
  /** `advise` records violations of parameters and checks, and runs the call as sent. Default `enforce`. */
  readonly enforce?: "enforce" | "advise"
}

/** The retry policy that users write. All fields are optional. */
export interface RetryInput {
  /** Executions in total, including the first. Default 3 for reads and for writes with idempotency or reconcile, else 1. */
  readonly attempts?: number
  /** First delay. Default 200 milliseconds. */
  readonly base?: Duration.Input
  /** The longest delay. Default 20 seconds. */
  readonly cap?: Duration.Input
  /** Default `equal`. */
  readonly jitter?: RetryPolicy.Jitter
}

const millis = (input: Duration.Input | undefined, fallback: number): number =>
  input === undefined ? fallback : Duration.toMillis(Duration.fromInputUnsafe(input))

const count = (field: string, value: number): number => {
  if (!Number.isInteger(value) || value < 1) {
    throw new RangeError(`\`${field}\` must be a whole number of at least 1, got ${value}.`)
  }
  return value
}

/**
 * Fills in the defaults of [2.9]. The budget is at least the attempts [4.7]. Throws a RangeError for a count below
 * 1.
 */
export const resolvePolicy = (input: PolicyInput, repeatable: boolean): Policy => {
  const attempts = count("retry.attempts", input.retry?.attempts ?? (repeatable ? RetryPolicy.defaults.attempts : 1))
  return {
    attemptMillis: millis(input.timeout, 5_000),
    deadlineMillis: millis(input.deadline, 30_000),
    retry: {
      attempts,
      baseMillis: millis(input.retry?.base, RetryPolicy.defaults.baseMillis),
      capMillis: millis(input.retry?.cap, RetryPolicy.defaults.capMillis),
      jitter: input.retry?.jitter ?? RetryPolicy.defaults.jitter
    },
    budget: Math.max(attempts, count("budget", input.budget ?? (repeatable ? 3 : 1))),
    concurrency: count("concurrency", input.concurrency ?? 16),
    circuit:
      input.circuit === false
        ? undefined
        : {
            failures: count("circuit.failures", input.circuit?.failures ?? 5),
            openFor: Duration.fromInputUnsafe(input.circuit?.openFor ?? "30 seconds")
          },
    enforce: input.enforce ?? "enforce"
  }
}
