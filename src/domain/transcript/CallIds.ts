/**
 * Ids of calls: each call needs one that no other call of the conversation has (SPEC 9.1).
 *
 * Some servers send empty ids, or start from `call_0` in every answer. Such ids are replaced before anything runs, in
 * the call and in whatever refers to it.
 */
import type * as Prompt from "effect/ai/Prompt"
import type { Change } from "./Change.ts"

/** The smallest `call_N` that is not taken. N starts past the number of ids taken. */
export const next = (taken: ReadonlySet<string>): string => {
  let n = taken.size + 1
  while (taken.has(`call_${n}`)) n++
  return `call_${n}`
}

/** The ids of all calls in a prompt, or in its messages from an index on. */
export const callIds = ({ content }: Prompt.Prompt, from = 0): ReadonlySet<string> => {
  const ids = new Set<string>()
  for (const message of from === 0 ? content : content.slice(from)) {
    if (message.role !== "assistant") continue
    for (const part of message.content) if (part.type === "tool-call") ids.add(part.id)
  }
  return ids
}

/** What `freshIds` reads of a part. */
interface Part {
  readonly type: string
}

interface CallPart extends Part {
  readonly id: string
}

const isCall = (part: Part): part is CallPart =>
  part.type === "tool-call" && !("providerExecuted" in part && part.providerExecuted === true)

/**
 * Replaces the empty and repeated call ids of an answer before anything runs.
 *
 * **Details**
 *
 * `seen` holds the ids of the conversation so far (`callIds(prompt)`). Where nothing is to be replaced the same array
 * comes back. Calls that the provider ran itself keep their ids.
 *
 * **Gotchas**
 *
 * For whole answers: streamed `tool-params-*` parts also carry the id and are left alone.
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
    used.add(id)
    changes.push({ _tag: "CallIdReplaced", message: index, callId: id, was: part.id })
    return { ...part, id }
  })
  return changes.length === 0 ? { parts, changes } : { parts: fresh, changes }
}
