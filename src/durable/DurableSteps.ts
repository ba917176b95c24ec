/**
 * The steps of a run as activities of a workflow: a step that the engine has kept is given again, any other is made.
 *
 * **Details**
 *
 * - Names are those of the run: `model/ROUND`, `call/CALL_ID/TIME`, `kept/CALL_ID/TIME`, `ask/QUESTION/TIME`, `told/NOTICE`. A call
 *   or question that waits for a person is made a second time when the decision is there.
 * - An activity whose process dies is made again by the next one: at least once. A call is therefore told whether it is
 *   `new`: only where this very body has made the round's request to the model, and the call for the first time, is that
 *   known. Any other may have been begun before, and the guard settles it by its idempotency key; where its tool has `changed`
 *   since the model called it, what it did is unknown.
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
import { contractsOf, isOther } from "#src/agent/CalledContracts"
import type { DurableTelling } from "./DurableTelling.ts"
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
  readonly telling: DurableTelling
  readonly waits: Waits.Waits
  /** 128 random bits that name this body of the run among all. Those of the last reply are in the tokens of its waits. */
  readonly body: string
  /** What this process was answered in this run since its body began, by activity; absent while none runs. */
  readonly answers: () => Map<string, ModelAnswer> | undefined
  /** Run before a step is made. */
  readonly arm: Effect.Effect<void>
}

const stopped = [
  Schema.Struct({ _tag: Schema.Literal("TimedOut") }),
  Schema.Struct({ _tag: Schema.Literal("Interrupted") })
] as const

const ReplyResult = Schema.Struct({
  body: Schema.String,
  /** Of the writes that it calls, by name. */
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
    const { answers, body, guard, stop, telling, tools, turn, waits } = options
    const services = Context.make(WorkflowEngine, yield* WorkflowEngine).pipe(
      Context.add(WorkflowInstance, yield* WorkflowInstance)
    )
    /** Rounds whose request this body has made, and calls that it has begun. */
    const fresh = new Set<number>()
    const begun = new Set<string>()
    /** Under which contracts the model has called, by round. */
    const contracts = new Map<number, Readonly<Record<string, string>>>()
    /** How often a result was to be kept. */
    const keeping = new Map<string, number>()
    let secret = body

    const step = <S extends Schema.Codec<unknown, unknown>, R>(
      name: string,
      success: S,
      execute: Effect.Effect<S["Type"], never, R>
    ): Effect.Effect<S["Type"], never, R> => {
      let isMade = false
      const making = Effect.suspend(() => {
        isMade = true
        return Effect.andThen(Effect.andThen(telling.live, options.arm), execute)
      })
      const activity = Activity.make({ name, success, execute: making })
      // @effect-diagnostics-next-line unsafeEffectTypeAssertion:off -- it needs what its step needs, and the engine, given here
      const given = Effect.provide(activity as Effect.Effect<S["Type"], never, R>, services)
      return given.pipe(Effect.tap(() => (isMade ? Effect.void : telling.old)))
    }

    /** What ended a step from outside ends the run again where it is given again. */
    const within = <A>(made: Within<A>): Effect.Effect<Within<A>> =>
      made._tag === "Done" ? Effect.succeed(made) : Effect.as(Deferred.succeed(stop, made), made)

    /** The call again, once its decision is there. */
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
              const isNew = fresh.has(round) && !begun.has(callId)
              begun.add(callId)
              if (isNew) return "new" as const
              return isOther(guard.sha256, tools, contracts.get(round) ?? {}, tool)
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
              const journaled = made.call as unknown as JournaledCall // as it was written above
              const value = answers()?.get(name) ?? (yield* guard.restore(tools, turn, tool, journaled))
              return { _tag: "Done", value }
            }
            telling.started(callId)
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

/** A person has been asked, and not merely an approval refused. */
const isPending = ({ decisions }: ModelAnswer): boolean =>
  decisions.some(({ decision, stage }) => (stage === "approve" || stage === "loop") && decision === "pending")

const urlOf = ({ outcome }: ModelAnswer): string | undefined =>
  outcome._tag === "Failure" && outcome.failure._tag === "HumanReview" ? outcome.failure.approvalUrl : undefined

/** Members that are undefined are none in JSON. */
const asJson = (call: JournaledCall | undefined): Schema.Json => JSON.parse(JSON.stringify(call ?? null))
