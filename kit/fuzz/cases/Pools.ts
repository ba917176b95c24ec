/**
 * Generates valid arguments and results of a tool from its schemas, once per check.
 *
 * If no values can be generated (for example because almost no value passes a refinement), the user must pass examples.
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

/**
 * The tool cannot be checked: no cases can be generated, an option is invalid, or no generated call reaches the tool.
 */
export class Unfuzzable extends Data.TaggedError("Unfuzzable")<{
  readonly tool: string
  readonly detail: string
  readonly remedy: string
}> {
  override get message(): string {
    return `${this.tool} cannot be fuzzed: ${this.detail} ${this.remedy}`
  }
}

/** The values from which the cases of a tool are generated. */
export interface Pools {
  /** Valid encoded arguments, the shortest first. Never empty. */
  readonly arguments: ReadonlyArray<Json>
  /** Valid encoded results, the shortest first. Never empty. */
  readonly results: ReadonlyArray<Json>
  /** Decoded results of the related tools (`Subject.relatedTools`), by the key of their service. */
  readonly relatedResults: ReadonlyMap<string, ReadonlyArray<unknown>>
}

/** Encoded examples to use in addition to generated values. */
interface Examples {
  readonly arguments?: ReadonlyArray<unknown>
  readonly results?: ReadonlyArray<unknown>
}

/**
 * The samples to generate: first small values, then larger values. Each sample has few values, because all values of a
 * failed sample are lost.
 */
const samples: ReadonlyArray<{ readonly count: number; readonly size: number }> = [
  ...Array.from({ length: 4 }, () => ({ count: 12, size: 1 })),
  ...Array.from({ length: 4 }, () => ({ count: 12, size: 6 }))
]

/** Generates values of a schema's type. Returns no values if the schema does not support generation. */
const generated = (schema: Schema.Codec<unknown, unknown>, seed: number): Effect.Effect<ReadonlyArray<unknown>> =>
  Effect.map(
    Effect.forEach(samples, ({ count, size }, index) =>
      Effect.suspend(
        () => Arbitrary.sampleEffect(Arbitrary.schema(Schema.toType(schema)), { count, size, seed: `${seed}/${index}` })
        // sampling fails with a defect if no values can be generated from the schema
      ).pipe(Effect.catchCause(() => Effect.succeed<ReadonlyArray<unknown>>([])))
    ),
    (values) => values.flat()
  )

/** Returns the valid JSON values without duplicates, the shortest first. */
const distinct = (values: ReadonlyArray<unknown>, isValid: (json: unknown) => boolean): ReadonlyArray<Json> => {
  const texts = new Map<string, Json>()
  for (const value of values) {
    const text = stringified(value)
    if (text === undefined) continue
    const json = JSON.parse(text) as Json // JSON.parse returns only JSON values
    if (isValid(json)) texts.set(CallKey.canonical(json), json)
  }
  return [...texts.entries()].sort(([a], [b]) => a.length - b.length).map(([, json]) => json)
}

const stringified = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** Generates the pools of a tool. Fails if there are no valid arguments or results. */
export const make = (subject: Subject, seed: number, examples: Examples): Effect.Effect<Pools, Unfuzzable> =>
  Effect.gen(function* () {
    const { contract, decode, definition, encode, name } = subject
    const generatedArguments = (yield* generated(definition.parameters, seed)).map(contract.encode)
    const generatedResults = (yield* generated(definition.success, seed)).flatMap((value) =>
      Option.toArray(encode(value))
    )
    const args = distinct(
      [...(examples.arguments ?? []), ...generatedArguments],
      (json) => contract.decode(json)._tag === "Success"
    )
    const results = distinct([...(examples.results ?? []), ...generatedResults], (json) => Option.isSome(decode(json)))
    if (args.length === 0) return yield* missing(name, "arguments", "parameters")
    if (results.length === 0 && subject.textKind !== "bytes") return yield* missing(name, "results", "success")
    const relatedResults = yield* Effect.forEach(subject.relatedTools, (tool) =>
      Effect.map(generated(successOf(tool), seed), (values) => [tool.key, values] as const)
    )
    return { arguments: args, results: results.length === 0 ? [""] : results, relatedResults: new Map(relatedResults) }
  })

const successOf = (tool: AnyTool): Schema.Codec<unknown, unknown> => compiledOf(tool).definition.success

const missing = (tool: string, what: string, schema: string): Unfuzzable =>
  new Unfuzzable({
    tool,
    detail: `no valid ${what} could be generated from its ${schema} schema.`,
    remedy: `Pass examples: { ${what}: […] }.`
  })
