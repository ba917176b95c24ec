/**
 * Infers the schemas of tools' results from recorded results [13.2].
 *
 * The inference is pure: the same results yield the same schemas, in any order of the tools.
 */
import { counted } from "#kit/text/Numbers"
import { type Counts, inferResult, type InferredResult } from "./inferResult.ts"
import type { RecordedResults } from "./RecordedResults.ts"
import { SharedShapes } from "./SharedShapes.ts"
import type { Kind } from "./Shape.ts"

/** A tool without a schema, and the reason. */
export interface OmittedTool {
  readonly tool: string
  readonly counts: Counts
  readonly reason: string
}

/** The inferred results of all tools. */
export interface InferredResults {
  readonly tools: ReadonlyArray<InferredResult>
  readonly leftOut: ReadonlyArray<OmittedTool>
  /** The shapes that several places share, and the places where their objects were found. */
  readonly shared: SharedShapes
}

/** The options of `infer`. */
export interface InferOptions {
  /** The minimum number of usable results of a tool. Default: 5. */
  readonly minSamples?: number
}

/** The default of `minSamples`. */
export const defaultMinSamples = 5

/** True if a shape carries no information. */
const isUninformative = (kind: Kind): boolean =>
  kind._tag === "Unseen" || kind._tag === "Empty" || (kind._tag === "List" && isUninformative(kind.items.kind))

const reasonOf = ({ counts, shape }: InferredResult, minSamples: number): string | undefined => {
  if (counts.used < minSamples) {
    const { cut, failures, used } = counts
    const unusable = [...(failures > 0 ? [`${failures} failed`] : []), ...(cut > 0 ? [`${cut} truncated`] : [])]
    const others = unusable.length === 0 ? "" : ` (${unusable.join(", ")})`
    return `${counted(used, "usable result")}, but at least ${minSamples} are needed${others}`
  }
  return isUninformative(shape.kind) ? `all ${counts.used} results are empty` : undefined
}

/**
 * Infers the result of each tool. Objects that several tools return are inferred from the results of all these tools.
 */
export const infer = (
  recorded: ReadonlyArray<RecordedResults>,
  { minSamples = defaultMinSamples }: InferOptions = {}
): InferredResults => {
  const all = recorded.map(inferResult)
  const leftOut = all.flatMap((one) => {
    const reason = reasonOf(one, minSamples)
    return reason === undefined ? [] : [{ tool: one.tool, counts: one.counts, reason }]
  })
  const tools = all.filter((one) => reasonOf(one, minSamples) === undefined)
  const shared = new SharedShapes()
  for (const { shape } of tools) shared.add(shape)
  return { tools: tools.map((one) => ({ ...one, shape: shared.resolve(one.shape) })), leftOut, shared }
}
