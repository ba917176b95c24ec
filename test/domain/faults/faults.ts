/** Finds the faults of values, for schemas in the form that their authors write. */
import { Result, Schema } from "effect"
import * as Fault from "#domain/faults/Fault"
import * as FaultGroups from "#domain/faults/FaultGroups"

type Codec = Schema.Codec<unknown, unknown>

export const faultsOf = (schema: Schema.Top, value: unknown): ReadonlyArray<Fault.Fault> => {
  // the type of the schema is known only at run time
  const codec = Schema.toCodecJson(schema as Codec)
  const decoded = Schema.decodeUnknownResult(codec, { errors: "all", reportInput: true })(value)
  return Result.isFailure(decoded) ? Fault.ofResult(decoded.failure.issue, value, schema.ast) : []
}

/** Groups the faults of results, each of which is a separate answer that worked. */
export const groupsOf = (schema: Schema.Top, values: ReadonlyArray<unknown>) => {
  const groups = FaultGroups.make<number>((text) => text)
  values.forEach((value, at) => {
    groups.add({ tool: "get", faults: faultsOf(schema, value), at, worked: true, answer: String(at) })
  })
  return groups.groups()
}
