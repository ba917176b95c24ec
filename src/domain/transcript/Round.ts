/** Repairs one round: an assistant message with calls, and the results of these calls. */
import * as Prompt from "effect/ai/Prompt"
import type * as ResultBinding from "./ResultBinding.ts"
import * as CallIds from "./CallIds.ts"
import type { Change } from "./Change.ts"

/** The id of each call in the repaired conversation. */
type Ids = ReadonlyMap<ResultBinding.Call, string>

/** Creates a result for a call without a result. */
export type SubstituteResult = (call: { readonly id: string; readonly name: string }) => unknown

/** Assigns an id to each call: its own id, or a new id if its own is empty or an earlier call has it. */
export const assignIds = (calls: ReadonlyArray<ResultBinding.Call>): Ids => {
  const taken = new Set(calls.map(({ id }) => id).filter((id) => id !== ""))
  const used = new Set<string>()
  return new Map(
    calls.map((call) => {
      const id = call.id !== "" && !used.has(call.id) ? call.id : CallIds.next(taken)
      taken.add(id)
      used.add(id)
      return [call, id] as const
    })
  )
}

/** Writes the ids of a round into the calls and approval requests of its assistant message. */
export const withIds = (
  message: Prompt.AssistantMessage,
  calls: ReadonlyArray<ResultBinding.Call>,
  ids: Ids
): Prompt.Message => {
  if (calls.every((call) => ids.get(call) === call.id)) return message
  const inOrder = calls.values()
  const content = message.content.map((part): Prompt.AssistantMessagePart => {
    if (part.type === "tool-call" && !part.providerExecuted) {
      const call = inOrder.next().value
      return { ...part, id: (call && ids.get(call)) ?? part.id }
    }
    if (part.type !== "tool-approval-request") return part
    const call = calls.find(({ id }) => id === part.toolCallId)
    return { ...part, toolCallId: (call && ids.get(call)) ?? part.toolCallId }
  })
  return { ...message, content }
}

/** Returns the results of a round in the order of its calls. A call without a result gets a substitute. */
export const results = (
  calls: ReadonlyArray<ResultBinding.Call>,
  ids: Ids,
  substitute: SubstituteResult
): ReadonlyArray<Prompt.ToolResultPart> =>
  calls.map((call) => {
    const id = ids.get(call) ?? call.id
    const { name } = call
    const part = call.result?.part
    if (part === undefined) {
      return Prompt.toolResultPart({
        id,
        name,
        isFailure: true,
        result: substitute({ id, name }),
        providerExecuted: false
      })
    }
    if (part.id === id && part.result !== undefined) return part
    return { ...part, id, result: part.result === undefined ? null : part.result }
  })

/**
 * Returns the changes to a round. `near` contains the indices of the tool messages directly after the round.
 *
 * **Details**
 *
 * A result in a message of the wrong role is reported only as `RoleCorrected`, even if it also moves.
 */
export const changes = (
  calls: ReadonlyArray<ResultBinding.Call>,
  ids: Ids,
  near: ReadonlyArray<number>
): ReadonlyArray<Change> => {
  const list: Array<Change> = []
  let latest: ResultBinding.Occurrence | undefined
  let reordered = false
  for (const call of calls) {
    const callId = ids.get(call) ?? call.id
    const { id: was, result } = call
    if (callId !== was) list.push({ _tag: "CallIdReplaced", message: call.message, callId, was })
    if (result === undefined) {
      list.push({ _tag: "OrphanCallAnswered", message: call.message, callId })
      continue
    }
    const { message, place } = result
    if (result.part.id !== was) list.push({ _tag: "CallIdReplaced", message, callId, was: result.part.id })
    if (result.wrongRole) list.push({ _tag: "RoleCorrected", message, callId })
    else if (!near.includes(message)) list.push({ _tag: "ResultMoved", message, callId })
    else {
      reordered ||=
        latest !== undefined && (latest.message > message || (latest.message === message && latest.place > place))
      latest = result
    }
    if (result.part.result === undefined) list.push({ _tag: "ResultFilled", message, callId })
  }
  if (reordered) list.push({ _tag: "ResultsReordered", message: near[0] ?? 0 })
  return list
}
