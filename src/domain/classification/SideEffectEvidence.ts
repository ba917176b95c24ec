/**
 * Decides what a failed write has done, from evidence in its error and in every error that caused it [3.3].
 *
 * **Details**
 *
 * - A statement of the handler (`nothingDone`, `done`, `unknown`) outweighs everything else. Of nested statements, the
 *   outermost counts.
 * - Otherwise the most severe evidence of the chain counts: `committed`, then `unknown`, then `none`. General tags of
 *   Effect's errors count only if nothing else in the chain proves anything.
 * - An error that combines several (`AggregateError`) has had no side effect only if each of them has had none.
 *
 * **Gotchas**
 *
 * The search never throws, even for cycles and throwing getters. It stops after 48 objects, and at a depth of 12: the
 * effect is then unknown, unless the rest of the chain proves that something was done.
 */
import { isFailure, type Failure, type SideEffect } from "#domain/failure/Failure"
import * as StatedEffect from "#domain/failure/StatedEffect"
import { get, type LinkEvidence, ofLink } from "./LinkEvidence.ts"

/** What is known about the effect of a failed write. */
export type SideEffectEvidence = Pick<LinkEvidence, "sideEffect" | "ground" | "isAnswered" | "code">

interface Options {
  /** The name of the tool that was called. A failure of another guarded tool does not prove that this tool did nothing. */
  readonly tool?: string | undefined
  /** True if the failed connection was to a host other than the requested one, so that a request had been sent. */
  readonly isElsewhere?: boolean
}

const maximumObjects = 48
const maximumDepth = 12

/** The ground of an error that proves nothing. */
export const noEvidence = "no evidence"

const nothing: LinkEvidence = { sideEffect: "unknown", ground: noEvidence, isAnswered: true, strength: "firm" }

const severity = { none: 0, unknown: 1, committed: 2 } as const
const strengths = { weak: 0, firm: 1, stated: 2 } as const

/** Returns the more severe evidence. If the effects of both are unknown, returns the one without an answer. */
const graver = <E extends SideEffectEvidence>(self: E, that: E): E => {
  const difference = severity[that.sideEffect] - severity[self.sideEffect]
  return difference > 0 || (difference === 0 && self.isAnswered && !that.isAnswered) ? that : self
}

/** Returns the stronger evidence, or the more severe if both are equally strong. */
const heavier = (self: LinkEvidence | undefined, that: LinkEvidence | undefined): LinkEvidence | undefined => {
  if (self === undefined || that === undefined) return self ?? that
  const difference = strengths[that.strength] - strengths[self.strength]
  if (difference !== 0) return difference > 0 ? that : self
  // the outer statement was made with the knowledge of the inner one
  return self.strength === "stated" ? self : graver(self, that)
}

/** Combines the evidence of errors that one error lists. Any part of the call that failed may have done something. */
const together = (all: ReadonlyArray<LinkEvidence | undefined>): LinkEvidence | undefined => {
  const known = all.map((one) => one ?? nothing)
  const [first, ...rest] = known
  if (first === undefined) return undefined
  const strength = known.every((one) => one.strength === "stated") ? "stated" : "firm"
  return { ...rest.reduce((self, that) => graver(self, that), first), strength }
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
 * Reads a failure of the guard, which states its side effect. A failure of another guarded tool proves what that tool
 * did, and neither that this tool did nothing nor that it was done.
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
    // what is not read may prove that something was done
    if (depth > maximumDepth || this.seen.size >= maximumObjects) return nothing
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
    let found = heavier(ofLink(value), this.ofMembers(value, depth))
    for (const field of links) found = heavier(found, this.of(get(value, field), depth + 1))
    for (const field of errors) {
      const error = get(value, field)
      if (error instanceof Error) found = heavier(found, this.of(error, depth + 1))
    }
    return found
  }

  /** Reads the errors that an `AggregateError` combines. Ignores lists of messages, as in the body of an answer. */
  ofMembers(value: object, depth: number): LinkEvidence | undefined {
    const errors = get(value, "errors")
    if (!Array.isArray(errors)) return undefined
    const isCombined = value instanceof AggregateError || errors.some((error) => error instanceof Error)
    return isCombined ? together(errors.slice(0, maximumObjects).map((error) => this.of(error, depth + 1))) : undefined
  }
}

const statements: Readonly<Record<SideEffect, string>> = { none: "nothingDone", committed: "done", unknown: "unknown" }

const found = (error: unknown, tool: string | undefined): LinkEvidence | undefined => new Search(tool).of(error, 0)

/** Reads the evidence in the error of a failed write. Never throws. Without evidence, the effect is unknown. */
export const read = (error: unknown, { isElsewhere = false, tool }: Options = {}): SideEffectEvidence => {
  const evidence = found(error, tool) ?? nothing
  const wasSent = isElsewhere && evidence.isUnsent === true
  const { code, ground, isAnswered, sideEffect } = wasSent
    ? { ...nothing, ground: `${evidence.ground} after a redirect`, isAnswered: false }
    : evidence
  return code === undefined ? { sideEffect, ground, isAnswered } : { sideEffect, ground, isAnswered, code }
}

/** Returns what the handler stated about its effect, at any depth of the error. `undefined` if it stated nothing. */
export const stated = (error: unknown): SideEffectEvidence | undefined => {
  const evidence = found(error, undefined)
  return evidence?.strength === "stated" ? evidence : undefined
}

/** Returns the most severe evidence of several errors of one call. Throws if there is no error. */
export const readAll = (errors: ReadonlyArray<unknown>, options: Options = {}): SideEffectEvidence =>
  errors.map((error) => read(error, options)).reduce((self, that) => graver(self, that))

/** True for a failure whose code says that another tool was done, while it is not known whether the called tool was. */
export const isOthersDone = ({ code }: Failure, sideEffect: SideEffect): boolean =>
  sideEffect === "unknown" && (code === "done_without_result" || code === "done_unreadable")
