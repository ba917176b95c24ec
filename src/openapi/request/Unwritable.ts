/** Arguments that are valid by their schema but cannot be written into a request. Nothing was sent. */
import * as Data from "effect/Data"

export class Refused extends Data.TaggedError("Refused")<{
  readonly argument: string
  readonly reason: string
}> {}
