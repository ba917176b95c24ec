/**
 * A tool as data, with every default filled in: what the stages read.
 *
 * The typed face that users write is `GuardedTool.Definition`; `resolve` turns its policy fields into this. Types of
 * arguments and results are `unknown` here: the contract has decoded them before a stage sees them.
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

/** What a check sees beside the result. */
export interface CheckContext<out Arguments = unknown, out Result = unknown> {
  readonly arguments: Arguments
  /** This tool's earlier results in the turn, oldest first. */
  readonly previous: ReadonlyArray<Result>
  /** Epoch milliseconds, by the guard's clock. */
  readonly nowMillis: number
  /** The result is what `salvage` kept of an answer that was cut: fewer rows than it says of itself are no fault. */
  readonly isSalvaged?: true
}

export interface Check {
  readonly name: string
  readonly run: (result: unknown, context: CheckContext) => Verdict
}

/** How a cut answer is saved: which array, what the cut took away, and how to go on. */
export interface Salvage {
  /** Dotted path of the array in the encoded result, e.g. `orders` or `data.items`; empty where the result is the array. */
  readonly path: string
  /** Encoded fields that the cut took away, e.g. `{ has_more: true }`. */
  readonly rest?: (rows: ReadonlyArray<unknown>, args: unknown) => object
  /** The arguments of the continuing call that change. */
  readonly next?: (result: unknown, args: unknown) => object
  /** What to make smaller, where there is no continuation. */
  readonly narrow?: string
}

/** Whether results of this tool are polled for: repeating it is then no loop. */
export interface Poll {
  /** Shortest time between two equal calls, in milliseconds. */
  readonly intervalMillis: number
  /** How long it may go on from the first call, in milliseconds. */
  readonly deadlineMillis: number
  /** True once the awaited result is there; equal calls after it are ordinary repeats. */
  readonly until: (result: unknown) => boolean
}

/** How the key of a write is made, and what its upstream does with it. */
export interface Idempotency {
  readonly mode: "derived" | "key" | "none"
  /** The arguments that the derived key is made of; all where absent. */
  readonly fields: ReadonlyArray<string> | undefined
  /** The upstream does a keyed action once, so an unknown outcome may be tried again under the same key. */
  readonly upstreamHonoursKey: boolean
  readonly timeToLive: Duration.Duration
}

/** Another tool, as a stage names it. */
export interface ToolReference {
  readonly toolName: string
}

export interface Fallback {
  readonly tool: ToolReference
  /** Maps decoded arguments to the alternative's encoded ones. */
  readonly arguments: (args: unknown) => unknown
}

export interface Reconcile {
  readonly tool: ToolReference
  readonly arguments: (args: unknown, idempotencyKey: string) => unknown
  /** Some: the effect happened, and this is its result. None: it did not. */
  readonly found: (result: unknown, args: unknown) => Option.Option<unknown>
}

/** The policy of a tool, defaults filled in. Times in milliseconds. */
export interface Policy {
  readonly attemptMillis: number
  readonly deadlineMillis: number
  readonly retry: RetryPolicy.RetryPolicy
  readonly budget: number
  readonly concurrency: number
  readonly circuit: { readonly failures: number; readonly openFor: Duration.Duration } | undefined
  readonly enforce: "enforce" | "advise"
}

export interface ToolDefinition extends Policy {
  readonly name: string
  readonly description: string
  readonly access: Access
  readonly critical: boolean
  readonly parameters: Codec
  readonly success: Codec
  /** `json`: text is parsed even where `success` is a string. */
  readonly answers: "json" | "value"
  readonly checks: ReadonlyArray<Check>
  readonly fallbacks: ReadonlyArray<Fallback>
  readonly idempotency: Idempotency
  readonly reconcile: Reconcile | undefined
  readonly salvage: Salvage | undefined
  readonly poll: Poll | undefined
  readonly approval: Level | ((args: unknown) => Approval | Effect.Effect<Approval, unknown>) | undefined
}

/** True where an attempt whose outcome is unknown or failed may be made again: a read, a keyed or reconciled write. */
export const isRepeatable = ({
  access,
  idempotency,
  reconcile
}: Pick<ToolDefinition, "access" | "idempotency" | "reconcile">): boolean =>
  access === "read" || idempotency.mode !== "none" || reconcile !== undefined

/** Policy fields as users write them; everything is optional. */
export interface PolicyInput {
  /** Longest time of one attempt. Default 5 seconds. */
  readonly timeout?: Duration.Input
  /** Longest time of all attempts and waits, approval excluded. Default 30 seconds. */
  readonly deadline?: Duration.Input
  readonly retry?: RetryInput
  /** Attempts without progress per turn and arguments. Default: read 3; write 1, or 3 with idempotency or reconcile. */
  readonly budget?: number
  /** Handlers running at once. Default 16. */
  readonly concurrency?: number
  /** When the tool is left alone. Default: after 5 failures in a row, for 30 seconds. `false`: never. */
  readonly circuit?: { readonly failures?: number; readonly openFor?: Duration.Input } | false
  /** `advise` records violations of parameters and checks, and runs the call as sent. Default `enforce`. */
  readonly enforce?: "enforce" | "advise"
}

export interface RetryInput {
  /** Executions in all, the first included. Default 3 for reads; for writes with idempotency or reconcile 3, else 1. */
  readonly attempts?: number
  /** First delay. Default 200 milliseconds. */
  readonly base?: Duration.Input
  /** Longest delay. Default 20 seconds. */
  readonly cap?: Duration.Input
  /** Default `equal`. */
  readonly jitter?: RetryPolicy.Jitter
}

const millis = (input: Duration.Input | undefined, fallback: number): number =>
  input === undefined ? fallback : Duration.toMillis(Duration.fromInputUnsafe(input))

const count = (field: string, value: number): number => {
  if (!Number.isInteger(value) || value < 1) {
    throw new RangeError(`\`${field}\` is a whole number of at least 1, got ${value}.`)
  }
  return value
}

/** Fills in the defaults of SPEC 2.9. A budget is never below the attempts (4.7). Throws a RangeError on a count below 1. */
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
