/** [8.1, 8.2] Gives the action its key, and answers what was done already: replays it, joins it, or refuses the key. */
import type { Outcome } from "#domain/call/Outcome"
import * as TurnHistory from "#domain/turn/TurnHistory"
import { Digest } from "#services/Digest"
import { type Claim, IdempotencyKeys, type KeyClaim, longestClaim } from "#services/IdempotencyKeys"
import { TurnMemory } from "#services/TurnMemory"
import * as CallKey from "#domain/call/CallKey"
import * as Recent from "#domain/turn/Recent"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import { refuse } from "#pipeline/call/Refusal"
import type { Stage } from "#pipeline/call/Stage"
import * as StoredOutcome from "#pipeline/record/StoredOutcome"

export const idempotency: Stage<IdempotencyKeys | Digest | TurnMemory> = {
  name: "idempotency",
  make: Effect.gen(function* () {
    const keys = yield* IdempotencyKeys
    const memory = yield* TurnMemory
    const { sha256 } = yield* Digest
    return (tool) => (next) => {
      const { definition } = tool
      if (definition.access === "read") return next
      const derive = (call: Call.Call, action: string): string => {
        const { conversation, tenant, turn } = call.turn ?? { tenant: "default", conversation: call.traceId, turn: "" }
        return `idem_${sha256(JSON.stringify([tenant, conversation, turn, definition.name, action])).slice(0, 32)}`
      }
      const naming = ({ key, isSecond }: Named, call: Call.Call): Effect.Effect<Outcome> => {
        const keyed: Call.Call = { ...call, idempotencyKey: key }
        call.trace.idempotencyKey = key
        return Effect.matchEffect(keys.find(claimOf(keyed)), {
          onSuccess: (found) =>
            found === undefined
              ? call.purpose === "completion"
                ? notBegun(call)
                : next(isSecond ? { ...keyed, confirm: "The same action was made before under another key." } : keyed)
              : found._tag === "Lapsed"
                ? next({ ...keyed, wasStarted: true })
                : known(keyed, found),
          onFailure: (error) => unavailable(keyed, error)
        })
      }
      return (call) => {
        if (definition.idempotency.mode === "none") {
          // nothing is replayed, but a run that is resumed must know what this very call began
          return call.journal !== undefined
            ? naming({ key: derive(call, JSON.stringify(["call", call.callId])), isSecond: false }, call)
            : next(call)
        }
        const given = call.idempotencyKey
        if (call.turn === undefined || definition.idempotency.mode !== "key") {
          return naming({ key: given === "" ? derive(call, actionOf(call)) : given, isSecond: false }, call)
        }
        return Effect.flatMap(
          memory.modifyTurn(call.turn, (history) =>
            named(history, call.key(), given, () => derive(call, actionOf(call)))
          ),
          (named) => naming(named, call)
        )
      }
    }
  })
}

const notBegun = (call: Call.Call): Effect.Effect<Outcome> => {
  Call.decide(call, "idempotency", "refused", "it was not begun by the process that died")
  return Effect.succeed(refuse(call, "interrupted", { detail: `${call.name} was not begun.` }))
}

/** The key of an action. `isSecond`: this turn saw the same arguments under another one. */
interface Named {
  readonly key: string
  readonly isSecond: boolean
}

/**
 * A call without a key of the model's goes by the one that its arguments had first in this turn. Any other key stays a
 * second one, however often it comes: asking again does not make it agreed.
 */
const named = (
  history: TurnHistory.TurnHistory,
  call: string,
  given: string,
  derive: () => string
): readonly [Named, TurnHistory.TurnHistory] => {
  const before = Recent.get(history.keys, call)
  const key = given === "" ? (before ?? derive()) : given
  return [{ key, isSecond: before !== undefined && before !== key }, TurnHistory.keyed(history, call, key)]
}

/** What makes the action what it is: the tool and its arguments, or those of them that the tool declares. */
const actionOf = (call: Call.Call): string => {
  const { idempotency, name } = call.tool.definition
  if (idempotency.fields === undefined) return call.key()
  const args = call.tool.contract.encode(call.arguments)
  const entries = typeof args === "object" && args !== null ? Object.entries(args) : []
  return CallKey.of(name, Object.fromEntries(entries.filter(([field]) => idempotency.fields?.includes(field))))
}

/** The action that a call stands for, as the store knows it. */
export const claimOf = (call: Call.Call): KeyClaim => {
  const { attemptMillis, deadlineMillis, idempotency } = call.tool.definition
  const { conversation, turn } = call.turn ?? { conversation: call.traceId, turn: "" }
  return {
    tenant: call.turn?.tenant ?? "default",
    key: call.idempotencyKey,
    binding: actionOf(call),
    timeToLive: call.journal !== undefined ? Duration.max(idempotency.timeToLive, journaled) : idempotency.timeToLive,
    lease: Duration.sum(longestClaim, Duration.millis(deadlineMillis + attemptMillis)),
    callId: JSON.stringify([conversation, turn, call.callId]),
    isResumed: call.journal === "resumed"
  }
}

/** A run may be resumed for that long, and must then know what its calls did. */
const journaled = Duration.days(30)

/** Answers a call whose key the store knows. */
export const known = (
  call: Call.Call,
  found: Exclude<Claim, { readonly _tag: "Claimed" | "NotApproved" }>
): Effect.Effect<Outcome> => {
  switch (found._tag) {
    case "Done": {
      const outcome = StoredOutcome.read(call, found.outcome)
      if (call.journal === "resumed" && found.callId === claimOf(call).callId) {
        Call.decide(call, "idempotency", "resumed", "this very call was done before its process died")
        return Effect.succeed(outcome)
      }
      Call.decide(call, "idempotency", "replayed", "the action was done before under this key")
      return Effect.succeed(replay(outcome))
    }
    case "InFlight":
      if (found.outcome === undefined) {
        Call.decide(call, "idempotency", "refused", "the action is running under this key in another process")
        return Effect.succeed(refuse(call, "in_progress", { detail: "The same action is running elsewhere." }))
      }
      Call.decide(call, "idempotency", "joined", "the action is running under this key")
      return Effect.map(found.outcome, (text) => joined(StoredOutcome.read(call, text)))
    case "Conflict":
      Call.decide(call, "idempotency", "refused", "the key was used with other arguments")
      return Effect.succeed(
        refuse(call, "key_conflict", { detail: "This idempotency key was used before with other arguments." })
      )
  }
}

const replay = (outcome: Outcome): Outcome =>
  outcome._tag === "Success" ? { ...outcome, idempotent: true } : { ...outcome, recalled: true }

/** What the call that is joined comes to. Its failure is news, and nothing that a repeat was told of before. */
const joined = (outcome: Outcome): Outcome => (outcome._tag === "Success" ? replay(outcome) : outcome)

/** A keyed call is not made where its key cannot be claimed. */
export const unavailable = (call: Call.Call, cause: unknown): Effect.Effect<Outcome> => {
  Call.decide(call, "idempotency", "refused", "the store of the keys does not answer")
  return Effect.succeed(
    refuse(call, "store_unavailable", { detail: "The store of the idempotency keys does not answer.", cause })
  )
}
