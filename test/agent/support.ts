/** Helpers for tests of the agent loop: they run it with a scripted model and validate the transcript of every run. */
import type { Turn } from "#domain/turn/Turn"
import * as Transcript from "#domain/transcript/Transcript"
import * as ScriptedModel from "#layers/ScriptedModel"
import type * as Agent from "#src/agent/Agent"
import type { AgentEnd } from "#src/agent/AgentEnd"
import type { AgentEvent } from "#src/agent/AgentEvent"
import { Guard } from "#src/guard/Guard"
import * as Toolbox from "#src/tool/Toolbox"
import { assert, describe } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { LanguageModel, type Prompt } from "effect/ai"
import type { Tool } from "../pipeline/support.ts"
import { type Engine, engines, plain } from "./engine.ts"

export const { call, finish } = ScriptedModel

/** A tool with its layer, as `tool` of the pipeline's tests creates it. */
export interface EquippedTool {
  readonly tool: Tool
  readonly layer: Layer.Layer<any>
}

export interface Setup {
  readonly script: ScriptedModel.Script
  readonly tools?: ReadonlyArray<EquippedTool>
  readonly guard?: Layer.Layer<any>
  readonly options?: Partial<Agent.RunOptions<Tool>>
}

export const toolbox = (tools: ReadonlyArray<EquippedTool>): Toolbox.Toolbox<Tool> =>
  (Toolbox.make as (...tools: ReadonlyArray<Tool>) => Toolbox.Toolbox<Tool>)(...tools.map(({ tool }) => tool))

/** The turn of most tests. It is fixed, so that a conversation can be continued. */
export const turn: Turn = { conversation: "conversation", turn: "turn 1", tenant: "tenant" }

const messages = <Role extends Prompt.Message["role"]>(prompt: Prompt.Prompt, role: Role) =>
  prompt.content.filter((message): message is Extract<Prompt.Message, { readonly role: Role }> => message.role === role)

/** Returns the calls of a conversation, in order. */
export const callsOf = (prompt: Prompt.Prompt): ReadonlyArray<Prompt.ToolCallPart> =>
  messages(prompt, "assistant").flatMap(({ content }) => content.filter((part) => part.type === "tool-call"))

/** Returns the results in messages of the role `tool`, in order. */
export const resultsOf = (prompt: Prompt.Prompt): ReadonlyArray<Prompt.ToolResultPart> =>
  messages(prompt, "tool").flatMap(({ content }) => content.filter((part) => part.type === "tool-result"))

/** Returns the envelopes that the model read, in order. */
export const envelopes = (prompt: Prompt.Prompt): ReadonlyArray<any> =>
  resultsOf(prompt).map(({ result }) => JSON.parse(String(result)))

/** Returns the code of each error envelope and the status of each other envelope, with a mark if the result is unchanged. */
export const codes = (prompt: Prompt.Prompt): ReadonlyArray<string> =>
  envelopes(prompt).map(
    ({ error, status, unchanged }) => error?.code ?? (unchanged === true ? `${status} unchanged` : status)
  )

/** Fails unless each call is answered exactly once, by the role `tool`, in the order of the calls. */
export const assertValid = (prompt: Prompt.Prompt): void => {
  assert.deepStrictEqual(Transcript.validate(prompt), [])
  assert.deepStrictEqual(
    resultsOf(prompt).map(({ id, name }) => [id, name]),
    callsOf(prompt).map(({ id, name }) => [id, name])
  )
}

/** The observable results of a run. */
export interface PlayedRun {
  readonly end: AgentEnd
  readonly events: ReadonlyArray<AgentEvent>
  /** The prompts that were sent to the model. */
  readonly prompts: ReadonlyArray<Prompt.Prompt>
}

/** Runs the loop in the given context, and asserts that its transcript and every prompt are valid. */
export const playIn = (
  { options, script, tools = [] }: Omit<Setup, "guard">,
  engine: Engine = plain
): Effect.Effect<PlayedRun, never, any> =>
  Effect.gen(function* () {
    const events: Array<AgentEvent> = []
    const scripted = yield* ScriptedModel.make(script)
    const end = yield* engine
      .run({
        prompt: "Hello",
        tools: toolbox(tools),
        turn,
        ...options,
        onEvent: (event) =>
          Effect.andThen(
            Effect.sync(() => void events.push(event)),
            options?.onEvent?.(event) ?? Effect.void
          )
      })
      .pipe(Effect.provideService(LanguageModel.LanguageModel, scripted.model))
    const prompts = yield* scripted.prompts
    assertValid(end.transcript)
    for (const prompt of prompts) assert.deepStrictEqual(Transcript.validate(prompt), [])
    assert.deepStrictEqual(events.at(-1), { _tag: "End", end })
    return { end, events, prompts }
  })

/** Returns the layers that a run of these tools needs, apart from the model. */
export const needs = ({ guard = Guard.layerMemory, tools = [] }: Pick<Setup, "guard" | "tools">): Layer.Layer<any> =>
  Layer.mergeAll(guard, ...tools.map(({ layer }) => layer))

/** Runs the loop with a new guard. */
export const play = (setup: Setup, engine: Engine = plain): Effect.Effect<PlayedRun> =>
  playIn(setup, engine).pipe(Effect.provide(needs(setup))) as Effect.Effect<PlayedRun>

/** An engine, with functions that run the loop on it. */
export interface Player {
  readonly engine: Engine
  readonly play: (setup: Setup) => Effect.Effect<PlayedRun>
  readonly playIn: (setup: Omit<Setup, "guard">) => Effect.Effect<PlayedRun, never, any>
}

/** Runs a suite on every engine. */
export const everyEngine = (suite: (player: Player) => void): void => {
  for (const engine of engines) {
    describe(engine.name, () =>
      suite({ engine, play: (setup) => play(setup, engine), playIn: (setup) => playIn(setup, engine) })
    )
  }
}

/** Creates a model that always gives the same answer. */
export const always =
  (answer: ScriptedModel.Answer): ScriptedModel.Responder =>
  () =>
    answer

/** Returns an end without the transcript and the usage by model. */
export const brief = ({ transcript: _, usage, ...end }: AgentEnd): object => {
  const { byModel: _byModel, ...sums } = usage
  return { ...end, usage: sums }
}

/** Creates a handler that takes the given time, and records when it started and whether it was interrupted. */
export const slow = (millisOf: (args: any) => number, answer: (args: any) => unknown = () => ({ n: 1 })) => {
  const started: Array<readonly [unknown, number]> = []
  const interrupted: Array<unknown> = []
  let running = 0
  let maxRunning = 0
  const handler = (args: any) =>
    Effect.gen(function* () {
      started.push([args.q, yield* Clock.currentTimeMillis])
      running += 1
      maxRunning = Math.max(maxRunning, running)
      yield* Effect.sleep(millisOf(args))
      return answer(args)
    }).pipe(
      Effect.onInterrupt(() => Effect.sync(() => void interrupted.push(args.q))),
      Effect.ensuring(Effect.sync(() => void (running -= 1)))
    )
  return { handler, started, interrupted, maxRunning: () => maxRunning }
}
