/** Tests of the ends of runs: limits, interruption, failures of the model, and conversations over several turns. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { AiError, Prompt } from "effect/ai"
import { TestClock } from "effect/testing"
import * as Failure from "#domain/failure/Failure"
import * as EscalationPolicyTable from "#domain/tool/EscalationPolicy"
import * as EscalationScripted from "#layers/EscalationScripted"
import * as ModelPolicy from "#layers/ModelPolicy"
import * as ScriptedModel from "#layers/ScriptedModel"
import { Guard } from "#src/guard/Guard"
import { Escalation } from "#services/Escalation"
import { EscalationPolicy } from "#services/Policies"
import * as Agent from "#src/agent/Agent"
import { type AgentEnd, modelErrorOf } from "#src/agent/AgentEnd"
import { complete, poll, start, tool } from "../pipeline/support.ts"
import * as talk from "../support/conversation.ts"
import {
  always,
  assertValid,
  brief,
  call,
  callsOf,
  codes,
  envelopes,
  everyEngine,
  finish,
  needs,
  resultsOf,
  slow,
  toolbox,
  turn
} from "./support.ts"

const numbered = (args: any) => Effect.succeed({ n: Number(args.q) })
const counting: ScriptedModel.Responder = (_, index) => [
  call("search", { q: `${index}` }),
  finish("tool-calls", { input: 100, output: 20 })
]
const usage = (rounds: number, cost = 0) => ({
  rounds,
  calls: rounds,
  attempts: rounds,
  inputTokens: 100 * rounds,
  outputTokens: 20 * rounds,
  cost
})
const failing = (reason: AiError.AiErrorReason) => AiError.make({ module: "Test", method: "generateText", reason })

everyEngine(({ engine, play, playIn }) => {
  describe("agent: a person and limits", () => {
    const price = { inputPerMillion: 10_000, outputPerMillion: 50_000 }
    /** Returns the end of a run at a limit, the number of questions to a person, and the person's notices. */
    const notified = (options: object, policy: EscalationPolicyTable.EscalationPolicy = EscalationPolicyTable.decide) =>
      Effect.gen(function* () {
        const search = tool("search", {}, numbered)
        const { end } = yield* Effect.provide(playIn({ tools: [search], script: counting, options }), search.layer)
        const { asked, informed } = yield* EscalationScripted.EscalationTranscript
        return [end._tag, asked.length, informed.map(({ level, reason, sentence }) => [level, reason, sentence])]
      }).pipe(
        Effect.provide(Guard.layerMemoryWith(EscalationScripted.layer(["approve"]))),
        Effect.provideService(EscalationPolicy, policy)
      )

    for (const [limit, options] of [
      ["tokens", { maxTokens: 240 }],
      ["cost", { maxCost: 6, price }]
    ] as const) {
      it.effect(`10.2 a run that has used up its ${limit} ends, and a person is informed once and not asked`, () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* notified(options), [
            "LimitReached",
            0,
            [["block", `limit_${limit}`, `The run has reached its limit of ${limit}. The run ended.`]]
          ])
        })
      )
    }

    it.effect("10.2 a person is informed of a run that ends at its limit of rounds only if the policy says so", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* notified({ maxRounds: 2 }), ["LimitReached", 0, []])
        assert.deepStrictEqual(
          yield* notified({ maxRounds: 2 }, ({ _tag }) => (_tag === "LimitReached" ? "inform" : "auto")),
          ["LimitReached", 0, [["inform", "limit_rounds", "The run has reached its limit of rounds. The run ended."]]]
        )
      })
    )
  })

  describe("agent: limits", () => {
    const price = { inputPerMillion: 10_000, outputPerMillion: 50_000 }
    for (const [limit, options, rounds, cost] of [
      ["rounds", { maxRounds: 3 }, 3, 0],
      ["tokens", { maxTokens: 240 }, 2, 0],
      ["tokens", { maxTokens: 241 }, 3, 0],
      ["cost", { maxCost: 6, price }, 3, 6]
    ] as const) {
      it.effect(`11.1 the limit ${JSON.stringify(options)} ends the run after ${rounds} rounds`, () =>
        Effect.gen(function* () {
          const searchTool = tool("search", {}, numbered)
          const { end } = yield* play({ tools: [searchTool], script: counting, options })
          assert.deepStrictEqual(brief(end), { _tag: "LimitReached", limit, usage: usage(rounds, cost) })
          assert.strictEqual(callsOf(end.transcript).length, rounds)
        })
      )
    }

    it.effect("2.9 the default limit is fifty rounds", () =>
      Effect.gen(function* () {
        const searchTool = tool("search", {}, numbered)
        const { end } = yield* play({ tools: [searchTool], script: counting })
        assert.deepStrictEqual(brief(end), { _tag: "LimitReached", limit: "rounds", usage: usage(50) })
      })
    )

    for (const options of [
      { maxRounds: 0 },
      { maxTokens: 0 },
      { maxTime: 0 },
      { maxCost: 0, price },
      { maxTokens: 0, compaction: { maxTokens: 1_000 } }
    ] as const) {
      it.effect(`11.1 ${JSON.stringify(options)} does not call the model, but repairs the history`, () =>
        Effect.gen(function* () {
          const prompt = talk.conversation(talk.user("hi"), talk.assistant(talk.call("c1")))
          const { end, prompts } = yield* play({ script: [], options: { ...options, prompt } })
          assert.deepStrictEqual([end._tag, prompts.length, end.usage.rounds], ["LimitReached", 0, 0])
          assert.strictEqual(resultsOf(end.transcript).length, 1)
        })
      )
    }

    if (engine.isInterruptible) {
      it.effect("11.1 maxTime covers all rounds together, not each round", () =>
        Effect.gen(function* () {
          const searchTool = tool("search", {}, numbered)
          const script: ScriptedModel.Responder = (prompt, index) =>
            Effect.delay(Effect.succeed(counting(prompt, index) as ScriptedModel.Answer), "4 seconds")
          const { end } = yield* complete(play({ tools: [searchTool], script, options: { maxTime: "10 seconds" } }))
          assert.deepStrictEqual(brief(end), { _tag: "LimitReached", limit: "time", usage: { ...usage(2), rounds: 3 } })
        })
      )
    }

    if (engine.isInterruptible) {
      it.effect("11.1 maxTime ends a request that hangs", () =>
        Effect.gen(function* () {
          let interrupted = false
          const script = () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (interrupted = true)))
          const fiber = yield* start(play({ script, options: { maxTime: "10 seconds" } }))
          yield* TestClock.adjust("9999 millis")
          assert.strictEqual(fiber.pollUnsafe(), undefined)
          yield* TestClock.adjust("1 millis")
          const { end } = yield* Fiber.join(fiber)
          assert.deepStrictEqual([end._tag, interrupted], ["LimitReached", true])
        })
      )
    }

    if (engine.isInterruptible) {
      it.effect("11.1 maxTime ends running calls, and they are answered as interrupted", () =>
        Effect.gen(function* () {
          const hang = slow(({ q }) => (q === "slow" ? 100_000 : 1_000))
          const searchTool = tool("search", { timeout: "10 minutes", deadline: "20 minutes" }, hang.handler)
          const script = [[call("search", { q: "slow" }), call("search", { q: "quick" })]]
          const fiber = yield* start(play({ tools: [searchTool], script, options: { maxTime: "10 seconds" } }))
          yield* TestClock.adjust("10 seconds")
          const { end } = yield* Fiber.join(fiber)
          assert.deepStrictEqual([end._tag, end._tag === "LimitReached" && end.limit], ["LimitReached", "time"])
          assert.deepStrictEqual(codes(end.transcript), ["interrupted", "success"])
          assert.deepStrictEqual(hang.interrupted, ["slow"])
        })
      )
    }

    if (engine.isInterruptible) {
      it.effect("11.1 maxTime ends the wait for a person", () =>
        Effect.gen(function* () {
          const suspended = Layer.succeed(Escalation, { inform: () => Effect.void, ask: () => Effect.never })
          const save = tool("save", { access: "destructive" }, { n: 1 })
          const guard = Guard.layerMemoryWith(suspended)
          const waiting = { tools: [save], guard, options: { maxTime: "10 seconds" } } as const
          const asked = yield* complete(play({ ...waiting, script: [call("save", { q: "a" })] }))
          assert.deepStrictEqual([asked.end._tag, codes(asked.end.transcript)], ["LimitReached", ["interrupted"]])
          const exhausted = failing(new AiError.InternalProviderError({ description: "down" }))
          const model = yield* complete(play({ ...waiting, script: [exhausted] }))
          assert.strictEqual(model.end._tag, "LimitReached")
          const full = tool("search", {}, Effect.fail(Object.assign(new Error("disk"), { code: "ENOSPC" })))
          const failed = yield* complete(play({ ...waiting, tools: [full], script: [call("search", { q: "a" })] }))
          assert.deepStrictEqual([failed.end._tag, codes(failed.end.transcript)], ["LimitReached", ["disk_full"]])
          assert.strictEqual(save.runs(), 0)
        })
      )
    }
  })

  if (engine.isInterruptible) {
    describe("agent: interruption", () => {
      const stoppable = Effect.map(Deferred.make<void>(), (stop) => ({
        stop: Deferred.succeed(stop, undefined),
        options: { interruptWhen: Deferred.await(stop) }
      }))

      it.effect("11.1 a run that is stopped before it starts does not call the model", () =>
        Effect.gen(function* () {
          const { end, prompts } = yield* play({ script: ["Hi"], options: { interruptWhen: Effect.void } })
          assert.deepStrictEqual([end._tag, prompts.length], ["Interrupted", 0])
        })
      )

      it.effect("11.1 a request to the model is interrupted", () =>
        Effect.gen(function* () {
          const { options, stop } = yield* stoppable
          let interrupted = false
          const script = () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (interrupted = true)))
          const fiber = yield* start(play({ script, options }))
          yield* stop
          const { end } = yield* Fiber.join(fiber)
          assert.deepStrictEqual(brief(end), {
            _tag: "Interrupted",
            usage: { ...usage(0), rounds: 1 }
          })
          assert.isTrue(interrupted)
        })
      )

      it.effect("9.1 running calls are interrupted, and every call is answered once", () =>
        Effect.gen(function* () {
          const { options, stop } = yield* stoppable
          const hang = slow(({ q }) => (q === "quick" ? 10 : 4_000))
          const searchTool = tool("search", {}, hang.handler)
          const script = [[call("search", { q: "a" }), call("search", { q: "quick" }), call("search", { q: "a" })]]
          const fiber = yield* start(play({ tools: [searchTool], script, options }))
          yield* TestClock.adjust("1 second")
          yield* stop
          const { end } = yield* Fiber.join(fiber)
          assert.strictEqual(end._tag, "Interrupted")
          assert.deepStrictEqual(codes(end.transcript), ["interrupted", "success", "interrupted"])
          assert.deepStrictEqual(
            resultsOf(end.transcript).map(({ isFailure }) => isFailure),
            [true, false, true]
          )
          assert.deepStrictEqual(hang.interrupted, ["a"])
        })
      )

      it.effect("11.1 calls that have not started when the run is stopped do not start", () =>
        Effect.gen(function* () {
          const { options, stop } = yield* stoppable
          const save = tool("save", { access: "write" }, ({ q }: any) =>
            q === "0" ? Effect.never : Effect.succeed({ n: 1 })
          )
          const script = [Array.from({ length: 12 }, (_, q) => call("save", { q: `${q}` }))]
          const fiber = yield* start(play({ tools: [save], script, options: { ...options, parallelCalls: 1 } }))
          yield* stop
          const { end } = yield* Fiber.join(fiber)
          assert.deepStrictEqual([end._tag, save.runs()], ["Interrupted", 1])
          assert.deepStrictEqual(new Set(codes(end.transcript)), new Set(["interrupted"]))
        })
      )

      it.effect("11.1 interruptWhen is started once for the whole run, not again in each round", () =>
        Effect.gen(function* () {
          let starts = 0
          const interruptWhen = Effect.suspend(() => {
            starts += 1
            return Effect.sleep("10 seconds")
          })
          const searchTool = tool("search", {}, ({ q }: any) => Effect.delay(numbered({ q }), "1 second"))
          const { end } = yield* complete(play({ tools: [searchTool], script: counting, options: { interruptWhen } }))
          assert.strictEqual(starts, 1)
          assert.strictEqual(end._tag, "Interrupted")
          assert.isAtMost(end.usage.rounds, 11)
        })
      )

      it.effect("11.1 an interruptWhen that dies does not end the run", () =>
        Effect.gen(function* () {
          const { end } = yield* play({ script: ["Hi"], options: { interruptWhen: Effect.die(new Error("boom")) } })
          assert.strictEqual(end._tag, "Answered")
        })
      )

      it.effect("10.1 waiting for a person does not delay an interruption", () =>
        Effect.gen(function* () {
          const { options, stop } = yield* stoppable
          const guard = Guard.layerMemoryWith(
            Layer.succeed(Escalation, { inform: () => Effect.void, ask: () => Effect.never })
          )
          const read = tool("search", {}, { n: 1 })
          const fiber = yield* start(
            play({ tools: [read], guard, script: always(call("search", { q: "a" })), options })
          )
          assert.strictEqual(poll(fiber), undefined)
          yield* stop
          const { end } = yield* Fiber.join(fiber)
          assert.deepStrictEqual([end._tag, codes(end.transcript).at(-1)], ["Interrupted", "interrupted"])
        })
      )

      it.effect("11.1 an interrupted conversation can be continued", () =>
        Effect.gen(function* () {
          const { options, stop } = yield* stoppable
          const searchTool = tool("search", {}, Effect.never, { n: 7 })
          const fiber = yield* start(play({ tools: [searchTool], script: [call("search", { q: "a" })], options }))
          yield* stop
          const { end } = yield* Fiber.join(fiber)
          const prompt = Prompt.concat(end.transcript, "continue")
          const next = yield* play({
            tools: [searchTool],
            script: [call("search", { q: "a" }), "7"],
            options: { prompt }
          })
          assert.deepStrictEqual(codes(next.end.transcript), ["interrupted", "success"])
          assert.strictEqual(next.events.filter(({ _tag }) => _tag === "HistoryRepaired").length, 0)
        })
      )
    })
  }

  describe("agent: failures of the model", () => {
    const endAfter = (error: AiError.AiError, guard?: Layer.Layer<any>) =>
      Effect.map(play({ script: [error, "after all"], ...(guard === undefined ? {} : { guard }) }), ({ end }) => end)
    const down = failing(new AiError.InternalProviderError({ description: "down" }))

    it.effect(
      "10.5 without a person, a final refusal by the provider ends the run as NeedsPerson, with the failure and the error",
      () =>
        Effect.gen(function* () {
          const remedy = "Correct the request or the model, then run again."
          for (const [code, reason, hint] of [
            [
              "unauthorized",
              new AiError.AuthenticationError({ kind: "InvalidKey" }),
              "Correct the key of the provider, then run again."
            ],
            ["refused", new AiError.InvalidRequestError({ description: "bad" }), remedy],
            ["refused", new AiError.ContentPolicyError({ description: "no" }), remedy]
          ] as const) {
            const error = failing(reason)
            const detail = `The model's provider permanently refuses the request (${reason._tag}).`
            assert.deepStrictEqual(brief(yield* endAfter(error)), {
              _tag: "NeedsPerson",
              level: "block",
              detail,
              failure: Failure.ofCode(code, { tool: "model", detail, hint }),
              error,
              usage: { ...usage(0), rounds: 1 }
            })
          }
        })
    )

    it.effect("10.5 if a request fails without a refusal of the provider, the run does not report a refusal", () =>
      Effect.gen(function* () {
        for (const [code, reason, sentence] of [
          [
            "unavailable",
            new AiError.RateLimitError({}),
            "The model's provider is not available, after all retries and fallbacks"
          ],
          [
            "invalid_result",
            new AiError.InvalidResponseError({ description: "HTML" }),
            "The answer of the model's provider cannot be read"
          ],
          [
            "misconfigured",
            new AiError.NetworkError({ reason: "InvalidUrlError", method: "POST", url: "/v1" }),
            "The request to the model cannot be sent"
          ],
          [
            "misconfigured",
            new AiError.UnsupportedSchemaError({ description: "union" }),
            "The request to the model cannot be sent"
          ],
          [
            "tool_failed",
            new AiError.UnknownError({ description: "?" }),
            "The request to the model failed for an unknown reason"
          ]
        ] as const) {
          const end = yield* endAfter(failing(reason))
          assert.deepStrictEqual(
            end._tag === "NeedsPerson" && [end.failure.code, end.detail, end.failure.detail === end.detail],
            [code, `${sentence} (${reason._tag}).`, true]
          )
        }
      })
    )

    it.effect("11.1 a failure of the provider between unusable responses is not counted as one of them", () =>
      Effect.gen(function* () {
        const mistake = failing(new AiError.InvalidOutputError({ description: "no JSON" }))
        const guard = Guard.layerMemoryWith(EscalationScripted.layer(["approve"]))
        const { end } = yield* play({ script: [mistake, down, mistake, "after all"], guard })
        assert.deepStrictEqual([end._tag, end.usage.rounds], ["Answered", 4])
        const { end: third } = yield* play({ script: [mistake, mistake, mistake, "after all"] })
        assert.deepStrictEqual([third._tag, third.usage.rounds], ["ModelFailed", 3])
      })
    )

    it.effect("10.5 a conversation that is too long ends the run as `context_limit`", () =>
      Effect.gen(function* () {
        const error = failing(
          new AiError.InvalidRequestError({ description: "This model's maximum context length is 8192 tokens" })
        )
        const end = yield* endAfter(error)
        assert.deepStrictEqual(
          [end._tag, end._tag === "NeedsPerson" && end.failure.code],
          ["NeedsPerson", "context_limit"]
        )
      })
    )

    it.effect("10.1 without a person, a run whose provider stays unavailable needs a person", () =>
      Effect.gen(function* () {
        const end = yield* endAfter(down)
        const detail = "The model's provider is not available, after all retries and fallbacks (InternalProviderError)."
        assert.deepStrictEqual(brief(end), {
          _tag: "NeedsPerson",
          level: "block",
          detail,
          failure: Failure.ofCode("unavailable", {
            tool: "model",
            detail,
            hint: "Run again when the provider is available."
          }),
          error: down,
          usage: { ...usage(0), rounds: 1 }
        })
      })
    )

    it.effect("10.2 a request is retried after a person approves", () =>
      Effect.gen(function* () {
        const guard = Guard.layerMemoryWith(EscalationScripted.layer(["approve"]))
        const { end, events } = yield* play({ script: [down, "after all"], guard })
        assert.deepStrictEqual([end._tag, end._tag === "Answered" && end.text], ["Answered", "after all"])
        assert.deepStrictEqual(
          events.flatMap((event) => (event._tag === "Escalated" ? [event.isApproved] : [])),
          [true]
        )
        assert.strictEqual(
          (yield* endAfter(down, Guard.layerMemoryWith(EscalationScripted.layer(["deny"]))))._tag,
          "NeedsPerson"
        )
      })
    )

    const final = [
      [
        "context_limit",
        "context_limit",
        new AiError.InvalidRequestError({ constraint: "context_length" }),
        "too long for the model"
      ],
      [
        "provider_exhausted",
        "unauthorized",
        new AiError.AuthenticationError({ kind: "InvalidKey" }),
        "(AuthenticationError)"
      ],
      ["provider_exhausted", "quota_exceeded", new AiError.QuotaExhaustedError({}), "(QuotaExhaustedError)"],
      ["provider_exhausted", "refused", new AiError.InvalidRequestError({}), "(InvalidRequestError)"],
      [
        "provider_exhausted",
        "unavailable",
        new AiError.InternalProviderError({ description: "down" }),
        "is not available"
      ]
    ] as const
    /** Returns the code of the model's failure if the run needs a person because of it, and otherwise the tag of the end. */
    const codeOf = (end: AgentEnd) =>
      end._tag === "NeedsPerson" && end.failure.tool === "model" && end.error !== undefined
        ? end.failure.code
        : end._tag
    /** Runs the loop with a failing first request, and returns its end and what the person received. */
    const notified = (reason: AiError.AiErrorReason, answers: ReadonlyArray<EscalationScripted.ScriptedAnswer>) =>
      Effect.gen(function* () {
        const { end } = yield* playIn({ script: [failing(reason), "after all"] })
        const { asked, informed } = yield* EscalationScripted.EscalationTranscript
        return { end, asked, informed }
      }).pipe(Effect.provide(Guard.layerMemoryWith(EscalationScripted.layer(answers))))

    for (const [why, code, reason, words] of final) {
      it.effect(`10.2 ${reason._tag} (${code} of the model) stops the run until a person decides`, () =>
        Effect.gen(function* () {
          const approved = yield* notified(reason, ["approve"])
          assert.deepStrictEqual(
            [approved.end._tag, approved.asked.map(({ level, reason }) => [level, reason]), approved.informed],
            ["Answered", [["block", why]], []]
          )
          assert.include(approved.asked[0]?.sentence, words)
          const pending = yield* notified(reason, ["pending"])
          // a run with a journal receives the decision when it is resumed
          const notices = engine.name === "Agent.checkpointed" ? [] : [[why, true]]
          assert.deepStrictEqual([codeOf(pending.end), pending.asked.length], [code, 1])
          assert.deepStrictEqual(
            pending.informed.map(({ reason, sentence }) => [reason, sentence.endsWith(" The run ended.")]),
            notices
          )
        })
      )

      it.effect(
        `10.1 ${reason._tag} (${code} of the model) ends the run with a notice if no person can be reached`,
        () =>
          Effect.gen(function* () {
            const { end, informed } = yield* notified(reason, [])
            assert.deepStrictEqual(
              [codeOf(end), informed.map(({ level, reason }) => [level, reason])],
              [code, [["block", why]]]
            )
          })
      )

      it.effect(`10.2 ${reason._tag} (${code} of the model) at the level inform ends the run with a notice`, () =>
        Effect.gen(function* () {
          const { asked, end, informed } = yield* notified(reason, ["approve"]).pipe(
            Effect.provideService(EscalationPolicy, () => "inform")
          )
          assert.deepStrictEqual([end._tag, asked, informed.length], ["ModelFailed", [], 1])
        })
      )
    }

    it.effect("10.2 the level auto ends the run without asking a person", () =>
      Effect.gen(function* () {
        const { asked, end } = yield* Effect.gen(function* () {
          const { end } = yield* playIn({ script: [down, "after all"] })
          return { end, asked: (yield* EscalationScripted.EscalationTranscript).asked }
        }).pipe(
          Effect.provideService(EscalationPolicy, () => "auto"),
          Effect.provide(Guard.layerMemoryWith(EscalationScripted.layer(["approve"])))
        )
        assert.deepStrictEqual([end._tag, asked], ["ModelFailed", []])
      })
    )

    it.effect("10.2 if the policy throws, a person is asked", () =>
      Effect.gen(function* () {
        const { end } = yield* playIn({ script: [down, "after all"] }).pipe(
          Effect.provideService(EscalationPolicy, () => {
            throw new Error("boom")
          }),
          Effect.provide(Guard.layerMemoryWith(EscalationScripted.layer(["approve"])))
        )
        assert.strictEqual(end._tag, "Answered")
      })
    )

    it.effect("10.1 a failing escalation does not approve anything", () =>
      Effect.gen(function* () {
        const broken = Layer.succeed(Escalation, {
          inform: () => Effect.void,
          ask: () => Effect.die(new Error("disconnected"))
        })
        assert.strictEqual((yield* endAfter(down, Guard.layerMemoryWith(broken)))._tag, "NeedsPerson")
      })
    )

    it.effect("11.3 a mistake of the model costs a round, and the run continues", () =>
      Effect.gen(function* () {
        const mistake = failing(new AiError.InvalidOutputError({ description: "the output does not match" }))
        const { end } = yield* play({ script: [mistake, mistake, ["well", finish("stop")]] })
        assert.deepStrictEqual(brief(end), {
          _tag: "Answered",
          text: "well",
          isCut: false,
          usage: { ...usage(0), rounds: 3 }
        })
      })
    )

    it.effect("11.3 three consecutive mistakes of the model end the run", () =>
      Effect.gen(function* () {
        const mistake = failing(new AiError.InvalidOutputError({ description: "the output does not match" }))
        const { end } = yield* play({ script: () => Effect.fail(mistake), options: { maxRounds: 5 } })
        assert.deepStrictEqual([end._tag, end.usage.rounds], ["ModelFailed", 3])
      })
    )

    it.effect("11.1 a provider layer that dies ends the run with a typed value", () =>
      Effect.gen(function* () {
        for (const streaming of [true, false]) {
          const { end } = yield* play({ script: () => Effect.die(new Error("boom")), options: { streaming } })
          assert.deepStrictEqual([end._tag, modelErrorOf(end)?.reason._tag], ["NeedsPerson", "UnknownError"])
        }
      })
    )

    it.effect("11.3 retries and fallbacks are inside the model layer and count as one round", () =>
      Effect.gen(function* () {
        const busy = ScriptedModel.layer([down, down, down, down])
        const other = ScriptedModel.layer([["from the fallback", finish("stop")]])
        const end = yield* complete(
          Agent.run({ prompt: "hi", tools: toolbox([]) }).pipe(
            Effect.provide([ModelPolicy.layer({ fallbacks: [other] }).pipe(Layer.provide(busy)), Guard.layerMemory])
          )
        ) as Effect.Effect<AgentEnd>
        assert.deepStrictEqual(
          [end._tag, end._tag === "Answered" && end.text, end.usage.rounds],
          ["Answered", "from the fallback", 1]
        )
      })
    )
  })

  describe("agent: conversations", () => {
    it.effect("9.4 a damaged history is repaired before it is sent, and an event reports the changes", () =>
      Effect.gen(function* () {
        const prompt = talk.conversation(
          talk.user("hi"),
          talk.assistant(talk.call("c1"), talk.call("c1")),
          talk.tool(talk.result("c9")),
          talk.assistant(),
          talk.user("")
        )
        const { end, events, prompts } = yield* play({ script: ["Hi"], options: { prompt } })
        const repaired = events.find((event) => event._tag === "HistoryRepaired")
        assert.deepStrictEqual([repaired?.round, events[0]?._tag], [1, "HistoryRepaired"])
        assert.deepStrictEqual(
          new Set(repaired?.changes.map(({ _tag }) => _tag)),
          new Set(["OrphanResultDropped", "OrphanCallAnswered", "CallIdReplaced", "EmptyContentRemoved"])
        )
        assertValid(prompts[0]!)
        assert.strictEqual(end._tag, "Answered")
      })
    )

    it.effect("9.4 a valid history is sent unchanged, without an event", () =>
      Effect.gen(function* () {
        const prompt = talk.conversation(
          talk.system("be brief"),
          talk.user("hi"),
          talk.assistant(talk.call("c1")),
          talk.tool(talk.result("c1"))
        )
        const { events, prompts } = yield* play({ script: ["Hi"], options: { prompt } })
        assert.deepStrictEqual(prompts[0]?.content, prompt.content)
        assert.isFalse(events.some(({ _tag }) => _tag === "HistoryRepaired"))
      })
    )

    it.effect("9.1 call ids of the history are not reused", () =>
      Effect.gen(function* () {
        const searchTool = tool("search", {}, { n: 1 })
        const first = yield* play({ tools: [searchTool], script: [call("search", { q: "a" }, "call_0"), "one"] })
        const prompt = Prompt.concat(first.end.transcript, "again")
        const { end } = yield* play({
          tools: [searchTool],
          script: [call("search", { q: "b" }, "call_0"), "two"],
          options: { prompt }
        })
        assert.strictEqual(new Set(callsOf(end.transcript).map(({ id }) => id)).size, 2)
      })
    )

    if (engine.remembersTurns) {
      it.effect("7.1 a new message of the user starts a turn: loops, budgets and recall restart", () => {
        const good = tool("search", {}, { n: 1 })
        const bad = tool("fetch", {}, { n: "bad" })
        const tools = [good, bad]
        return Effect.gen(function* () {
          const search = call("search", { q: "a" })
          const first = yield* playIn({ tools, script: [search, call("fetch", { q: "b" }), "one"] })
          assert.deepStrictEqual(codes(first.end.transcript), ["success", "invalid_result"])
          const second = yield* playIn({
            tools,
            script: [search, call("fetch", { q: "b" }), "two"],
            options: { prompt: Prompt.concat(first.end.transcript, "again"), turn: { ...turn, turn: "turn 2" } }
          })
          assert.deepStrictEqual(codes(second.end.transcript).slice(2), ["success", "invalid_result"])
          assert.deepStrictEqual([good.runs(), bad.runs()], [2, 2])
          const third = yield* playIn({
            tools,
            script: [search, search, search, "three"],
            options: { prompt: Prompt.concat(second.end.transcript, "again"), turn: { ...turn, turn: "turn 3" } }
          })
          assert.deepStrictEqual([third.end._tag, good.runs()], ["LoopDetected", 4])
          const other = yield* playIn({ tools, script: [search, "four"], options: { turn: { conversation: "other" } } })
          assert.deepStrictEqual([other.end._tag, good.runs()], ["Answered", 5])
        }).pipe(Effect.provide(needs({ tools }))) as Effect.Effect<void>
      })
    }

    it.effect("4.6 the end of a run ends its turn: no result is recalled afterwards", () => {
      const bad = tool("fetch", {}, { n: "bad" }, { n: 2 })
      return Effect.gen(function* () {
        for (const code of ["invalid_result", "success"]) {
          const { end } = yield* playIn({ tools: [bad], script: [call("fetch", { q: "b" }), "done"] })
          assert.deepStrictEqual(codes(end.transcript), [code])
        }
      }).pipe(Effect.provide(needs({ tools: [bad] }))) as Effect.Effect<void>
    })

    if (engine.makesConversations) {
      it.effect("11.1 a run without a turn makes its calls, although earlier runs made the same calls", () => {
        const searchTool = tool("search", {}, { n: 1 })
        return Effect.gen(function* () {
          for (let n = 0; n < 5; n++) {
            const script = [call("search", { q: "a" }), "done"]
            const { end } = yield* playIn({ tools: [searchTool], script, options: { turn: {} } })
            assert.deepStrictEqual(
              [end._tag, envelopes(end.transcript)],
              ["Answered", [{ status: "success", data: { n: 1 } }]]
            )
          }
          assert.strictEqual(searchTool.runs(), 5)
        }).pipe(Effect.provide(needs({ tools: [searchTool] }))) as Effect.Effect<void>
      })
    }
  })
})
