/**
 * Decides what a failed write has done, by evidence in the error and in every error that caused it [3.3].
 *
 * **Details**
 *
 * - A statement of the handler (`nothingDone`, `done`, `unknown`) outweighs everything else. The outermost counts.
 * - Otherwise the most severe evidence of the chain counts: `committed`, then `unknown`, then `none`. General tags of
 *   Effect's errors count only if nothing else in the chain proves anything.
 * - An error that combines several (`AggregateError`) has had no side effect only if each of them has had none.
 *
 * **Gotchas**
 *
 * Total: cycles, throwing getters and endless chains end the search (48 objects, depth 12).
 */
import { isFailure, type Failure, type SideEffect } from "#domain/failure/Failure"
import * as StatedEffect from "#domain/failure/StatedEffect"
import { get, type LinkEvidence, ofLink } from "./LinkEvidence.ts"

/** What is known about the effect of a failed write. */
export type SideEffectEvidence = Pick<LinkEvidence, "sideEffect" | "ground" | "isAnswered" | "code">

interface Options {
  /** The tool that was called. A failure of another guarded tool does not prove that this one did nothing. */
  readonly tool?: string | undefined
  /** The failed connection was to another host than the requested one, so a request had been sent. */
  readonly isElsewhere?: boolean
}

const maximumObjects = 48
const maximumDepth = 12

const nothing: LinkEvidence = { sideEffect: "unknown", ground: "no evidence", isAnswered: true, strength: "firm" }

const severity = { none: 0, unknown: 1, committed: 2 } as const
const strengths = { weak: 0, firm: 1, stated: 2 } as const

/** The more severe of two; of two unknown ones, the one without an answer. */
const graver = <E extends SideEffectEvidence>(self: E, that: E): E => {
  const difference = severity[that.sideEffect] - severity[self.sideEffect]
  return difference > 0 || (difference === 0 && self.isAnswered && !that.isAnswered) ? that : self
}

/** The stronger of two, and of two equally strong ones the more severe. */
const heavier = (self: LinkEvidence | undefined, that: LinkEvidence | undefined): LinkEvidence | undefined => {
  if (self === undefined || that === undefined) return self ?? that
  const difference = strengths[that.strength] - strengths[self.strength]
  if (difference !== 0) return difference > 0 ? that : self
  // the outer statement was made with the knowledge of the inner one
  return self.strength === "stated" ? self : graver(self, that)
}

/** The evidence of several errors that belong to one call: any of them may have done something. */
const together = (all: ReadonlyArray<LinkEvidence | undefined>): LinkEvidence | undefined => {
  const known = all.map((one) => one ?? nothing)
  const [first, ...rest] = known
  if (first === undefined) return undefined
  const strength = known.every((one) => one.strength === "stated") ? "stated" : "firm"
  return { ...rest.reduce((self, that) => graver(self, that), first), strength }
}

/** Codes of the guard's failures with which no answer arrived. */
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

/** A failure of the guard states its side effect. One of another guarded tool is evidence only of what it may have done. */
const ofFailure = ({ code, sideEffect, tool, traceId }: Failure, called: string | undefined): LinkEvidence => {
  const isForeign = called !== undefined && tool !== called && traceId !== ""
  const isAnswered = !unanswered.has(code)
  return sideEffect === "none" && isForeign
    ? { ...nothing, ground: `failure of ${tool}`, isAnswered }
    : { sideEffect, ground: `failure ${code}`, isAnswered, strength: "stated" }
}

/** Fields that lead to the errors that caused an error. */
const links = ["cause", "reason", "error", "originalError", "innerError", "exception"]

class Search {
  readonly seen = new Set<object>()
  readonly tool: string | undefined

  constructor(tool: string | undefined) {
    this.tool = tool
  }

  of(value: unknown, depth: number): LinkEvidence | undefined {
    if (typeof value !== "object" || value === null || depth > maximumDepth) return undefined
    if (this.seen.size >= maximumObjects || this.seen.has(value)) return undefined
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
    return found
  }

  /** The errors that an `AggregateError` combines. A list of messages in the body of an answer is not such a list. */
  ofMembers(value: object, depth: number): LinkEvidence | undefined {
    const errors = get(value, "errors")
    if (!Array.isArray(errors)) return undefined
    const isCombined = value instanceof AggregateError || errors.some((error) => error instanceof Error)
    return isCombined ? together(errors.slice(0, maximumObjects).map((error) => this.of(error, depth + 1))) : undefined
  }
}

const statements: Readonly<Record<SideEffect, string>> = { none: "nothingDone", committed: "done", unknown: "unknown" }

const found = (error: unknown, tool: string | undefined): LinkEvidence | undefined => new Search(tool).of(error, 0)

/** Reads the evidence of an error that a write failed with. Total; an error without evidence is an answered error of unknown effect. */
export const read = (error: unknown, { isElsewhere = false, tool }: Options = {}): SideEffectEvidence => {
  const evidence = found(error, tool) ?? nothing
  const wasSent = isElsewhere && evidence.isUnsent === true
  const { code, ground, isAnswered, sideEffect } = wasSent
    ? { ...nothing, ground: `${evidence.ground} after a redirect`, isAnswered: false }
    : evidence
  return code === undefined ? { sideEffect, ground, isAnswered } : { sideEffect, ground, isAnswered, code }
}

/** What the handler stated about its effect, at any depth of the error; `undefined` if it stated nothing. */
export const stated = (error: unknown): SideEffectEvidence | undefined => {
  const evidence = found(error, undefined)
  return evidence?.strength === "stated" ? evidence : undefined
}

/** The evidence of several errors of one call: the most severe. */
export const readAll = (errors: ReadonlyArray<unknown>, options: Options = {}): SideEffectEvidence =>
  errors.map((error) => read(error, options)).reduce((self, that) => graver(self, that))
