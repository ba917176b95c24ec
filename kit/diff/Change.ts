/** Describes one change of a tool: its text, its weight and, if it is breaking, a value that proves the break. */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import type { Path, Reason } from "#kit/containment/Gap"
import { hash } from "effect-toolguard/internal/domain/text/Hash"

/**
 * The weight of a change. A `breaking` change refuses a call that was accepted, or allows a result that was not
 * allowed. After a `behavioural` change, models and clients read something different. A `safe` change accepts more, or
 * allows fewer results.
 */
export type Weight = "breaking" | "behavioural" | "safe"

/** The part of a tool that has changed. */
export type Subject = "tool" | "parameters" | "result" | "description" | "access" | "annotations"

/**
 * What a gap changes for callers or readers: arguments are now refused or accepted, or results are now possible or impossible.
 *
 * The new schema is narrower in `refused` and `impossible`; the old schema is narrower in `accepted` and `possible`.
 */
export type Consequence = "refused" | "accepted" | "possible" | "impossible"

/** One change of a tool. */
export interface Change {
  /** Identifies the change in the changelog. Equal changes have equal ids. */
  readonly id: string
  readonly tool: string
  readonly subject: Subject
  /** The path in the parameters or the result. */
  readonly path: Path
  readonly weight: Weight
  /** Describes the change without its path: `no longer accepts "late"`. */
  readonly text: string
  /** Arguments that were accepted and are now refused, or a result that was not allowed and is now allowed. */
  readonly witness?: { readonly value: unknown }
  /** Why the values differ; absent unless the schema of the parameters or of the result accepts other values. */
  readonly reason?: Reason
  /** What the difference means for callers or readers; present if `reason` is. */
  readonly consequence?: Consequence
  /** True if a break could be neither proven nor ruled out. The change then counts as breaking. */
  readonly isUnproven: boolean
}

const digest = (text: string): string => hash(text).toString(16).padStart(8, "0")

/** Creates a change, and derives its id from its tool, place, weight and text. */
export const make = (change: Omit<Change, "id" | "path" | "isUnproven"> & Partial<Change>): Change => {
  const { path = [], subject, text, tool, weight } = change
  return { isUnproven: false, ...change, path, id: digest(CallKey.canonical([tool, subject, path, weight, text])) }
}

/** Formats the path of a change: `parameters.items[].sku`. */
const pathText = ({ path, subject }: Change): string =>
  path.reduce<string>((text, part) => {
    if (part === "[]" || typeof part === "number") return `${text}[${part === "[]" ? "" : part}]`
    if (part === "{}") return `${text}.*`
    return /^[\w$-]+$/.test(part) ? `${text}.${part}` : `${text}[${JSON.stringify(part)}]`
  }, subject)

/** Describes a change in one line, with its path. */
export const line = (change: Change): string => {
  const isPlaced = change.subject === "parameters" || change.subject === "result"
  return isPlaced ? `${pathText(change)} ${change.text}` : change.text
}
