import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Layer, Random, Schema, Stream } from "effect"
import { AiError, LanguageModel, type Response, Tool, Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import * as ModelFailure from "#domain/classification/ModelFailure"
import * as ModelPolicy from "#layers/ModelPolicy"
import * as ScriptedModel from "#layers/ScriptedModel"

const failure = (reason: AiError.AiErrorReason) => AiError.make({ module: "test", method: "test", reason })
const down = failure(new AiError.InternalProviderError({ description: "down" }))
const limited = (after: Duration.Input) =>
  failure(new AiError.RateLimitError({ retryAfter: Duration.fromInputUnsafe(after) }))
const tooLong = failure(
  new AiError.InvalidRequestError({ parameter: "messages", constraint: ModelFailure.contextLength })
)
const quota = failure(new AiError.QuotaExhaustedError({}))
const wrongKey = failure(new AiError.AuthenticationError({ kind: "InvalidKey" }))

const generated = Effect.map(LanguageModel.generateText({ prompt: "hi" }), ({ text }) => text)
const streamed = LanguageModel.streamText({ prompt: "hi" }).pipe(
  Stream.runFold(
    () => "",
    (text, part) => (part.type === "text-delta" ? text + part.delta : text)
  )
)

/** Returns the policy's events in short form, the result of the request, and the number of requests to each model. */
const run = (
  script: ScriptedModel.Script,
  policy: ModelPolicy.Policy = {},
  fallbacks: ReadonlyArray<ScriptedModel.Script> = [],
  ask: Effect.Effect<string, AiError.AiError, LanguageModel.LanguageModel> = generated
) =>
  Effect.gen(function* () {
    const events: Array<string> = []
    const models = yield* Effect.forEach([script, ...fallbacks], (each) => ScriptedModel.make(each))
    const onEvent = (event: ModelPolicy.PolicyEvent) =>
      Effect.sync(() => {
        const { model } = event
        events.push(
          event._tag === "Retry"
            ? `${model}: ${Duration.toMillis(event.delay)}`
            : `to ${model}: ${event.error.reason._tag}`
        )
      })
    const [first, ...others] = models
    const layer = ModelPolicy.layer({ ...policy, onEvent, fallbacks: others.map((each) => each.layer) })
    const fiber = yield* ask.pipe(
      Effect.provide(Layer.provide(layer, first?.layer ?? ScriptedModel.layer([]))),
      Effect.result,
      Random.withSeed("seed"),
      Effect.forkChild
    )
    yield* TestClock.adjust("1 hour")
    const result = yield* Fiber.join(fiber)
    const requests = yield* Effect.forEach(models, (each) => Effect.map(each.prompts, (prompts) => prompts.length))
    return { events, requests, answer: result._tag === "Success" ? result.success : result.failure.reason._tag }
  })

const exact = { retry: { jitter: "none" } } as const

/** Tests a policy with complete and with streamed answers. */
const both = (
  name: string,
  [script, policy, fallbacks = []]: readonly [
    ScriptedModel.Script,
    ModelPolicy.Policy?,
    ReadonlyArray<ScriptedModel.Script>?
  ],
  expected: {
    readonly events: ReadonlyArray<string>
    readonly requests: ReadonlyArray<number>
    readonly answer: string
  }
) => {
  for (const [how, ask] of [
    ["complete", generated],
    ["streamed", streamed]
  ] as const) {
    it.effect(`${name}, ${how}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* run(script, policy, fallbacks, ask), expected)
      })
    )
  }
}

describe("ModelPolicy", () => {
  both("11.3 retries a transient failure with growing delays", [[down, down, "hi"], exact], {
    events: ["0: 500", "0: 1000"],
    requests: [3],
    answer: "hi"
  })
  both("11.3 stops after the last attempt", [[down, down, down, down, "late"], exact], {
    events: ["0: 500", "0: 1000", "0: 2000"],
    requests: [4],
    answer: "InternalProviderError"
  })
  both("11.3 waits at least as long as the provider asks", [[limited("7 seconds"), down, "hi"], exact], {
    events: ["0: 7000", "0: 1000"],
    requests: [3],
    answer: "hi"
  })
  both("11.3 does not wait for a provider that asks for more than the cap", [[limited("61 seconds"), "late"], exact], {
    events: [],
    requests: [1],
    answer: "RateLimitError"
  })
  both(
    "11.3 never waits longer than the cap",
    [[...Array.from({ length: 9 }, () => down), "hi"], { retry: { attempts: 10, capMillis: 3_000, jitter: "none" } }],
    {
      events: [500, 1000, 2000, 3000, 3000, 3000, 3000, 3000, 3000].map((n) => `0: ${n}`),
      requests: [10],
      answer: "hi"
    }
  )
  both("11.3 does not retry a failure if waiting does not help", [[quota, "late"]], {
    events: [],
    requests: [1],
    answer: "QuotaExhaustedError"
  })
  both("11.3 neither retries nor falls back if a conversation is too long", [[tooLong, "late"], {}, [["other"]]], {
    events: [],
    requests: [1, 0],
    answer: "InvalidRequestError"
  })
  both(
    "11.3 asks the next provider after the last retry, and retries there",
    [
      [down, down, "late"],
      { retry: { attempts: 2, jitter: "none" } },
      [[limited("2 seconds"), "from the second"], ["never"]]
    ],
    {
      events: ["0: 500", "to 1: InternalProviderError", "1: 2000"],
      requests: [2, 2, 0],
      answer: "from the second"
    }
  )
  both("11.3 asks the next provider immediately if waiting does not help", [[quota], {}, [[wrongKey], ["third"]]], {
    events: ["to 1: QuotaExhaustedError", "to 2: AuthenticationError"],
    requests: [1, 1, 1],
    answer: "third"
  })
  both("11.3 fails with the failure of the first provider if all fail", [[quota], {}, [[wrongKey], [tooLong]]], {
    events: ["to 1: QuotaExhaustedError", "to 2: AuthenticationError"],
    requests: [1, 1, 1],
    answer: "QuotaExhaustedError"
  })

  it.effect("11.3 waits a random time between half and all of the delay, the same for the same seed", () =>
    Effect.gen(function* () {
      const delays = (events: ReadonlyArray<string>) => events.map((event) => Number(event.slice(3)))
      const first = yield* run([down, down, down, "hi"])
      const again = yield* run([down, down, down, "hi"])
      assert.deepStrictEqual(first.events, again.events)
      const most = [500, 1000, 2000]
      for (const [index, delay] of delays(first.events).entries()) {
        const max = most[index] ?? 0
        assert.isTrue(delay >= max / 2 && delay < max && delay !== max / 2, `${delay} of ${max}`)
      }
    })
  )

  /** Provides a model whose first two streams emit these parts and then fail, and whose later streams succeed. */
  const breaking = (parts: ReadonlyArray<Response.StreamPartEncoded>, requests: Array<number>) =>
    Layer.effect(
      LanguageModel.LanguageModel,
      LanguageModel.make({
        generateText: () => Effect.fail(down),
        streamText: () =>
          Stream.suspend(() => {
            requests.push(requests.length)
            return requests.length < 3
              ? Stream.concat(Stream.fromIterable(parts), Stream.fail(down))
              : Stream.fromIterable(parts)
          })
      })
    )

  const collect = (parts: ReadonlyArray<Response.StreamPartEncoded>, requests: Array<number>) =>
    Effect.gen(function* () {
      const received: Array<string> = []
      const fiber = yield* LanguageModel.streamText({ prompt: "hi" }).pipe(
        Stream.runForEach((part) => Effect.sync(() => received.push(part.type))),
        Effect.provide(
          Layer.provide(
            ModelPolicy.layer({ ...exact, fallbacks: [ScriptedModel.layer(["other"])] }),
            breaking(parts, requests)
          )
        ),
        Effect.exit,
        Effect.forkChild
      )
      yield* TestClock.adjust("1 hour")
      return { received, exit: yield* Fiber.join(fiber) }
    })

  it.effect("11.3 does not retry a stream after a part was emitted", () =>
    Effect.gen(function* () {
      const requests: Array<number> = []
      const { received, exit } = yield* collect(
        [
          { type: "response-metadata", id: "r" },
          { type: "text-start", id: "t" }
        ],
        requests
      )
      assert.deepStrictEqual(received, ["response-metadata", "text-start"])
      assert.deepStrictEqual(exit, Exit.fail(down))
      assert.strictEqual(requests.length, 1)
    })
  )

  it.effect("11.3 retries a stream that failed after only its metadata, and emits the metadata once", () =>
    Effect.gen(function* () {
      const requests: Array<number> = []
      const { received, exit } = yield* collect([{ type: "response-metadata", id: "r" }], requests)
      assert.deepStrictEqual(received, ["response-metadata"])
      assert.isTrue(Exit.isSuccess(exit))
      assert.strictEqual(requests.length, 3)
    })
  )

  it.effect("11.3 does not retry a request in which effect/ai ran a tool", () =>
    Effect.gen(function* () {
      const Refund = Tool.make("refund", { parameters: Schema.Struct({}), success: Schema.String, failure: Schema.Any })
      const kit = Toolkit.make(Refund)
      let refunds = 0
      const handlers = kit.toLayer({
        refund: () =>
          Effect.suspend(() => {
            refunds++
            return Effect.fail(down)
          })
      })
      const scripted = yield* ScriptedModel.make([ScriptedModel.call("refund", {}), ScriptedModel.call("refund", {})])
      const fiber = yield* LanguageModel.generateText({ prompt: "hi", toolkit: kit }).pipe(
        Effect.provide([Layer.provide(ModelPolicy.layer({ fallbacks: [scripted.layer] }), scripted.layer), handlers]),
        Effect.exit,
        Effect.forkChild
      )
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* Fiber.join(fiber), Exit.fail(down))
      assert.strictEqual(refunds, 1)
      assert.strictEqual((yield* scripted.prompts).length, 1)
    })
  )

  it.effect("11.3 retries requests for structured output", () =>
    Effect.gen(function* () {
      const ask = LanguageModel.generateObject({ prompt: "hi", schema: Schema.Struct({ n: Schema.Finite }) }).pipe(
        Effect.map(({ value }) => `${value.n}`)
      )
      assert.deepStrictEqual(yield* run([down, '{"n":3}'], exact, [], ask), {
        events: ["0: 500"],
        requests: [2],
        answer: "3"
      })
    })
  )
})

describe("the fields of a policy", () => {
  for (const [policy, fault] of [
    [
      { retry: { baseMillis: 900, capMillis: 100 } },
      "`retry.capMillis` is 100ms, below `retry.baseMillis`, which is 900ms, so the first delay would exceed the maximum; set a longer `capMillis` or a shorter `baseMillis`."
    ],
    [{ retry: { attempts: 0 } }, "`retry.attempts` must be a whole number of at least 1, got 0."],
    [{ retry: { attempts: Infinity } }, "`retry.attempts` must be a whole number of at least 1, got Infinity."],
    [
      { retry: { baseMillis: NaN } },
      '`retry.baseMillis` must be longer than zero, got NaN; write a time such as "30 seconds".'
    ],
    [{ retry: { capMillis: "1 minute" } }, '`retry.capMillis` is "1 minute"; write a number of milliseconds.'],
    [{ retry: { jitter: "some" } }, '`retry.jitter` is "some"; write "equal", "full", "decorrelated" or "none".'],
    [{ retry: { base: "1 second" } }, "`retry.base` is not a field here; did you mean `retry.baseMillis`?"],
    [{ attempts: 3 }, "`attempts` is not a field here; the fields are retry, onEvent, fallbacks."]
  ] as const) {
    it(`2.12 ${JSON.stringify(policy)} is refused when the layer is created, with the remedy`, () => {
      assert.throws(() => ModelPolicy.layer(policy as never), RangeError, `ModelPolicy: ${fault}`)
      assert.throws(() => ModelPolicy.wrap({} as never, policy as never), RangeError, `ModelPolicy: ${fault}`)
    })
  }

  it.effect("2.12 if only a base or only a cap is set, the other one follows", () =>
    Effect.gen(function* () {
      const delays = (retry: object) =>
        Effect.map(run([down, down, "hi"], { retry: { jitter: "none", ...retry } }), ({ events }) => events)
      assert.deepStrictEqual(yield* delays({ baseMillis: 90_000 }), ["0: 90000", "0: 90000"])
      assert.deepStrictEqual(yield* delays({ capMillis: 200 }), ["0: 200", "0: 200"])
    })
  )
})
