/**
 * Proposes what tools answer with, from what they have answered (SPEC 13.2).
 *
 * Pure: the same results give the same proposal, whatever the order of the tools.
 */
import { type Counts, inferResult, type InferredResult } from "./inferResult.ts"
import type { RecordedResults } from "./Recorded.ts"
import { Shared } from "./Shared.ts"
import type { Kind } from "./Shape.ts"

/** A tool of which nothing can be proposed, and why. */
export interface LeftOut {
  readonly tool: string
  readonly counts: Counts
  readonly reason: string
}

export interface Inferred {
  readonly tools: ReadonlyArray<InferredResult>
  readonly leftOut: ReadonlyArray<LeftOut>
  /** What the objects of the tools' shapes are called where they were found. */
  readonly shared: Shared
}

export interface InferOptions {
  /** Results that a tool must have beside failures. Default 5. */
  readonly minSamples?: number
}

export const defaultMinSamples = 5

/** Whether a shape says nothing of a result. */
const saysNothing = (kind: Kind): boolean =>
  kind._tag === "Unseen" || kind._tag === "Empty" || (kind._tag === "List" && saysNothing(kind.items.kind))

const reasonOf = ({ counts, shape }: InferredResult, minSamples: number): string | undefined => {
  if (counts.used < minSamples) {
    const { cut, failures, used } = counts
    const others = [
      ...(failures > 0 ? [`${failures} failed`] : []),
      ...(cut > 0 ? [`${cut} ${cut === 1 ? "is" : "are"} cut`] : [])
    ]
    const beside = others.length === 0 ? "" : ` (${others.join(", ")})`
    return `${used} usable ${used === 1 ? "result" : "results"}, at least ${minSamples} are needed${beside}`
  }
  return saysNothing(shape.kind) ? `all ${counts.used} results are empty` : undefined
}

/** What each tool answers with. Objects that several tools answer with are inferred from all of them. */
export const infer = (
  recorded: ReadonlyArray<RecordedResults>,
  { minSamples = defaultMinSamples }: InferOptions = {}
): Inferred => {
  const all = recorded.map(inferResult)
  const leftOut = all.flatMap((one) => {
    const reason = reasonOf(one, minSamples)
    return reason === undefined ? [] : [{ tool: one.tool, counts: one.counts, reason }]
  })
  const tools = all.filter((one) => reasonOf(one, minSamples) === undefined)
  const shared = new Shared()
  for (const { shape } of tools) shared.add(shape)
  return { tools: tools.map((one) => ({ ...one, shape: shared.resolve(one.shape) })), leftOut, shared }
}
