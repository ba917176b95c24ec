/**
 * Checks a tool against the guard's promises: thousands of calls and answers made of its schemas, and chaos, in virtual time.
 *
 * **Details**
 *
 * - Arguments and results stand at and past every boundary of both schemas; strings, texts and errors are made to do harm;
 *   answers are cut, late, silent, large, doubled or of another kind, and handlers crash before and after their effect.
 * - The tool's handler is not run, unless `layer` gives it: what it would answer is made up.
 * - The same seed gives the same cases. A case that breaks a promise is made as small as it goes, and told as a test.
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
import * as Generate from "#kit/fuzz/cases/Generate"
import { play, type Setting } from "#kit/fuzz/play/Play"
import * as Pools from "#kit/fuzz/cases/Pools"
import * as Print from "#kit/fuzz/cases/Print"
import * as Promises from "#kit/fuzz/promises/Promises"
import * as Seeded from "#kit/fuzz/cases/Seeded"
import * as Shrink from "#kit/fuzz/cases/Shrink"
import * as Subject from "#kit/fuzz/cases/Subject"

export type { FuzzAnswer, FuzzCall, FuzzCase } from "#kit/fuzz/cases/FuzzCase"
export { Unfuzzable } from "#kit/fuzz/cases/Pools"
export type { Source } from "#kit/fuzz/cases/Print"
export type { PromiseName } from "#kit/fuzz/promises/Promises"

export interface CheckOptions<Tool extends AnyTool> {
  /** How many cases. Default 1000. */
  readonly runs?: number
  /** Another seed gives other cases. Default 1. */
  readonly seed?: number
  /** Makes one case again: the token of a failure. */
  readonly replay?: string
  /** Plays this case alone. */
  readonly case?: FuzzCase
  /** The tool's own implementation, which is then run in most cases, in real time. It needs nothing more. */
  readonly layer?: Layer.Layer<Context.Service.Identifier<Tool>, unknown>
  /** The guard that is checked, given the person who is asked. Default: the standard pipeline in memory. */
  readonly guard?: (person: Layer.Layer<Escalation>) => Layer.Layer<Guard>
  /** Strings to try, beside those that come with the package. */
  readonly strings?: ReadonlyArray<string>
  /** Valid arguments, where the schema cannot be drawn from, or to have these among them. */
  readonly arguments?: ReadonlyArray<ArgumentsOf<Tool>>
  /** Valid encoded results, likewise. */
  readonly results?: ReadonlyArray<Tool extends { readonly success: infer S extends Codec } ? S["Encoded"] : never>
  /** Hears how many cases have been played, after each. */
  readonly onCase?: (done: number) => void
  /** How the printed test reaches the tool. Default: it is pasted beside the check. */
  readonly source?: Print.Source
}

/** What was checked, where every promise was kept. */
export interface FuzzReport {
  readonly tool: string
  readonly seed: number
  readonly cases: number
  readonly calls: number
  /** Executions of the tool. */
  readonly executions: number
  /** Boundaries of the parameters and of the result, and how many of them were tried. */
  readonly boundaries: { readonly all: number; readonly tried: number }
}

/** A promise that was broken. */
export class FuzzFailure extends Data.TaggedError("FuzzFailure")<{
  readonly tool: string
  readonly promise: Promises.PromiseName
  /** How it was broken, in one sentence. */
  readonly detail: string
  /** The smallest case that was found. */
  readonly case: FuzzCase
  /** Makes the case again that was found first; absent for a case that was given. */
  readonly replay?: string
  /** A test that fails as long as the promise is broken. */
  readonly test: string
}> {
  override get message(): string {
    const { detail, promise, replay, test, tool } = this
    return [
      `${tool} breaks the promise of ${promise}: ${Promises.meaningOf(promise)}.`,
      detail,
      ...(replay === undefined ? [] : [`Again: replay: ${JSON.stringify(replay)}.`]),
      "",
      test
    ].join("\n")
  }
}

/** Checks a tool. Fails with the first promise that is broken. */
export const checkTool = <Tool extends AnyTool>(
  tool: Tool,
  options: CheckOptions<Tool> = {}
): Effect.Effect<FuzzReport, FuzzFailure | Pools.Unfuzzable> => Effect.scoped(check(tool, options))

const check = <Tool extends AnyTool>(
  tool: Tool,
  options: CheckOptions<Tool>
): Effect.Effect<FuzzReport, FuzzFailure | Pools.Unfuzzable, Scope.Scope> =>
  Effect.gen(function* () {
    const token = options.replay === undefined ? undefined : Seeded.readToken(options.replay)
    const subject = Subject.make(tool)
    if (options.replay !== undefined && token === undefined) {
      return yield* new Pools.Unfuzzable({
        tool: subject.name,
        detail: `${JSON.stringify(options.replay)} is no token of a failure.`,
        remedy: "It looks like 1:417."
      })
    }
    const seed = token?.seed ?? options.seed ?? 1
    const pools = yield* Pools.make(subject, seed, options)
    const own = options.layer === undefined ? undefined : yield* implementationOf(subject, options.layer)
    const setting: Setting = { subject, pools, own, guard: options.guard ?? Guard.layerMemoryWith }
    if (options.case !== undefined) return yield* given(setting, options.case, options)
    const from = Generate.ingredients(subject, pools, { strings: options.strings ?? [], hasOwn: own !== undefined })
    const first = token?.index ?? 0
    const last = token === undefined ? (options.runs ?? 1000) : first + 1
    let calls = 0
    let executions = 0
    for (let index = first; index < last; index++) {
      const fuzzCase = Generate.make(from, seed, index)
      const played = yield* play(setting, fuzzCase)
      calls += fuzzCase.calls.length
      executions += played.world.executions.length
      options.onCase?.(index - first + 1)
      const broken = Promises.broken(subject, fuzzCase, played)
      if (broken !== undefined) {
        return yield* failure(setting, yield* shrunk(setting, fuzzCase, broken), options, Seeded.token(seed, index))
      }
    }
    if (executions === 0 && token === undefined && last > 20) {
      return yield* new Pools.Unfuzzable({
        tool: subject.name,
        detail: `none of ${calls} calls reached it.`,
        remedy: "Give arguments that it takes as examples: { arguments: […] }."
      })
    }
    const all = from.argumentBoundaries.length + from.resultBoundaries.length
    const turns = Math.ceil((last - first) / 3)
    const tried = Math.min(from.argumentBoundaries.length, turns) + Math.min(from.resultBoundaries.length, turns)
    return { tool: subject.name, seed, cases: last - first, calls, executions, boundaries: { all, tried } }
  })

/** The implementation that a layer provides, for as long as the check runs. */
const implementationOf = (
  { name, tool }: Subject.Subject,
  layer: Layer.Layer<never, unknown>
): Effect.Effect<Implementation, Pools.Unfuzzable, Scope.Scope> =>
  Effect.gen(function* () {
    const built = yield* Layer.build(layer)
    return Context.getUnsafe(built, tool as never) as Implementation
  }).pipe(
    Effect.catchCause(() =>
      Effect.fail(
        new Pools.Unfuzzable({
          tool: name,
          detail: "its layer cannot be built.",
          remedy: "Give a layer that provides the tool and needs nothing more."
        })
      )
    )
  )

interface Found {
  readonly fuzzCase: FuzzCase
  readonly broken: Promises.Broken
}

/** Most smaller cases that are tried. */
const mostTries = 2_000

const shrunk = (setting: Setting, fuzzCase: FuzzCase, broken: Promises.Broken): Effect.Effect<Found> =>
  Effect.gen(function* () {
    const [value = null] = setting.pools.results
    let best: Found = { fuzzCase, broken }
    let tries = 0
    for (let isSmaller = true; isSmaller;) {
      isSmaller = false
      for (const candidate of Shrink.smaller(best.fuzzCase, { _tag: "Value", value })) {
        tries += 1
        if (tries > mostTries) return best
        const found = Promises.broken(setting.subject, candidate, yield* play(setting, candidate))
        if (found?.promise !== broken.promise) continue
        best = { fuzzCase: candidate, broken: found }
        isSmaller = true
        break
      }
    }
    return best
  })

const failure = (
  { subject: { name, tool } }: Setting,
  { broken: { detail, promise }, fuzzCase }: Found,
  { source = {} }: { readonly source?: Print.Source },
  replay: string | undefined
): Effect.Effect<never, FuzzFailure> =>
  Effect.fail(
    new FuzzFailure({
      tool: name,
      promise,
      detail,
      case: fuzzCase,
      ...(replay === undefined ? {} : { replay }),
      test: Print.test(`${name}: ${Promises.meaningOf(promise)}`, tool.name, fuzzCase, source)
    })
  )

/** Plays a case that was given. */
const given = (
  setting: Setting,
  fuzzCase: FuzzCase,
  options: { readonly source?: Print.Source; readonly seed?: number }
): Effect.Effect<FuzzReport, FuzzFailure> =>
  Effect.gen(function* () {
    const played = yield* play(setting, fuzzCase)
    const broken = Promises.broken(setting.subject, fuzzCase, played)
    if (broken !== undefined) return yield* failure(setting, { fuzzCase, broken }, options, undefined)
    return {
      tool: setting.subject.name,
      seed: options.seed ?? 1,
      cases: 1,
      calls: fuzzCase.calls.length,
      executions: played.world.executions.length,
      boundaries: { all: 0, tried: 0 }
    }
  })
