/**
 * Decides the side effect of a failed write from evidence in its error and in every error that caused it [3.3].
 *
 * **Details**
 *
 * - A statement of the handler (`nothingDone`, `done`, `unknown`) decides for the error that it encloses. The enclosed
 *   error is not read.
 * - The most severe evidence counts: `committed`, then `unknown`, then `none`. A statement below an error that proves
 *   more does not outweigh that error. General tags of Effect's errors count only if nothing else proves anything.
 * - An error that combines several (`AggregateError`, `SuppressedError`, a `Cause` of Effect) proves that nothing was
 *   done only if each of them proves it. Defects and interruptions in a `Cause` prove nothing, unless a statement
 *   encloses the defect.
 *
 * **Gotchas**
 *
 * The search never throws, even for cycles and throwing getters. It stops after 48 objects, and at a depth of 12: the
 * effect is then unknown, unless the rest of the chain proves that something was done.
 */
import { isFailure, type Failure, type SideEffect } from "#domain/failure/Failure"
import * as StatedEffect from "#domain/failure/StatedEffect"
import * as Cause from "effect/Cause"
import { get, type LinkEvidence, ofLink } from "./LinkEvidence.ts"

/** The evidence about the effect of a failed write. */
export type SideEffectEvidence = Pick<LinkEvidence, "sideEffect" | "ground" | "isAnswered" | "code">

/** The evidence about the effect of a handler that failed for several reasons, which have no common code. */
type CommonEvidence = Omit<SideEffectEvidence, "code">

interface Options {
  /**
   * The name of the tool that was called. A failure of another guarded tool does not prove that this tool did
   * nothing.
   */
  readonly tool?: string | undefined
  /** True if the failed connection was to a host other than the requested one: a request had then already been sent. */
  readonly wasRedirected?: boolean
}

const maximumObjects = 48
const maximumDepth = 12

/** The ground of an error that proves nothing. */
export const noEvidence = "no evidence"

const nothing: LinkEvidence = { sideEffect: "unknown", ground: noEvidence, isAnswered: true, strength: "firm" }

const unread: LinkEvidence = { ...nothing, ground: "too many errors to read" }

const severity = { none: 0, unknown: 1, committed: 2 } as const

/**
 * Returns the more severe evidence. If both are equally severe, evidence without an answer of the upstream takes
 * precedence.
 */
const moreSevere = <E extends CommonEvidence>(self: E, that: E): E => {
  const difference = severity[that.sideEffect] - severity[self.sideEffect]
  return difference > 0 || (difference === 0 && self.isAnswered && !that.isAnswered) ? that : self
}

/** Returns the more severe evidence, and a statement if both are equally severe. Weak evidence yields to any other. */
const heavier = (self: LinkEvidence | undefined, that: LinkEvidence | undefined): LinkEvidence | undefined => {
  if (self === undefined || that === undefined) return self ?? that
  if ((self.strength === "weak") !== (that.strength === "weak")) return self.strength === "weak" ? that : self
  return that.strength === "stated" ? moreSevere(that, self) : moreSevere(self, that)
}

/** One of several errors, without evidence. A refusal elsewhere does not prove that this part did nothing. */
const oneOfSeveral: LinkEvidence = { ...nothing, ground: "one of several errors" }

/** Combines the evidence of errors that one error lists. Any part of the call that failed may have done something. */
const together = (all: ReadonlyArray<LinkEvidence | undefined>): LinkEvidence | undefined => {
  const known = all.map((one) => one ?? oneOfSeveral)
  const [first, ...rest] = known
  if (first === undefined) return undefined
  const strength = known.every((one) => one.strength === "stated") ? "stated" : "firm"
  return { ...rest.reduce((self, that) => moreSevere(self, that), first), strength }
}

/** The codes of the guard's failures without an answer. */
const unanswered: ReadonlySet<string> = new Set([
  "timeout",
  "connection_failed",
  "connection_lost",
  "body_cut",
  "unavailable",
  "interrupted",
  "tool_crashed",
  "outcome_unknown"
])

/**
 * Reads a failure of the guard, which states its side effect. A failure of another guarded tool proves nothing about
 * the called tool.
 */
const ofFailure = ({ code, sideEffect, tool, traceId }: Failure, called: string | undefined): LinkEvidence => {
  const isForeign = called !== undefined && tool !== called && traceId !== ""
  const isAnswered = !unanswered.has(code)
  return sideEffect !== "unknown" && isForeign
    ? { ...nothing, ground: `failure of ${tool}`, isAnswered }
    : { sideEffect, ground: `failure ${code}`, isAnswered, strength: "stated" }
}

/** Fields that lead to the errors that caused an error. */
const links = ["cause", "reason", "originalError", "innerError"]

/** The fields that lead to an error or to the body of an answer. The fields of a body prove nothing. */
const errors = ["error", "exception"]

class Search {
  readonly seen = new Set<object>()
  readonly tool: string | undefined

  constructor(tool: string | undefined) {
    this.tool = tool
  }

  of(value: unknown, depth: number): LinkEvidence | undefined {
    if (typeof value !== "object" || value === null || this.seen.has(value)) return undefined
    // an unread error may prove that something was done
    if (depth > maximumDepth || this.seen.size >= maximumObjects) return unread
    this.seen.add(value)
    try {
      return this.inside(value, depth)
    } catch {
      return undefined // a proxy whose traps throw
    }
  }

  inside(value: object, depth: number): LinkEvidence | undefined {
    const stated = StatedEffect.sideEffectOf(value)
    if (stated !== undefined) {
      return { sideEffect: stated, ground: statements[stated], isAnswered: true, strength: "stated" }
    }
    if (isFailure(value)) return ofFailure(value, this.tool)
    if (Cause.isCause(value)) return this.ofReasons(value, depth)
    let found = heavier(ofLink(value), this.ofMembers(value, depth))
    for (const field of links) found = heavier(found, this.of(get(value, field), depth + 1))
    for (const field of errors) {
      const error = get(value, field)
      if (error instanceof Error) found = heavier(found, this.of(error, depth + 1))
    }
    return found
  }

  /** Reads all failures of a `Cause`. */
  ofReasons({ reasons }: Cause.Cause<unknown>, depth: number): LinkEvidence | undefined {
    const ofError = (error: unknown) => this.of(error, depth + 1)
    return together(reasons.slice(0, maximumObjects).map((reason) => ofReason(reason, ofError)))
  }

  /**
   * Reads the errors that an `AggregateError` or a `SuppressedError` combines. Ignores lists of messages, as in the
   * body of an answer.
   */
  ofMembers(value: object, depth: number): LinkEvidence | undefined {
    const suppressed = value instanceof Error ? get(value, "suppressed") : undefined
    if (suppressed !== undefined)
      return together([get(value, "error"), suppressed].map((error) => this.of(error, depth + 1)))
    const errors = get(value, "errors")
    if (!Array.isArray(errors)) return undefined
    const isCombined = value instanceof AggregateError || errors.some((error) => error instanceof Error)
    return isCombined ? together(errors.slice(0, maximumObjects).map((error) => this.of(error, depth + 1))) : undefined
  }
}

const crash: LinkEvidence = { ...nothing, ground: "a crash", isAnswered: false }
const interruption: LinkEvidence = { ...nothing, ground: "an interruption", isAnswered: false }

/**
 * Reads one failure of a `Cause`. An interruption proves nothing, and neither does a defect, unless a statement
 * encloses it.
 */
const ofReason = (
  reason: Cause.Reason<unknown>,
  ofError: (error: unknown) => LinkEvidence | undefined
): LinkEvidence | undefined => {
  if (Cause.isFailReason(reason)) return ofError(reason.error)
  if (!Cause.isDieReason(reason)) return interruption
  const evidence = ofError(reason.defect)
  return evidence?.strength === "stated" ? evidence : crash
}

const statements: Readonly<Record<SideEffect, string>> = { none: "nothingDone", committed: "done", unknown: "unknown" }

const found = (error: unknown, tool: string | undefined): LinkEvidence | undefined => new Search(tool).of(error, 0)

/** Reads the evidence in the error of a failed write. Never throws. Without evidence, the effect is unknown. */
export const read = (error: unknown, { wasRedirected = false, tool }: Options = {}): SideEffectEvidence => {
  const evidence = found(error, tool) ?? nothing
  const wasSent = wasRedirected && evidence.isUnsent === true
  const { code, ground, isAnswered, sideEffect } = wasSent
    ? { ...nothing, ground: `${evidence.ground} after a redirect`, isAnswered: false }
    : evidence
  return code === undefined ? { sideEffect, ground, isAnswered } : { sideEffect, ground, isAnswered, code }
}

/**
 * Returns the most severe evidence of all failures of a handler, whose concurrent parts may have failed together. A
 * part that crashed or was interrupted may have done something before. `readError` reads the errors.
 */
export const readCause = (
  { reasons }: Cause.Cause<unknown>,
  tool: string,
  readError: (error: unknown) => CommonEvidence = (error) => read(error, { tool })
): CommonEvidence =>
  reasons
    .map((reason) =>
      Cause.isFailReason(reason)
        ? readError(reason.error)
        : (ofReason(reason, (error) => found(error, tool)) ?? nothing)
    )
    .reduce<CommonEvidence | undefined>(
      (self, that) => (self === undefined ? that : moreSevere(self, that)),
      undefined
    ) ?? nothing

/** True for a failure whose code says that another tool was done, while it is not known whether the called tool was. */
export const isOthersDone = ({ code }: Failure, sideEffect: SideEffect): boolean =>
  sideEffect === "unknown" && (code === "done_without_result" || code === "done_unreadable")
