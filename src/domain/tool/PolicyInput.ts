/**
 * The policy fields that users write: for a tool, a toolbox, a guard, or where a tool is used. All are optional, and
 * none depends on the types of a tool's arguments or result.
 */
import type * as Duration from "effect/Duration"
import type { SharedApproval } from "./Approval.ts"
import type { Jitter } from "./RetryPolicy.ts"

/**
 * Whether a model may make the same write, with the same arguments, more than once in a turn [4.6].
 *
 * - `once`: a write that has succeeded is not made again.
 * - `allowed`: a write such as a key press is made up to 10 times.
 */
export type Repeats = "once" | "allowed"

/** What the guard does about violations of a contract: fail the call, or only record them. */
export type EnforcementMode = "enforce" | "advise"

/** The mode for all calls, or the share of conversations in which the contract is enforced, from 0 to 1. */
export type Enforcement = EnforcementMode | { readonly share: number }

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
   * The number of attempts without progress per turn and arguments. Default for reads and for writes with idempotency
   * or reconcile: `retry.attempts`, but at least 3; otherwise 1. Units of Transient failures are returned when the
   * stated wait is over.
   */
  readonly budget?: number
  /** The maximum number of handlers that run at once. Default 16. */
  readonly concurrency?: number
  /** When the circuit opens, and for how long. `false` disables it. */
  readonly circuit?: CircuitInput | false
  /**
   * `advise` only records violations of parameters, `success` and checks: the call runs as sent, and a model reads the
   * result as the tool returned it. A program's call still fails if its result violates `success`. Default `enforce`.
   * `{ share: 0.1 }` enforces in a tenth of the conversations, always the same ones, and only advises in the others and
   * outside of conversations; `{ share: 1 }` enforces everywhere.
   */
  readonly enforce?: Enforcement
  /**
   * Whether a model may repeat a successful write with the same arguments in one turn: `once` forbids it, `allowed` permits
   * 10. Default `allowed` for MCP and OpenAPI tools that are not declared idempotent and for tools that set
   * `idempotency: "none"`, otherwise `once`. Programs may always repeat a write.
   */
  readonly repeats?: Repeats
  /** True to notify a person of the tool's permanent failures. Default false. */
  readonly critical?: boolean
  readonly limits?: LimitsInput
  readonly loop?: LoopInput
}

/**
 * The policy fields of several tools: of a toolbox, of a guard, where a tool is used, or around a call. All are optional.
 */
export interface SharedPolicy extends PolicyInput {
  /**
   * Whether a person is asked before a call runs: a level, or a function of the tool's name and the arguments as JSON.
   * The strictest of all levels applies: of the escalation policy, of each source, and of the tool's own `approval`. A
   * function marked by `weaken` replaces the levels of all farther sources. Default: the escalation policy and the
   * tool's own `approval` decide.
   */
  readonly approval?: SharedApproval
  /**
   * `derived`: a write runs once in a turn for equal arguments. It applies to writes and destructive tools whose
   * definition states no `idempotency` and no `poll`. Reads are not affected; for a single read, at its use site, the
   * field throws a RangeError. The other modes are for definitions, because `key` adds a parameter to the contract.
   * Default: none.
   */
  readonly idempotency?: "derived"
}

/** When the circuit of a tool opens, and for how long. All fields are optional. */
export interface CircuitInput {
  /** The share of the latest attempts whose failure opens the circuit, above 0 and at most 1. Default 0.5. */
  readonly share?: number
  /** The number of latest attempts that are counted. Default 20, or the minimum if that is larger. */
  readonly window?: number
  /** The number of attempts below which the circuit stays closed. Default 5, or the window if that is smaller. */
  readonly minimum?: number
  /** The first open time; half of it is random. It doubles after each failed probe. Default 1 second, or `cap` if shorter. */
  readonly open?: Duration.Input
  /** The longest open time. Default 2 seconds, or `open` if that is longer. */
  readonly cap?: Duration.Input
}

/** The retry policy that users write. All fields are optional. */
export interface RetryInput {
  /**
   * The number of executions, including the first. Default 4, or the budget if that is smaller and a failed attempt may
   * be repeated. A write without idempotency or reconcile is repeated only after attempts that did nothing, such as a
   * refused connection.
   */
  readonly attempts?: number
  /** The first delay. Default 1 second, or the cap if that is shorter. */
  readonly base?: Duration.Input
  /** The longest delay. Default 20 seconds, or the base if that is longer. */
  readonly cap?: Duration.Input
  /** Default `equal`. */
  readonly jitter?: Jitter
}

/** When the loop detector notifies the model. If the pattern continues, a person is asked. All fields are optional. */
export interface LoopInput {
  /** The number of identical calls with the same result, at least 2. Default 2. */
  readonly identical?: number
  /** How many times in a row two to four calls must occur to count as a cycle, from 2 to 10. Default 3. */
  readonly cycles?: number
  /** The number of equal failures with different arguments, at least 2. Default 4. */
  readonly sameFailure?: number
  /** The number of consecutive calls without progress, at least 2. Default 8. */
  readonly noProgress?: number
  /** The maximum number of successes of one write in a turn, if its repeats are allowed. Default 10. */
  readonly repeats?: number
}

/** The sizes and depths that a call accepts. All fields are optional. */
export interface LimitsInput {
  /** The largest arguments, in characters of JSON (UTF-16 code units). Default 1,000,000. */
  readonly argumentBytes?: number
  /** The maximum nesting of arguments, in levels; at most 1,000. Default 64. */
  readonly argumentDepth?: number
  /** The largest answer that is read, in bytes. Default 10,000,000. */
  readonly resultBytes?: number
  /** The maximum nesting of an answer, in levels; at most 1,000. Default 200. */
  readonly resultDepth?: number
  /** The largest result that a model reads whole, in bytes. Default: `ResultLimit`, 10,240. */
  readonly shownBytes?: number
}

/** Merges two inputs. A field of `nearer` takes precedence; a field that is undefined counts as unset. */
export const merge = <P extends PolicyInput>(farther: P, nearer: P): P => {
  const both = {
    retry: objectsOf(farther.retry, nearer.retry),
    limits: objectsOf(farther.limits, nearer.limits),
    loop: objectsOf(farther.loop, nearer.loop),
    circuit: objectsOf(farther.circuit, nearer.circuit)
  }
  return { ...farther, ...set(nearer), ...set<Partial<PolicyInput>>(both as Partial<PolicyInput>) }
}

/** Returns the fields of both objects, or undefined unless both are objects. */
const objectsOf = <A>(farther: A, nearer: A): A | undefined =>
  typeof farther === "object" && typeof nearer === "object" ? { ...farther, ...set(nearer as object) } : undefined

/** Returns the fields that are not undefined. */
const set = <A extends object>(fields: A): A =>
  // only undefined fields are left out
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as A
