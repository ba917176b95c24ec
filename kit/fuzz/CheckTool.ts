/**
 * Checks that the guard keeps its promises for a tool, with generated calls and answers, in virtual time.
 *
 * **Details**
 *
 * - Arguments and results are at and just past the boundaries of both schemas. Strings, texts and errors are hostile.
 *   Answers are truncated, late, missing, too large or of the wrong type, and handlers crash before or after their
 *   effect.
 * - The tool's own handler runs only if `layer` is set. Otherwise its answers are generated.
 * - The same seed generates the same cases. A case that breaks a promise is shrunk and printed as a test.
 */
import type { Implementation } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import type { Escalation } from "effect-toolguard/services/Escalation"
import { Guard } from "effect-toolguard/internal/guard/Guard"
import type { AnyTool, ArgumentsOf, Codec } from "effect-toolguard/internal/tool/ToolClass"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { FuzzCase } from "#kit/fuzz/cases/FuzzCase"
import * as CaseGenerator from "#kit/fuzz/cases/CaseGenerator"
import { type SharedWorld, simulate } from "#kit/fuzz/simulation/Simulation"
import * as Pools from "#kit/fuzz/cases/Pools"
import * as TestPrinter from "#kit/fuzz/cases/TestPrinter"
import * as Promises from "#kit/fuzz/promises/Promises"
import * as SeededRandom from "#kit/fuzz/cases/SeededRandom"
import * as Shrinker from "#kit/fuzz/cases/Shrinker"
import * as Subject from "#kit/fuzz/cases/Subject"

export type { FuzzAnswer, FuzzCall, FuzzCase } from "#kit/fuzz/cases/FuzzCase"
export { Unfuzzable } from "#kit/fuzz/cases/Pools"
export type { Source } from "#kit/fuzz/cases/TestPrinter"
export type { PromiseName } from "#kit/fuzz/promises/Promises"

/** The options of a check. */
export interface CheckOptions<Tool extends AnyTool> {
  /** The number of cases. Default: 1000. */
  readonly runs?: number
  /** A different seed generates different cases. Default: 1. */
  readonly seed?: number
  /** The replay token of a failure, such as `1:417`. Runs only the case of this token. */
  readonly replay?: string
  /** Runs only this case. */
  readonly case?: FuzzCase
  /**
   * The tool's own implementation, whose handler then gives most answers, in real time. The layer must have no
   * requirements.
   */
  readonly layer?: Layer.Layer<Context.Service.Identifier<Tool>, unknown>
  /** Builds the guard to check. `person` is the simulated approver. Default: the standard pipeline in memory. */
  readonly guard?: (person: Layer.Layer<Escalation>) => Layer.Layer<Guard>
  /** Strings to try in addition to the built-in strings. */
  readonly strings?: ReadonlyArray<string>
  /**
   * Valid arguments to try in addition to generated arguments. Required if no arguments can be generated from the
   * schema.
   */
  readonly arguments?: ReadonlyArray<ArgumentsOf<Tool>>
  /**
   * Valid encoded results to try in addition to generated results. Required if no results can be generated from the
   * schema.
   */
  readonly results?: ReadonlyArray<Tool extends { readonly success: infer S extends Codec } ? S["Encoded"] : never>
  /** Called after each case with the number of completed cases. */
  readonly onCase?: (done: number) => void
  /**
   * How the printed test imports the tool. Default: no imports, for a test pasted into the file that runs the check.
   */
  readonly source?: TestPrinter.Source
}

/** The report of a check in which every promise was kept. */
export interface FuzzReport {
  readonly tool: string
  readonly seed: number
  readonly cases: number
  readonly calls: number
  /** The number of times that the tool ran. */
  readonly executions: number
  /** The boundaries of the parameters and of the result, and how many of them were tried. */
  readonly boundaries: { readonly all: number; readonly tried: number }
}

/** A broken promise, with the smallest case found that breaks it. */
export class FuzzFailure extends Data.TaggedError("FuzzFailure")<{
  readonly tool: string
  readonly promise: Promises.PromiseName
  /** One sentence that says how the promise was broken. */
  readonly detail: string
  /** The smallest case found. */
  readonly case: FuzzCase
  /** The token that runs the original case again; absent if the `case` option was used. */
  readonly replay?: string
  /** The source of a test that fails while the promise is broken. */
  readonly test: string
}> {
  override get message(): string {
    const { detail, promise, replay, test, tool } = this
    return [
      `${tool} breaks the "${promise}" promise: ${Promises.meaningOf(promise)}.`,
      detail,
      ...(replay === undefined ? [] : [`To run the original case again, set replay: ${JSON.stringify(replay)}.`]),
      "",
      test
    ].join("\n")
  }
}

/** Checks a tool. Fails with the first broken promise. */
export const checkTool = <Tool extends AnyTool>(
  tool: Tool,
  options: CheckOptions<Tool> = {}
): Effect.Effect<FuzzReport, FuzzFailure | Pools.Unfuzzable> => Effect.scoped(check(tool, options))

const check = <Tool extends AnyTool>(
  tool: Tool,
  options: CheckOptions<Tool>
): Effect.Effect<FuzzReport, FuzzFailure | Pools.Unfuzzable, Scope.Scope> =>
  Effect.gen(function* () {
    const token = options.replay === undefined ? undefined : SeededRandom.readToken(options.replay)
    const subject = Subject.make(tool)
    if (options.replay !== undefined && token === undefined) {
      return yield* new Pools.Unfuzzable({
        tool: subject.name,
        detail: `${JSON.stringify(options.replay)} is not a replay token.`,
        remedy: "A replay token looks like 1:417."
      })
    }
    const seed = token?.seed ?? options.seed ?? 1
    const pools = yield* Pools.make(subject, seed, options)
    const implementation = options.layer === undefined ? undefined : yield* implementationOf(subject, options.layer)
    const setting: SharedWorld = { subject, pools, implementation, guard: options.guard ?? Guard.layerMemoryWith }
    if (options.case !== undefined) return yield* checkCase(setting, options.case, options)
    const ingredients = CaseGenerator.ingredientsOf(subject, pools, {
      strings: options.strings ?? [],
      hasHandler: implementation !== undefined
    })
    const first = token?.index ?? 0
    const last = token === undefined ? (options.runs ?? 1000) : first + 1
    let calls = 0
    let executions = 0
    for (let index = first; index < last; index++) {
      const fuzzCase = CaseGenerator.make(ingredients, seed, index)
      const observation = yield* simulate(setting, fuzzCase)
      calls += fuzzCase.calls.length
      executions += observation.world.executions.length
      options.onCase?.(index - first + 1)
      const broken = Promises.broken(subject, fuzzCase, observation)
      if (broken !== undefined) {
        return yield* failure(
          setting,
          yield* shrink(setting, fuzzCase, broken),
          options,
          SeededRandom.token(seed, index)
        )
      }
    }
    if (executions === 0 && token === undefined && last > 20) {
      return yield* new Pools.Unfuzzable({
        tool: subject.name,
        detail: `none of ${calls} calls reached the tool.`,
        remedy: "Pass examples of valid arguments: { arguments: […] }."
      })
    }
    const all = ingredients.argumentBoundaries.length + ingredients.resultBoundaries.length
    const boundaryCases = Math.ceil((last - first) / 3)
    const tried =
      Math.min(ingredients.argumentBoundaries.length, boundaryCases) +
      Math.min(ingredients.resultBoundaries.length, boundaryCases)
    return { tool: subject.name, seed, cases: last - first, calls, executions, boundaries: { all, tried } }
  })

/** Builds the implementation that a layer provides. The layer is released when the check ends. */
const implementationOf = (
  { name, tool }: Subject.Subject,
  layer: Layer.Layer<never, unknown>
): Effect.Effect<Implementation, Pools.Unfuzzable, Scope.Scope> =>
  Effect.gen(function* () {
    const built = yield* Layer.build(layer)
    // the layer provides the tool, a service whose value is its implementation
    return Context.getUnsafe(built, tool as never) as Implementation
  }).pipe(
    Effect.catchCause(() =>
      Effect.fail(
        new Pools.Unfuzzable({
          tool: name,
          detail: "its layer cannot be built.",
          remedy: "Pass a layer that provides the tool and has no requirements."
        })
      )
    )
  )

interface BrokenCase {
  readonly fuzzCase: FuzzCase
  readonly broken: Promises.BrokenPromise
}

/** The maximum number of smaller cases to try. */
const maxTries = 2_000

/** Shrinks a case while it still breaks the same promise. */
const shrink = (setting: SharedWorld, fuzzCase: FuzzCase, broken: Promises.BrokenPromise): Effect.Effect<BrokenCase> =>
  Effect.gen(function* () {
    const [value = null] = setting.pools.results
    let best: BrokenCase = { fuzzCase, broken }
    let tries = 0
    for (let isSmaller = true; isSmaller;) {
      isSmaller = false
      for (const candidate of Shrinker.smaller(best.fuzzCase, { _tag: "Value", value })) {
        tries += 1
        if (tries > maxTries) return best
        const smaller = Promises.broken(setting.subject, candidate, yield* simulate(setting, candidate))
        if (smaller?.promise !== broken.promise) continue
        best = { fuzzCase: candidate, broken: smaller }
        isSmaller = true
        break
      }
    }
    return best
  })

const failure = (
  { subject: { name, tool } }: SharedWorld,
  { broken: { detail, promise }, fuzzCase }: BrokenCase,
  { source = {} }: { readonly source?: TestPrinter.Source },
  replay: string | undefined
): Effect.Effect<never, FuzzFailure> =>
  Effect.fail(
    new FuzzFailure({
      tool: name,
      promise,
      detail,
      case: fuzzCase,
      ...(replay === undefined ? {} : { replay }),
      test: TestPrinter.test(`${name}: ${Promises.meaningOf(promise)}`, tool.name, fuzzCase, source)
    })
  )

/** Runs only the case of the `case` option. */
const checkCase = (
  setting: SharedWorld,
  fuzzCase: FuzzCase,
  options: { readonly source?: TestPrinter.Source; readonly seed?: number }
): Effect.Effect<FuzzReport, FuzzFailure> =>
  Effect.gen(function* () {
    const observation = yield* simulate(setting, fuzzCase)
    const broken = Promises.broken(setting.subject, fuzzCase, observation)
    if (broken !== undefined) return yield* failure(setting, { fuzzCase, broken }, options, undefined)
    return {
      tool: setting.subject.name,
      seed: options.seed ?? 1,
      cases: 1,
      calls: fuzzCase.calls.length,
      executions: observation.world.executions.length,
      boundaries: { all: 0, tried: 0 }
    }
  })
