/** Creates unknown outcomes with the time at which they were added. */
import type { UnknownOutcome } from "#domain/approval/UnknownOutcome"
import type { NewUnknownOutcome } from "#services/UnknownOutcomes"
import { digestOf, jsonOf } from "./NewRequest.ts"

/** Creates an outcome that is not settled. */
export const make = (
  id: string,
  { arguments: given, binding, ...outcome }: NewUnknownOutcome,
  now: number
): UnknownOutcome => {
  const args = jsonOf(given)
  return {
    ...outcome,
    ...(args === undefined ? {} : { arguments: args }),
    id,
    binding: digestOf(binding),
    at: now
  }
}
