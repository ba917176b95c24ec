/**
 * Handles approvals in a history, which effect/ai would act on: requests in assistant messages, responses in tool
 * messages.
 *
 * Any client that can write the history can write approvals, so they grant nothing. A call that was approved and has no
 * result passes the guard like any other call. An approval without its call is removed, because it would end the turn
 * with a defect.
 */
import * as CallArguments from "#domain/transcript/CallArguments"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import type { CallRequest } from "./HostedCalls.ts"

type Parts = ReadonlyArray<Response.AnyPart>

/**
 * Answers the waiting calls of a history and appends the answers. Returns the history unchanged if it has no approvals.
 */
export const settle = (
  prompt: Prompt.Prompt,
  answerAll: (calls: ReadonlyArray<CallRequest>) => Effect.Effect<Parts>
): Effect.Effect<{ readonly prompt: Prompt.Prompt; readonly settled: Parts }> => {
  const { approvals, calls, results } = collect(prompt)
  if (approvals.size === 0) return Effect.succeed({ prompt, settled: [] })
  const waiting = [...approvals.values()].flatMap(({ isApproved, callId }) => {
    const call = calls.get(callId)
    if (!isApproved || call === undefined || results.has(callId)) return []
    return [{ ...call, argumentsText: CallArguments.keptText(call), isCut: false }]
  })
  const distinct = [...new Map(waiting.map((call) => [call.id, call])).values()]
  const orphans = new Set([...approvals].flatMap(([id, { callId }]) => (calls.has(callId) ? [] : [id])))
  const remaining = orphans.size === 0 ? prompt : without(prompt, orphans)
  if (distinct.length === 0) return Effect.succeed({ prompt: remaining, settled: [] })
  return Effect.map(answerAll(distinct), (settled) => ({
    prompt: Prompt.concat(remaining, Prompt.fromResponseParts(settled)),
    settled
  }))
}

interface Approval {
  readonly callId: string
  readonly isApproved: boolean
}

/** Collects the answered requests by approval id, and the calls and results by call id. */
const collect = (prompt: Prompt.Prompt) => {
  const requests = new Map<string, string>()
  const approvals = new Map<string, Approval>()
  const calls = new Map<string, Prompt.ToolCallPart>()
  const results = new Set<string>()
  for (const message of prompt.content) {
    if (message.role !== "assistant" && message.role !== "tool") continue
    for (const part of message.content) {
      if (part.type === "tool-approval-request") requests.set(part.approvalId, part.toolCallId)
      if (part.type === "tool-call") calls.set(part.id, part)
      if (part.type === "tool-result") results.add(part.id)
    }
  }
  for (const message of prompt.content) {
    if (message.role !== "tool") continue
    for (const part of message.content) {
      const callId = part.type === "tool-approval-response" ? requests.get(part.approvalId) : undefined
      if (part.type !== "tool-approval-response" || callId === undefined) continue
      // a denial outweighs any other response to the same request
      const isApproved = part.approved && approvals.get(part.approvalId)?.isApproved !== false
      approvals.set(part.approvalId, { callId, isApproved })
    }
  }
  return { approvals, calls, results }
}

/** Removes approvals, and messages that are then empty. */
const without = (prompt: Prompt.Prompt, approvalIds: ReadonlySet<string>): Prompt.Prompt =>
  Prompt.fromMessages(
    prompt.content.flatMap((message): ReadonlyArray<Prompt.Message> => {
      if (message.role === "assistant") {
        const content = message.content.filter(
          (part) => part.type !== "tool-approval-request" || !approvalIds.has(part.approvalId)
        )
        return content.length === 0 ? [] : [Prompt.makeMessage("assistant", { ...message, content })]
      }
      if (message.role === "tool") {
        const content = message.content.filter(
          (part) => part.type !== "tool-approval-response" || !approvalIds.has(part.approvalId)
        )
        return content.length === 0 ? [] : [Prompt.makeMessage("tool", { ...message, content })]
      }
      return [message]
    })
  )
