/**
 * Replays recorded conversations through the guard: the production pipeline, with layers that answer from the log.
 *
 * **Details**
 *
 * - Every recorded call is made once, in order; what the guard then does is its verdict. No rule is written twice.
 * - A person approves what needs approval, and nobody lets a loop go on: the harshest that the guard can be.
 * - What a call's verdict would have changed in the model's behaviour is not guessed: the log goes on as it went.
 * - Nothing random and no time but the log's: the same log gives the same verdicts.
 */
import * as ArgumentIssues from "#domain/ArgumentIssues"
import * as CallTally from "#domain/CallTally"
import type { LoopVerdict } from "#domain/LoopDetector"
import * as JsonText from "#domain/JsonText"
import type { Turn } from "#domain/Turn"
import * as Pipeline from "#pipeline/Pipeline"
import { CurrentTurn } from "#services/CurrentTurn"
import { Guard, type GuardService, type ModelAnswer } from "#src/Guard"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Conversation } from "../traffic/Conversation.ts"
import * as Contracts from "./Contracts.ts"
import * as LoggedWorld from "./LoggedWorld.ts"
import type { Replayed, ReplayedCall, SparedRound } from "./ReplayedCall.ts"
import * as Timeline from "./Timeline.ts"

export type ReplayOptions = Contracts.ContractOptions

export interface Replay {
  /** Plays one conversation to its end. Synchronous: nothing waits. */
  readonly play: (conversation: Conversation) => Replayed
  /** Tools whose schemas could not be checked whole, since this was last asked. */
  readonly unchecked: () => ReadonlyArray<Contracts.UncheckedTool>
}

/** A replay, its guard built once. */
export const make = (options: ReplayOptions = {}): Effect.Effect<Replay> =>
  Effect.gen(function* () {
    const world = LoggedWorld.make()
    const guard = yield* Guard.pipe(
      Effect.provide(
        Guard.layerOf(Pipeline.stages, []).pipe(Layer.provide(Layer.provideMerge(world.layer, Guard.memory)))
      )
    )
    const contracts = Contracts.make(world, options)
    const services = Context.make(Clock.Clock, world.clock)
    return {
      play: (conversation) => Effect.runSyncWith(services)(played(guard, world, contracts, conversation)),
      unchecked: contracts.unchecked
    }
  })

/** The texts that were last given for each call, and what each one's answer was. */
type Given = Map<string, string>

const played = (
  guard: GuardService,
  world: LoggedWorld.LoggedWorld,
  contracts: Contracts.Contracts,
  conversation: Conversation
): Effect.Effect<Replayed> =>
  Effect.gen(function* () {
    const tools = existing(contracts, conversation)
    const calls: Array<ReplayedCall> = []
    const spared: Array<SparedRound> = []
    const given: Given = new Map()
    let last: Turn | undefined
    const turns = Timeline.of(conversation)
    for (const { asked, number, rounds } of turns) {
      const turn: Turn = { conversation: conversation.id, turn: String(number), tenant: "replay" }
      for (const text of asked) yield* guard.saw(turn, text)
      for (const round of rounds) {
        const made: Array<ReplayedCall> = []
        for (const call of round.calls) {
          const args = parsed(call.call.arguments)
          const judged = world.begin(call, args)
          if (judged !== undefined && judged._tag !== "Failure") tools.addUnlisted(call.call.name)
          const answer = yield* Effect.provideService(
            guard.answer(tools.all(), {
              name: call.call.name,
              arguments: call.call.arguments,
              callId: String(call.number),
              round: round.number,
              isCut: call.isCut
            }),
            CurrentTurn,
            turn
          )
          const replayed = seen(tools.all(), world, given, { answer, args, call, round: round.number, turn: number })
          if (replayed !== undefined) made.push(replayed)
          const loop = answer.outcome.loop
          if (loop?._tag === "Stop") yield* guard.judgeLoop(turn, false)
        }
        if (made.length > 0 && made.every(({ tally }) => tally.saving !== undefined))
          spared.push({ tokens: round.tokens })
        calls.push(...made)
      }
      yield* guard.endTurn(turn)
      last = turn
    }
    if (last !== undefined) yield* guard.forget(last)
    return { turns: turns.length, rounds: turns.reduce((sum, { rounds }) => sum + rounds.length, 0), calls, spared }
  })

/**
 * The tools that there were. Logs list them in part, or not at all: a name that was answered without a failure is a tool's,
 * and where none is listed every name is.
 */
const existing = (contracts: Contracts.Contracts, conversation: Conversation) => {
  const listed = contracts.toolsOf(conversation)
  let all = listed
  const addUnlisted = (name: string): void => {
    if (!all.has(name)) all = new Map([...all, [name, contracts.unlisted(name)]])
  }
  if (conversation.tools.length === 0) {
    for (const message of conversation.messages) {
      if (message.role === "assistant") for (const { name } of message.calls) addUnlisted(name)
    }
  }
  return { all: () => all, addUnlisted }
}

/** Arguments as a value, where they can be read. */
const parsed = (args: unknown): unknown => {
  if (typeof args !== "string") return args
  const read = JsonText.parseArguments(args, JsonText.argumentLimits)
  return Result.isSuccess(read) ? read.success.value : undefined
}

interface Made {
  readonly answer: ModelAnswer
  readonly args: unknown
  readonly call: Timeline.TimelineCall
  readonly round: number
  readonly turn: number
}

const seen = (
  tools: Contracts.Tools,
  world: LoggedWorld.LoggedWorld,
  given: Given,
  made: Made
): ReplayedCall | undefined => {
  const { answer, args, call, round, turn } = made
  const { isAsked, record } = world.end()
  if (record === undefined) return undefined
  const judged = world.judged()
  const tally = CallTally.of(record)
  const text = call.answer?.text
  const key = `${call.call.name} ${typeof call.call.arguments === "string" ? call.call.arguments : JSON.stringify(args)}`
  const isNew = text !== undefined && given.get(key) !== text
  if (text !== undefined) given.set(key, text)
  const isBroken = record.decisions.some(({ stage }) => stage === "decodeArguments")
  return {
    number: call.number,
    turn,
    round,
    tool: call.call.name,
    arguments: call.call.arguments,
    parsed: args,
    answer: call.answer,
    judged,
    record,
    tally,
    issues: isBroken ? issuesOf(tools, call.call.name, args) : [],
    isSuspect: tally.saving !== undefined && isNew && judged !== undefined && judged._tag !== "Failure",
    loop: loopOf(answer.outcome.loop, record),
    isAsked
  }
}

const issuesOf = (tools: Contracts.Tools, name: string, args: unknown): ReadonlyArray<ArgumentIssues.ArgumentIssue> => {
  const decoded = tools.get(name)?.contract.decode(args)
  return decoded?._tag === "Failure" ? ArgumentIssues.fromIssue(decoded.failure) : []
}

const loopOf = (verdict: LoopVerdict | undefined, record: ReplayedCall["record"]): ReplayedCall["loop"] => {
  if (verdict?._tag === "Stop") return { pattern: verdict.pattern, count: verdict.count }
  const isStopped = record.outcome._tag === "Failure" && record.outcome.failure.code === "loop_detected"
  return isStopped ? { pattern: "identical", count: 3 } : undefined
}
