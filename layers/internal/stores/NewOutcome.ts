/** Creates unknown outcomes with their id and time. */
import type { UnknownOutcome } from "#domain/approval/UnknownOutcome"
import type { NewUnknownOutcome } from "#services/UnknownOutcomes"
import { digestOf, jsonOf } from "./NewRequest.ts"
import * as RandomId from "./RandomId.ts"

/** Creates an outcome that is not settled. */
export const make = ({ arguments: given, binding, ...outcome }: NewUnknownOutcome, now: number): UnknownOutcome => {
  const args = jsonOf(given)
  return {
    ...outcome,
    ...(args === undefined ? {} : { arguments: args }),
    id: RandomId.makeUnsafe(),
    binding: digestOf(binding),
    at: now
  }
}
