/**
 * The operations that loops and hosts need from the guard besides calls: the state of turns, approvals, and stored
 * results.
 *
 * This service is separate from the public `GuardService`, so that it can grow without new public names.
 */
import * as ArtifactLink from "#domain/envelope/artifact/ArtifactLink"
import { sentenceOf } from "#domain/approval/ShownCall"
import type { UnknownOutcome } from "#domain/approval/UnknownOutcome"
import type { JournalledCall } from "#domain/journal/JournalledCall"
import * as LoopDetector from "#domain/loop/LoopDetector"
import type { ToolDefinition, ToolReference } from "#domain/tool/ToolDefinition"
import type { Turn } from "#domain/turn/Turn"
import * as CallJournal from "#pipeline/CallJournal"
import type { Chain } from "#pipeline/call/Stage"
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import * as SafeEscalation from "#pipeline/call/SafeEscalation"
import { harmless } from "#pipeline/call/Trace"
import * as GuardPolicies from "#pipeline/call/GuardPolicies"
import type { ModelAnswer } from "#pipeline/ModelCall"
import type { ToolRegistry } from "#pipeline/ToolRegistry"
import { Artifacts, type ArtifactsUnavailable } from "#services/Artifacts"
import { Budgets } from "#services/Budgets"
import { Digest } from "#services/Digest"
import { Escalation, type EscalationAnswer, type EscalationRequest } from "#services/Escalation"
import { CallObserver } from "#services/CallObserver"
import { ArtifactLifetime } from "#services/Policies"
import type { Policy } from "#services/Policy"
import { Redactor } from "#services/Redactor"
import { TurnMemory } from "#services/TurnMemory"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import * as Description from "./Description.ts"
import type * as Prompt from "effect/ai/Prompt"
import type * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as MessageTurns from "./MessageTurns.ts"

export interface GuardedTurnService {
  /**
   * Registers the tools of a run or a host before their first call. Dies with a `RangeError` if one of them and another
   * class have the same id, and the guard cannot keep the two apart [2.10].
   */
  readonly admit: ToolRegistry["admit"]
  /** Answers a call from a run's journal, and restores its part of the turn's state. */
  readonly restore: (
    tools: ReadonlyMap<string, ToolReference>,
    turn: Turn,
    name: string,
    call: JournalledCall
  ) => Effect.Effect<ModelAnswer>
  /**
   * Returns the settled outcome of a journalled call whose side effect was unknown; undefined if no person has settled
   * it.
   */
  readonly settledOf: (call: JournalledCall) => Effect.Effect<UnknownOutcome | undefined>
  /** False if `ask` never waits for the decision. */
  readonly waits: boolean
  /** Asks a person to decide whether the turn may continue. The sentence is redacted first. */
  readonly ask: (request: EscalationRequest) => Effect.Effect<EscalationAnswer>
  /** Notifies a person without waiting for an answer. The sentence is redacted first. */
  readonly inform: (request: EscalationRequest) => Effect.Effect<void>
  /** Withdraws the pending requests of a turn whose run has ended. Never fails. */
  readonly withdraw: (turn: Turn) => Effect.Effect<void>
  /** Marks the ids in a text of the conversation as seen. */
  readonly saw: (turn: Turn, text: string) => Effect.Effect<void>
  /** Records a person's decision about a loop: the calls may continue, or must not continue in this turn. */
  readonly judgeLoop: (turn: Turn, isApproved: boolean) => Effect.Effect<void>
  /** True if large results are stored. If false, `keep` returns undefined. */
  readonly isKeeping: boolean
  /**
   * Redacts a JSON value and stores it for the conversation. Returns its `resource_url`, or undefined if it could not
   * be stored.
   */
  readonly keep: (turn: Turn, value: unknown) => Effect.Effect<string | undefined>
  /**
   * Returns the JSON text of a `resource_url` of the conversation, or undefined if it does not exist or has expired.
   */
  readonly readKept: (turn: Turn, url: string) => Effect.Effect<string | undefined, ArtifactsUnavailable>
  /** Removes the memory of a turn and the loops of its conversation from this process. */
  readonly forget: (turn: Turn) => Effect.Effect<void>
  /** Removes the memory and the budgets of a turn, before `restore` rebuilds both. */
  readonly rewind: (turn: Turn) => Effect.Effect<void>
  /** Ends a turn: removes its memory and budgets, and keeps the loops of the conversation. */
  readonly endTurn: (turn: Turn) => Effect.Effect<void>
  /** Returns the turn of the last message of the user in a host's history. */
  readonly turnOfMessage: (turn: Turn, history: Prompt.Prompt) => Effect.Effect<Turn>
  /** Returns a policy for the running fiber: the guard's, combined with the fiber's. */
  readonly policy: <A>(policy: Policy<A>) => Effect.Effect<A>
  /** Describes the effective policy of a tool for the running fiber. */
  readonly describe: (tool: ToolReference) => Effect.Effect<Description.ToolDescription>
  /** Returns the definition of a tool with the policies of the guard and the running fiber. */
  readonly definitionOf: (tool: ToolReference) => Effect.Effect<ToolDefinition>
  /** Returns the SHA-256 of a text as 64 hex digits. */
  readonly sha256: (text: string) => string
}

/** The functions of the dispatcher that the service needs. */
interface Tools extends Pick<ToolRegistry, "admit"> {
  /** Returns the compiled tool that the guard uses for a reference. */
  readonly toolOf: (reference: ToolReference | undefined) => CompiledTool
  /** Returns the chain that a call in a context runs. */
  readonly chainOf: (reference: ToolReference, context: Context.Context<never>) => Chain
}

/** Creates the service. */
export const make = ({
  admit,
  chainOf,
  toolOf
}: Tools): Effect.Effect<
  GuardedTurnService,
  never,
  Artifacts | Budgets | Digest | Escalation | Redactor | TurnMemory | UnknownOutcomes
> =>
  Effect.gen(function* () {
    const budgets = yield* Budgets
    const memory = yield* TurnMemory
    const outcomes = yield* UnknownOutcomes
    const escalation = yield* Escalation
    const redactor = yield* Redactor
    const artifacts = yield* Artifacts
    const { sha256 } = yield* Digest
    const guardPolicies = yield* GuardPolicies.capture
    const policyOf = <A>(policy: Policy<A>): Effect.Effect<A> =>
      Effect.contextWith((context: Context.Context<never>) =>
        Effect.succeed(GuardPolicies.policyOf({ context, guardPolicies }, policy))
      )
    const redacted = (request: EscalationRequest) => ({
      ...request,
      sentence: sentenceOf(request.sentence, redactor.text(request.sentence))
    })
    const endOne = (turn: Turn) => Effect.andThen(Effect.ignore(budgets.end(turn)), memory.endTurn(turn))
    const messageTurns = MessageTurns.make(endOne)
    const forget = (turn: Turn) =>
      Effect.andThen(
        memory.modifyLoop(turn, () => [undefined, { ...LoopDetector.initial }]),
        memory.endTurn(turn)
      )
    return {
      admit,
      restore: (tools, turn, name, call) =>
        CallJournal.restore({ budgets, memory, sha256, toolOf }, tools, turn, name, call),
      settledOf: ({ unknownOutcome }) =>
        unknownOutcome === undefined
          ? Effect.undefined
          : Effect.catchCause(
              Effect.map(outcomes.find(unknownOutcome), (found) =>
                found?.settlement === undefined ? undefined : found
              ),
              (cause) => Effect.as(Effect.logWarning("An unknown outcome could not be read", cause), undefined)
            ),
      waits: escalation.waits ?? true,
      ask: (request) =>
        Effect.flatMap(policyOf(CallObserver), (observe) =>
          SafeEscalation.askObserved(escalation, redacted(request), {
            callId: request.callId ?? "",
            tool: request.tool,
            observe: observe && harmless(observe)
          })
        ),
      inform: (request) => escalation.inform(redacted(request)),
      withdraw: (turn) =>
        Effect.catchCause(
          Effect.suspend(() => escalation.withdraw?.(turn) ?? Effect.void),
          (cause) => Effect.logWarning("The requests of an ended run could not be withdrawn", cause)
        ),
      saw: memory.saw,
      judgeLoop: (turn, isApproved) =>
        memory.modifyLoop(turn, (state) => [
          undefined,
          isApproved ? LoopDetector.approved(state) : LoopDetector.denied(state, turn.turn)
        ]),
      isKeeping: artifacts.isKeeping,
      keep: (turn, value) =>
        Effect.flatMap(policyOf(ArtifactLifetime), (timeToLive) =>
          store(artifacts, turn, timeToLive, () => JSON.stringify(redactor.data(value)))
        ),
      readKept: (turn, url) => {
        const id = ArtifactLink.idOf(url)
        return id === undefined ? Effect.undefined : artifacts.read(turn, id)
      },
      forget,
      rewind: (turn) => Effect.andThen(forget(turn), Effect.ignore(budgets.end(turn))),
      endTurn: (turn) =>
        Effect.suspend(() => {
          const last = messageTurns.last(turn)
          return last === undefined ? endOne(turn) : Effect.andThen(endOne(last), endOne(turn))
        }),
      turnOfMessage: messageTurns.of,
      policy: policyOf,
      describe: (tool) =>
        Effect.contextWith((context: Context.Context<never>) =>
          Effect.succeed(Description.of(chainOf(tool, context), { context, guardPolicies }))
        ),
      definitionOf: (tool) =>
        Effect.contextWith((context: Context.Context<never>) => Effect.succeed(chainOf(tool, context).tool.definition)),
      sha256
    }
  })

/** Stores a text and returns its link. Returns undefined if it cannot be stored. */
const store = (
  artifacts: Artifacts["Service"],
  turn: Turn,
  timeToLive: Duration.Duration,
  write: () => string
): Effect.Effect<string | undefined> =>
  artifacts.isKeeping
    ? Effect.suspend(() => artifacts.put({ turn, text: write(), timeToLive })).pipe(
        Effect.map(ArtifactLink.urlOf),
        Effect.catchCause((cause) =>
          Effect.as(Effect.logWarning("A large result could not be stored", cause), undefined)
        )
      )
    : Effect.undefined
