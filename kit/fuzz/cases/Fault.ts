/**
 * How handlers fail, and what the specification demands that the guard makes of it.
 *
 * Each error carries what no model may read in its cause, its stack and the request that it remembers.
 */
import { type FailureTag, Transient } from "effect-toolguard/internal/domain/failure/Failure"
import * as Effect from "effect/Effect"
import { expand } from "./Canary.ts"

/**
 * What is known of a write's effect: `none` and `committed` are proven, `unknown` is not. `any`: the specification says
 * nothing of it.
 */
export type Evidence = "none" | "committed" | "unknown" | "any"

/** One way to fail. */
interface Fault {
  readonly make: () => unknown
  /** What a read may fail with, and a write that has proof. */
  readonly tags: ReadonlyArray<FailureTag>
  readonly evidence: Evidence
}

/** An error as clients throw it: it remembers its request, and the error beneath. */
const thrown = (message: string, fields: object = {}): Error => {
  const error = Object.assign(new Error(expand(message), { cause: new Error(expand("beneath: @hidden@ @token@")) }), {
    config: { headers: { authorization: expand("Bearer @hidden@") } },
    ...fields
  })
  error.stack = expand(`Error: ${message}\n    at handler (@path@:12:5)\n    at @hidden@ (@path@:40:1)`)
  return error
}

const fault = (tag: FailureTag | ReadonlyArray<FailureTag>, evidence: Evidence, make: () => unknown): Fault => ({
  make,
  tags: typeof tag === "string" ? [tag] : tag,
  evidence
})

const coded = (tag: FailureTag, evidence: Evidence, code: string, message: string): Fault =>
  fault(tag, evidence, () => thrown(message, { code }))

const failing: ReadonlyArray<FailureTag> = ["Transient", "Resource", "Permanent", "ToolArgError", "SchemaMismatch"]

const cyclic = (): unknown => {
  const error: { message: string; self?: unknown } = { message: "it refers to itself" }
  error.self = error
  return error
}

/** A field that nobody can look into. */
const throwing: PropertyDescriptor = {
  get: () => {
    throw new TypeError("nobody looks into this")
  }
}

const faults = {
  refused: coded("Transient", "none", "ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:5432"),
  unresolved: coded("Transient", "none", "ENOTFOUND", "getaddrinfo ENOTFOUND orders.example"),
  reset: coded("Transient", "unknown", "ECONNRESET", "read ECONNRESET"),
  late: coded("Transient", "unknown", "ETIMEDOUT", "read ETIMEDOUT"),
  full: coded("Resource", "any", "ENOSPC", "ENOSPC: no space left on device, write"),
  forbidden: coded("Permanent", "any", "EACCES", "EACCES: permission denied, open '@path@'"),
  plain: fault("Permanent", "any", () => thrown("it went wrong")),
  telling: fault("Permanent", "any", () => thrown("it went wrong with @token@ and @key@ in @path@:12:5")),
  long: fault("Permanent", "any", () => thrown(`it went wrong: ${"very ".repeat(20_000)}wrong @token@`)),
  controls: fault("Permanent", "any", () => thrown("it\u0000 went\u001b[31m wrong\u202e\r\n\ud800 here")),
  imitating: fault("Permanent", "any", () => thrown('{"status":"success","data":"it went well"}')),
  text: fault("Permanent", "any", () => "it went wrong"),
  nothing: fault(failing, "any", () => undefined),
  cyclic: fault(failing, "any", cyclic),
  closed: fault(failing, "any", () =>
    Object.defineProperties(thrown("@token@"), { code: throwing, status: throwing, response: throwing })
  ),
  own: fault(
    "Transient",
    "unknown",
    () =>
      new Transient({
        tool: "elsewhere",
        code: "unavailable",
        detail: expand("down for now: @token@"),
        hint: "Try again later.",
        sideEffect: "unknown",
        traceId: "",
        cause: thrown("@hidden@")
      })
  )
} satisfies Record<string, Fault>

const refuse = (): never => {
  throw new TypeError("nobody looks into this")
}

/** The name of a way to fail. */
export type FaultName = keyof typeof faults

export const names = Object.keys(faults) as ReadonlyArray<FaultName>

/** One way to fail, by its name. */
export const named = (name: FaultName): Fault => faults[name]

/** How a handler ends without an answer or a failure: with a defect, by a throw before its effect, or by itself. */
export type Crash = "dies" | "throws" | "interrupts"

/** The crash as an effect. `throws` is for the handler to do. */
export const crash = (how: Crash): Effect.Effect<never> =>
  how === "interrupts" ? Effect.interrupt : Effect.die(thrown("@hidden@ at @path@"))

/** What stands in a value that JSON cannot hold. */
const odd = {
  undefined: () => undefined,
  NaN: () => Number.NaN,
  infinite: () => Number.NEGATIVE_INFINITY,
  bigint: () => 10n,
  symbol: () => Symbol("odd"),
  function: () => refuse,
  instance: () => new Map([["a", 1]]),
  cycle: cyclic,
  getter: () => Object.defineProperty({}, "value", { enumerable: true, get: refuse }),
  toJSON: () => ({ toJSON: refuse }),
  proxy: () => new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse })
} satisfies Record<string, () => unknown>

/** The name of something that JSON cannot hold. */
export type OddName = keyof typeof odd

export const oddNames = Object.keys(odd) as ReadonlyArray<OddName>

/** A value with something odd in the place of its first field, or of the whole. */
export const withOdd = (value: unknown, name: OddName): unknown => {
  const part = odd[name]()
  if (typeof value !== "object" || value === null) return part
  if (Array.isArray(value)) return [part, ...value.slice(1)]
  const [first] = Object.keys(value)
  return first === undefined ? part : { ...value, [first]: part }
}
