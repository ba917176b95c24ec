/** Runs the agent loop with the backend's tools behind the guard, and shows it live. */
import { CallObserver } from "effect-toolguard/services/CallObserver"
import type { Checkpoints } from "effect-toolguard/services/Checkpoints"
import * as Agent from "effect-toolguard/internal/agent/Agent"
import type { AgentEnd } from "effect-toolguard/internal/agent/AgentEnd"
import type { AgentEvent } from "effect-toolguard/internal/agent/AgentEvent"
import type { Guard, ModelAnswer } from "effect-toolguard/internal/guard/Guard"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import type { Toolbox } from "effect-toolguard/internal/tool/Toolbox"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import type { ToolDecision } from "./Bill.ts"
import * as LiveView from "./LiveView.ts"
import type { Problem } from "#kit/cli/console/Problem"
import type { Screen } from "#kit/cli/console/Screen"
import * as SavedRun from "./SavedRun.ts"

interface GuardedOptions {
  /** Where the run is saved; undefined if it is not saved. */
  readonly saved: SavedRun.SavedRun | undefined
  readonly prompt: Prompt.Prompt
  readonly tools: Toolbox<AnyTool>
  readonly maxRounds: number
  readonly screen: Screen
}

/** The end of the run, and every decision of the guard in order. */
interface GuardedEnd {
  readonly end: AgentEnd
  readonly decisions: ReadonlyArray<ToolDecision>
}

/** Runs the agent loop until it ends, and shows each event. */
export const run = ({
  maxRounds,
  prompt,
  saved,
  screen,
  tools
}: GuardedOptions): Effect.Effect<GuardedEnd, Problem, LanguageModel.LanguageModel | Guard | Checkpoints> =>
  Effect.suspend(() => {
    const decisions: Array<ToolDecision> = []
    const show = LiveView.guarded(screen)
    const onEvent = (event: AgentEvent) =>
      Effect.sync(() => {
        show(event)
        if (event._tag !== "CallEnded") return
        decisions.push(...decisionsOf(event.tool, event.answer))
      })
    const options = { tools, maxRounds, onEvent }
    const run =
      saved === undefined
        ? Agent.run({ prompt, ...options })
        : Effect.mapError(
            saved.isResumed
              ? Agent.resume({ run: saved.run, ...options })
              : Agent.checkpointed({ run: saved.run, prompt, ...options }),
            SavedRun.problemOf
          )
    return run.pipe(
      Effect.provideService(CallObserver, LiveView.retries(screen)),
      Effect.map((end) => ({ end, decisions }))
    )
  })

/** Returns the decisions of the stages; for a failure without decisions, its class and code. */
const decisionsOf = (tool: string, { decisions, outcome }: ModelAnswer): ReadonlyArray<ToolDecision> => {
  if (decisions.length > 0 || outcome._tag === "Success") {
    return decisions.map((decision) => ({ tool, ...decision }))
  }
  const { _tag, code, detail } = outcome.failure
  return [{ tool, stage: "classify", decision: `${_tag} ${code}`, reason: detail }]
}

/** Returns the answer of a run, or one sentence that says how the run ended. */
export const describe = (end: AgentEnd): string => {
  switch (end._tag) {
    case "Answered":
      return end.isCut ? `${end.text} (cut off at the model's output limit)` : end.text
    case "Refused":
      return end.text === "" ? "The model refused to answer." : end.text
    case "LimitReached":
      return `The limit of ${end.limit} was reached.`
    case "LoopDetected":
    case "NeedsPerson":
      return end.detail
    case "ModelFailed":
      return end.error.reason.message
    case "Interrupted":
      return "The run was interrupted."
  }
}
