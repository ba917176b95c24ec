/** Decides which failures of a turn are recalled [4.6], and after which failures a write may have been done [3.3]. */
import type { Failure } from "#domain/failure/Failure"

/** Codes of Permanent failures whose cause an operator can remove within the turn. */
const temporary: ReadonlySet<string> = new Set(["unauthorized", "permission_denied", "store_unavailable", "halted"])

/** True if the identical call would fail in the same way: its failure can then be recalled. */
export const isRecallable = (failure: Failure): boolean =>
  failure._tag === "ToolArgError" ||
  failure._tag === "SchemaMismatch" ||
  failure._tag === "SemanticGarbage" ||
  (failure._tag === "Permanent" && !temporary.has(failure.code))

/** True if it is not known whether the call that failed did anything. */
export const mayHaveActed = ({ _tag, sideEffect }: Failure): boolean =>
  sideEffect === "unknown" && _tag !== "HumanReview"
