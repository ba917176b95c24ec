/** Tests of rounds: answers without calls, the order and concurrency of calls, and usage. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type * as ScriptedModel from "#layers/ScriptedModel"
import { complete, tool } from "../pipeline/support.ts"
import { brief, call, callsOf, codes, envelopes, everyEngine, finish, resultsOf, slow } from "./support.ts"

const search = (...answers: ReadonlyArray<unknown>) => tool("search", {}, ...answers)
const numbered = (args: any) => Effect.succeed({ n: Number(args.q) })

everyEngine(({ play }) => {
  describe("agent: answers without calls", () => {
    it.effect("11.1 a run ends when the model answers without calls", () =>
      Effect.gen(function* () {
        const { end, prompts } = yield* play({ script: [["Hi", finish("stop", { input: 12, output: 3 })]] })
        assert.deepStrictEqual(brief(end), {
          _tag: "Answered",
          text: "Hi",
          isCut: false,
          usage: { rounds: 1, calls: 0, attempts: 0, inputTokens: 12, outputTokens: 3, cost: 0 }
        })
        assert.strictEqual(prompts.length, 1)
        assert.deepStrictEqual(
          end.transcript.content.map(({ role }) => role),
          ["user", "assistant"]
        )
      })
    )

    it.effect("11.1 an answer that was truncated by the output limit is marked as cut", () =>
      Effect.gen(function* () {
        const { end } = yield* play({ script: [["Once upon a", finish("length")]] })
        assert.deepStrictEqual([end._tag, end._tag === "Answered" && end.isCut], ["Answered", true])
      })
    )

    for (const [what, parts] of [
      ["no content", [finish("stop")]],
      ["empty text", ["", finish("stop")]],
      ["only reasoning", [{ type: "reasoning", text: "hm" }, finish("stop")]]
    ] as const satisfies ReadonlyArray<readonly [string, ReadonlyArray<ScriptedModel.Part>]>) {
      it.effect(`9.4 a response with ${what} leaves a valid conversation`, () =>
        Effect.gen(function* () {
          const { end } = yield* play({ script: [parts] })
          assert.deepStrictEqual([end._tag, end._tag === "Answered" && end.text], ["Answered", ""])
        })
      )
    }

    it.effect("11.1 a response that the content filter stopped is a refusal", () =>
      Effect.gen(function* () {
        const { end } = yield* play({ script: [["I cannot help with that.", finish("content-filter")]] })
        assert.deepStrictEqual([end._tag, end._tag === "Refused" && end.text], ["Refused", "I cannot help with that."])
        assert.deepStrictEqual((yield* play({ script: [[finish("content-filter")]] })).end._tag, "Refused")
      })
    )

    it.effect("11.1 a run without tools answers a call with `unknown_tool`", () =>
      Effect.gen(function* () {
        const { end } = yield* play({ script: [call("search", { q: "a" }), "sorry"] })
        assert.deepStrictEqual([end._tag, codes(end.transcript)], ["Answered", ["unknown_tool"]])
      })
    )
  })

  describe("agent: calls", () => {
    it.effect("11.1 a call is run, and the model reads its result in the next round", () =>
      Effect.gen(function* () {
        const searchTool = search({ n: 7 })
        const { end, prompts } = yield* play({
          tools: [searchTool],
          script: [["Let me see", call("search", { q: "a" })], "7"]
        })
        assert.deepStrictEqual(
          [end._tag === "Answered" && end.text, end._tag === "Answered" && end.isCut],
          ["7", false]
        )
        assert.deepStrictEqual(end.usage, { ...end.usage, rounds: 2, calls: 1, attempts: 1 })
        assert.deepStrictEqual(envelopes(prompts[1]!), [{ status: "success", data: { n: 7 } }])
        assert.deepStrictEqual(
          end.transcript.content.map(({ role }) => role),
          ["user", "assistant", "tool", "assistant"]
        )
        assert.deepStrictEqual(searchTool.runs(), 1)
      })
    )

    it.effect("9.3 twelve calls are answered in their order, whichever completes first", () =>
      Effect.gen(function* () {
        const { handler, maxRunning, started } = slow(({ q }) => 1200 - 100 * Number(q))
        const searchTool = tool("search", {}, (args: any) => Effect.andThen(handler(args), numbered(args)))
        const calls = Array.from({ length: 12 }, (_, q) => call("search", { q: `${q}` }))
        const { end } = yield* complete(
          play({ tools: [searchTool], script: [calls, "done"], options: { parallelCalls: 12 } })
        )
        assert.deepStrictEqual(
          envelopes(end.transcript).map(({ data }) => data.n),
          calls.map((_, index) => index)
        )
        assert.deepStrictEqual([maxRunning(), started.length, end.usage.calls, end.usage.attempts], [12, 12, 12, 12])
      })
    )

    for (const [limit, options] of [
      [8, {}],
      [3, { parallelCalls: 3 }]
    ] as const) {
      it.effect(`9.3 at most ${limit} calls run at once${limit === 8 ? " by default" : ""}`, () =>
        Effect.gen(function* () {
          const { handler, maxRunning } = slow(() => 100)
          const searchTool = tool("search", {}, handler)
          const calls = Array.from({ length: 12 }, (_, q) => call("search", { q: `${q}` }))
          const { end } = yield* complete(play({ tools: [searchTool], script: [calls, "done"], options }))
          assert.deepStrictEqual([maxRunning(), end._tag], [limit, "Answered"])
        })
      )
    }

    it.effect("9.3 each call of a round settles independently", () =>
      Effect.gen(function* () {
        const searchTool = tool("search", { retry: { attempts: 1 } }, ({ q }: any) =>
          q === "dies"
            ? Effect.die(new Error("boom"))
            : q === "fails"
              ? Effect.fail(new Error("no such table"))
              : Effect.succeed(q === "invalid" ? { n: "one" } : { n: 1 })
        )
        const calls = ["dies", "good", "fails", "invalid"].map((q) => call("search", { q }))
        const { end } = yield* play({ tools: [searchTool], script: [calls, "done"] })
        assert.deepStrictEqual(codes(end.transcript).toSpliced(2, 1), ["tool_crashed", "success", "invalid_result"])
        assert.deepStrictEqual(
          resultsOf(end.transcript).map(({ isFailure }) => isFailure),
          [true, false, true, true]
        )
        assert.strictEqual(end._tag, "Answered")
      })
    )

    it.effect("9.3 identical reads of a round run once, and all are answered", () =>
      Effect.gen(function* () {
        const searchTool = tool(
          "search",
          { parameters: Schema.Struct({ q: Schema.String, p: Schema.Int }) },
          { n: 1 },
          { n: 2 }
        )
        const { end, events } = yield* play({
          tools: [searchTool],
          script: [
            [
              call("search", { q: "a", p: 1 }),
              call("search", { p: 1, q: "a" }),
              call("search", { q: "b", p: 1 }),
              call("search", '{"p": 1, "q": "a"}')
            ],
            "done"
          ]
        })
        assert.deepStrictEqual(
          envelopes(end.transcript).map(({ data }) => data.n),
          [1, 1, 2, 1]
        )
        assert.deepStrictEqual([searchTool.runs(), end.usage.calls, end.usage.attempts], [2, 4, 2])
        assert.deepStrictEqual(
          events.flatMap((event) => (event._tag === "CallEnded" ? [event.callId] : [])).toSorted(),
          callsOf(end.transcript).map(({ id }) => id)
        )
      })
    )

    it.effect("9.3 identical writes of a round are separate calls", () =>
      Effect.gen(function* () {
        const saveTool = tool("save", { access: "write", idempotency: "none" }, { n: 1 })
        const save = call("save", { q: "a" })
        const { end, events } = yield* play({ tools: [saveTool], script: [[save, save], "done"] })
        assert.strictEqual(events.filter(({ _tag }) => _tag === "CallStarted").length, 2)
        assert.strictEqual(resultsOf(end.transcript).length, 2)
        assert.strictEqual(saveTool.runs(), 2)
      })
    )

    it.effect("4.6 makes one of several identical writes of a round if the write must not be repeated", () =>
      Effect.gen(function* () {
        const saveTool = tool("save", { access: "write" }, { n: 1 })
        const save = call("save", { q: "a" })
        const { end } = yield* play({ tools: [saveTool], script: [[save, save], "done"] })
        assert.deepStrictEqual(codes(end.transcript), ["success", "success unchanged"])
        assert.strictEqual(envelopes(end.transcript)[1].executed, false)
        assert.strictEqual(saveTool.runs(), 1)
      })
    )

    it.effect("4.1 an unknown tool name is answered with the nearest name", () =>
      Effect.gen(function* () {
        const searchTool = search({ n: 1 })
        const { end } = yield* play({
          tools: [searchTool],
          script: [call("serch", { q: "a" }), call("search", { q: "a" }), "done"]
        })
        assert.deepStrictEqual([end._tag, codes(end.transcript)], ["Answered", ["unknown_tool", "success"]])
        assert.include(JSON.stringify(envelopes(end.transcript)[0].error), "search")
      })
    )

    for (const text of ['{"q": "a"', "not json", "[1]", "", '"{\\"q\\":\\"a\\"}"', "null"]) {
      it.effect(`4.2 the arguments ${JSON.stringify(text)} are answered and do not end the run`, () =>
        Effect.gen(function* () {
          const searchTool = search({ n: 1 })
          const { end } = yield* play({ tools: [searchTool], script: [call("search", text), "done"] })
          const [code] = codes(end.transcript)
          const isRead = text.startsWith('"')
          assert.deepStrictEqual([end._tag, searchTool.runs()], ["Answered", isRead ? 1 : 0])
          assert.include(isRead ? ["success"] : ["truncated_arguments", "invalid_json", "invalid_arguments"], code)
        })
      )
    }

    it.effect("9.1 empty and repeated call ids are replaced in call and result before a call runs", () =>
      Effect.gen(function* () {
        const searchTool = tool("search", {}, numbered)
        const calls = ["1", "2", "3", "4"].map((q, index) => call("search", { q }, ["", "x", "x", ""][index]))
        const { end, events, prompts } = yield* play({
          tools: [searchTool],
          script: [calls, [call("search", { q: "5" }, "x")], "done"]
        })
        const ids = callsOf(end.transcript).map(({ id }) => id)
        assert.strictEqual(new Set(ids).size, 5)
        assert.notInclude(ids, "")
        assert.deepStrictEqual(
          envelopes(end.transcript).map(({ data }) => data.n),
          [1, 2, 3, 4, 5]
        )
        assert.deepStrictEqual(
          events.flatMap((event) => (event._tag === "CallStarted" ? [event.callId] : [])),
          ids
        )
        assert.strictEqual(prompts.length, 3)
      })
    )

    it.effect("11.3 a truncated call is never run, even if its arguments are valid", () =>
      Effect.gen(function* () {
        const saveTool = tool("save", { access: "write" }, { n: 1 })
        const { end } = yield* play({
          tools: [saveTool],
          script: [
            [call("save", { q: "whole" }), call("save", { q: "the beginn" }), finish("length")],
            [call("save", '{"q": "the begi'), finish("length")],
            "done"
          ]
        })
        assert.deepStrictEqual(codes(end.transcript), ["success", "truncated_arguments", "truncated_arguments"])
        assert.deepStrictEqual(
          saveTool.calls.map(({ args }) => args.q),
          ["whole"]
        )
      })
    )

    it.effect("11.3 a truncated read does not share the answer of an identical complete read", () =>
      Effect.gen(function* () {
        const searchTool = search({ n: 1 })
        const { end } = yield* play({
          tools: [searchTool],
          script: [[call("search", { q: "a" }), call("search", { q: "a" }), finish("length")], "done"]
        })
        assert.strictEqual(searchTool.runs(), 1)
        assert.strictEqual(codes(end.transcript)[1], "truncated_arguments")
        assert.strictEqual(end._tag, "Answered")
      })
    )
  })

  describe("agent: identical reads that fail", () => {
    it.effect("9.3 share one attempt and its failure", () =>
      Effect.gen(function* () {
        const searchTool = search({ n: "bad" })
        const read = call("search", { q: "a" })
        const { end } = yield* play({ tools: [searchTool], script: [[read, read, read], "done"] })
        assert.deepStrictEqual(codes(end.transcript), ["invalid_result", "invalid_result", "invalid_result"])
        assert.deepStrictEqual([searchTool.runs(), end.usage.attempts, end._tag], [1, 1, "Answered"])
      })
    )
  })

  describe("agent: usage", () => {
    it.effect("11.1 sums rounds, calls, attempts, tokens and money", () =>
      Effect.gen(function* () {
        const searchTool = search(Effect.fail({ status: 503 }), { n: 1 }, { n: 2 })
        const { end, events } = yield* complete(
          play({
            tools: [searchTool],
            script: [
              [
                call("search", { q: "a" }),
                call("search", { q: "b" }),
                finish("tool-calls", { input: 100, output: 10 })
              ],
              ["done", finish("stop", { input: 300, output: 20 })]
            ],
            options: { price: { inputPerMillion: 1000, outputPerMillion: 10_000 } }
          })
        )
        assert.deepStrictEqual(end.usage, {
          rounds: 2,
          calls: 2,
          attempts: 3,
          inputTokens: 400,
          outputTokens: 30,
          cost: 0.4 + 0.3,
          byModel: [
            {
              model: "",
              rounds: 2,
              inputTokens: 400,
              cachedInputTokens: 0,
              cacheWriteTokens: 0,
              outputTokens: 30,
              cost: 0.4 + 0.3,
              isPriced: true
            }
          ]
        })
        assert.deepStrictEqual(
          events.flatMap((event) => (event._tag === "RoundEnded" ? [event.usage.inputTokens] : [])),
          [100, 400]
        )
      })
    )

    it.effect("11.1 a provider that reports no usage costs nothing", () =>
      Effect.gen(function* () {
        const { end } = yield* play({ script: [["Hi", finish("stop")]] })
        assert.deepStrictEqual(
          [end.usage.inputTokens, end.usage.outputTokens, end.usage.cost, end.usage.rounds],
          [0, 0, 0, 1]
        )
      })
    )
  })
})
