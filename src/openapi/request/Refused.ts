/** Arguments that keep their schema and still cannot be written into a request. Nothing was sent. */
import * as Data from "effect/Data"

export class Refused extends Data.TaggedError("Refused")<{
  readonly argument: string
  readonly reason: string
}> {}
