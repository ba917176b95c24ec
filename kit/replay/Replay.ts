/**
 * Replays recorded conversations through the guard, which is the production pipeline with layers that answer from the
 * log.
 *
 * **Details**
 *
 * - The recorded calls are made in order, and the production stages decide on each call. No rule is duplicated.
 * - Outcomes in the guard's own records are used unchanged (see `RecordedOutcome`).
 * - Approvals are always granted, but no loop is allowed to continue.
 * - Each conversation is replayed by itself: the guard remembers nothing of the conversations before it.
 * - Replay does not guess how the model would have reacted to a decision. It continues with the next recorded call.
 * - Replay uses no randomness, and no clock except the times of the log. So the same log yields the same decisions.
 *   Without times, a minute passes between two calls unless the first failed. A time that the other times of the
 *   conversation contradict does not count.
 * - A message of the user restarts the counts of the loop detector, also in the middle of a turn.
 */
import * as ArgumentIssues from "effect-toolguard/internal/domain/schema/ArgumentIssues"
import type { CallRecord } from "effect-toolguard/internal/domain/call/CallRecord"
import * as CallTally from "effect-toolguard/internal/domain/call/CallTally"
import * as Fault from "effect-toolguard/internal/domain/faults/Fault"
import { withoutStack } from "effect-toolguard/internal/domain/failure/Failure"
import type { LoopVerdict } from "effect-toolguard/internal/domain/loop/LoopDetector"
import type { Turn } from "effect-toolguard/internal/domain/turn/Turn"
import { compiledOf, type CompiledTool } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import { CurrentTurn } from "effect-toolguard/services/CurrentTurn"
import { Guard, GuardedTurn } from "effect-toolguard/internal/guard/Guard"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import type * as Scope from "effect/Scope"
import type { Conversation } from "#kit/traffic/Conversation"
import type { CallableTool } from "./CallableTool.ts"
import * as Contracts from "./Contracts.ts"
import { firstEqual, keyOf, shared, sharedRecord } from "./IdenticalCalls.ts"
import * as LoggedWorld from "./LoggedWorld.ts"
import type { LoggedEnd } from "./RecordedOutcome.ts"
import * as RecordedOutcome from "./RecordedOutcome.ts"
import * as ResultFaults from "./ResultFaults.ts"
import * as StopReview from "./StopReview.ts"
import type { PlayedCall, ReplayedConversation, SavedRound } from "./ReplayedCall.ts"
import * as Timeline from "#kit/traffic/Timeline"

/** The options of a replay. */
export type ReplayOptions = Contracts.ContractOptions

/** A guard that replays conversations. */
export interface Replay {
  /** Replays one conversation synchronously, because no stage waits. */
  readonly play: (conversation: Conversation) => ReplayedConversation<PlayedCall>
  /**
   * Counts the tools of a conversation. Returns false if all conversations together have too many different tools, so that
   * replaying it would take too much time and memory.
   */
  readonly admits: Contracts.Contracts["admits"]
  /**
   * Returns the tools with schema constraints that cannot be checked, if found since the last call of this function.
   */
  readonly unchecked: () => ReadonlyArray<Contracts.UncheckedTool>
  /** Returns the compiled tools of a conversation, by name, without replaying it. */
  readonly toolsOf: (conversation: Conversation) => (name: string) => CompiledTool
}

/** Creates a replay. The guard is built once and released when the scope closes. */
export const make = (options: ReplayOptions = {}): Effect.Effect<Replay, never, Scope.Scope> =>
  Effect.gen(function* () {
    const world = LoggedWorld.make()
    const layers = Guard.layerOf(RecordedOutcome.stages(world.current), []).pipe(
      Layer.provide(Layer.provideMerge(world.layer, Guard.memory))
    )
    const guard = yield* Layer.build(layers)
    const contracts = Contracts.make(world, options)
    const services = Context.make(Clock.Clock, world.clock)
    return {
      // the errors that logged answers state need no stack
      play: (conversation) =>
        withoutStack(() => Effect.runSyncWith(services)(playConversation(guard, world, contracts, conversation))),
      admits: contracts.admits,
      unchecked: contracts.unchecked,
      toolsOf: (conversation) => {
        const listed = contracts.toolsOf(conversation)
        return (name) => compiledOf(listed.get(name) ?? contracts.unlisted(name))
      }
    }
  })

const playConversation = (
  built: Context.Context<Guard>,
  world: LoggedWorld.LoggedWorld,
  contracts: Contracts.Contracts,
  conversation: Conversation
): Effect.Effect<ReplayedConversation<PlayedCall>> =>
  Effect.gen(function* () {
    const guard = Context.get(built, Guard)
    const guarded = Context.get(built, GuardedTurn)
    const tools = toolsOf(contracts, conversation)
    const calls: Array<StopReview.UnreviewedCall> = []
    const before = new Map<string, StopReview.UnreviewedCall>()
    const saved: Array<SavedRound> = []
    const turns = Timeline.of(conversation)
    let rounds = 0
    world.open(turns)
    const make = (
      call: Timeline.TimelineCall,
      turn: Turn,
      round: number,
      tokens: PlayedCall["tokens"]
    ): Effect.Effect<void> => {
      const { arguments: args, end, name } = call.call
      world.begin(call, tools.all().get(name))
      const key = keyOf(call.call)
      if (!tools.all().has(name) && ResultFaults.isAnswered(world.loggedEnd())) tools.addUnlisted(name)
      const first = call.isCut ? undefined : firstEqual(tools.all().get(name), before.get(key), turn, round)
      if (first !== undefined) {
        const found = ResultFaults.check(compiled(tools.all().get(name)), call, world.loggedEnd(), sharedRecord(first))
        add(shared(first, call, found, tokens))
        return Effect.void
      }
      const request = {
        name,
        arguments: args,
        callId: String(call.number),
        round,
        isCut: call.isCut,
        isUntimed: call.answer?.at === undefined
      }
      const shown =
        end !== undefined && RecordedOutcome.hasSeenIds(end) ? JSON.stringify(Timeline.parsed(args)) : undefined
      const answering = guard.answer(tools.all(), request)
      const asked = shown === undefined ? answering : Effect.andThen(guarded.saw(turn, shown), answering)
      return Effect.flatMap(asked, ({ outcome, record }) => {
        if (record !== undefined) {
          const known = {
            tools: tools.all(),
            loggedEnd: world.loggedEnd(),
            key,
            turn: Number(turn.turn),
            endsAsRecorded: world.endsAsRecorded(),
            tokens
          }
          add(replayedCall(call, record, outcome.loop, known))
        }
        return outcome.loop?._tag === "Stop" ? guarded.judgeLoop(turn, false) : Effect.void
      })
    }
    const add = (call: StopReview.UnreviewedCall) => {
      calls.push(call)
      if (call.answer !== undefined || !before.has(call.key)) before.set(call.key, call)
    }
    const playTurn = Effect.fnUntraced(function* (turn: Turn, { rounds }: Timeline.Turn) {
      for (const round of rounds) {
        for (const text of round.userTexts) yield* guarded.saw(turn, text)
        if (round.number > 1 && round.userTexts.some((text) => text !== "")) {
          // the user has asked again: in production, this message starts a turn
          yield* guarded.endTurn(turn)
          yield* guarded.judgeLoop(turn, true)
        }
        const first = calls.length
        for (const [index, call] of round.calls.entries()) {
          yield* make(call, turn, round.number, shareOf(round.tokens, round.calls.length, index))
        }
        if (isSaved(calls, first)) saved.push({ tokens: round.tokens })
      }
      yield* guarded.endTurn(turn)
    })
    for (const one of turns) {
      const turn = { conversation: conversation.id, turn: String(one.number), tenant: "replay" }
      rounds += one.rounds.length
      yield* playTurn(turn, one).pipe(
        Effect.provideService(CurrentTurn, turn),
        // the report contains what the guard would log, and a log line would break JSON on standard output
        Effect.provideService(References.MinimumLogLevel, "None")
      )
    }
    return { turns: turns.length, rounds, calls: StopReview.of(calls), saved }
  })

/** Returns the share of a call in the tokens of its request. The shares of all calls add up to these tokens. */
const shareOf = (tokens: PlayedCall["tokens"], calls: number, index: number): PlayedCall["tokens"] => {
  const part = (all: number) => Math.floor(all / calls) + (index < all % calls ? 1 : 0)
  return calls === 1 ? tokens : { input: part(tokens.input), output: part(tokens.output) }
}

/** True if the guard would have saved all calls from index `first`. */
const isSaved = (calls: ReadonlyArray<StopReview.UnreviewedCall>, first: number): boolean => {
  for (let at = first; at < calls.length; at++) if (calls[at]?.tally.saving === undefined) return false
  return calls.length > first
}

/**
 * Determines the tools that existed in a conversation. Logs may list the tools incompletely or not at all, so a name
 * whose call succeeded also counts as a tool. If the log lists no tools, every called name counts as a tool.
 */
const toolsOf = (contracts: Contracts.Contracts, conversation: Conversation) => {
  const listed = contracts.toolsOf(conversation)
  let own: Map<string, CallableTool> | undefined
  const all = (): Contracts.Tools => own ?? listed
  const addUnlisted = (name: string): void => {
    if (all().has(name) || contracts.isRemoved(name)) return
    // conversations share the list, so it is copied once before a tool is added
    own ??= new Map(listed)
    own.set(name, contracts.unlisted(name))
  }
  if (conversation.tools.length === 0) {
    for (const message of conversation.messages) {
      if (message.role === "assistant") for (const { name } of message.calls) addUnlisted(name)
    }
  }
  return { all, addUnlisted }
}

const compiled = (tool: CallableTool | undefined): CompiledTool | undefined =>
  tool === undefined ? undefined : compiledOf(tool)

/** The known facts about a call when its record arrives. */
interface KnownFacts {
  readonly tools: Contracts.Tools
  readonly loggedEnd: LoggedEnd | undefined
  readonly key: string
  readonly turn: number
  /** True if the call ended as its record says. */
  readonly endsAsRecorded: boolean
  readonly tokens: PlayedCall["tokens"]
}

const replayedCall = (
  call: Timeline.TimelineCall,
  replayed: CallRecord,
  verdict: LoopVerdict | undefined,
  { endsAsRecorded, key, loggedEnd: logged, tokens, tools, turn }: KnownFacts
): StopReview.UnreviewedCall => {
  const { answer, number } = call
  const { arguments: args, name: tool } = call.call
  const record = RecordedOutcome.restored(replayed, call.call, endsAsRecorded)
  const answered = ResultFaults.check(compiled(tools.get(tool)), call, logged, record)
  const isBroken = replayed.decisions.some(({ stage }) => stage === "decodeArguments")
  const decisions = [...replayed.decisions, ...record.decisions]
  const issues = isBroken ? issuesOf(tools, tool, Timeline.parsed(args)) : []
  return {
    number,
    key,
    turn,
    round: record.round,
    tokens,
    tool,
    arguments: args,
    answer,
    ...answered,
    record,
    tally: CallTally.of(record),
    issues,
    ...argumentFaults(tools.get(tool), issues, args),
    loop: loopOf(verdict, record),
    isAsked: decisions.some(({ decision, stage }) => stage === "approve" && decision === "approved")
  }
}

const issuesOf = (tools: Contracts.Tools, name: string, args: unknown): ReadonlyArray<ArgumentIssues.ArgumentIssue> => {
  const decoded = tools.get(name)?.contract.decode(args)
  return decoded?._tag === "Failure" ? ArgumentIssues.fromIssue(decoded.failure) : []
}

const argumentFaults = (
  tool: CallableTool | undefined,
  issues: ReadonlyArray<ArgumentIssues.ArgumentIssue>,
  args: unknown
): Pick<PlayedCall, "argumentFaults" | "argumentSchema"> => {
  if (tool === undefined || issues.length === 0) return { argumentFaults: [], argumentSchema: undefined }
  const argumentSchema = compiledOf(tool).definition.parameters.ast
  return { argumentFaults: Fault.ofArguments(issues, Timeline.parsed(args), argumentSchema), argumentSchema }
}

const loopOf = (verdict: LoopVerdict | undefined, record: PlayedCall["record"]): PlayedCall["loop"] => {
  if (verdict?._tag === "Stop") return { pattern: verdict.pattern, count: verdict.count }
  const isStopped = record.outcome._tag === "Failure" && record.outcome.failure.code === "loop_detected"
  return isStopped ? { pattern: "identical", count: 3 } : undefined
}
