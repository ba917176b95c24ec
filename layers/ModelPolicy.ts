/**
 * Retries and provider fallback around a `LanguageModel` [11.3].
 *
 * - A transient failure (`ModelFailure.isTransient`) is retried after a jittered exponential delay, at least as long as
 *   the provider asked for. A provider that asks for more than the cap is not retried.
 * - After the last retry, the request goes to the next model of `fallbacks`, if another provider might help
 *   (`ModelFailure.mayFallBack`). When all models fail, the request fails as the first model did.
 * - A conversation that is too long is neither retried nor sent to a fallback: the caller recognises it by
 *   `ModelFailure.isContextLimit` and shortens it.
 *
 * **Gotchas**
 *
 * - A stream is retried only until its first part is emitted (response metadata is held back until then), because its
 *   reader may have shown that part. `Agent.run` withdraws the text and asks again without streaming; see
 *   `TextWithdrawn`.
 * - A request whose tools were run by effect/ai is not retried, because they would run twice.
 * - This is the only layer that retries: the `HttpClient` below must not retry.
 */
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as ModelFailure from "#domain/classification/ModelFailure"
import * as FieldKind from "#domain/tool/FieldKind"
import * as RetryPolicy from "#domain/tool/RetryPolicy"
import * as Setting from "#domain/tool/Setting"
import { type ModelEvent, ModelObserver } from "#services/ModelObserver"

/** An event of the policy, for user interfaces and logs. Models are numbered from 0, which is the wrapped model. */
export type PolicyEvent =
  | {
      readonly _tag: "Retry"
      readonly model: number
      readonly attempt: number
      readonly delay: Duration.Duration
      readonly error: AiError.AiError
    }
  | { readonly _tag: "Fallback"; readonly model: number; readonly error: AiError.AiError }

/** How requests are retried. */
export interface Policy {
  /**
   * The retries of each model. Default: 4 attempts in all, delays from 500 ms to 60 s, equal jitter. The cap is not
   * below the base: if only one of them is set, the default of the other is adjusted.
   */
  readonly retry?: Partial<RetryPolicy.RetryPolicy>
  /**
   * Observes each retry and each change of the model, before it happens. The failure of the last model has no event.
   */
  readonly onEvent?: (event: PolicyEvent) => Effect.Effect<void>
}

/**
 * The default retries of a model request: slower than the retries of a tool, because providers set limits per minute.
 */
export const retryDefaults: RetryPolicy.RetryPolicy = {
  attempts: 4,
  baseMillis: 500,
  capMillis: 60_000,
  jitter: "equal"
}

/** A failure after which the request must not be retried: parts were emitted, or tools ran. */
class FinalFailure {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

const millis: FieldKind.FieldKind = {
  remedy: "a number of milliseconds",
  accepts: (value) => typeof value === "number"
}

const shape: FieldKind.FieldKinds = {
  retry: FieldKind.object({
    attempts: FieldKind.number,
    baseMillis: millis,
    capMillis: millis,
    jitter: FieldKind.oneOf("equal", "full", "decorrelated", "none")
  }),
  onEvent: FieldKind.fn(),
  fallbacks: FieldKind.list("a list of models")
}

/**
 * Returns the retries of a policy. An unset base is at most the cap, and an unset cap at least the base. Throws a
 * RangeError if a setting is not valid, or contradicts another setting [2.12].
 */
const retriesOf = (policy: Policy): RetryPolicy.RetryPolicy => {
  FieldKind.check(place, "", policy, shape)
  const { attempts, baseMillis: base, capMillis: cap, jitter } = policy.retry ?? {}
  for (const [setting, value] of [
    ["retry.baseMillis", base],
    ["retry.capMillis", cap]
  ] as const) {
    if (value !== undefined) Setting.millis(place, setting, value)
  }
  if (base !== undefined && cap !== undefined && cap < base) {
    throw Setting.tooShort(
      place,
      ["retry.capMillis", cap],
      ["retry.baseMillis", base],
      "so the first delay would exceed the maximum",
      "set a longer `capMillis` or a shorter `baseMillis`"
    )
  }
  return {
    attempts: attempts === undefined ? retryDefaults.attempts : Setting.count(place, "retry.attempts", attempts),
    baseMillis: base ?? Math.min(retryDefaults.baseMillis, cap ?? Infinity),
    capMillis: cap ?? Math.max(retryDefaults.capMillis, base ?? 0),
    jitter: jitter ?? retryDefaults.jitter
  }
}

/** The policy, as messages name it. */
const place = "ModelPolicy"

const floorMillis = (error: AiError.AiError): number =>
  Duration.toMillis(ModelFailure.retryAfter(error) ?? Duration.zero)

const observed = (event: ModelEvent): Effect.Effect<void> => Effect.flatMap(ModelObserver, (observe) => observe(event))

/** Returns the first line of a failure's message, at most 200 characters. */
const whyOf = ({ reason }: AiError.AiError): string => (reason.message.split("\n")[0] ?? reason._tag).slice(0, 200)

/** Returns the delays between the attempts with one model. Stops if waiting does not help. */
const schedule = (
  policy: Policy,
  retry: RetryPolicy.RetryPolicy,
  model: number
): Schedule.Schedule<Duration.Duration, unknown> => {
  let previous = retry.baseMillis
  return Schedule.exponential(Duration.millis(retry.baseMillis)).pipe(
    Schedule.setInputType<unknown>(),
    Schedule.while(
      ({ attempt, input }) =>
        attempt < retry.attempts &&
        AiError.isAiError(input) &&
        ModelFailure.isTransient(input) &&
        floorMillis(input) <= retry.capMillis
    ),
    Schedule.modifyDelay(({ attempt, input }) =>
      Effect.gen(function* () {
        previous = RetryPolicy.delayMillis(retry, attempt, yield* Random.next, previous)
        if (!AiError.isAiError(input)) return Duration.millis(previous)
        const delay = Duration.millis(Math.max(previous, floorMillis(input)))
        const delayMillis = Duration.toMillis(delay)
        yield* observed({ _tag: "ModelRetried", model, attempt, delayMillis, reason: whyOf(input) })
        yield* policy.onEvent?.({ _tag: "Retry", model, attempt, delay, error: input }) ?? Effect.void
        return delay
      })
    )
  )
}

/** The methods of a model without the types of tools, which the policy does not read. */
interface Methods {
  readonly generateText: (options: Options) => Effect.Effect<unknown, unknown, unknown>
  readonly generateObject: (options: Options) => Effect.Effect<unknown, unknown, unknown>
  readonly streamText: (options: Options) => Stream.Stream<Response.AnyPart, unknown, unknown>
}

interface Handlers {
  readonly handle: (...args: ReadonlyArray<unknown>) => unknown
}

interface Options {
  readonly toolkit?: Handlers | Effect.Effect<Handlers, unknown, unknown> | undefined
  readonly disableToolCallResolution?: boolean | undefined
}

/** Returns the options with a toolkit that reports when effect/ai runs one of its tools. */
const withObservedToolkit = (options: Options, onHandle: () => void): Options => {
  const { disableToolCallResolution, toolkit } = options
  if (toolkit === undefined || disableToolCallResolution === true) return options
  const watch = (handlers: Handlers): Handlers => ({
    ...handlers,
    handle: (...args) => {
      onHandle()
      return handlers.handle(...args)
    }
  })
  return { ...options, toolkit: Effect.isEffect(toolkit) ? Effect.map(toolkit, watch) : watch(toolkit) }
}

/** Holds response metadata back until another part follows or the stream ends: metadata does not count as emitted. */
const withoutEarlyMetadata = <E, R>(
  parts: Stream.Stream<Response.AnyPart, E, R>
): Stream.Stream<Response.AnyPart, E, R> =>
  Stream.mapAccum(
    Stream.concat(parts, Stream.succeed(undefined)),
    (): ReadonlyArray<Response.AnyPart> => [],
    (held, part) => {
      if (part === undefined) return [[], held]
      return part.type === "response-metadata" ? [[...held, part], []] : [[], [...held, part]]
    }
  )

type Ask<A> = (methods: Methods, options: Options) => Stream.Stream<A, unknown, unknown>

/**
 * Wraps a model: its requests are retried by the policy, then sent to the fallbacks in order. Throws a RangeError if
 * the policy is not valid or contradicts itself.
 */
export const wrap = (
  model: LanguageModel.LanguageModel,
  policy: Policy = {},
  fallbacks: ReadonlyArray<LanguageModel.LanguageModel> = []
): LanguageModel.LanguageModel => {
  const retries = retriesOf(policy)
  // a generic method is not assignable to a method without type parameters, although both accept the same options
  const models = [model, ...fallbacks].map((each) => each as unknown as Methods)

  /** Asks one model, with its retries. Fails with `FinalFailure` after a part was emitted or a tool ran. */
  const retried = <A>(ask: Ask<A>, options: Options, methods: Methods, index: number) => {
    let isFinal = false
    const finish = Effect.sync(() => (isFinal = true))
    const answer = Stream.suspend(() =>
      ask(
        methods,
        withObservedToolkit(options, () => (isFinal = true))
      )
    )
    return answer.pipe(
      Stream.tap(() => finish),
      Stream.mapError((error) => (isFinal ? new FinalFailure(error) : error)),
      Stream.retry(schedule(policy, retries, index))
    )
  }

  /** Asks the models in order, starting at `index`. `first` is the failure of the first model. */
  const from = <A>(
    ask: Ask<A>,
    options: Options,
    index: number,
    first?: unknown
  ): Stream.Stream<A, unknown, unknown> => {
    const methods = models[index]
    if (methods === undefined) return Stream.fail(first)
    return retried(ask, options, methods, index).pipe(
      Stream.catch((error) => {
        if (error instanceof FinalFailure) return Stream.fail(error.error)
        const why = first ?? error
        if (!AiError.isAiError(error) || !ModelFailure.mayFallBack(error)) return Stream.fail(why)
        const event: PolicyEvent = { _tag: "Fallback", model: index + 1, error }
        const isNext = index + 1 < models.length
        const observe = observed({ _tag: "ModelFellBack", model: index + 1, reason: whyOf(error) })
        const report = isNext ? Effect.andThen(observe, policy.onEvent?.(event) ?? Effect.void) : Effect.void
        return Stream.unwrap(Effect.as(report, from(ask, options, index + 1, why)))
      })
    )
  }

  const once = (ask: (methods: Methods, options: Options) => Effect.Effect<unknown, unknown, unknown>) => {
    const asStream: Ask<unknown> = (methods, options) => Stream.fromEffect(ask(methods, options))
    return (options: Options) => Effect.map(Stream.runCollect(from(asStream, options, 0)), ([answer]) => answer)
  }
  const wrapped: Methods = {
    generateText: once((methods, options) => methods.generateText(options)),
    generateObject: once((methods, options) => methods.generateObject(options)),
    streamText: (options) => from((methods, request) => withoutEarlyMetadata(methods.streamText(request)), options, 0)
  }
  // each answer comes from a model of this type, given the same options
  return { ...model, ...wrapped } as unknown as LanguageModel.LanguageModel
}

/** The policy and the fallbacks of a layer. */
export interface LayerOptions<E = never, R = never> extends Policy {
  /** Models that are tried in this order after the wrapped one fails. */
  readonly fallbacks?: ReadonlyArray<Layer.Layer<LanguageModel.LanguageModel, E, R>>
}

/**
 * Wraps the model below: `ModelPolicy.layer({ … }).pipe(Layer.provide(OpenAiCompatible.layer({ … })))`. Throws a
 * RangeError if the policy is not valid or contradicts itself.
 */
export const layer = <E = never, R = never>(
  options: LayerOptions<E, R> = {}
): Layer.Layer<LanguageModel.LanguageModel, E, LanguageModel.LanguageModel | R> => {
  retriesOf(options)
  return Layer.effect(
    LanguageModel.LanguageModel,
    Effect.gen(function* () {
      const { fallbacks = [], ...policy } = options
      const built = yield* Effect.forEach(fallbacks, (fallback) =>
        Effect.map(Layer.build(fallback), Context.get(LanguageModel.LanguageModel))
      )
      return wrap(yield* LanguageModel.LanguageModel, policy, built)
    })
  )
}
