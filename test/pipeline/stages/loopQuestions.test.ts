/** Tests what a person reads about calls that repeat, and what the record and the model read about the decision. */
import * as EscalationScripted from "#layers/EscalationScripted"
import { EscalationTranscript } from "#layers/EscalationScripted"
import { EscalationPolicy } from "#services/Policies"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, tool, turn, within } from "../support.ts"

type Fixture = ReturnType<typeof tool>

/** Makes the identical call several times. Returns the last answer. */
const repeated = ({ tool }: Fixture, times = 3, args: object = { q: "a" }) =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: times }, (_, n) => n + 1),
      (round) => ask([tool], tool.toolName, args, { round, callId: `c${round}` })
    ),
    (answers) => answers.at(-1)!
  )

const people = (...script: ReadonlyArray<EscalationScripted.ScriptedAnswer>) =>
  Guard.layerMemoryWith(EscalationScripted.layer(script))

const loopDecisions = ({ decisions }: { readonly decisions: ReadonlyArray<{ readonly stage: string }> }) =>
  decisions.filter(({ stage }) => stage === "loop")

const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

describe("loop: the question", () => {
  it.effect("7.3 names the pattern, its count and the call, and shows the arguments without secrets", () => {
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      const { traceId } = yield* repeated(search, 3, { q: token })
      const [{ binding, guidance, ...request }] = (yield* EscalationTranscript).asked as [any]
      assert.notInclude(JSON.stringify(request.arguments), token)
      assert.deepStrictEqual(
        { ...request, arguments: Object.keys(request.arguments) },
        {
          level: "confirm",
          reason: "loop_detected",
          tool: "search",
          sentence:
            "The model called search 3 times with the same arguments, and the result did not change. Make it again?",
          arguments: ["q"],
          turn,
          traceId,
          callId: "c3"
        }
      )
      assert.match(binding, /^[0-9a-f]{64}$/u)
      assert.strictEqual(guidance.otherwise, "The call is refused.")
    }).pipe(within([search.layer], people("deny")))
  })

  it.effect("10.3 is bound to the conversation, the tool and the arguments", () => {
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      yield* repeated(search)
      yield* repeated(search)
      yield* repeated(search, 3, { q: "b" })
      yield* Guard.turn(repeated(search), { ...turn, conversation: "other" })
      const { asked } = yield* EscalationTranscript
      const [first, ...others] = asked.map(({ binding }) => binding)
      assert.deepStrictEqual(
        others.map((other) => other === first),
        [true, true, true, false, false]
      )
    }).pipe(within([search.layer], people("pending", "pending", "pending", "pending", "pending", "pending")))
  })

  for (const [what, script, code, decision] of [
    ["an approval", ["approve"], undefined, "approved"],
    ["a denial", ["deny"], "loop_detected", "stopped"],
    ["a request that stays open", ["pending"], "loop_detected", "pending"],
    ["no person", [], "loop_detected", "stopped"],
    ["words", [{ answer: "Ask me first." }], "answered_by_person", "answered"]
  ] as const) {
    it.effect(`7.3 the record says how ${what} decided`, () => {
      const search = tool("search", { budget: 9 }, { n: 1 })
      return Effect.gen(function* () {
        const answer = yield* repeated(search)
        assert.strictEqual(answer.envelope.error?.code, code)
        assert.deepStrictEqual(
          loopDecisions(answer).map((one) => (one as unknown as { decision: string }).decision),
          [decision]
        )
        assert.strictEqual(search.runs(), code === undefined ? 3 : 2)
      }).pipe(within([search.layer], people(...script)))
    })
  }

  it.effect("10.3 the model and the record read a person's words as a quotation", () => {
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      const answer = yield* repeated(search)
      const quotation = 'scripted person did not approve this call, and answered: "Ask me first."'
      assert.strictEqual(answer.envelope.error.message, quotation)
      assert.deepStrictEqual(loopDecisions(answer), [
        { stage: "loop", decision: "answered", reason: quotation } as { readonly stage: string }
      ])
    }).pipe(within([search.layer], people({ answer: "Ask me first." })))
  })

  it.effect("10.2 at the level inform a person reads that the calls continue", () => {
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      yield* repeated(search)
      const { asked, informed } = yield* EscalationTranscript
      assert.deepStrictEqual(
        informed.map(({ guidance, level, reason }) => [level, reason, guidance?.did]),
        [["inform", "loop_detected", "The model reads about it. Its calls continue."]]
      )
      assert.deepStrictEqual([asked.length, search.runs()], [0, 3])
    }).pipe(
      Effect.provideService(EscalationPolicy, (event) => (event._tag === "LoopDetected" ? "inform" : "auto")),
      within([search.layer], people())
    )
  })

  it.effect("10.2 after a denial the level inform stops the calls too, without another notice", () => {
    const search = tool("search", { budget: 9 }, { n: 1 })
    let level: "confirm" | "inform" = "confirm"
    return Effect.gen(function* () {
      yield* repeated(search)
      level = "inform"
      const answer = yield* repeated(search, 1)
      assert.strictEqual(answer.envelope.error.code, "loop_detected")
      const { informed } = yield* EscalationTranscript
      assert.deepStrictEqual([informed.length, search.runs()], [0, 2])
    }).pipe(
      Effect.provideService(EscalationPolicy, (event) => (event._tag === "LoopDetected" ? level : "auto")),
      within([search.layer], people("deny"))
    )
  })
})
