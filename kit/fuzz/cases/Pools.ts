/**
 * Valid arguments and results of a tool, drawn from its schemas once for a run: what the cases are made of.
 *
 * Where a schema cannot be drawn from (a check that next to no value passes), examples of the user's stand in.
 */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { compiledOf } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Arbitrary from "effect/Arbitrary"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Json } from "./FuzzCase.ts"
import type { Subject } from "./Subject.ts"

/** A tool for which no cases can be made. Nothing was checked. */
export class Unfuzzable extends Data.TaggedError("Unfuzzable")<{
  readonly tool: string
  readonly detail: string
  readonly remedy: string
}> {
  override get message(): string {
    return `${this.tool} cannot be fuzzed: ${this.detail} ${this.remedy}`
  }
}

export interface Pools {
  /** Encoded arguments that the tool takes, the smallest first. Not empty. */
  readonly arguments: ReadonlyArray<Json>
  /** Encoded results that keep the contract, the smallest first. Not empty. */
  readonly results: ReadonlyArray<Json>
  /** Decoded results of the tools that the guard calls for this one, by name. */
  readonly others: ReadonlyMap<string, ReadonlyArray<unknown>>
}

/** Examples beside what is drawn, encoded. */
interface Examples {
  readonly arguments?: ReadonlyArray<unknown>
  readonly results?: ReadonlyArray<unknown>
}

/** How many values are drawn, small ones and larger ones, a few at a time: what is drawn in vain costs no others. */
const draws: ReadonlyArray<{ readonly count: number; readonly size: number }> = [
  ...Array.from({ length: 4 }, () => ({ count: 12, size: 1 })),
  ...Array.from({ length: 4 }, () => ({ count: 12, size: 6 }))
]

/** Values of a schema's type. None where it cannot be drawn from. */
const drawn = (schema: Schema.Codec<unknown, unknown>, seed: number): Effect.Effect<ReadonlyArray<unknown>> =>
  Effect.map(
    Effect.forEach(draws, ({ count, size }, index) =>
      Effect.suspend(
        () => Arbitrary.sampleEffect(Arbitrary.schema(Schema.toType(schema)), { count, size, seed: `${seed}/${index}` })
        // a schema without a way to draw from it is a defect here
      ).pipe(Effect.catchCause(() => Effect.succeed<ReadonlyArray<unknown>>([])))
    ),
    (samples) => samples.flat()
  )

/** Values as JSON can hold them: whole, each once, the smallest first. */
const distinct = (values: ReadonlyArray<unknown>, isValid: (json: unknown) => boolean): ReadonlyArray<Json> => {
  const texts = new Map<string, Json>()
  for (const value of values) {
    const text = written(value)
    if (text === undefined) continue
    const json = JSON.parse(text) as Json
    if (isValid(json)) texts.set(CallKey.canonical(json), json)
  }
  return [...texts.entries()].sort(([a], [b]) => a.length - b.length).map(([, json]) => json)
}

const written = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** Draws the pools of a tool. */
export const make = (subject: Subject, seed: number, examples: Examples): Effect.Effect<Pools, Unfuzzable> =>
  Effect.gen(function* () {
    const { contract, decode, definition, encode, name } = subject
    const drawnArguments = (yield* drawn(definition.parameters, seed)).map(contract.encode)
    const drawnResults = (yield* drawn(definition.success, seed)).flatMap((value) => Option.toArray(encode(value)))
    const args = distinct(
      [...(examples.arguments ?? []), ...drawnArguments],
      (json) => contract.decode(json)._tag === "Success"
    )
    const results = distinct([...(examples.results ?? []), ...drawnResults], (json) => Option.isSome(decode(json)))
    if (args.length === 0) return yield* missing(name, "arguments", "parameters")
    if (results.length === 0 && subject.textKind !== "bytes") return yield* missing(name, "results", "success")
    const others = yield* Effect.forEach(subject.others, (tool) =>
      Effect.map(drawn(successOf(tool), seed), (values) => [tool.toolName, values] as const)
    )
    return { arguments: args, results: results.length === 0 ? [""] : results, others: new Map(others) }
  })

const successOf = (tool: AnyTool): Schema.Codec<unknown, unknown> => compiledOf(tool).definition.success

const missing = (tool: string, what: string, schema: string): Unfuzzable =>
  new Unfuzzable({
    tool,
    detail: `no valid ${what} could be drawn from its ${schema} schema.`,
    remedy: `Give some as examples: { ${what}: […] }.`
  })
