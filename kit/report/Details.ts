/** Collects the conversations with findings, call by call. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import type { Conversation } from "#kit/traffic/Conversation"
import type { ReplayedConversation, ReplayedCall } from "#kit/replay/ReplayedCall"
import { beginning } from "./Tables.ts"
import type { BoundedList, CallDetail, ConversationDetail } from "./Report.ts"

/** The maximum number of conversations to keep. */
const maxConversations = 200
/** The maximum number of calls to keep of each conversation. */
const maxCalls = 200
/** The maximum number of characters to keep of a text. */
const maxLength = 300

/** Creates an empty collection. `redact` removes secrets from arguments, reasons and answers. */
export const make = (redact: (text: string) => string) => {
  const kept: Array<ConversationDetail & { readonly weight: number }> = []
  let total = 0
  let least = 0
  return {
    add: (conversation: Conversation, replayed: ReplayedConversation): void => {
      const failed = replayed.calls.filter(({ loggedEnd }) => loggedEnd?._tag === "Failure").length
      const saved = replayed.calls.filter(({ tally }) => tally.saving !== undefined).length
      const refused = replayed.calls.filter(({ tally }) => tally.refusal !== undefined).length
      const suspects = replayed.calls.filter(({ contradiction }) => contradiction !== undefined).length
      const weight = 100 * suspects + 3 * saved + 2 * refused + failed
      if (weight === 0) return
      total += 1
      if (kept.length >= maxConversations && weight <= least) return
      kept.push({
        weight,
        ...conversation.place,
        conversation: conversation.id,
        model: conversation.model ?? "",
        count: replayed.calls.length,
        failed,
        saved,
        calls: selected(replayed.calls).map((call) => detailOf(call, redact))
      })
      if (kept.length > 2 * maxConversations) trim()
    },
    value: (): BoundedList<ConversationDetail> => {
      trim()
      return { total, shown: kept.map(({ weight: _, ...detail }) => detail) }
    }
  }
  function trim() {
    kept.sort((a, b) => b.weight - a.weight)
    kept.length = Math.min(kept.length, maxConversations)
    least = kept.length < maxConversations ? 0 : (kept.at(-1)?.weight ?? 0)
  }
}

/** Selects at most `maxCalls` calls, and keeps their order. Calls with a finding take precedence. */
const selected = (calls: ReadonlyArray<ReplayedCall>): ReadonlyArray<ReplayedCall> => {
  if (calls.length <= maxCalls) return calls
  const [fine, findings] = [calls.filter(isFine), calls.filter((call) => !isFine(call))]
  const shown = findings.slice(0, maxCalls)
  return [...shown, ...fine.slice(0, maxCalls - shown.length)].sort((a, b) => a.number - b.number)
}

const isFine = ({ loggedEnd, tally }: ReplayedCall): boolean =>
  loggedEnd?._tag !== "Failure" && tally.saving === undefined && tally.refusal === undefined

const detailOf = (call: ReplayedCall, redact: (text: string) => string): CallDetail => {
  const shown = (text: string) => cut(redact(beginning(text, 4 * maxLength)), maxLength)
  const { arguments: args, answer, contradiction, number, round, tool, turn } = call
  return {
    call: number,
    turn,
    round,
    tool,
    arguments: shown(typeof args === "string" ? args : (JSON.stringify(args) ?? "")),
    verdict: statusOf(call),
    detail: shown(reasonOf(call)),
    answer: shown(answer?.text ?? ""),
    isSuspect: contradiction !== undefined
  }
}

/** Describes the guard's decision about a call in a few words. */
export const statusOf = ({ loggedEnd, record, tally }: ReplayedCall): string => {
  if (tally.saving === "loop" || tally.saving === "budget") return "stopped"
  if (tally.saving !== undefined) return "answered from memory"
  if (tally.refusal !== undefined) return "refused"
  if (record.outcome._tag === "Success") return loggedEnd === undefined ? "no answer" : "ran"
  if (tally.declared !== undefined) return "refused by the tool"
  return record.outcome.failure._tag === "PartialData" ? "ran, in part" : "failed"
}

/** Returns the class, the code and the detail of the failure. Empty for a success. */
export const reasonOf = ({ loggedEnd, record }: ReplayedCall): string => {
  if (record.outcome._tag === "Failure") {
    const { _tag, code, detail } = record.outcome.failure
    return `${_tag} ${code}: ${detail}`
  }
  return loggedEnd?._tag === "Failure" ? `${loggedEnd.class} ${loggedEnd.code}: ${loggedEnd.detail}` : ""
}
