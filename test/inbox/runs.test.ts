/** Tests of runs whose questions are in the inbox: what the run, its conversation and the stored requests know of each other. */
import type { ApprovalRequest } from "#domain/approval/ApprovalRequest"
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
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
import { Effect, Fiber, Layer, Result } from "effect"
import { call, type Equipped, toolbox } from "../agent/support.ts"
import { tool } from "../pipeline/support.ts"

const publicUrl = "https://agents.example.com/toolguard"
const waiting = { wait: "1 hour", interval: "10 minutes" } as const

/** A world whose people decide in an inbox. */
const within = <A>(
  tools: ReadonlyArray<Equipped>,
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

/** The pending requests, once there is one. */
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
  it.effect("10.5 the event PersonAsked names the request while the person decides, and the request its call", () => {
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
        assert.deepStrictEqual([request!.callId, request!.turn?.conversation, "run" in request!], ["c1", "talk", false])
        yield* approve(request!)
        assert.strictEqual((yield* Fiber.join(run))._tag, "Answered")
        assert.lengthOf(
          events.filter(({ _tag }) => _tag === "PersonAsked"),
          1
        )
      })
    )
  })

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
})
