/**
 * Gives each call an id that is unique in its conversation [9.1].
 *
 * Some servers send empty ids, or start from `call_0` in every reply. Such ids are replaced before any call runs, so
 * that results refer to the new ids.
 */
import type * as Prompt from "effect/ai/Prompt"
import type { Change } from "./Change.ts"

/** Returns the first `call_N` that is not in `taken`. N starts at the number of taken ids plus one. */
export const next = (taken: ReadonlySet<string>): string => {
  let n = taken.size + 1
  while (taken.has(`call_${n}`)) n++
  return `call_${n}`
}

/** Returns the ids of all calls in a prompt, or in its messages from index `from`. */
export const callIds = ({ content }: Prompt.Prompt, from = 0): ReadonlySet<string> => {
  const ids = new Set<string>()
  for (const message of content.slice(from)) {
    if (message.role !== "assistant") continue
    for (const part of message.content) if (part.type === "tool-call") ids.add(part.id)
  }
  return ids
}

/** The fields of a part that `freshIds` needs. */
interface Part {
  readonly type: string
}

interface CallPart extends Part {
  readonly id: string
}

const isCall = (part: Part): part is CallPart =>
  part.type === "tool-call" && !("providerExecuted" in part && part.providerExecuted === true)

/**
 * Replaces the empty and repeated call ids of a model's reply. Run this function before the calls run.
 *
 * **Details**
 *
 * `seen` contains the ids of the conversation so far (`callIds(prompt)`). Returns the same array if no id changes.
 * Calls that the provider ran itself keep their ids.
 *
 * **Gotchas**
 *
 * Use this function on complete replies. It does not change the ids of streamed `tool-params-*` parts.
 */
export const freshIds = <P extends Part>(
  parts: ReadonlyArray<P>,
  seen: ReadonlySet<string>
): { readonly parts: ReadonlyArray<P>; readonly changes: ReadonlyArray<Change> } => {
  const calls = parts.flatMap((part) => (isCall(part) ? [part.id] : []))
  const isFresh = (id: string) => id !== "" && !seen.has(id)
  if (calls.every(isFresh) && new Set(calls).size === calls.length) return { parts, changes: [] }
  const used = new Set(seen)
  const taken = new Set(seen)
  for (const part of parts) if (isCall(part) && part.id !== "") taken.add(part.id)
  const changes: Array<Change> = []
  const fresh = parts.map((part, index) => {
    if (!isCall(part)) return part
    if (part.id !== "" && !used.has(part.id)) {
      used.add(part.id)
      return part
    }
    const id = next(taken)
    taken.add(id)
    changes.push({ _tag: "CallIdReplaced", message: index, callId: id, was: part.id })
    return { ...part, id }
  })
  return { parts: fresh, changes }
}
