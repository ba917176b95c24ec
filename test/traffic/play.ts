/** Plays a recorded conversation through the agent loop with a model and tools that answer as recorded. */
import { Effect, Layer, Schema } from "effect"
import { Prompt } from "effect/ai"
import * as CallKey from "#domain/call/CallKey"
import * as Contract from "#domain/schema/Contract"
import { Permanent } from "#domain/failure/Failure"
import * as Transcript from "#domain/transcript/Transcript"
import * as EscalationScripted from "#layers/EscalationScripted"
import * as RecordedModel from "#layers/RecordedModel"
import * as Agent from "#src/agent/Agent"
import type { AgentEnd } from "#src/agent/AgentEnd"
import { Guard, type ModelAnswer } from "#src/guard/Guard"
import { derive } from "#src/tool/ToolProperties"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import type { Conversation, RecordedResult, Turn } from "./conversations.ts"

/** A call and the guard's answer. */
export interface AnsweredCall {
  readonly key: string
  readonly recorded: RecordedResult
  readonly answer: ModelAnswer
}

export interface Playback {
  /** The end of each turn. The conversation stops at the first turn that is not answered. */
  readonly ends: ReadonlyArray<AgentEnd>
  /** The calls with their answers, in order. */
  readonly answered: ReadonlyArray<AnsweredCall>
  /** How often a person was asked. */
  readonly asked: number
}

/** A secret in the cause of every failed read, which no model may read. */
export const secret = "hunter2-Zq81xTt"

/**
 * The beginnings of the names of recorded tools that only read. The tools of `toolbench` only read too, except `finish`.
 * All other tools, such as shells, count as writes.
 */
const readNames =
  /^(?:get|search|list|check|can|find|route|calculate|think|read|run_speed_test|knowledge_search|file_search|web_search)/

const accessOf = (source: string, name: string): "read" | "write" =>
  readNames.test(name) || (source === "toolbench" && name !== "finish") ? "read" : "write"

/** Defines a tool. The cast is needed because the type of the tool is not known statically. */
const service = GuardedTool.Service<never>() as unknown as (name: string, definition: object) => GuardedTool.AnyTool

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Returns the failure of a call: an HTTP client's error for a read, and a failure without side effect for a write.
 * The log does not say whether a failed write was done.
 */
const failureOf = (access: "read" | "write", { text, tool }: RecordedResult): Error | Permanent =>
  access === "read"
    ? Object.assign(new Error(text), { config: { headers: { authorization: `Bearer ${secret}` } } })
    : new Permanent({ tool, code: "refused", detail: text, hint: "", sideEffect: "none", traceId: "" })

const asRecorded = Schema.optionalKey(Schema.Json.pipe(Contract.serverOnly("as recorded")))

/** Creates a tool that accepts the recorded fields and answers each call as recorded. */
const toolOf = ({ results, source }: Conversation, name: string) => {
  const recorded = [...results.values()].filter(({ tool }) => tool === name)
  const fields = new Set(recorded.flatMap(({ arguments: text }) => Object.keys(Object(parsed(text)))))
  const access = accessOf(source, name)
  const defined = service(name, {
    description: "As recorded.",
    access,
    parameters: Schema.Struct(Object.fromEntries([...fields].map((field) => [field, asRecorded]))),
    success: recorded.every(({ text }) => parsed(text) !== undefined) ? Schema.Json : Schema.String,
    retry: { attempts: 1 },
    circuit: false,
    // a recorded tool counts as a read for limits [13.1]
    budget: 3
  })
  // without `repeats`, the tool counts as a write only for resets: the log does not say whether it may be repeated
  const tool = derive(defined, (definition) => ({ ...definition, repeats: undefined }))
  const handler = (_: unknown, { callId }: GuardedTool.HandlerContext): Effect.Effect<string, Error | Permanent> => {
    const result = results.get(callId)
    if (result === undefined) return Effect.die(new Error(`The log does not contain the call ${callId}`))
    return result.isError ? Effect.fail(failureOf(access, result)) : Effect.succeed(result.text)
  }
  // the casts are needed because the tool is untyped
  return { tool, layer: tool.layerTest(handler as never) as Layer.Layer<any> }
}

/** Plays the turns of a conversation. With `isApproved` a person approves everything; otherwise there is no person. */
export const play = (conversation: Conversation, isApproved: boolean, streaming: boolean): Effect.Effect<Playback> => {
  const { messages, results, turns } = conversation
  const names = new Set([...results.values()].map(({ tool }) => tool))
  const tools = [...names].map((name) => toolOf(conversation, name))
  const box = (Toolbox.make as (...all: ReadonlyArray<GuardedTool.AnyTool>) => Toolbox.Toolbox<GuardedTool.AnyTool>)(
    ...tools.map(({ tool }) => tool)
  )
  const answered: Array<AnsweredCall> = []
  const run = (before: Prompt.Prompt, { firstAnswer, userMessages }: Turn, index: number) =>
    Agent.run({
      prompt: Prompt.concat(before, Transcript.fromOpenAi(userMessages)),
      tools: box,
      streaming,
      maxRounds: 500,
      turn: { conversation: conversation.id, turn: `${index}` },
      onEvent: (event) =>
        Effect.sync(() => {
          const recorded = event._tag === "CallEnded" ? results.get(event.callId) : undefined
          if (event._tag !== "CallEnded" || recorded === undefined) return
          const key = CallKey.of(recorded.tool, parsed(recorded.arguments) ?? recorded.arguments)
          answered.push({ key, recorded, answer: event.answer })
        })
    }).pipe(Effect.provide(RecordedModel.layer({ messages, first_answer: firstAnswer })))
  const approvals = Array.from({ length: isApproved ? 1_000 : 0 }, () => "approve" as const)
  const layers = Layer.mergeAll(
    Guard.layerMemoryWith(EscalationScripted.layer(approvals)),
    ...tools.map(({ layer }) => layer)
  )
  const played = Effect.gen(function* () {
    const ends: Array<AgentEnd> = []
    let transcript = Prompt.empty
    for (const [index, turn] of turns.entries()) {
      const end = yield* run(transcript, turn, index)
      ends.push(end)
      transcript = end.transcript
      if (end._tag !== "Answered") break
    }
    const { asked } = yield* EscalationScripted.EscalationTranscript
    return { ends, answered, asked: asked.length }
  })
  return Effect.provide(played, layers) as Effect.Effect<Playback>
}
