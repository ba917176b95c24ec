/**
 * The closed list of the guard's own codes. The codes of a tool's checks and declared refusals belong to the tool and
 * are not listed.
 *
 * docs/failures.md is generated from the table, and a failure that is created without a hint gets the hint of its code.
 * To add a code, add a row to the file of its class.
 */
import type { CodeInfo } from "#domain/failure/codes/CodeInfo"
import { humanReviewCodes } from "#domain/failure/codes/HumanReviewCodes"
import { partialDataCodes } from "#domain/failure/codes/PartialDataCodes"
import { permanentCodes } from "#domain/failure/codes/PermanentCodes"
import { resourceCodes } from "#domain/failure/codes/ResourceCodes"
import { schemaMismatchCodes } from "#domain/failure/codes/SchemaMismatchCodes"
import { toolArgErrorCodes } from "#domain/failure/codes/ToolArgErrorCodes"
import { transientCodes } from "#domain/failure/codes/TransientCodes"

export type { CodeInfo, NextStep } from "#domain/failure/codes/CodeInfo"

/** Every code of the guard, grouped by class. */
export const codes = {
  ...toolArgErrorCodes,
  ...schemaMismatchCodes,
  ...partialDataCodes,
  ...transientCodes,
  ...resourceCodes,
  ...permanentCodes,
  ...humanReviewCodes
}

/** A code of the guard. */
export type FailureCode = keyof typeof codes

/** Returns the row of a code; `undefined` for a code of a tool. */
export const info = (code: string): CodeInfo | undefined =>
  Object.hasOwn(codes, code) ? codes[code as FailureCode] : undefined
