/**
 * Provides the guard, which is the compiled pipeline, as a service.
 *
 * **Details**
 *
 * - `Guard.layer` requires the services of its stages, and `Guard.layerMemory` requires nothing.
 * - `Guard.layerMemoryWith(layers)` replaces some services of `layerMemory`, for example in tests.
 * - `Guard.layerOf(stages)` runs your own list of stages; see `Pipeline.insertBefore`, `replace` and `remove`.
 * - A policy (`effect-toolguard/services/Policies`) provided to any of these layers applies to every call through the
 *   guard.
 * - Stages get their services when the layer is built, and are nested once per tool.
 */
import type { Outcome } from "#domain/call/Outcome"
import type { ToolReference } from "#domain/tool/ToolDefinition"
import type { Turn } from "#domain/turn/Turn"
import * as ArtifactsMemory from "#layers/ArtifactsMemory"
import * as AuthorizerMemory from "#layers/AuthorizerMemory"
import * as BudgetsMemory from "#layers/BudgetsMemory"
import * as CallLogMemory from "#layers/CallLogMemory"
import * as CircuitsMemory from "#layers/CircuitsMemory"
import * as DigestMemory from "#layers/DigestMemory"
import * as EscalationMemory from "#layers/EscalationMemory"
import * as HaltsMemory from "#layers/HaltsMemory"
import * as IdempotencyKeysMemory from "#layers/IdempotencyKeysMemory"
import * as RedactorMemory from "#layers/RedactorMemory"
import * as RetryQuotaMemory from "#layers/RetryQuotaMemory"
import * as TurnMemoryMemory from "#layers/TurnMemoryMemory"
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import * as Dispatcher from "#pipeline/Dispatcher"
import type { ModelAnswer, ModelCall } from "#pipeline/ModelCall"
import type { ModelStage } from "#pipeline/call/ModelStage"
import * as Pipeline from "#pipeline/Pipeline"
import type { Stage } from "#pipeline/call/Stage"
import { type TypedFailure, typedFailure } from "#pipeline/call/TypedFailure"
import { Artifacts } from "#services/Artifacts"
import { Authorizer } from "#services/Authorizer"
import { Budgets } from "#services/Budgets"
import { CallLog } from "#services/CallLog"
import { Circuits } from "#services/Circuits"
import { CurrentTurn } from "#services/CurrentTurn"
import { Digest } from "#services/Digest"
import { Escalation } from "#services/Escalation"
import { Halts } from "#services/Halts"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { all as policies } from "#services/Policies"
import { Redactor } from "#services/Redactor"
import { RetryQuota } from "#services/RetryQuota"
import { TurnMemory } from "#services/TurnMemory"
import { unguessableId } from "#services/Unguessable"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type GuardedTurnService, make as makeTurn } from "./GuardedTurn.ts"
import { sharedBy } from "./SharedLayer.ts"

export type { ModelAnswer, ModelCall } from "#pipeline/ModelCall"

/** The guard: calls tools for programs and models, and lists its stages. */
export interface GuardService {
  /** The names of the stages, outermost first. */
  readonly stages: ReadonlyArray<string>
  /**
   * Calls a tool for a program. Succeeds with the result, or fails with one of the eight failures or with a refusal
   * that the tool declares.
   */
  readonly call: (tool: ToolReference, args: unknown) => Effect.Effect<unknown, TypedFailure>
  /** Calls a tool by name for a model. Never fails: the answer is always an envelope. */
  readonly answer: (tools: ReadonlyMap<string, ToolReference>, call: ModelCall) => Effect.Effect<ModelAnswer>
}

type StageServices = Pipeline.Services<typeof Pipeline.stages> | Pipeline.Services<typeof Pipeline.modelStages>

type TurnServices = Artifacts | Budgets | Digest | Escalation | Redactor | TurnMemory | UnknownOutcomes

/** Creates the guard, and the internal service for loops and hosts. */
const make = <R>(
  stages: ReadonlyArray<Stage<R>>,
  modelStages: ReadonlyArray<ModelStage<R>>
): Effect.Effect<Context.Context<Guard>, never, R | TurnServices> =>
  Effect.gen(function* () {
    const dispatcher = yield* Dispatcher.make(stages, modelStages)
    const guard: GuardService = {
      stages: [...stages, ...modelStages].map(({ name }) => name),
      call: (tool, args) => Effect.flatMap(dispatcher.call(tool, args), (outcome) => typed(tool, outcome)),
      answer: (tools, call) => Effect.andThen(warnWithoutTurn, dispatcher.answer(tools, call))
    }
    return Context.make(Guard, guard).pipe(Context.add(GuardedTurn, yield* makeTurn(dispatcher)))
  })

let hasWarned = false

/** Warns once per process about a host that does not open turns. */
const warnWithoutTurn: Effect.Effect<void> = Effect.suspend(() =>
  hasWarned
    ? Effect.void
    : Effect.flatMap(CurrentTurn, (turn) => {
        if (turn !== undefined) return Effect.void
        hasWarned = true
        return Effect.logWarning(
          "A model called a tool outside a turn: loops, recall and budgets have no effect. Wrap each turn in `Guard.turn`."
        )
      })
)

const typed = (tool: ToolReference, outcome: Outcome): Effect.Effect<unknown, TypedFailure> =>
  outcome._tag === "Success" ? Effect.succeed(outcome.value) : Effect.fail(typedFailure(tool, outcome))

const memory = Layer.mergeAll(
  ArtifactsMemory.layer,
  AuthorizerMemory.layer,
  BudgetsMemory.layer,
  CallLogMemory.layer,
  CircuitsMemory.layer,
  DigestMemory.layer,
  EscalationMemory.layer,
  HaltsMemory.layer,
  IdempotencyKeysMemory.layer,
  RedactorMemory.layer,
  RetryQuotaMemory.layer,
  TurnMemoryMemory.layer,
  UnknownOutcomesMemory.layer
)

/** The services of the standard pipeline. */
const capturedServices = [
  Artifacts,
  Authorizer,
  Budgets,
  CallLog,
  Circuits,
  Digest,
  Escalation,
  Halts,
  IdempotencyKeys,
  Redactor,
  RetryQuota,
  TurnMemory,
  UnknownOutcomes
] as const

/** The keys that a guard captures when its layer is built: the services of the standard pipeline, and the policies. */
export const capturedKeys = [...capturedServices, ...policies] as const

/** Takes services from the context in which the layer is built, and the others from memory. */
export const givenOrMemory: Layer.Layer<StageServices> = Layer.flatMap(
  Layer.fresh(Layer.effectContext(Effect.context<never>())),
  (given) => {
    // the context may have services that its type does not show
    const provided = Context.pick(...capturedServices)(given as Context.Context<StageServices>)
    return Layer.merge(memory, Layer.succeedContext(provided))
  }
)

/** Identifies a turn. Missing ids are generated. The default tenant is `default`. */
export interface TurnOptions extends Partial<Turn> {
  /** Texts of the conversation that the model has seen. Ids in them count as seen. */
  readonly texts?: ReadonlyArray<string>
}

export class Guard extends Context.Service<Guard, GuardService>()("effect-toolguard/Guard") {
  /** The standard pipeline, over the layers that provide its services. */
  static readonly layer: Layer.Layer<Guard, never, StageServices> = sharedBy(capturedKeys, () =>
    Layer.effectContext(make<StageServices>(Pipeline.stages, Pipeline.modelStages))
  )

  /**
   * The standard pipeline with all state in this process. It requires no services, and cannot ask a person. A service
   * that is provided to this layer replaces the in-memory service.
   */
  static readonly layerMemory: Layer.Layer<Guard> = sharedBy(capturedKeys, () =>
    Guard.layer.pipe(Layer.provide(givenOrMemory))
  )

  /**
   * Returns the standard pipeline with some services of `layerMemory` replaced, or with policies added. The layer also
   * provides the given services.
   */
  static layerMemoryWith<Provided, E, R>(services: Layer.Layer<Provided, E, R>): Layer.Layer<Guard | Provided, E, R> {
    // TypeScript cannot compute `Exclude` over type parameters
    return sharedBy(capturedKeys, () =>
      Guard.layer.pipe(Layer.provideMerge(services), Layer.provide(givenOrMemory))
    ) as Layer.Layer<Guard | Provided, E, R>
  }

  /** Returns a pipeline with your own list of stages. Start from `Pipeline.stages`. */
  static layerOf<S extends Stage<unknown>, M extends ModelStage<unknown> = (typeof Pipeline.modelStages)[number]>(
    stages: ReadonlyArray<S>,
    modelStages: ReadonlyArray<M> = Pipeline.modelStages as never // without this argument, M has its default
  ): Layer.Layer<Guard, never, Pipeline.Services<ReadonlyArray<S | M>> | TurnServices> {
    // R is the union of the requirements of all stages; each stage requires a part of it
    type R = Pipeline.Services<ReadonlyArray<S | M>>
    return sharedBy(capturedKeys, () =>
      Layer.effectContext(make(stages as ReadonlyArray<Stage<R>>, modelStages as ReadonlyArray<ModelStage<R>>))
    )
  }

  /** Every service of the standard pipeline, with all state in this process. */
  static readonly memory: Layer.Layer<StageServices> = memory

  /**
   * Runs an effect as one turn: its calls share budgets and recall, and the turn's state is removed when the effect
   * ends.
   *
   * Wrap each turn in `Guard.turn` if your host calls tools itself, as effect/ai's loop or an MCP server does.
   */
  static turn<A, E, R>(effect: Effect.Effect<A, E, R>, options: TurnOptions = {}): Effect.Effect<A, E, R | Guard> {
    return Effect.flatMap(GuardedTurn, (guarded) =>
      Effect.flatMap(newTurn(options), (turn) =>
        Effect.forEach(options.texts ?? [], (text) => guarded.saw(turn, text), { discard: true }).pipe(
          Effect.andThen(effect),
          Effect.provideService(CurrentTurn, turn),
          Effect.ensuring(guarded.endTurn(turn))
        )
      )
    )
  }
}

/**
 * The operations that loops and hosts need from the guard besides calls. Internal: users see `Guard`.
 *
 * Effects that use this service require only `Guard`, because every layer of the guard provides both. A `Guard` that is
 * provided as a plain value, as in `Layer.succeed(Guard, …)`, supports only calls.
 */
// @effect-diagnostics-next-line classSelfMismatch:off -- its requirement is `Guard`, as explained above
export class GuardedTurn extends Context.Service<Guard, GuardedTurnService>()("effect-toolguard/GuardedTurn") {}

/** Creates a turn. Missing ids are generated and cannot be guessed. The default tenant is `default`. */
export const newTurn = (options: Partial<Turn> = {}): Effect.Effect<Turn> =>
  Effect.map(Effect.all([unguessableId, unguessableId]), ([conversation, turn]) => ({
    conversation: options.conversation ?? conversation,
    turn: options.turn ?? turn,
    tenant: options.tenant ?? "default",
    ...(options.principal === undefined ? {} : { principal: options.principal }),
    ...(options.isSession === undefined ? {} : { isSession: options.isSession }),
    ...((options.isAlone ?? (options.conversation === undefined && options.isSession !== true))
      ? { isAlone: true }
      : {})
  }))
