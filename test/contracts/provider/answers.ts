/** Tests of how a provider's layer reads responses, whole and streamed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { LanguageModel } from "effect/ai"
import { assistant, call, conversation, result, tool, user } from "../../support/conversation.ts"
import { ask, brief, requestsTo } from "../../support/modelRequests.ts"
import type { Content, Subject } from "./Subject.ts"

const malformed: Content = {
  calls: [
    { id: "c1", name: "search", arguments: '{"q": "a",}' },
    { id: "c2", name: "no such tool", arguments: "" },
    { id: "c3", name: "search", arguments: "[1]" }
  ]
}
const cutCall: Content = { calls: [{ id: "c1", name: "search", arguments: '{"q": "abc' }], finish: "length" }

export const answerContract = <Body>(subject: Subject<Body>): void => {
  const { answer } = subject
  const { answers, both, served } = requestsTo(subject.serve, subject.layer)

  describe(`${subject.name}: answers`, () => {
    answers("9.2 reads a text", answer({ text: "Hello there" }), ["Hello there", "stop"])
    answers("9.2 reads thinking", answer({ thinking: "hmm", text: "so" }), [{ reasoning: "hmm" }, "so", "stop"])
    answers(
      "9.2 reads parallel calls in order",
      answer({
        text: "Let me look.",
        calls: Array.from({ length: 12 }, (_, n) => ({ id: `c${n}`, name: "search", arguments: `{"q":"${n}"}` }))
      }),
      ["Let me look.", ...Array.from({ length: 12 }, (_, n) => [`c${n}`, "search", { q: `${n}` }]), "tool-calls"]
    )
    answers(
      "9.2 reads a call without arguments to an unknown tool",
      answer({ calls: [{ id: "c1", name: "no_such_tool", arguments: "{}" }] }),
      [["c1", "no_such_tool", {}], "tool-calls"]
    )
    for (const finish of ["length", "content-filter"] as const) {
      answers(`9.2 reads the finish reason ${finish}`, answer({ text: "x", finish }), ["x", finish])
    }

    it.live.each(subject.hasArgumentText ? [false, true] : [true])(
      "9.2 keeps malformed and truncated arguments as text, with id and name; streamed: %s",
      (streaming) =>
        served([answer(malformed), answer(cutCall)], () =>
          Effect.gen(function* () {
            assert.deepStrictEqual(brief(yield* ask(streaming)), [
              ["c1", "search", '{"q": "a",}'],
              ["c2", "no such tool", {}],
              ["c3", "search", "[1]"],
              "tool-calls"
            ])
            assert.deepStrictEqual(brief(yield* ask(streaming)), [["c1", "search", '{"q": "abc'], "length"])
          })
        )
    )

    both(
      "9.1 replaces ids that already occur in the response or the conversation",
      [answer({ calls: ["c1", "c1", "old"].map((id, n) => ({ id, name: "search", arguments: `{"q":"${n}"}` })) })],
      (streaming) =>
        Effect.gen(function* () {
          const parts = yield* ask(streaming, conversation(user("hi"), assistant(call("old")), tool(result("old"))))
          const calls = parts.filter((part) => part.type === "tool-call")
          assert.deepStrictEqual(
            calls.map(({ params }) => params),
            [{ q: "0" }, { q: "1" }, { q: "2" }]
          )
          const ids: ReadonlyArray<string> = calls.map(({ id }) => id)
          assert.strictEqual(ids[0], "c1")
          assert.strictEqual(new Set([...ids, "old"]).size, 4)
        })
    )

    both(
      "9.2 reads token counts and the model's name",
      [answer({ text: "x", usage: { input: 100, cached: 40, output: 30 } })],
      (streaming) =>
        Effect.gen(function* () {
          const parts = yield* ask(streaming)
          const usage = parts.findLast((part) => part.type === "finish")?.usage
          const { cacheRead, total, uncached } = usage?.inputTokens ?? {}
          assert.deepStrictEqual([total, cacheRead, uncached, usage?.outputTokens.total], [100, 40, 60, 30])
          assert.strictEqual(parts.find((part) => part.type === "response-metadata")?.modelId, "served-model")
        })
    )

    it.live("9.2 decodes a structured response", () =>
      served([answer({ text: '{"n":3}' })], ({ requests }) =>
        Effect.gen(function* () {
          const schema = Schema.Struct({ n: Schema.Finite })
          const { value } = yield* LanguageModel.generateObject({ prompt: "hi", objectName: "answer", schema })
          assert.deepStrictEqual(value, { n: 3 })
          assert.strictEqual(requests[0]?.refused, undefined)
        })
      )
    )
  })
}
