/** A change of a tool: what it is, how much it weighs, and for one that breaks a value that shows it. */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import type { Path } from "#kit/containment/Gap"
import { hash } from "#kit/traffic/Hash"

/**
 * `breaking`: a call that was accepted is refused, or a result may be what was not allowed. `behavioural`: what models and
 * clients are told differs. `safe`: more is accepted, or less can be answered.
 */
export type Weight = "breaking" | "behavioural" | "safe"

export type Subject = "tool" | "parameters" | "result" | "description" | "access" | "annotations"

export interface Change {
  /** Names the change in the changelog: the same change has the same. */
  readonly id: string
  readonly tool: string
  readonly subject: Subject
  /** Where in parameters or result. */
  readonly path: Path
  readonly weight: Weight
  /** What has changed, without the place. */
  readonly text: string
  /** Arguments that were accepted and are refused; a result that was not allowed and may come. */
  readonly witness?: { readonly value: unknown }
  /** It could neither be proven nor ruled out: it counts as breaking. */
  readonly isUnproven: boolean
}

/** A name of eight digits. */
const digest = (text: string): string => hash(text).toString(16).padStart(8, "0")

/** A change with its name. */
export const make = (change: Omit<Change, "id" | "path" | "isUnproven"> & Partial<Change>): Change => {
  const { path = [], subject, text, tool, weight } = change
  return { isUnproven: false, ...change, path, id: digest(CallKey.canonical([tool, subject, path, weight, text])) }
}

/** The place of a change, such as `parameters.items[].sku`. */
export const place = ({ path, subject }: Change): string =>
  path.reduce<string>((text, part) => {
    if (part === "[]" || typeof part === "number") return `${text}[${part === "[]" ? "" : part}]`
    if (part === "{}") return `${text}.*`
    return /^[\w$-]+$/.test(part) ? `${text}.${part}` : `${text}[${JSON.stringify(part)}]`
  }, subject)

/** The whole of a change in one line. */
export const line = (change: Change): string => {
  const isPlaced = change.subject === "parameters" || change.subject === "result"
  return isPlaced ? `${place(change)} ${change.text}` : change.text
}
