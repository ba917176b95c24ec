/**
 * [4.8, 10] Asks a person before a call runs, where the tool or the policy wants one.
 *
 * The decision is bound to a digest of tenant, conversation, tool, canonical arguments and contract. A denial is remembered for the turn;
 * an approval that fails to be worked out, or takes longer than an attempt may, counts as `confirm`.
 */
import type { Approval } from "#domain/Approval"
import { type EscalationPolicy as EscalationPolicyOf, type Level, strictest } from "#domain/EscalationPolicy"
import type { Outcome } from "#domain/Outcome"
import type { ToolDefinition } from "#domain/ToolDefinition"
import { conversationKey } from "#domain/Turn"
import * as TurnHistory from "#domain/TurnHistory"
import { Digest } from "#services/Digest"
import { Escalation, type EscalationAnswer } from "#services/Escalation"
import { EscalationPolicy } from "#services/Policies"
import { Redactor } from "#services/Redactor"
import { TurnMemory } from "#services/TurnMemory"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Call from "./Call.ts"
import * as Person from "./Person.ts"
import { failure, refuse } from "./Refusal.ts"
import type { Next, Stage } from "./Stage.ts"

export const approve: Stage<Digest | Escalation | Redactor | TurnMemory> = {
  name: "approve",
  make: Effect.gen(function* () {
    const { sha256 } = yield* Digest
    const escalation = yield* Escalation
    const memory = yield* TurnMemory
    const redactor = yield* Redactor
    return (tool) => (next) => {
      const { definition, contract } = tool
      const ask = (call: Call.Call, approval: Approval): Effect.Effect<Outcome> => {
        if (approval.level === "auto") return next(call)
        const binding = sha256(
          JSON.stringify([
            call.turn === undefined ? call.traceId : conversationKey(call.turn),
            call.key(),
            tool.fingerprint
          ])
        )
        const request = {
          level: approval.level,
          reason: "approval",
          tool: definition.name,
          sentence: redactor.text(approval.sentence),
          arguments: redactor.data(contract.encode(call.arguments)),
          binding,
          turn: call.turn,
          traceId: call.traceId
        }
        if (approval.level === "inform") return Effect.flatMap(Person.inform(escalation, request), () => next(call))
        const { turn } = call
        const remembered =
          turn === undefined
            ? Effect.succeed(undefined)
            : memory.modifyTurn(turn, (history) => [TurnHistory.denial(history, binding), history])
        return Effect.flatMap(remembered, (denial) => {
          if (denial !== undefined) {
            Call.decide(call, "approve", "denied", "a person denied this call before in this turn")
            return Effect.succeed<Outcome>({ _tag: "Failure", failure: denial, recalled: true, remaining: 0 })
          }
          return Effect.flatMap(Person.ask(escalation, call, request), (answer) => {
            if (answer._tag !== "Denied" || turn === undefined) return act(call, next, answer)
            const denied = failure(call, "approval_denied", { detail: deniedBy(answer) })
            return Effect.flatMap(
              memory.modifyTurn(turn, (history) => [undefined, TurnHistory.denied(history, binding, denied)]),
              () => act(call, next, answer)
            )
          })
        })
      }
      const levelOf = levelByPolicy(definition)
      return (call) => {
        if (definition.approval === undefined && call.confirm === undefined && levelOf(call) === "auto")
          return next(call)
        const approval = approvalOf(definition, levelOf, call)
        return "level" in approval
          ? ask(call, raised(call, approval))
          : Effect.flatMap(approval, (it) => ask(call, raised(call, it)))
      }
    }
  })
}

const raised = (call: Call.Call, approval: Approval): Approval =>
  call.confirm === undefined
    ? approval
    : { level: strictest(approval.level, "confirm"), sentence: `${approval.sentence} ${call.confirm}`.trim() }

/** What the caller's policy says of a call of this tool; asked once a policy. */
const levelByPolicy = ({ access, critical, name }: ToolDefinition): ((call: Call.Call) => Level) => {
  let policy: EscalationPolicyOf | undefined
  let level: Level = "confirm"
  return (call) => {
    const current = Context.get(call.context, EscalationPolicy)
    if (current !== policy) {
      policy = current
      level = current({ _tag: "CallRequested", tool: name, access, critical })
    }
    return level
  }
}

const approvalOf = (
  definition: ToolDefinition,
  levelOf: (call: Call.Call) => Level,
  call: Call.Call
): Approval | Effect.Effect<Approval> => {
  const sentence = `${definition.name}: ${definition.description}`
  const { approval } = definition
  if (approval === undefined) {
    return { level: levelOf(call), sentence }
  }
  if (typeof approval === "string") return { level: approval, sentence }
  const failsClosed = Effect.succeed<Approval>({ level: "confirm", sentence })
  try {
    const answer = approval(call.arguments)
    if (!Effect.isEffect(answer)) return answer
    const inTime = Effect.timeoutOrElse(answer, { duration: definition.attemptMillis, orElse: () => failsClosed })
    return Effect.catchCause(inTime, () => failsClosed)
  } catch {
    return failsClosed
  }
}

const deniedBy = (answer: Extract<EscalationAnswer, { _tag: "Denied" }>): string =>
  answer.reason === "" ? `${answer.by} denied this call.` : `${answer.by} denied this call: ${answer.reason}`

const act = (call: Call.Call, next: Next, answer: EscalationAnswer): Effect.Effect<Outcome> => {
  switch (answer._tag) {
    case "Approved":
      Call.decide(call, "approve", "approved", `by ${answer.by}`)
      return next(call)
    case "Denied":
      Call.decide(call, "approve", "denied", deniedBy(answer))
      return Effect.succeed(refuse(call, "approval_denied", { detail: deniedBy(answer) }))
    case "Pending":
      Call.decide(call, "approve", "pending", "a person has been asked")
      return Effect.succeed(
        refuse(call, "requires_human_approval", {
          detail: `${call.name} needs a person's approval; it has been asked for.`,
          approvalUrl: answer.approvalUrl
        })
      )
    case "Expired":
      Call.decide(call, "approve", "expired", "nobody decided in time")
      return Effect.succeed(refuse(call, "approval_expired", { detail: "Nobody decided in time." }))
    case "NoPerson":
      Call.decide(call, "approve", "refused", "no person can be reached")
      return Effect.succeed(
        refuse(call, "no_person", { detail: `${call.name} needs a person's approval, and none can be reached.` })
      )
  }
}
