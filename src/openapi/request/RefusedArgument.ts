/** The error of arguments that satisfy their schema but cannot be part of a request. Nothing was sent. */
import * as Data from "effect/Data"

export class RefusedArgument extends Data.TaggedError("Refused")<{
  readonly argument: string
  readonly reason: string
}> {}
