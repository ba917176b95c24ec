/** Tests of the notices about incidents: each incident of the default policy reaches a person once, in words for people. */
import { sentenceOf } from "#domain/approval/ShownCall"
import * as EscalationHttp from "#layers/EscalationHttp"
import * as EscalationScripted from "#layers/EscalationScripted"
import * as ScriptedModel from "#layers/ScriptedModel"
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import { Notices } from "#layers/internal/inbox/Notices"
import { Approvals } from "#services/Approvals"
import { Escalation, type EscalationRequest } from "#services/Escalation"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import * as GuardedModel from "#src/host/GuardedModel"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AiError, LanguageModel } from "effect/ai"
import { complete, outside, response, settled, tool } from "../pipeline/support.ts"
import { call, toolbox } from "./support.ts"

const errno = (code: string, message = code) => Effect.fail(Object.assign(new Error(message), { code }))

const refusing = AiError.make({
  module: "Provider",
  method: "generateText",
  reason: new AiError.AuthenticationError({ kind: "InvalidKey" })
})

interface Incident {
  readonly what: string
  /** The definition and the answer of the tool; the model calls it once, then answers. */
  readonly definition: object
  readonly answer: unknown
  readonly args?: unknown
  /** The level of the notice or question, and its reason. */
  readonly level: string
  readonly reason: string
  /** True if the run asks; false if it only informs. */
  readonly isAsked: boolean
}

const incidents: ReadonlyArray<Incident> = [
  {
    what: "an exhausted resource of a read",
    definition: {},
    answer: errno("ENOSPC"),
    level: "block",
    reason: "disk_full",
    isAsked: true
  },
  {
    what: "an exhausted resource of a write",
    definition: { access: "write" },
    answer: errno("ENOSPC", "no space left on device"),
    level: "block",
    reason: "disk_full",
    isAsked: true
  },
  {
    what: "memory that a write exhausts",
    definition: { access: "write" },
    answer: Effect.fail(new Error("out of memory")),
    level: "block",
    reason: "out_of_memory",
    isAsked: true
  },
  {
    what: "an exhausted resource of a destructive tool, whose outcome is unknown",
    definition: { access: "destructive", approval: "auto" },
    answer: errno("ENOSPC", "no space left on device"),
    level: "block",
    reason: "outcome_unknown",
    isAsked: false
  },
  {
    what: "a transient failure after four attempts",
    definition: {},
    answer: response(503),
    level: "inform",
    reason: "unavailable",
    isAsked: false
  },
  {
    what: "wrong arguments for a destructive tool",
    definition: { access: "destructive", approval: "auto" },
    answer: { n: 1 },
    args: { q: 7 },
    level: "confirm",
    reason: "invalid_arguments",
    isAsked: true
  },
  {
    what: "a permanent failure of a critical tool",
    definition: { critical: true },
    answer: errno("EACCES"),
    level: "inform",
    reason: "misconfigured",
    isAsked: false
  },
  {
    what: "a defect of a handler of a critical tool",
    definition: { critical: true },
    answer: Effect.die(new Error("oops")),
    level: "inform",
    reason: "tool_crashed",
    isAsked: false
  },
  {
    what: "a defect of a write, whose outcome is unknown",
    definition: { access: "write", critical: true },
    answer: Effect.die(new Error("oops")),
    level: "inform",
    reason: "outcome_unknown",
    isAsked: false
  },
  {
    what: "an unknown outcome",
    definition: { access: "write" },
    answer: Effect.fail({ status: 500 }),
    level: "inform",
    reason: "outcome_unknown",
    isAsked: false
  },
  {
    what: "a destructive call before it runs",
    definition: { access: "destructive" },
    answer: { n: 1 },
    level: "confirm",
    reason: "approval",
    isAsked: true
  }
]

const modelPhrases =
  /please rewrite|your output|call again|do not (?:call|repeat|make)|answer with what you have|do something else/iu

/** Checks that a notice or a question addresses a person, is bounded, and has guidance. */
const assertForPeople = (request: EscalationRequest) => {
  const { guidance, sentence } = request
  assert.strictEqual(sentence, sentenceOf(sentence))
  assert.isAtMost(sentence.length, 200)
  assert.isDefined(guidance)
  for (const text of [sentence, ...Object.values(guidance ?? {})]) assert.notMatch(text, modelPhrases)
}

interface Notifications {
  readonly informed: ReadonlyArray<EscalationRequest>
  readonly asked: ReadonlyArray<EscalationRequest>
}

const shown = ({ asked, informed }: Notifications) => ({
  asked: asked.map(({ level, reason }) => [level, reason]),
  informed: informed.map(({ level, reason }) => [level, reason])
})

/** Runs a program with a tool and a scripted person, and returns the questions and notices to the person. */
const notified = (
  { answer, args = { q: "a" }, definition }: Incident,
  script: ReadonlyArray<EscalationScripted.ScriptedAnswer>,
  program: (one: ReturnType<typeof tool>) => Effect.Effect<unknown, any, any>
): Effect.Effect<Notifications, any> => {
  const one = tool("save_it", definition, answer)
  const model = ScriptedModel.layer([call("save_it", args, "c1"), "done"])
  const layers = Layer.mergeAll(model, CheckpointsMemory.layer)
  return complete(Effect.andThen(program(one), EscalationScripted.EscalationTranscript)).pipe(
    outside([one.layer as Layer.Layer<any>, layers], Guard.layerMemoryWith(EscalationScripted.layer(script)))
  ) as Effect.Effect<Notifications, any>
}

const run = (one: ReturnType<typeof tool>) => Agent.run({ prompt: "Go.", tools: toolbox([one]) })
const journalled = (one: ReturnType<typeof tool>) =>
  Agent.checkpointed({ run: "job", prompt: "Go.", tools: toolbox([one]) })
const hosted = (one: ReturnType<typeof tool>) => {
  const box = toolbox([one]) as any
  return Guard.turn(LanguageModel.generateText({ prompt: "Go.", toolkit: box.toolkit }) as Effect.Effect<unknown>).pipe(
    Effect.provide(Layer.provideMerge(GuardedModel.layer, box.handlers as Layer.Layer<any>))
  )
}

describe("incidents: a person reads each once", () => {
  for (const incident of incidents) {
    const { args = { q: "a" }, isAsked, level, reason, what } = incident
    const one = [[level, reason]]

    it.effect(`10.2 ${what}: one ${isAsked ? "question" : "notice"} in a run in which the person approves`, () =>
      Effect.gen(function* () {
        for (const program of [run, journalled]) {
          const result = yield* notified(incident, ["approve"], program)
          assert.deepStrictEqual(shown(result), isAsked ? { asked: one, informed: [] } : { asked: [], informed: one })
          for (const request of [...result.asked, ...result.informed]) assertForPeople(request)
        }
      })
    )

    const isApproval = reason === "approval"

    it.effect(`10.1 ${what}: ${isApproval ? "no" : "one"} notice in a run if no person can be asked`, () =>
      Effect.gen(function* () {
        const { informed } = yield* notified(incident, [], run)
        assert.deepStrictEqual(informed.length, isApproval ? 0 : 1)
        for (const request of informed) {
          assertForPeople(request)
          if (isAsked) assert.include(request.sentence, "The run ended.")
        }
      })
    )

    const kind = isApproval ? "question" : "notice"
    it.effect(`10.2 ${what}: one ${kind} in the loop of effect/ai and for a program's call`, () =>
      Effect.gen(function* () {
        const direct = (it: ReturnType<typeof tool>) => settled(it.tool.call(args as never))
        for (const program of [hosted, direct]) {
          const result = yield* notified(incident, ["approve"], program)
          assert.deepStrictEqual(
            shown(result),
            isApproval ? { asked: one, informed: [] } : { asked: [], informed: one }
          )
          for (const request of [...result.asked, ...result.informed]) assertForPeople(request)
        }
      })
    )
  }

  it.effect(
    "10.5 an exhausted resource of a destructive tool is stored as an unknown outcome and blocks the run",
    () => {
      const drop = tool(
        "drop_it",
        { access: "destructive", approval: "auto" },
        errno("ENOSPC", "no space left on device")
      )
      const model = ScriptedModel.layer([call("drop_it", { q: "a" }, "c1"), "done"])
      const guard = Guard.layerMemoryWith(Layer.merge(EscalationScripted.layer([]), UnknownOutcomesMemory.layer))
      return Effect.gen(function* () {
        const end = yield* Agent.run({ prompt: "Go.", tools: toolbox([drop]) })
        assert.deepStrictEqual([end._tag, end._tag === "NeedsPerson" && end.level], ["NeedsPerson", "block"])
        const outcomes = yield* UnknownOutcomes
        const open = yield* outcomes.open({ limit: 10 })
        const { informed } = yield* EscalationScripted.EscalationTranscript
        assert.deepStrictEqual(
          [open.map(({ code, tool }) => [tool, code]), informed.map(({ outcomeId }) => outcomeId)],
          [[["drop_it", "outcome_unknown"]], open.map(({ id }) => id)]
        )
        assert.include(informed[0]?.guidance?.choices, `toolguard outcomes settle ${open[0]?.id}`)
      }).pipe(outside([drop.layer, model], guard as Layer.Layer<any>))
    }
  )

  it.effect("10.2 a run that ends at the first of two failures reports the second, without a question", () => {
    const full = tool("save_it", { access: "write" }, errno("ENOSPC"))
    const model = ScriptedModel.layer([[call("save_it", { q: "a" }, "c1"), call("save_it", { q: "b" }, "c2")], "done"])
    return Effect.gen(function* () {
      assert.strictEqual((yield* Agent.run({ prompt: "Go.", tools: toolbox([full]) }))._tag, "NeedsPerson")
      const { asked, informed } = yield* EscalationScripted.EscalationTranscript
      assert.deepStrictEqual(
        [asked.map(({ callId }) => callId), informed.map(({ callId }) => callId)],
        [["c1"], ["c2"]]
      )
      assert.include(informed[0]?.sentence, "The run ended.")
    }).pipe(outside([full.layer, model], Guard.layerMemoryWith(EscalationScripted.layer(["deny"]))))
  })

  it.effect("10.2 a final refusal of the provider is one question or, if no person can be asked, one notice", () =>
    Effect.gen(function* () {
      for (const script of [["deny"], []] as const) {
        const model = ScriptedModel.layer(() => Effect.fail(refusing))
        const { asked, informed } = yield* Effect.andThen(
          Agent.run({ prompt: "Go.", tools: toolbox([]) }),
          EscalationScripted.EscalationTranscript
        ).pipe(outside([model], Guard.layerMemoryWith(EscalationScripted.layer(script))))
        assert.deepStrictEqual([asked.length, informed.length], script.length === 1 ? [1, 0] : [1, 1])
        for (const request of [...asked, ...informed]) assertForPeople(request)
      }
    })
  )

  it.effect("7.3 a loop leads to one question, in plain words", () => {
    const search = tool("search", {}, { n: 1 })
    const again = [1, 2, 3].map((n) => call("search", { q: "a" }, `c${n}`))
    return Effect.gen(function* () {
      yield* Agent.run({ prompt: "Go.", tools: toolbox([search]) })
      const { asked, informed } = yield* EscalationScripted.EscalationTranscript
      assert.deepStrictEqual([asked.length, informed.length], [1, 0])
      assertForPeople(asked[0]!)
      assert.include(asked[0]?.sentence, "The model called search 3 times with the same arguments")
      assert.include(asked[0]?.guidance?.otherwise, "the run ends")
    }).pipe(
      outside(
        [search.layer, ScriptedModel.layer([...again, "done"])],
        Guard.layerMemoryWith(EscalationScripted.layer(["approve"]))
      )
    )
  })

  it.effect("10.5 a person who is asked to settle an outcome and leaves it open gets no second notice", () => {
    const save = tool("save_it", { access: "write" }, Effect.fail({ status: 500 }))
    const informed: Array<EscalationRequest> = []
    const settling: Array<EscalationRequest> = []
    const person = Layer.succeed(Escalation, {
      inform: (request) => Effect.sync(() => void informed.push(request)),
      ask: () => Effect.succeed({ _tag: "NoPerson" }),
      settle: (request) =>
        Effect.as(
          Effect.sync(() => void settling.push(request)),
          undefined
        )
    })
    return Effect.gen(function* () {
      yield* settled(save.tool.call({ q: "a" } as never))
      assert.deepStrictEqual([settling.length, informed], [1, []])
      assertForPeople(settling[0]!)
    }).pipe(outside([save.layer], Guard.layerMemoryWith(person)))
  })

  it.effect(
    "10.5 for a run without a journal, an inbox that does not wait gets a notice, because the run cannot receive a decision",
    () => {
      const full = tool("read_it", {}, errno("ENOSPC"))
      const model = ScriptedModel.layer([call("read_it", { q: "a" }, "c1"), "done"])
      const inbox = EscalationHttp.layer({ publicUrl: "https://agents.example" }).pipe(
        Layer.provideMerge(ApprovalsMemory.layer)
      )
      return Effect.gen(function* () {
        assert.strictEqual((yield* Agent.run({ prompt: "Go.", tools: toolbox([full]) }))._tag, "NeedsPerson")
        const approvals = yield* Approvals
        const notices = yield* (yield* Notices).all
        assert.deepStrictEqual([(yield* approvals.pending({ limit: 10 })).total, notices.length], [0, 1])
        assert.include(notices[0]?.request.sentence, "Storage is exhausted")
      }).pipe(outside([full.layer, model], Guard.layerMemoryWith(inbox) as Layer.Layer<any>))
    }
  )
})
