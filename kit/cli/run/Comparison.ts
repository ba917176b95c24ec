/**
 * Executes the two runs to compare: the bare loop and the guarded run, with the same tools and the same model. Each run
 * builds its own servers and counts its own tokens.
 */
import { modelErrorOf, type Usage } from "effect-toolguard/internal/agent/AgentEnd"
import type { Backend } from "effect-toolguard/internal/tool/Backend"
import type { Guard } from "effect-toolguard/internal/guard/Guard"
import type { Checkpoints } from "effect-toolguard/services/Checkpoints"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as BareLoop from "./BareLoop.ts"
import type * as Bill from "./Bill.ts"
import { cannotAsk, type ChosenModel } from "./ModelChoice.ts"
import * as GuardedRun from "./GuardedRun.ts"
import * as LiveView from "./LiveView.ts"
import type { SavedRun } from "./SavedRun.ts"
import * as Meter from "#kit/cli/console/Meter"
import { lineOf, type Problem, problem } from "#kit/cli/console/Problem"
import type * as Screen from "#kit/cli/console/Screen"
import type * as Tokens from "#kit/cli/console/Tokens"

/** The maximum number of calls of the bare loop. */
export const bareCalls = 17

/** Everything that a run needs. */
export interface Plan {
  readonly backend: Backend
  readonly chosen: ChosenModel
  readonly prompt: Prompt.Prompt
  readonly maxRounds: number
  /** Where the guarded run is saved; undefined if it is not saved. */
  readonly saved: SavedRun | undefined
  readonly screen: Screen.Screen
  readonly count: Tokens.Count
}

/** Creates the problem of a layer that could not be built. */
const startFailed =
  (name: string) =>
  (error: unknown): Problem => {
    // any error: a layer may wrap the error of Node in `cause`
    const cause = (error as { readonly cause?: unknown } | undefined)?.cause ?? error
    const isTaken = (cause as { readonly code?: unknown } | undefined)?.code === "EADDRINUSE"
    return problem(
      `${name} does not start: ${lineOf(cause)}`,
      isTaken ? "Another program uses this port. Stop it, or choose another port." : "Correct its layer, and run again."
    )
  }

/** Returns a layer that is built separately for each run, and fails with a `Problem` if it cannot be built. */
const started = <A, R>(name: string, layer: Layer.Layer<A, unknown, R>): Layer.Layer<A, Problem, R> =>
  Layer.fresh(
    Layer.catchCause(layer, (cause) => Layer.effectContext(Effect.fail(startFailed(name)(Cause.squash(cause)))))
  )

/** Provides the tools and the metered model of one run. */
const services = ({ backend, chosen }: Plan, meter: Meter.Meter): Layer.Layer<LanguageModel.LanguageModel, Problem> =>
  Layer.mergeAll(
    started(`The backend ${backend.name}`, backend.layer),
    started(`The model ${chosen.label}`, Meter.metered(chosen.layer, meter))
  ).pipe(Layer.provide(FetchHttpClient.layer))

interface TokenCounts {
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
}

/**
 * Returns the metered tokens of the requests, or the reported tokens if the model sends no HTTP requests. The tokens of
 * the cache are always the reported tokens.
 */
const tokens = (meter: Meter.Meter, reported: TokenCounts): TokenCounts => {
  const { inputTokens, outputTokens } = meter.requests > 0 ? meter : reported
  const { cacheWriteTokens, cachedInputTokens } = reported
  return { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens }
}

/** Returns the tokens that the model of a guarded run reports. */
const reportedBy = (usage: Usage): TokenCounts => ({
  ...usage,
  cachedInputTokens: usage.byModel.reduce((sum, one) => sum + one.cachedInputTokens, 0),
  cacheWriteTokens: usage.byModel.reduce((sum, one) => sum + one.cacheWriteTokens, 0)
})

/** Runs the bare loop. */
export const bare = (plan: Plan): Effect.Effect<Bill.Cost, Problem> =>
  Effect.suspend(() => {
    const { backend, chosen, maxRounds, prompt, screen } = plan
    const meter = Meter.make(plan.count)
    screen.line(screen.styled("bold", `The bare loop, limited to ${bareCalls} calls`))
    return BareLoop.run({
      prompt,
      tools: backend.tools,
      stopAfter: bareCalls,
      maxRounds,
      onCall: (call) => LiveView.bare(screen, call)
    }).pipe(
      Effect.mapError((error) => cannotAsk(chosen.label, error)),
      Effect.provide(services(plan, meter)),
      Effect.map((end) => {
        const { _tag: ended, attempts, calls, rounds } = end
        const why = `Stopped after ${calls} calls without an answer.`
        LiveView.answer(screen, ended === "Answered" ? end.text : why, ended === "Answered" ? "green" : "red")
        screen.line("")
        return { rounds, calls, attempts, ...tokens(meter, end), ended, text: ended === "Answered" ? end.text : why }
      })
    )
  })

/** Runs the agent loop with the guard. */
export const guarded = <R>(
  plan: Plan,
  guard: Layer.Layer<Guard | Checkpoints, Problem, R>
): Effect.Effect<Pick<Bill.Bill, "guarded" | "decisions" | "resume" | "isMetered">, Problem, R> =>
  Effect.suspend(() => {
    const { backend, chosen, maxRounds, prompt, saved, screen } = plan
    const meter = Meter.make(plan.count)
    screen.line(screen.styled("bold", "The same model and the same tools, behind the guard"))
    return GuardedRun.run({ prompt, saved, tools: backend.tools, maxRounds, screen }).pipe(
      Effect.provide(Layer.mergeAll(services(plan, meter), guard)),
      Effect.flatMap(({ decisions, end }) => {
        const error = modelErrorOf(end)
        if (error !== undefined) return Effect.fail(cannotAsk(chosen.label, error))
        const { attempts, calls, rounds } = end.usage
        const text = GuardedRun.describe(end)
        const isAnswered = end._tag === "Answered"
        LiveView.answer(screen, isAnswered ? text : `${end._tag}: ${text}`, isAnswered ? "green" : "red")
        const resume = isAnswered || end._tag === "Refused" ? undefined : saved?.run
        if (resume !== undefined) LiveView.resumable(screen, resume)
        const cost = { rounds, calls, attempts, ...tokens(meter, reportedBy(end.usage)), ended: end._tag, text }
        return Effect.succeed({ guarded: cost, decisions, resume, isMetered: meter.requests > 0 })
      })
    )
  })
