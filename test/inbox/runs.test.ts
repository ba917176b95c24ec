/** Tests runs whose questions are in the inbox: how runs, conversations and stored requests refer to each other. */
import type { ApprovalRequest } from "#domain/approval/ApprovalRequest"
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import { Notices } from "#layers/internal/inbox/Notices"
import * as EscalationHttp from "#layers/EscalationHttp"
import * as ScriptedModel from "#layers/ScriptedModel"
import { Approvals } from "#services/Approvals"
import { type CallEvent, CallObserver } from "#services/CallObserver"
import * as Agent from "#src/agent/Agent"
import type { AgentEnd } from "#src/agent/AgentEnd"
import type { AgentEvent } from "#src/agent/AgentEvent"
import { Guard } from "#src/guard/Guard"
import * as LiveEvent from "#src/live/LiveEvent"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result } from "effect"
import { AiError } from "effect/ai"
import { call, type EquippedTool, toolbox } from "../agent/support.ts"
import { tool } from "../pipeline/support.ts"

const publicUrl = "https://agents.example.com/toolguard"
const waiting = { wait: "1 hour", interval: "10 minutes" } as const

/** Executes an effect with tools, a scripted model, and an inbox in which people decide. */
const within = <A>(
  tools: ReadonlyArray<EquippedTool>,
  script: ScriptedModel.Script,
  options: Partial<EscalationHttp.AskingOptions>,
  use: Effect.Effect<A, any, any>
) =>
  use.pipe(
    Effect.provide(
      Layer.mergeAll(
        Guard.layerMemoryWith(
          Layer.provideMerge(EscalationHttp.layer({ publicUrl, ...options }), Layer.fresh(ApprovalsMemory.layer))
        ),
        Layer.fresh(CheckpointsMemory.layer),
        ScriptedModel.layer(script),
        ...tools.map(({ layer }) => layer)
      )
    )
  ) as Effect.Effect<A>

const drop = () => tool("drop_it", { access: "destructive" }, { n: 1 })

/** Waits until a request is pending, and returns the pending requests. */
const pending: Effect.Effect<ReadonlyArray<ApprovalRequest>, any, Approvals> = Effect.flatMap(Approvals, (approvals) =>
  Effect.gen(function* () {
    while (true) {
      const { requests } = yield* approvals.pending({ limit: 10 })
      if (requests.length > 0) return requests
      yield* Effect.yieldNow
    }
  })
)
const approve = ({ id }: ApprovalRequest) =>
  Effect.flatMap(Approvals, (approvals) => approvals.decide(id, { verdict: "approve", by: "ana", reason: "" }))

describe("a run and its requests", () => {
  it.effect(
    "10.5 the event PersonAsked names the request while the person decides, and the request names its call",
    () => {
      const tools = [drop()]
      return within(
        tools,
        [call("drop_it", { q: "a" }, "c1"), "done"],
        waiting,
        Effect.gen(function* () {
          const events: Array<AgentEvent | CallEvent> = []
          const run = yield* Effect.forkChild(
            Effect.provideService(
              Agent.run({ prompt: "Go.", tools: toolbox(tools), turn: { conversation: "talk" } }),
              CallObserver,
              (event) => void events.push(event)
            ),
            { startImmediately: true }
          )
          const [request] = yield* pending
          assert.deepStrictEqual(events, [
            {
              _tag: "PersonAsked",
              callId: "c1",
              tool: "drop_it",
              sentence: "drop_it: Searches. Read-only.",
              requestId: request!.id,
              approvalUrl: `${publicUrl}/approvals/${request!.id}`
            }
          ])
          const live = LiveEvent.of(events[0]!)
          assert.deepStrictEqual(LiveEvent.decode(LiveEvent.encode(live)), Result.succeed(live))
          assert.deepStrictEqual(
            [request!.callId, request!.turn?.conversation, "run" in request!],
            ["c1", "talk", false]
          )
          yield* approve(request!)
          assert.strictEqual((yield* Fiber.join(run))._tag, "Answered")
          assert.lengthOf(
            events.filter(({ _tag }) => _tag === "PersonAsked"),
            1
          )
        })
      )
    }
  )

  it.effect("10.5 the requests of a run with a journal name the run, for calls and for the run itself", () => {
    const full = tool("read_it", {}, Effect.fail(Object.assign(new Error("full"), { code: "ENOSPC" })))
    const tools = [drop(), full]
    return within(
      tools,
      [call("drop_it", { q: "a" }, "c1"), call("read_it", { q: "a" }, "c2"), "done"],
      waiting,
      Effect.gen(function* () {
        const started = Agent.checkpointed({ run: "job 1", prompt: "Go.", tools: toolbox(tools) })
        const run: Fiber.Fiber<AgentEnd, any> = yield* Effect.forkChild(started, { startImmediately: true })
        const names: Array<unknown> = []
        for (let n = 0; n < 2; n++) {
          const [request] = yield* pending
          names.push([request!.reason, request!.run, request!.callId, request!.turn?.conversation])
          yield* approve(request!)
        }
        assert.deepStrictEqual(names, [
          ["approval", "job 1", "c1", "job 1"],
          ["disk_full", "job 1", "c2", "job 1"]
        ])
        assert.strictEqual((yield* Fiber.join(run))._tag, "Answered")
      })
    )
  })

  const stateOf = ({ id }: ApprovalRequest) =>
    Effect.flatMap(Approvals, (approvals) => Effect.map(approvals.find(id), (found) => found?.state))
  const drops = [call("drop_it", { q: "a" }, "c1"), "I have asked for approval."]

  it.effect("10.5 the requests of an interrupted run are withdrawn, and a resumed run asks again", () => {
    const write = drop()
    const stop = Deferred.makeUnsafe<void>()
    return within(
      [write],
      (prompt) => (prompt.content.some(({ role }) => role === "tool") ? "done" : drops[0]!),
      waiting,
      Effect.gen(function* () {
        const tools = toolbox([write])
        const options = { run: "job 1", prompt: "Go.", tools, interruptWhen: Deferred.await(stop) }
        const first = yield* Effect.forkChild(Agent.checkpointed(options), { startImmediately: true })
        const [asked] = yield* pending
        yield* Deferred.succeed(stop, undefined)
        assert.strictEqual((yield* Fiber.join(first))._tag, "Interrupted")
        assert.strictEqual(yield* stateOf(asked!), "withdrawn")
        const decided = yield* approve(asked!)
        assert.strictEqual(decided._tag === "Refused" && decided.refusal, "withdrawn")
        const second = yield* Effect.forkChild(Agent.resume({ run: "job 1", tools }), { startImmediately: true })
        const [again] = yield* pending
        assert.notStrictEqual(again!.id, asked!.id)
        yield* Fiber.interrupt(second)
        assert.strictEqual(yield* stateOf(again!), "withdrawn")
        const third = yield* Effect.forkChild(Agent.resume({ run: "job 1", tools, takeOver: true }), {
          startImmediately: true
        })
        yield* approve((yield* pending)[0]!)
        assert.deepStrictEqual([(yield* Fiber.join(third))._tag, write.runs()], ["Answered", 1])
      })
    )
  })

  it.effect("10.5 a run whose fiber is interrupted also withdraws its requests", () => {
    const tools = [drop()]
    return within(
      tools,
      drops,
      waiting,
      Effect.gen(function* () {
        const run = yield* Effect.forkChild(
          Agent.run({ prompt: "Go.", tools: toolbox(tools), turn: { conversation: "talk" } }),
          {
            startImmediately: true
          }
        )
        const [asked] = yield* pending
        yield* Fiber.interrupt(run)
        assert.strictEqual(yield* stateOf(asked!), "withdrawn")
      })
    )
  })

  for (const [what, turn, state] of [
    ["an answered run withdraws its requests", {}, "withdrawn"],
    [
      "an answered run of a named conversation keeps its requests pending for the next turn [10.4]",
      { turn: { conversation: "talk" } },
      "pending"
    ]
  ] as const) {
    it.effect(`10.5 ${what}`, () => {
      const write = drop()
      return within(
        [write],
        [...drops, ...drops],
        {},
        Effect.gen(function* () {
          const options = { prompt: "Go.", tools: toolbox([write]), ...turn }
          const requests: Array<ApprovalRequest> = []
          const approvals = yield* Approvals
          const onEvent = (event: AgentEvent) =>
            event._tag !== "CallEnded"
              ? Effect.void
              : Effect.map(
                  Effect.orDie(approvals.pending({ limit: 10 })),
                  (page) => void requests.push(...page.requests)
                )
          assert.strictEqual((yield* Agent.run({ ...options, onEvent }))._tag, "Answered")
          assert.deepStrictEqual([requests.length, yield* stateOf(requests[0]!)], [1, state])
          yield* approve(requests[0]!)
          yield* Agent.run(options)
          assert.strictEqual(write.runs(), state === "pending" ? 1 : 0)
        })
      )
    })
  }

  const refusing = AiError.make({
    module: "Provider",
    method: "generateText",
    reason: new AiError.AuthenticationError({ kind: "InvalidKey" })
  })
  const informed = Effect.flatMap(Notices, ({ all }) =>
    Effect.map(all, (them) => them.map(({ request }) => request.sentence))
  )

  it.effect(
    "10.2 a final refusal of the provider is a notice and not a request if nothing could receive the decision",
    () =>
      within(
        [],
        () => Effect.fail(refusing),
        {},
        Effect.gen(function* () {
          const events: Array<CallEvent> = []
          const end = yield* Agent.run({ prompt: "Go.", tools: toolbox([]) }).pipe(
            Effect.provideService(CallObserver, (event) => void events.push(event))
          )
          assert.strictEqual(end._tag, "NeedsPerson")
          const approvals = yield* Approvals
          assert.strictEqual((yield* approvals.pending({ limit: 10 })).total, 0)
          assert.deepStrictEqual(yield* informed, [
            "The model's provider permanently refuses the request (AuthenticationError). The run ended."
          ])
          assert.deepStrictEqual(events, [])
        })
      )
  )

  it.effect("10.2 a run with a journal keeps its question about the provider, and sends no notice that it ended", () =>
    within(
      [],
      () => Effect.fail(refusing),
      {},
      Effect.gen(function* () {
        const end = yield* Agent.checkpointed({ run: "job 2", prompt: "Go.", tools: toolbox([]) })
        assert.strictEqual(end._tag, "NeedsPerson")
        assert.lengthOf(yield* pending, 1)
        assert.deepStrictEqual(yield* informed, [])
      })
    )
  )

  it.effect("10.5 a run with a journal that waits for a person keeps its question, and receives the decision", () => {
    const full = tool("read_it", {}, Effect.fail(Object.assign(new Error("full"), { code: "ENOSPC" })))
    return within(
      [full],
      [call("read_it", { q: "a" }, "c1"), "done"],
      {},
      Effect.gen(function* () {
        const tools = toolbox([full])
        assert.strictEqual((yield* Agent.checkpointed({ run: "job 1", prompt: "Go.", tools }))._tag, "NeedsPerson")
        yield* approve((yield* pending)[0]!)
        assert.strictEqual((yield* Agent.resume({ run: "job 1", tools }))._tag, "Answered")
      })
    )
  })

  const fullTwice = () =>
    tool("read_it", {}, Effect.fail(Object.assign(new Error("full"), { code: "ENOSPC" })), { n: 1 })
  const reads = [call("read_it", { q: "a" }, "c1"), call("read_it", { q: "b" }, "c2"), "done"]
  const decideAs = (by: string, verdict: "answer" | "deny", reason: string, { id }: ApprovalRequest) =>
    Effect.flatMap(Approvals, (approvals) => approvals.decide(id, { verdict, by, reason }))

  it.effect("10.5, 12.2 a resumed run asks again after a person denied its question, with a new request", () => {
    const full = fullTwice()
    return within(
      [full],
      reads,
      {},
      Effect.gen(function* () {
        const tools = toolbox([full])
        yield* Agent.checkpointed({ run: "job 1", prompt: "Go.", tools })
        const [first] = yield* pending
        yield* decideAs("ana", "deny", "not now", first!)
        assert.strictEqual((yield* Agent.resume({ run: "job 1", tools }))._tag, "NeedsPerson")
        assert.strictEqual((yield* Agent.resume({ run: "job 1", tools }))._tag, "NeedsPerson")
        const [second] = yield* pending
        assert.notStrictEqual(second!.id, first!.id)
        yield* approve(second!)
        assert.strictEqual((yield* Agent.resume({ run: "job 1", tools }))._tag, "Answered")
        assert.strictEqual(full.runs(), 2)
      })
    )
  })

  it.effect(
    "10.3, 10.5 an answer that is given in the inbox after the end of a run reaches the run when it is resumed",
    () => {
      const full = fullTwice()
      return within(
        [full],
        reads,
        {},
        Effect.gen(function* () {
          const tools = toolbox([full])
          assert.strictEqual((yield* Agent.checkpointed({ run: "job 1", prompt: "Go.", tools }))._tag, "NeedsPerson")
          yield* decideAs("ana", "answer", "Read b instead.", (yield* pending)[0]!)
          const end = yield* Agent.resume({ run: "job 1", tools })
          assert.strictEqual(end._tag, "Answered")
          assert.include(JSON.stringify(end.transcript), 'the person answered: \\"Read b instead.\\"')
        })
      )
    }
  )

  it.effect(
    "10.3 if two people answer at the same time, the run reads the first answer, and the second person sees who was first",
    () => {
      const full = fullTwice()
      return within(
        [full],
        reads,
        waiting,
        Effect.gen(function* () {
          const run = yield* Effect.forkChild(Agent.run({ prompt: "Go.", tools: toolbox([full]) }), {
            startImmediately: true
          })
          const [request] = yield* pending
          const both = yield* Effect.all(
            [decideAs("ana", "answer", "Use a.", request!), decideAs("ben", "answer", "Use b.", request!)],
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(
            both.map((one) => [one._tag, one._tag === "Refused" && one.refusal]),
            [
              ["Taken", false],
              ["Refused", "decided"]
            ]
          )
          const refused = both[1]!
          assert.strictEqual(refused._tag === "Refused" && refused.request.decision?.by, "ana")
          const text = JSON.stringify((yield* Fiber.join(run)).transcript)
          assert.include(text, "Use a.")
          assert.notInclude(text, "Use b.")
        })
      )
    }
  )

  it.effect("10.5 an answer to a run that has ended is refused as withdrawn, and is not delivered", () => {
    const full = fullTwice()
    const stop = Deferred.makeUnsafe<void>()
    return within(
      [full],
      reads,
      waiting,
      Effect.gen(function* () {
        const options = { prompt: "Go.", tools: toolbox([full]), interruptWhen: Deferred.await(stop) }
        const run = yield* Effect.forkChild(Agent.run(options), { startImmediately: true })
        const [request] = yield* pending
        yield* Deferred.succeed(stop, undefined)
        assert.strictEqual((yield* Fiber.join(run))._tag, "Interrupted")
        const late = yield* decideAs("ana", "answer", "Use a.", request!)
        assert.deepStrictEqual([late._tag, late._tag === "Refused" && late.refusal], ["Refused", "withdrawn"])
      })
    )
  })
})
