/**
 * Defines how handlers fail, and how the specification requires the guard to classify each failure.
 *
 * The errors carry canaries in their cause, their stack and their request, which no model may read.
 */
import { type FailureTag, Transient } from "effect-toolguard/internal/domain/failure/Failure"
import * as Effect from "effect/Effect"
import { expand } from "./Canary.ts"

/**
 * The evidence for the effect of a write: `none` and `committed` are proven. `unknown`: no answer arrived. `answered`:
 * the upstream answered with an error that proves nothing. With `any`, the specification permits any evidence.
 */
export type Evidence = "none" | "committed" | "unknown" | "answered" | "any"

interface HandlerFailure {
  readonly make: () => unknown
  /** The classes with which the call may fail, unless it is a write whose side effect is unknown. */
  readonly tags: ReadonlyArray<FailureTag>
  readonly evidence: Evidence
}

/** Creates an error like the errors of HTTP clients, with its request and an underlying error. */
const thrown = (message: string, fields: object = {}): Error => {
  const error = Object.assign(
    new Error(expand(message), { cause: new Error(expand("underlying: @hidden@ @token@")) }),
    {
      config: { headers: { authorization: expand("Bearer @hidden@") } },
      ...fields
    }
  )
  error.stack = expand(`Error: ${message}\n    at handler (@path@:12:5)\n    at @hidden@ (@path@:40:1)`)
  return error
}

const failure = (
  tag: FailureTag | ReadonlyArray<FailureTag>,
  evidence: Evidence,
  make: () => unknown
): HandlerFailure => ({
  make,
  tags: typeof tag === "string" ? [tag] : tag,
  evidence
})

const coded = (tag: FailureTag, evidence: Evidence, code: string, message: string): HandlerFailure =>
  failure(tag, evidence, () => thrown(message, { code }))

const anyFailure: ReadonlyArray<FailureTag> = ["Transient", "Resource", "Permanent", "ToolArgError", "SchemaMismatch"]

const cyclic = (): unknown => {
  const error: { message: string; self?: unknown } = { message: "it refers to itself" }
  error.self = error
  return error
}

/** A property that throws when it is read. */
const throwingProperty: PropertyDescriptor = {
  get: () => {
    throw new TypeError("this property cannot be read")
  }
}

const failures = {
  refused: coded("Transient", "none", "ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:5432"),
  unresolved: coded("Transient", "none", "ENOTFOUND", "getaddrinfo ENOTFOUND orders.example"),
  reset: coded("Transient", "unknown", "ECONNRESET", "read ECONNRESET"),
  late: coded("Transient", "unknown", "ETIMEDOUT", "read ETIMEDOUT"),
  full: coded("Resource", "answered", "ENOSPC", "ENOSPC: no space left on device, write"),
  forbidden: coded("Permanent", "answered", "EACCES", "EACCES: permission denied, open '@path@'"),
  plain: failure("Permanent", "answered", () => thrown("it went wrong")),
  telling: failure("Permanent", "answered", () => thrown("it went wrong with @token@ and @key@ in @path@:12:5")),
  long: failure("Permanent", "answered", () => thrown(`it went wrong: ${"very ".repeat(20_000)}wrong @token@`)),
  controls: failure("Permanent", "answered", () => thrown("the\u0000 flux\u001b[31m is odd\u202e\r\n\ud800 here")),
  imitating: failure("Permanent", "answered", () => thrown('{"status":"success","data":"it went well"}')),
  text: failure("Permanent", "answered", () => "it went wrong"),
  nothing: failure(anyFailure, "answered", () => undefined),
  cyclic: failure(anyFailure, "answered", cyclic),
  closed: failure(anyFailure, "answered", () =>
    Object.defineProperties(thrown("@token@"), {
      code: throwingProperty,
      status: throwingProperty,
      response: throwingProperty
    })
  ),
  own: failure(
    "Transient",
    "unknown",
    () =>
      new Transient({
        tool: "other_tool",
        code: "unavailable",
        detail: expand("down for now: @token@"),
        hint: "Try again later.",
        sideEffect: "unknown",
        traceId: "",
        cause: thrown("@hidden@")
      })
  )
} satisfies Record<string, HandlerFailure>

const throwOnAccess = (): never => {
  throw new TypeError("this value cannot be read")
}

/** The name of a failure. */
export type FailureName = keyof typeof failures

export const names = Object.keys(failures) as ReadonlyArray<FailureName> // Object.keys widens names to string

/** Returns the failure with this name. */
export const named = (name: FailureName): HandlerFailure => failures[name]

/**
 * How a handler ends without an answer or a failure: with a defect, by throwing before its effect, or by interrupting
 * itself.
 */
export type Crash = "dies" | "throws" | "interrupts"

/** Returns the crash as an effect. For `throws`, the simulated handler throws before it returns an effect. */
export const crash = (how: Crash): Effect.Effect<never> =>
  how === "interrupts" ? Effect.interrupt : Effect.die(thrown("@hidden@ at @path@"))

/** Values that JSON cannot represent. */
const odd = {
  undefined: () => undefined,
  NaN: () => Number.NaN,
  infinite: () => Number.NEGATIVE_INFINITY,
  bigint: () => 10n,
  symbol: () => Symbol("odd"),
  function: () => throwOnAccess,
  instance: () => new Map([["a", 1]]),
  cycle: cyclic,
  getter: () => Object.defineProperty({}, "value", { enumerable: true, get: throwOnAccess }),
  toJSON: () => ({ toJSON: throwOnAccess }),
  proxy: () => new Proxy({}, { get: throwOnAccess, has: throwOnAccess, ownKeys: throwOnAccess })
} satisfies Record<string, () => unknown>

/** The name of a value that JSON cannot represent. */
export type OddName = keyof typeof odd

export const oddNames = Object.keys(odd) as ReadonlyArray<OddName> // Object.keys widens names to string

/** Puts a value that JSON cannot represent into the first field or item of `value`. Replaces a value that has none. */
export const withOdd = (value: unknown, name: OddName): unknown => {
  const part = odd[name]()
  if (typeof value !== "object" || value === null) return part
  if (Array.isArray(value)) return [part, ...value.slice(1)]
  const [first] = Object.keys(value)
  return first === undefined ? part : { ...value, [first]: part }
}
