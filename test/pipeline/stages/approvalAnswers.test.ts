/** Tests how the stage `approve` asks, what it does with each answer of a person, and what it records. */
import * as Approval from "#domain/tool/Approval"
import * as GuardPolicies from "#pipeline/call/GuardPolicies"
import * as Trace from "#pipeline/call/Trace"
import { approve } from "#pipeline/stages/approve"
import { Escalation, type EscalationAnswer, type EscalationRequest } from "#services/Escalation"
import { EscalationPolicy } from "#services/Policies"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { alone, define, type Tool } from "../support.ts"

/** Creates people who give one answer, and lists what they were asked and told. */
const people = (answer: EscalationAnswer) => {
  const asked: Array<EscalationRequest> = []
  const informed: Array<EscalationRequest> = []
  const layer = Layer.succeed(Escalation, {
    inform: (request) => Effect.sync(() => void informed.push(request)),
    ask: (request) =>
      Effect.sync(() => {
        asked.push(request)
        return answer
      })
  })
  return { asked, informed, layer: Layer.merge(Guard.memory, layer) }
}

const approved: EscalationAnswer = { _tag: "Approved", by: "ana" }

/** Runs the stage for calls of one turn. Returns the end of each call: its outcome, decisions and passed calls. */
const made = (tool: Tool, { layer }: ReturnType<typeof people>, ...calls: ReadonlyArray<object>) =>
  Effect.gen(function* () {
    const ends = []
    for (const over of calls.length === 0 ? [{}] : calls) {
      const trace = Trace.make(undefined)
      ends.push({ over: { trace, ...over }, trace })
    }
    const stage = yield* alone(approve, tool)
    const results = []
    for (const { over, trace } of ends) {
      const outcome = yield* stage.run(over)
      results.push({
        outcome,
        decisions: trace.decisions.map(({ decision, reason }): ReadonlyArray<string> => [decision, reason])
      })
    }
    return { results, passed: stage.passed }
  }).pipe(Effect.provide(layer))

const destroy = define("drop_it", { access: "destructive" })

const asking = (approval: unknown, more: object = {}) => define("drop_it", { access: "destructive", approval, ...more })

describe("approve: answers", () => {
  for (const [answer, code, detail, decision] of [
    [
      { _tag: "Denied", by: "ana", reason: "" },
      "approval_denied",
      "ana denied this call.",
      ["denied", "ana denied this call."]
    ],
    [
      { _tag: "Denied", by: "ana", reason: "too late" },
      "approval_denied",
      "ana denied this call: too late",
      ["denied", "ana denied this call: too late"]
    ],
    [
      { _tag: "Denied", by: "ana", reason: "no", isRevealed: true },
      "approval_denied",
      "ana denied this call: no",
      ["denied", "ana denied this call: no (the masked parts of its arguments were revealed)"]
    ],
    [
      { _tag: "Pending", approvalUrl: "https://approvals.example/1" },
      "requires_human_approval",
      "drop_it needs a person's approval. The approval has been requested.",
      ["pending", "a person has been asked"]
    ],
    [
      { _tag: "Expired" },
      "approval_expired",
      "No decision was made in time.",
      ["expired", "no decision was made in time"]
    ],
    [
      { _tag: "NoPerson" },
      "no_person",
      "drop_it needs a person's approval. No person can be reached.",
      ["refused", "no person can be reached"]
    ]
  ] as const) {
    it.effect(`10.4 ${JSON.stringify(answer)} ends the call as ${code}, and is recorded`, () =>
      Effect.gen(function* () {
        const { passed, results } = yield* made(destroy, people(answer))
        const [end] = results
        assert(end?.outcome._tag === "Failure")
        assert.deepStrictEqual([end.outcome.failure.code, end.outcome.failure.detail], [code, detail])
        assert.deepStrictEqual(end.decisions, [decision])
        assert.strictEqual(passed.length, 0)
      })
    )
  }

  it.effect("10.4 words of a person are the model's answer, and are remembered for the turn", () => {
    const persons = people({ _tag: "Answered", by: "ana", text: "Use the staging table." })
    return Effect.gen(function* () {
      const { passed, results } = yield* made(destroy, persons, {}, {})
      const [first, second] = results
      assert(first?.outcome._tag === "Failure" && second?.outcome._tag === "Failure")
      assert.strictEqual(first.outcome.failure.code, "answered_by_person")
      assert.include(first.outcome.failure.detail, "Use the staging table.")
      assert.deepStrictEqual(first.decisions, [["answered", first.outcome.failure.detail]])
      assert.strictEqual(second.outcome.failure.detail, first.outcome.failure.detail)
      assert.deepStrictEqual([second.outcome.recalled, second.outcome.remaining], [true, 0])
      assert.deepStrictEqual(second.decisions, [
        ["denied", "a person denied or answered this call earlier in this turn"]
      ])
      assert.deepStrictEqual([persons.asked.length, passed.length], [1, 0])
    })
  })

  it.effect("10.4 outside a turn, a denial is not remembered", () => {
    const persons = people({ _tag: "Denied", by: "ana", reason: "" })
    return Effect.gen(function* () {
      yield* made(destroy, persons, { turn: undefined }, { turn: undefined })
      assert.strictEqual(persons.asked.length, 2)
    })
  })

  it.effect("10.3 an approval that is consumed with the claim is passed on, and any other is not", () => {
    const consume = Effect.succeed(true)
    return Effect.gen(function* () {
      const [open] = (yield* made(destroy, people({ ...approved, consume }))).passed
      const [closed] = (yield* made(destroy, people(approved), { consume: undefined })).passed
      assert.strictEqual(open?.consume, consume)
      assert.strictEqual(open?.name, "drop_it")
      assert.isUndefined(closed?.consume)
    })
  })

  it.effect("10.3 an approval without revealed parts is recorded by its person alone", () =>
    Effect.gen(function* () {
      const { results } = yield* made(destroy, people(approved))
      assert.deepStrictEqual(results[0]?.decisions, [["approved", "by ana"]])
    })
  )
})

describe("approve: questions", () => {
  it.effect("10.5 a question tells its person to decide, and a notice says that the call is made", () =>
    Effect.gen(function* () {
      const [asked, told] = [people(approved), people(approved)]
      yield* made(asking("confirm"), asked)
      const { passed } = yield* made(asking("inform"), told)
      assert.deepStrictEqual([asked.asked.length, asked.informed.length], [1, 0])
      assert.deepStrictEqual([told.asked.length, told.informed.length, passed.length], [0, 1, 1])
      assert.notDeepEqual(asked.asked[0]?.guidance, told.informed[0]?.guidance)
      assert.include(JSON.stringify(told.informed[0]?.guidance), "drop_it")
      assert.isFalse("revealed" in asked.asked[0]!)
    })
  )

  it.effect("4.8 a call that an earlier process started is not asked about again", () => {
    const persons = people({ _tag: "NoPerson" })
    return Effect.gen(function* () {
      const { passed } = yield* made(destroy, persons, { wasStarted: true })
      assert.deepStrictEqual([persons.asked.length, passed.length], [0, 1])
    })
  })

  it.effect("8.1 the same action under another key must be confirmed, whatever the tool's level is", () => {
    const confirm = "The same action was made before under another key."
    return Effect.gen(function* () {
      for (const [level, expected] of [
        ["auto", "confirm"],
        ["inform", "confirm"],
        ["block", "block"]
      ] as const) {
        const persons = people(approved)
        yield* made(asking(level), persons, { confirm })
        const [request] = persons.asked
        assert.strictEqual(request?.level, expected)
        assert.strictEqual(request?.sentence, `drop_it: Searches. Read-only. ${confirm}`)
      }
      const silent = people(approved)
      yield* made(
        asking(() => Approval.confirm("")),
        silent,
        { confirm }
      )
      assert.strictEqual(silent.asked[0]?.sentence, confirm)
    })
  })

  it.effect("10.6 the record says that arguments are too large to show", () =>
    Effect.gen(function* () {
      const { passed, results } = yield* made(destroy, people(approved), { arguments: { q: "x".repeat(70_000) } })
      const [end] = results
      assert.deepStrictEqual(end?.decisions, [["refused", "its arguments are too large to show to a person"]])
      assert(end?.outcome._tag === "Failure")
      assert.include(end.outcome.failure.detail, "drop_it needs a person's approval, and its arguments exceed 64 KB")
      assert.strictEqual(passed.length, 0)
    })
  )
})

describe("approve: functions that decide the level", () => {
  for (const [what, answer] of [
    ["null", null],
    ["a text", "confirm"],
    ["no level", { sentence: "s" }],
    ["a level that does not exist", { level: "ask", sentence: "s" }],
    ["no sentence", { level: "auto" }],
    ["a sentence that is no text", { level: "auto", sentence: 7 }]
  ] as const) {
    it.effect(`10.2 a function that returns ${what} counts as confirm, and the record and the model read why`, () =>
      Effect.gen(function* () {
        const { passed, results } = yield* made(
          asking(() => answer),
          people({ _tag: "NoPerson" })
        )
        const [end] = results
        assert(end?.outcome._tag === "Failure")
        assert.strictEqual(
          end.outcome.failure.detail,
          "drop_it needs a person's approval, because its policy crashed. No person can be reached."
        )
        assert.include(String(end.outcome.failure.cause), "it returned no level or no sentence")
        assert.isAbove(end.decisions.length, 1)
        assert.strictEqual(passed.length, 0)
      })
    )
  }

  it.effect("10.2 a function that returns a level and a sentence decides, and its sentence is the reason", () =>
    Effect.gen(function* () {
      const of = (approval: unknown) =>
        Effect.map(made(asking(approval), people({ _tag: "NoPerson" })), ({ results }) => {
          const outcome = results[0]?.outcome
          return outcome?._tag === "Failure" ? outcome.failure.detail : "runs"
        })
      const need = "drop_it needs a person's approval"
      assert.strictEqual(yield* of(() => Approval.auto), "runs")
      assert.strictEqual(
        yield* of(() => Approval.confirm("It drops rows")),
        `${need}: It drops rows. No person can be reached.`
      )
      assert.strictEqual(
        yield* of(() => Approval.confirm("It drops v1.2 rows")),
        `${need}: It drops v1.2 rows. No person can be reached.`
      )
      assert.strictEqual(yield* of(() => Approval.confirm("Really?")), `${need}: Really? No person can be reached.`)
      assert.strictEqual(
        yield* of(() => Effect.succeed(Approval.confirm("It drops rows!"))),
        `${need}: It drops rows! No person can be reached.`
      )
    })
  )

  it.effect(
    "10.2 a configured policy that is stricter than the tool's own level decides, and a looser one does not",
    () =>
      Effect.gen(function* () {
        const levels = []
        for (const [own, policy] of [
          ["auto", "confirm"],
          ["confirm", "auto"],
          ["block", "confirm"]
        ] as const) {
          const persons = people(approved)
          const guardPolicies = yield* GuardPolicies.capture.pipe(Effect.provideService(EscalationPolicy, () => policy))
          yield* made(asking(own), persons, { guardPolicies })
          levels.push(persons.asked[0]?.level)
        }
        assert.deepStrictEqual(levels, ["confirm", "confirm", "block"])
      })
  )

  const asks = (sentence: string, level = "confirm") => ({ level, sentence })
  for (const [what, own, shared, level, sentence, explained] of [
    ["the tool's own on a tie", () => asks("Own."), () => asks("Shared."), "confirm", "Own.", "Own."],
    ["the only one that explains", "confirm", () => asks("Shared."), "confirm", "Shared.", "Shared."],
    ["the only one with words", () => asks(""), () => asks("Shared."), "confirm", "Shared.", "Shared."],
    ["the tool's own next to a level", () => asks("Own."), "confirm", "confirm", "Own.", "Own."],
    [
      "that of the stricter shared one",
      () => asks("Own."),
      () => asks("Shared.", "block"),
      "block",
      "Shared.",
      "Shared."
    ],
    ["that of the stricter own one", () => asks("Own.", "block"), () => asks("Shared."), "block", "Own.", "Own."],
    ["that of the looser one if the stricter has none", () => asks("Own."), "block", "block", "Own.", "Own."],
    ["the description if none has words", "confirm", "confirm", "confirm", "drop_it: Searches. Read-only.", undefined],
    [
      "the description next to an empty sentence",
      () => asks(""),
      "confirm",
      "confirm",
      "drop_it: Searches. Read-only.",
      undefined
    ],
    [
      "that of an effect of the tool",
      () => Effect.succeed(asks("Own.")),
      () => asks("Shared."),
      "confirm",
      "Own.",
      "Own."
    ],
    [
      "that of a stricter effect",
      () => asks("Own."),
      () => Effect.succeed(asks("Shared.", "block")),
      "block",
      "Shared.",
      "Shared."
    ]
  ] as const) {
    it.effect(`2.11 of the tool's and a shared approval, the sentence is ${what}`, () =>
      Effect.gen(function* () {
        // a program without types can write any function here
        const tool = asking(own).pipe(GuardedTool.policy({ approval: shared as never }))
        const persons = people({ _tag: "NoPerson" })
        const { results } = yield* made(tool, persons)
        const [end] = results
        assert(end?.outcome._tag === "Failure")
        assert.deepStrictEqual([persons.asked[0]?.level, persons.asked[0]?.sentence], [level, sentence])
        assert.strictEqual(
          end.outcome.failure.detail,
          `drop_it needs a person's approval${explained === undefined ? "" : `: ${explained.slice(0, -1)}`}. No person can be reached.`
        )
      })
    )
  }

  it.effect("10.6 a person reads the arguments as the model sent them", () =>
    Effect.gen(function* () {
      const parameters = Schema.Struct({ q: Schema.String }).pipe(Schema.encodeKeys({ q: "query" }))
      const persons = people(approved)
      yield* made(asking("confirm", { parameters }), persons)
      assert.deepStrictEqual(persons.asked[0]?.arguments, { query: "a" })
    })
  )
})
