/**
 * Reads the chunks of a streamed answer.
 *
 * - Calls are streamed as they grow (`tool-params-*`). At the end, the complete calls are emitted, in the order in
 *   which they started.
 * - An answer is complete when the server has sent a finish reason.
 * - Without a finish reason, calls count as complete only if all their arguments are complete.
 */
import type * as Response from "effect/ai/Response"
import * as Result from "effect/Result"
import * as Fields from "#domain/json/Fields"
import * as Failures from "#layers/internal/model/Failures"
import type { StreamReader } from "#layers/internal/model/Protocol"
import * as CallDeltas from "./CallDeltas.ts"
import { contentText, finish, finishReason, metadata, reasoningText } from "./Response.ts"

type Parts = ReadonlyArray<Response.StreamPartEncoded>

/** Characters counted for each delta in addition to its text, so that many small deltas reach the limit too. */
const deltaSize = 48

/** Creates the reader of one answer. `takenIds` are the call ids of the conversation. */
export const readStream = (takenIds: ReadonlySet<string>): StreamReader => {
  const calls = CallDeltas.make(takenIds)
  let reason = ""
  let usage: unknown
  let choiceIndex: unknown
  let hasMetadata = false
  let hasChoice = false
  let block: { readonly kind: "text" | "reasoning"; readonly id: string } | undefined
  let blocks = 0
  let size = 0

  const endBlock = (): Parts => {
    if (block === undefined) return []
    const { id, kind } = block
    block = undefined
    return [{ type: `${kind}-end`, id }]
  }
  const extendBlock = (kind: "text" | "reasoning", delta: string, refusal = false): Parts => {
    if (delta === "") return []
    size += delta.length + deltaSize
    if (block?.kind === kind) return [{ type: `${kind}-delta`, id: block.id, delta }]
    const before = endBlock()
    block = { kind, id: `${kind}-${blocks++}` }
    const start = {
      type: `${kind}-start`,
      id: block.id,
      ...(refusal ? { metadata: { openai: { refusal } } } : {})
    } as const
    return [...before, start, { type: `${kind}-delta`, id: block.id, delta }]
  }

  return {
    read: (chunk) => {
      const choices = Fields.list(chunk["choices"])
      choiceIndex ??= choices[0]?.["index"] ?? undefined
      // if there are several choices (`n`), only the first is read, as in a complete answer
      const choice = choices.find(({ index }) => (index ?? choiceIndex) === choiceIndex) ?? {}
      hasChoice ||= choice["delta"] !== undefined
      const delta = Fields.of(choice["delta"])
      usage = chunk["usage"] ?? usage
      reason = Fields.string(choice["finish_reason"]) || reason
      const first = hasMetadata ? [] : [metadata(chunk)]
      hasMetadata = true
      const deprecated = delta["function_call"] ?? undefined
      const pieces = [
        ...Fields.list(delta["tool_calls"]),
        ...(deprecated === undefined ? [] : [{ index: 0, function: deprecated }])
      ]
      return [
        ...first,
        ...extendBlock("reasoning", reasoningText(delta)),
        ...extendBlock("text", contentText(delta["content"])),
        ...extendBlock("text", Fields.string(delta["refusal"]), true),
        ...(pieces.length === 0 ? [] : [...endBlock(), ...calls.push(pieces)])
      ]
    },
    progress: () => (reason === "" ? "incomplete" : "complete"),
    size: () => size + calls.size(),
    finish: () =>
      hasChoice
        ? Result.succeed([...endBlock(), ...calls.finish(), finish(finishReason(reason, calls.state()), usage)])
        : Result.fail(Failures.broken("the answer has no choice"))
  }
}
