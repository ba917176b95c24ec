/**
 * Removes the arguments that a comparison ignores: fields that a tool's parameters mark as volatile, and paths that a
 * golden file lists.
 *
 * A path is `tool.field` or `tool.list[].field`. `*.field` ignores a field of every tool, and `tool.*` ignores all
 * arguments of a tool. The idempotency key of a model is always ignored.
 */
import * as VolatileField from "effect-toolguard/internal/domain/schema/VolatileField"
import { keyField } from "effect-toolguard/internal/pipeline/stages/decodeArguments"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import type { MadeCall, Round } from "./Sequence.ts"

/** Removes the ignored fields from rounds. */
type FieldRemover = (rounds: ReadonlyArray<Round>) => ReadonlyArray<Round>

interface Path {
  readonly tool: string
  /** `[]` means the items of a list. */
  readonly steps: ReadonlyArray<string>
}

const step = /^(?:[^.[\]]+|\*)(?:\[\])*$/u

/** Parses a path. Returns `undefined` if it is invalid. */
export const read = (text: string): Path | undefined => {
  const [tool = "", ...fields] = text.split(".")
  if (!/^(?:[^.[\]\s]+|\*)$/u.test(tool) || fields.length === 0 || !fields.every((field) => step.test(field))) {
    return undefined
  }
  return { tool, steps: fields.flatMap((field) => field.split(/(?=\[\])/u)) }
}

/** Returns a function that removes the fields at these paths, and the volatile fields of these tools. */
export const make = (paths: ReadonlyArray<string>, tools: ReadonlyMap<string, AnyTool> | undefined): FieldRemover => {
  const parsed = paths.flatMap((path) => read(path) ?? [])
  const strips = new Map<string, ReturnType<typeof VolatileField.without>>()
  const stripOf = (tool: string) => {
    if (!strips.has(tool)) {
      const known = tools?.get(tool)
      strips.set(tool, known === undefined ? undefined : VolatileField.without(known.parameters))
    }
    return strips.get(tool)
  }
  const strip = (call: MadeCall): MadeCall => {
    const steady = stripOf(call.tool)?.(call.arguments) ?? call.arguments
    const steps = parsed.flatMap(({ steps, tool }) => (tool === "*" || tool === call.tool ? [steps] : []))
    return { ...call, arguments: [[keyField], ...steps].reduce(without, steady) }
  }
  return (rounds) => rounds.map((round) => round.map(strip))
}

/** Removes the fields at a path from a value. */
const without = (value: unknown, [head, ...rest]: ReadonlyArray<string>): unknown => {
  if (head === undefined || typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) {
    if (head !== "[]") return value
    return rest.length === 0 ? [] : value.map((item) => without(item, rest))
  }
  if (head === "*" && rest.length === 0) return {}
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      if (name !== head && head !== "*") return [[name, field]]
      return rest.length === 0 ? [] : [[name, without(field, rest)]]
    })
  )
}
