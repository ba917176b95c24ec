/** Tests durable agents on the workflow engine in memory. */
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as ApprovalsWaking from "#layers/ApprovalsWaking"
import * as EscalationDurable from "#layers/EscalationDurable"
import * as EscalationHttp from "#layers/EscalationHttp"
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import * as UnknownOutcomesWaking from "#layers/UnknownOutcomesWaking"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import * as ScriptedModel from "#layers/ScriptedModel"
import { Approvals } from "#services/Approvals"
import type { AgentEvent } from "#src/agent/AgentEvent"
import * as DurableAgent from "#src/durable/DurableAgent"
import * as DurableRun from "#src/durable/DurableRun"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { Prompt } from "effect/ai"
import { TestClock } from "effect/testing"
import { WorkflowEngine } from "effect/workflow"
import { call, codes, envelopes, type EquippedTool, toolbox } from "../agent/support.ts"
import { response, type Tool, tool } from "../pipeline/support.ts"

interface Setup {
  readonly tools: ReadonlyArray<EquippedTool>
  readonly script: ScriptedModel.Script
  readonly guard?: Layer.Layer<any>
  readonly options?: Partial<DurableAgent.DurableOptions<Tool>>
}

/** Runs a test with an agent on a new engine, and passes the agent and its events. */
const within = <A>(
  { guard = Guard.layerMemory, options, script, tools }: Setup,
  f: (agent: DurableAgent.DurableAgent<Tool>, events: ReadonlyArray<AgentEvent>) => Effect.Effect<A, any, any>
): Effect.Effect<A> => {
  const events: Array<AgentEvent> = []
  const onEvent = (event: AgentEvent) => Effect.sync(() => void events.push(event))
  const agent = DurableAgent.make("Tested", { tools: toolbox(tools), onEvent, ...options })
  const needs = Layer.mergeAll(ScriptedModel.layer(script), ...tools.map(({ layer }) => layer))
  const live = agent.layer.pipe(
    Layer.provide(needs),
    Layer.provideMerge(guard),
    Layer.provideMerge(WorkflowEngine.layerMemory)
  )
  return f(agent, events).pipe(Effect.provide(live)) as Effect.Effect<A>
}

/** Polls until the run is suspended. */
const suspended = (agent: DurableAgent.DurableAgent<Tool>, run: string) =>
  Effect.repeat(Effect.andThen(Effect.yieldNow, agent.poll({ run })), { until: ({ _tag }) => _tag === "Suspended" })

const refund = (definition: object = {}) =>
  tool("refund", { access: "destructive", idempotency: "derived", approval: "confirm", ...definition }, { n: 1 })

/** Returns a guard that records its questions to people. */
const recordingPeople = () => {
  const asked: Array<EscalationDurable.DurableQuestion> = []
  const tell = (question: EscalationDurable.DurableQuestion) => Effect.sync(() => asked.push(question))
  return { asked, guard: Guard.layerMemoryWith(EscalationDurable.layer({ tell })) }
}

const tags = (events: ReadonlyArray<AgentEvent>) => events.map(({ _tag }) => _tag)

const decisions = [
  ["approves", { _tag: "Approved", by: "ann" }, ["success"], 1],
  ["denies", { _tag: "Denied", by: "ann", reason: "too much" }, ["approval_denied"], 0]
] as const

describe("a durable agent whose call waits for a person", () => {
  for (const [what, decision, read, runs] of decisions) {
    it.live(`12.3 is suspended until a person ${what}, and emits each event once`, () => {
      const refundTool = refund()
      const { asked, guard } = recordingPeople()
      const setup = { tools: [refundTool], guard, script: [call("refund", { q: "a" }), "done"] }
      return within(setup, (agent, events) =>
        Effect.gen(function* () {
          yield* agent.start({ run: "run", prompt: "Go." })
          yield* suspended(agent, "run")
          assert.deepStrictEqual([asked.length, refundTool.runs()], [1, 0])
          yield* agent.decide(asked[0]!.token, decision)
          const end = yield* agent.result({ run: "run" }, 5)
          assert.deepStrictEqual([codes(end.transcript), refundTool.runs(), asked.length], [read, runs, 1])
          assert.strictEqual(
            tags(events).join(" "),
            "RoundStarted CallStarted Resumed CallEnded RoundEnded RoundStarted Text RoundEnded End"
          )
          assert.notInclude(JSON.stringify(end), asked[0]!.token)
        })
      )
    })
  }

  it.live("12.3 has another token each time, although the name of the run is the same", () => {
    const tokens: Array<string> = []
    const once = () => {
      const { asked, guard } = recordingPeople()
      return within({ tools: [refund()], guard, script: [call("refund", { q: "a" }, "one"), "done"] }, (agent) =>
        Effect.gen(function* () {
          yield* agent.start({ run: "run", prompt: "Go." })
          yield* suspended(agent, "run")
          tokens.push(asked[0]!.token)
        })
      )
    }
    return Effect.gen(function* () {
      yield* once()
      yield* once()
      assert.notStrictEqual(tokens[0], tokens[1])
    })
  })

  it.live("12.3 waits for a separate decision on each of two calls of a round, while a third call completes", () => {
    const refundTool = refund()
    const other = tool("look", {}, { n: 3 })
    const { asked, guard } = recordingPeople()
    const script = [[call("refund", { q: "a" }), call("look", { q: "c" }), call("refund", { q: "b" })], "done"]
    return within({ tools: [refundTool, other], guard, script }, (agent) =>
      Effect.gen(function* () {
        yield* agent.start({ run: "run", prompt: "Go." })
        yield* suspended(agent, "run")
        assert.deepStrictEqual([asked.length, other.runs()], [2, 1])
        const token = (q: string) =>
          asked.find(({ request }) => (request.arguments as { readonly q: string }).q === q)!.token
        yield* agent.decide(token("b"), { _tag: "Approved", by: "ann" })
        yield* agent.decide(token("a"), { _tag: "Denied", by: "bob", reason: "" })
        const end = yield* agent.result({ run: "run" }, 5)
        assert.deepStrictEqual(codes(end.transcript), ["approval_denied", "success", "success"])
        assert.deepStrictEqual(
          refundTool.calls.map(({ args }) => args.q),
          ["b"]
        )
        assert.deepStrictEqual([asked.length, other.runs()], [2, 1])
      })
    )
  })

  it.live("11.2, 12.3 reports at which round and after how many stored calls it resumes", () => {
    const look = tool("look", {}, { n: 1 })
    const script = [call("look", { q: "a" }), [call("refund", { q: "a" }), call("look", { q: "b" })], "done"]
    const { asked, guard } = recordingPeople()
    return within({ tools: [refund(), look], guard, script }, (agent, events) =>
      Effect.gen(function* () {
        yield* agent.start({ run: "run", prompt: "Go." })
        yield* suspended(agent, "run")
        assert.notInclude(tags(events), "Resumed")
        yield* agent.decide(asked[0]!.token, { _tag: "Approved", by: "ann" })
        yield* agent.result({ run: "run" }, 5)
        assert.deepStrictEqual(
          events.filter(({ _tag }) => _tag === "Resumed"),
          [{ _tag: "Resumed", run: "run", round: 2, calls: 2 }]
        )
      })
    )
  })

  it.live("12.3 is answered with requires_human_approval if the option `pending` is `answer`", () => {
    const { asked, guard } = recordingPeople()
    const setup = {
      tools: [refund()],
      guard,
      script: [call("refund", { q: "a" }), "later"],
      options: { pending: "answer" } as const
    }
    return within(setup, (agent) =>
      Effect.gen(function* () {
        const end = yield* agent.execute({ run: "run", prompt: "Go." })
        assert.deepStrictEqual([codes(end.transcript), asked.length], [["requires_human_approval"], 1])
      })
    )
  })

  it.live("10.5 keeps its requests while it is suspended, and withdraws pending requests when it ends", () => {
    const asking = EscalationHttp.layer({ publicUrl: "http://127.0.0.1:1" }).pipe(
      Layer.provideMerge(ApprovalsMemory.layer)
    )
    const requests = Effect.flatMap(Approvals, (approvals) => approvals.pending({ limit: 9 }))
    const script = [call("refund", { q: "a" }), "later"]
    const setup = { tools: [refund()], guard: Guard.layerMemoryWith(asking), script }
    const suspending = within(setup, (agent) =>
      Effect.gen(function* () {
        yield* agent.start({ run: "run", prompt: "Go." })
        yield* suspended(agent, "run")
        const [request] = (yield* requests).requests
        assert.deepStrictEqual([request?.run, request?.turn?.conversation], ["run", "run"])
      })
    )
    const answering = within({ ...setup, options: { pending: "answer" } as const }, (agent) =>
      Effect.gen(function* () {
        const end = yield* agent.execute({ run: "run", prompt: "Go." })
        assert.deepStrictEqual(codes(end.transcript), ["requires_human_approval"])
        assert.strictEqual((yield* requests).total, 0)
      })
    )
    return Effect.andThen(suspending, answering)
  })

  it.live("10.5 withdraws its requests when the run is interrupted permanently", () => {
    const asking = EscalationHttp.layer({ publicUrl: "http://127.0.0.1:1" }).pipe(
      Layer.provideMerge(Layer.fresh(ApprovalsMemory.layer))
    )
    const setup = {
      tools: [refund()],
      guard: Guard.layerMemoryWith(asking),
      script: [call("refund", { q: "a" }), "later"]
    }
    return within(setup, (agent) =>
      Effect.gen(function* () {
        yield* agent.start({ run: "run", prompt: "Go." })
        yield* suspended(agent, "run")
        const approvals = yield* Approvals
        const [request] = (yield* approvals.pending({ limit: 9 })).requests
        assert.strictEqual(request?.state, "pending")
        const workflow = DurableRun.workflow("Tested")
        const payload = { run: "run", tenant: "default", conversation: "run", prompt: Prompt.make("Go.") }
        yield* workflow.interrupt(yield* workflow.executionId(payload))
        yield* Effect.repeat(Effect.andThen(Effect.yieldNow, Effect.orDie(approvals.find(request!.id))), {
          until: (found) => found?.state !== "pending"
        })
        assert.strictEqual((yield* approvals.find(request!.id))?.state, "withdrawn")
      })
    )
  })

  it.live("10.4 resumes after a decision in an inbox", () => {
    const refundTool = refund()
    const asking = EscalationHttp.layer({ publicUrl: "http://127.0.0.1:1" }).pipe(
      Layer.provideMerge(ApprovalsMemory.layer)
    )
    const setup = {
      tools: [refundTool],
      guard: Guard.layerMemoryWith(asking),
      script: [call("refund", { q: "a" }), "done"]
    }
    return within(setup, (agent) =>
      Effect.gen(function* () {
        yield* agent.start({ run: "run", prompt: "Go.", conversation: "conversation" })
        yield* suspended(agent, "run")
        const inbox = yield* Layer.build(ApprovalsWaking.layer(agent.wake))
        yield* Effect.gen(function* () {
          const approvals = yield* Approvals
          const [request] = (yield* approvals.pending({ limit: 9 })).requests
          yield* approvals.decide(request!.id, { verdict: "approve", by: "ann", reason: "" })
          const end = yield* agent.result({ run: "run" }, 5)
          assert.deepStrictEqual([codes(end.transcript), refundTool.runs()], [["success"], 1])
          assert.strictEqual((yield* approvals.find(request!.id))?.state, "used")
        }).pipe(Effect.provide(inbox))
      }).pipe(Effect.scoped)
    )
  })
})

describe("a durable agent whose call has an unknown outcome", () => {
  for (const [what, settling, read, runs] of [
    ["done", { finding: "done", result: { n: 7 } }, { n: 7 }, 1],
    ["not done", { finding: "not_done" }, { n: 2 }, 2]
  ] as const) {
    it.live(`10.5 is suspended until a person finds that it was ${what}, and continues with this finding`, () => {
      const lost = response(500, "{}")
      const refundTool = tool("refund", { access: "write", idempotency: "derived" }, lost, { n: 2 })
      const stores = Layer.mergeAll(ApprovalsMemory.layer, Layer.fresh(UnknownOutcomesMemory.layer))
      const asking = Layer.provideMerge(EscalationHttp.layer({ publicUrl: "http://127.0.0.1:1" }), stores)
      const setup = {
        tools: [refundTool],
        guard: Guard.layerMemoryWith(asking),
        script: [call("refund", { q: "a" }), "done"]
      }
      return within(setup, (agent, events) =>
        Effect.gen(function* () {
          yield* agent.start({ run: "run", prompt: "Go." })
          yield* suspended(agent, "run")
          const inbox = yield* Layer.build(UnknownOutcomesWaking.layer(agent.wake))
          yield* Effect.gen(function* () {
            const outcomes = yield* UnknownOutcomes
            const [outcome] = yield* outcomes.open({ limit: 9 })
            yield* outcomes.settle(outcome!.id, { by: "ann", reason: "", ...settling })
            const end = yield* agent.result({ run: "run" }, 5)
            assert.deepStrictEqual(
              envelopes(end.transcript).map(({ data }) => data),
              [read]
            )
            assert.deepStrictEqual([end._tag, refundTool.runs()], ["Answered", runs])
            assert.strictEqual(
              tags(events).join(" "),
              "RoundStarted CallStarted Resumed CallEnded RoundEnded RoundStarted Text RoundEnded End"
            )
          }).pipe(Effect.provide(inbox))
        }).pipe(Effect.scoped)
      )
    })
  }
})

describe("a durable agent", () => {
  it.live("12.3 joins an existing run and returns its stored end", () => {
    const lookTool = tool("look", {}, { n: 1 })
    return within({ tools: [lookTool], script: [call("look", { q: "a" }), "done"] }, (agent) =>
      Effect.gen(function* () {
        const first = yield* agent.execute({ run: "run", prompt: "Go." })
        const second = yield* agent.execute({ run: "run", prompt: "Go." })
        assert.deepStrictEqual([second, lookTool.runs()], [first, 1])
        assert.deepStrictEqual(yield* agent.poll({ run: "run" }), { _tag: "Ended", end: first })
        assert.deepStrictEqual(yield* agent.poll({ run: "run", tenant: "other" }), { _tag: "Unknown" })
      })
    )
  })

  it.live("10.1 is suspended by a question about the run until a person decides", () => {
    const lookTool = tool("look", {}, Effect.fail(Object.assign(new Error("disk"), { code: "ENOSPC" })), { n: 1 })
    const { asked, guard } = recordingPeople()
    return within(
      { tools: [lookTool], guard, script: [call("look", { q: "a" }), call("look", { q: "b" }), "done"] },
      (agent) =>
        Effect.gen(function* () {
          yield* agent.start({ run: "run", prompt: "Go." })
          yield* suspended(agent, "run")
          assert.deepStrictEqual(
            asked.map(({ request }) => request.reason),
            ["disk_full"]
          )
          yield* agent.decide(asked[0]!.token, { _tag: "Approved", by: "ann" })
          const end = yield* agent.result({ run: "run" }, 5)
          assert.deepStrictEqual([end._tag, codes(end.transcript)], ["Answered", ["disk_full", "success"]])
        })
    )
  })

  it.live("4.6 does not make a write again after it was resumed, and asks no person about it", () => {
    const addTool = tool("add_item", { access: "write" }, { n: 1 }, { n: 2 })
    const refundTool = refund({ idempotency: undefined })
    const { asked, guard } = recordingPeople()
    const [add, pay] = [call("add_item", { q: "a" }), call("refund", { q: "a" })]
    return within({ tools: [addTool, refundTool], guard, script: [add, pay, add, pay, "done"] }, (agent) =>
      Effect.gen(function* () {
        yield* agent.start({ run: "run", prompt: "Go." })
        yield* suspended(agent, "run")
        yield* agent.decide(asked[0]!.token, { _tag: "Approved", by: "ann" })
        const end = yield* agent.result({ run: "run" }, 5)
        assert.deepStrictEqual(
          envelopes(end.transcript).map(({ executed, status }) => [status, executed]),
          [
            ["success", undefined],
            ["success", undefined],
            ["success", false],
            ["success", false]
          ]
        )
        assert.deepStrictEqual([addTool.runs(), refundTool.runs(), asked.length], [1, 1, 1])
      })
    )
  })

  it.live("7.3 is suspended by a loop, and continues after an approval", () => {
    const lookTool = tool("look", {}, { n: 1 })
    const { asked, guard } = recordingPeople()
    const script = [...Array.from({ length: 4 }, () => call("look", { q: "a" })), "done"]
    return within({ tools: [lookTool], guard, script }, (agent) =>
      Effect.gen(function* () {
        yield* agent.start({ run: "run", prompt: "Go." })
        yield* suspended(agent, "run")
        assert.deepStrictEqual(
          asked.map(({ request }) => request.reason),
          ["loop_detected"]
        )
        yield* agent.decide(asked[0]!.token, { _tag: "Approved", by: "ann" })
        const end = yield* agent.result({ run: "run" }, 5)
        assert.deepStrictEqual([end._tag, asked.length], ["Answered", 1])
      })
    )
  })

  it.effect("11.1 ends a hanging request at `maxTime`", () =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<void>()
      const script = () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
      const end = yield* within({ tools: [], script, options: { maxTime: "10 seconds" } }, (agent) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(agent.execute({ run: "run", prompt: "Go." }))
          yield* Deferred.await(reached)
          yield* TestClock.adjust("10 seconds")
          return yield* Fiber.join(fiber)
        })
      )
      assert.deepStrictEqual([end._tag, end._tag === "LimitReached" && end.limit], ["LimitReached", "time"])
    })
  )
})

describe("durable runs of two principals", () => {
  it.live("8.3 the same id of two principals means two runs, each of which only its principal joins and polls", () => {
    const refundTool = refund()
    const { asked, guard } = recordingPeople()
    const setup = {
      tools: [refundTool],
      guard,
      script: ["for ann", "for nobody", call("refund", { q: "a" }), "for bob"]
    }
    return within(setup, (agent) =>
      Effect.gen(function* () {
        const textOf = (owner: { readonly principal?: string; readonly tenant?: string }) =>
          Effect.map(agent.execute({ run: "run", prompt: "Go.", ...owner }), (end) =>
            end._tag === "Answered" ? end.text : end._tag
          )
        assert.strictEqual(yield* textOf({ principal: "ann" }), "for ann")
        assert.strictEqual(yield* textOf({}), "for nobody")
        yield* agent.start({ run: "run", prompt: "Go.", principal: "bob" })
        const polling = Effect.andThen(Effect.yieldNow, agent.poll({ run: "run", principal: "bob" }))
        yield* Effect.repeat(polling, { until: ({ _tag }) => _tag === "Suspended" })
        assert.strictEqual((yield* agent.poll({ run: "run", principal: "ann" }))._tag, "Ended")
        assert.deepStrictEqual(asked[0]?.run, { agent: "Tested", tenant: "default", run: "run", principal: "bob" })
        yield* agent.decide(asked[0]!.token, { _tag: "Approved", by: "ann" })
        const end = yield* agent.result({ run: "run", principal: "bob" }, 5)
        assert.strictEqual(end._tag === "Answered" && end.text, "for bob")
        assert.strictEqual(yield* textOf({ principal: "ann" }), "for ann")
        const turn = { tenant: "default", conversation: "run", turn: "Tested/run", principal: "bob" }
        assert.deepStrictEqual(DurableRun.runOf("Tested", turn), { tenant: "default", run: "run", principal: "bob" })
      })
    )
  })
})
