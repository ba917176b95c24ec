/**
 * The steps of a run as activities of a workflow: a stored step is replayed, any other is executed.
 *
 * **Details**
 *
 * - Activities are named `model/ROUND`, `call/CALL_ID/TIME`, `kept/CALL_ID/TIME`, `ask/QUESTION/TIME`, `told/NOTICE`. A call or
 *   question that waits for a person is executed a second time after the decision.
 * - If a process dies, the next one executes its activity again: at least once. Each call therefore has a state. It is `new`
 *   only if this execution of the body made the round's model request and has not made the call before. Otherwise it may
 *   have been started before (`resumed`), and the guard settles it by its idempotency key. If its tool has `changed` since the
 *   model called it, its outcome is unknown.
 */
import type { JournaledCall } from "#domain/journal/JournaledCall"
import type { ToolReference } from "#domain/tool/ToolDefinition"
import type { Turn } from "#domain/turn/Turn"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import { WorkflowEngine, WorkflowInstance } from "effect/workflow/WorkflowEngine"
import { contractsOf, hasChanged } from "#src/agent/CalledContracts"
import type { DurableEvents } from "./DurableEvents.ts"
import * as Waits from "./DurableWaits.ts"
import type { GuardedTurn, ModelAnswer } from "#src/guard/Guard"
import {
  type Called,
  type CallState,
  type CallStep,
  Reply,
  type Said,
  type Steps,
  type Waiting
} from "#src/agent/Steps"
import type { Stop, Within } from "#src/agent/Stop"

export interface DurableStepsOptions {
  readonly guard: GuardedTurn["Service"]
  readonly turn: Turn
  readonly tools: ReadonlyMap<string, ToolReference>
  readonly stop: Stop
  readonly events: DurableEvents
  readonly waits: Waits.Waits
  /** 128 random bits that identify this execution of the body. The tokens of its waits contain those of the last reply. */
  readonly body: string
  /** The answers that this process got since the body started, by activity; undefined while no body runs. */
  readonly answers: () => Map<string, ModelAnswer> | undefined
  /** Runs before a step is executed. */
  readonly arm: Effect.Effect<void>
}

const stopped = [
  Schema.Struct({ _tag: Schema.Literal("TimedOut") }),
  Schema.Struct({ _tag: Schema.Literal("Interrupted") })
] as const

const ReplyResult = Schema.Struct({
  body: Schema.String,
  /** The contracts of the writes that it calls, by tool name. */
  contracts: Schema.Record(Schema.String, Schema.String),
  reply: Schema.Union([Schema.Struct({ _tag: Schema.Literal("Done"), value: Reply }), ...stopped])
})

const CallResult = Schema.Union([
  Schema.Struct({ _tag: Schema.Literal("Done"), call: Schema.Json }),
  Schema.Struct({ _tag: Schema.Literal("Waits"), call: Schema.Json, wait: Waits.Wait }),
  ...stopped
])

const AskResult = Schema.Union([
  Schema.Struct({ _tag: Schema.Literals(["Yes", "No"]) }),
  Schema.Struct({ _tag: Schema.Literal("Waits"), wait: Waits.Wait })
])

export const make = (options: DurableStepsOptions): Effect.Effect<Steps, never, WorkflowEngine | WorkflowInstance> =>
  Effect.gen(function* () {
    const { answers, body, guard, stop, events, tools, turn, waits } = options
    const services = Context.make(WorkflowEngine, yield* WorkflowEngine).pipe(
      Context.add(WorkflowInstance, yield* WorkflowInstance)
    )
    /** Rounds whose request this execution has made, and calls that it has started. */
    const fresh = new Set<number>()
    const started = new Set<string>()
    /** The contracts under which the model called, by round. */
    const contracts = new Map<number, Readonly<Record<string, string>>>()
    /** How often each call's result was stored. */
    const keeping = new Map<string, number>()
    let secret = body

    const step = <S extends Schema.Codec<unknown, unknown>, R>(
      name: string,
      success: S,
      execute: Effect.Effect<S["Type"], never, R>
    ): Effect.Effect<S["Type"], never, R> => {
      let isExecuted = false
      const making = Effect.suspend(() => {
        isExecuted = true
        return Effect.andThen(Effect.andThen(events.live, options.arm), execute)
      })
      const activity = Activity.make({ name, success, execute: making })
      // @effect-diagnostics-next-line unsafeEffectTypeAssertion:off -- it requires what its step requires, and the engine, provided here
      const given = Effect.provide(activity as Effect.Effect<S["Type"], never, R>, services)
      return given.pipe(Effect.tap(() => (isExecuted ? Effect.void : events.old)))
    }

    /** A stored step that was ended from outside ends the replayed run too. */
    const within = <A>(made: Within<A>): Effect.Effect<Within<A>> =>
      made._tag === "Done" ? Effect.succeed(made) : Effect.as(Deferred.succeed(stop, made), made)

    /** Repeats the call after the decision. */
    const waiting = <R>(
      asking: Waits.Asking,
      wait: Waits.Wait,
      one: Effect.Effect<Called<R>, never, R>
    ): Waiting<R> => {
      const decided = Effect.provide(asking.decided(wait), services)
      return {
        _tag: "Waiting",
        isDecided: Effect.provide(Waits.isDecided(wait), services),
        decided: Effect.asVoid(decided),
        again: Effect.flatMap(decided, (decision) => {
          asking.next(wait, decision)
          return one
        })
      }
    }

    return {
      reply: (round, ask) =>
        Effect.flatMap(
          step(
            `model/${round}`,
            ReplyResult,
            Effect.map(ask, (reply) => ({
              body,
              contracts: reply._tag === "Done" ? contractsOf(guard.sha256, tools, reply.value) : {},
              reply
            }))
          ),
          (made) => {
            if (made.body === body) fresh.add(round)
            secret = made.body
            contracts.set(round, made.contracts)
            return within<Reply>(made.reply)
          }
        ),
      call: <R>(
        { callId, round, tool }: CallStep,
        make: (state: CallState) => Effect.Effect<Within<ModelAnswer>, never, R>
      ) =>
        Effect.suspend(() => {
          const asking = waits.begin(callId, secret)
          const one: Effect.Effect<Called<R>, never, R> = Effect.gen(function* () {
            const name = `call/${callId}/${asking.time()}`
            const state = Effect.sync(() => {
              const isNew = fresh.has(round) && !started.has(callId)
              started.add(callId)
              if (isNew) return "new" as const
              return hasChanged(guard.sha256, tools, contracts.get(round) ?? {}, tool)
                ? ("changed" as const)
                : ("resumed" as const)
            })
            const made = yield* step(
              name,
              CallResult,
              Effect.flatMap(Effect.flatMap(state, make).pipe(asking.provide), (answered) =>
                Effect.sync(() => {
                  if (answered._tag !== "Done") return answered
                  const { value } = answered
                  answers()?.set(name, value)
                  const call = asJson(value.journal)
                  const wait = asking.waitOf(isPending(value), urlOf(value))
                  return wait === undefined ? { _tag: "Done", call } : { _tag: "Waits", call, wait }
                })
              )
            )
            if (made._tag === "TimedOut" || made._tag === "Interrupted") return yield* within<ModelAnswer>(made)
            if (made._tag === "Done" || !asking.isNews(made.wait)) {
              const journaled = made.call as unknown as JournaledCall // written above
              const value = answers()?.get(name) ?? (yield* guard.restore(tools, turn, tool, journaled))
              return { _tag: "Done", value }
            }
            events.started(callId)
            return waiting(asking, made.wait, one)
          })
          return one
        }),
      kept: (callId, keep) => {
        const time = (keeping.get(callId) ?? 0) + 1
        keeping.set(callId, time)
        return step(`kept/${callId}/${time}`, Schema.UndefinedOr(Schema.String), keep)
      },
      agreed: (question, ask) =>
        Effect.gen(function* () {
          const asking = waits.begin(question, secret)
          while (true) {
            const made = yield* step(
              `ask/${question}/${asking.time()}`,
              AskResult,
              Effect.map(asking.provide(ask), (said) => answeredBy(said, asking))
            )
            if (made._tag !== "Waits") return made._tag === "Yes"
            if (!asking.isNews(made.wait)) return false
            asking.next(made.wait, yield* Effect.provide(asking.decided(made.wait), services))
          }
        }),
      told: (notice, _, tell) => step(`told/${notice}`, Schema.Void, tell),
      ended: (_, decide) => decide
    }
  })

const answeredBy = (said: Said, asking: Waits.Asking): typeof AskResult.Type => {
  if (said._tag !== "Later") return { _tag: said._tag }
  const wait = asking.waitOf(true, said.approvalUrl)
  return wait === undefined ? { _tag: "No" } : { _tag: "Waits", wait }
}

/** True if a person was asked, and not merely an approval refused. */
const isPending = ({ decisions }: ModelAnswer): boolean =>
  decisions.some(({ decision, stage }) => (stage === "approve" || stage === "loop") && decision === "pending")

const urlOf = ({ outcome }: ModelAnswer): string | undefined =>
  outcome._tag === "Failure" && outcome.failure._tag === "HumanReview" ? outcome.failure.approvalUrl : undefined

/** JSON has no undefined members. */
const asJson = (call: JournaledCall | undefined): Schema.Json => JSON.parse(JSON.stringify(call ?? null))
