/**
 * [8.1, 8.2] Determines the idempotency key of the action. If the key is known, replays the outcome, joins the running
 * call, or refuses.
 */
import type { Outcome } from "#domain/call/Outcome"
import { ownerValues } from "#domain/turn/Turn"
import * as TurnHistory from "#domain/turn/TurnHistory"
import { Digest } from "#services/Digest"
import {
  type Claim,
  IdempotencyKeys,
  type IdempotencyKeysUnavailable,
  type KeyClaim,
  type KeyState,
  longestClaim
} from "#services/IdempotencyKeys"
import { TurnMemory } from "#services/TurnMemory"
import { unguessableId } from "#services/Unguessable"
import * as CallKey from "#domain/call/CallKey"
import * as CallMap from "#domain/turn/CallMap"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import { refuse, undetermined } from "#pipeline/call/Refusal"
import type { Next, Stage } from "#pipeline/call/Stage"
import * as StoredOutcome from "#pipeline/record/StoredOutcome"

export const idempotency: Stage<IdempotencyKeys | Digest | TurnMemory> = {
  name: "idempotency",
  question: "was the action already done under this key",
  make: Effect.gen(function* () {
    const keys = yield* IdempotencyKeys
    const memory = yield* TurnMemory
    const { sha256 } = yield* Digest
    const process = yield* unguessableId
    return (tool) => (next) => {
      const { definition } = tool
      if (definition.access === "read") return next
      const derive = (call: Call.Call, action: string): string => {
        const owner = call.turn ?? { tenant: "default", conversation: process, turn: call.traceId }
        return `idem_${sha256(JSON.stringify([...ownerValues(owner), tool.scope, action])).slice(0, 32)}`
      }
      const withKey = ({ key, isSecond }: ActionKey, call: Call.Call): Effect.Effect<Outcome> => {
        const keyed: Call.Call = { ...call, idempotencyKey: key }
        call.trace.idempotencyKey = key
        return Effect.matchEffect(keys.find(claimOf(keyed)), {
          onSuccess: (found) => {
            if (found?._tag !== "Lapsed") call.trace.mayHaveRun = false
            const open = call.mayReopen ? openIn(call, found) : undefined
            if (open !== undefined) return reopened(keyed, open, next)
            return found === undefined
              ? call.purpose === "completion"
                ? notStarted(call)
                : next(isSecond ? { ...keyed, confirm: "The same action was made before under another key." } : keyed)
              : found._tag === "Lapsed"
                ? startedBefore(keyed, next)
                : isSettled(keyed, found)
                  ? // a person found that the action was not done, but another identical call may have claimed the key since
                    Effect.matchEffect(keys.release(claimOf(keyed), found.outcome), {
                      onSuccess: () => next(keyed),
                      onFailure: (error) => unavailable(keyed, error)
                    })
                  : known(keyed, found)
          },
          onFailure: (error) => unavailable(keyed, error)
        })
      }
      /** Returns the derived key. If repeats of the write are allowed, each call is a new action [4.7]. */
      const derived = (call: Call.Call): string =>
        derive(call, definition.repeats === "allowed" ? JSON.stringify([actionOf(call), call.callId]) : actionOf(call))
      return (call) => {
        if (call.hasEmptyKey) return Effect.succeed(emptyKey(call))
        if (definition.idempotency.mode === "none") {
          // nothing is replayed, but a resumed run must know whether this call was started
          return call.journal !== undefined
            ? withKey({ key: derive(call, JSON.stringify(["call", call.callId])), isSecond: false }, call)
            : next(call)
        }
        const modelKey = call.idempotencyKey
        if (call.turn === undefined || definition.idempotency.mode !== "key") {
          return withKey({ key: modelKey === "" ? derived(call) : modelKey, isSecond: false }, call)
        }
        if (modelKey === "" && definition.repeats === "allowed")
          return withKey({ key: derived(call), isSecond: false }, call)
        return Effect.flatMap(
          memory.modifyTurn(call.turn, (history) => keyFor(history, call.key(), modelKey, () => derived(call))),
          (actionKey) => withKey(actionKey, call)
        )
      }
    }
  })
}

/** Continues with an action that an earlier process has started and not completed. */
const startedBefore = (call: Call.Call, next: Next): Effect.Effect<Outcome> => {
  call.trace.mayHaveRun = true
  return next({ ...call, wasStarted: true })
}

/** True if the key holds the outcome that a person has settled as not done. */
const isSettled = (call: Call.Call, found: KeyState): found is Extract<KeyState, { readonly _tag: "Done" }> => {
  if (found._tag !== "Done" || call.settled === undefined) return false
  const outcome = StoredOutcome.read(call, found.outcome)
  return outcome._tag === "Failure" && outcome.failure.traceId === call.settled.traceId
}

/** Returns the stored outcome of a key whose action is open; undefined if it is not. */
const openIn = (call: Call.Call, found: KeyState | undefined): string | undefined => {
  if (found?._tag !== "Done") return undefined
  const outcome = StoredOutcome.read(call, found.outcome)
  return outcome._tag === "Failure" && outcome.isOpen === true ? found.outcome : undefined
}

/** Repeats an open action. Its first call was approved. */
const reopened = (call: Call.Call, outcome: string, next: Next): Effect.Effect<Outcome> => {
  call.trace.mayHaveRun = true
  return next({ ...call, wasStarted: true, reopened: outcome })
}

/** Refuses an empty key. It would count as no key, and each repetition of the call would be a new action. */
const emptyKey = (call: Call.Call): Outcome => {
  Call.decide(call, "idempotency", "refused", "the host gave an empty idempotency key")
  return refuse(call, "misconfigured", {
    detail: `The host gave ${call.name} an empty \`idempotencyKey\`: give the key of the action, or leave the field out.`
  })
}

const notStarted = (call: Call.Call): Effect.Effect<Outcome> => {
  Call.decide(call, "idempotency", "refused", "the crashed process had not started it")
  return Effect.succeed(refuse(call, "interrupted", { detail: `${call.name} was not started.` }))
}

/** The key of an action. `isSecond` is true if the turn has seen the same arguments under another key. */
interface ActionKey {
  readonly key: string
  readonly isSecond: boolean
}

/**
 * Returns the key of a call. If the model sent no key, it is the first key that these arguments had in this turn. Any
 * other key counts as a second key, however often it is sent, because repeating a call does not confirm it.
 */
const keyFor = (
  history: TurnHistory.TurnHistory,
  call: string,
  modelKey: string,
  derive: () => string
): readonly [ActionKey, TurnHistory.TurnHistory] => {
  const before = CallMap.get(history.keys, call)
  const key = modelKey === "" ? (before ?? derive()) : modelKey
  return [{ key, isSecond: before !== undefined && before !== key }, TurnHistory.keyed(history, call, key)]
}

/**
 * Returns the text that identifies an action: the tool and its arguments, or only the arguments that
 * `idempotency.fields` names.
 */
export const actionOf = (call: Call.Call): string => {
  const { idempotency } = call.tool.definition
  if (idempotency.fields === undefined) return call.key()
  const args = call.tool.contract.encode(call.arguments)
  const entries = typeof args === "object" && args !== null ? Object.entries(args) : []
  return CallKey.of(
    call.tool.scope,
    Object.fromEntries(entries.filter(([field]) => idempotency.fields?.includes(field)))
  )
}

/** Returns the action of a call, as the store of keys identifies it. */
export const claimOf = (call: Call.Call): KeyClaim => {
  const { attemptMillis, deadlineMillis, idempotency } = call.tool.definition
  const { conversation, turn } = call.turn ?? { conversation: call.traceId, turn: "" }
  return {
    tenant: call.turn?.tenant ?? "default",
    principal: call.turn?.principal,
    key: call.idempotencyKey,
    binding: actionOf(call),
    timeToLive:
      call.journal !== undefined ? Duration.max(idempotency.timeToLive, journalLifetime) : idempotency.timeToLive,
    lease: Duration.sum(longestClaim, Duration.millis(deadlineMillis + attemptMillis)),
    callId: JSON.stringify([conversation, turn, call.callId]),
    isResumed: call.journal === "resumed"
  }
}

/** How long a run may be resumed. Until then, the run must be able to learn what its calls did. */
const journalLifetime = Duration.days(30)

/** Answers a call whose key is in the store. */
export const known = (
  call: Call.Call,
  found: Exclude<Claim, { readonly _tag: "Claimed" | "NotApproved" }>
): Effect.Effect<Outcome> => {
  switch (found._tag) {
    case "Done": {
      const outcome = StoredOutcome.read(call, found.outcome)
      if (call.journal === "resumed" && found.callId === claimOf(call).callId) {
        Call.decide(call, "idempotency", "resumed", "this call was completed before its process crashed")
        call.trace.wasDoneBefore = true
        return Effect.succeed(outcome)
      }
      Call.decide(call, "idempotency", "replayed", "the action was already done under this key")
      return Effect.succeed(replay(outcome))
    }
    case "InFlight":
      if (found.outcome === undefined) {
        Call.decide(call, "idempotency", "refused", "the action is running under this key in another process")
        return Effect.succeed(refuse(call, "in_progress", { detail: "The same action is running in another process." }))
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

/** Returns the outcome of the joined call. A failure is new to the model, so it is not marked as recalled. */
const joined = (outcome: Outcome): Outcome => (outcome._tag === "Success" ? replay(outcome) : outcome)

/** Refuses a call whose key cannot be claimed. If an earlier process may have done the action, its effect is unknown. */
export const unavailable = (call: Call.Call, cause: IdempotencyKeysUnavailable): Effect.Effect<Outcome> => {
  const reason = cause.detail === undefined ? "the store of keys does not respond" : "the store of keys is full"
  Call.decide(call, "idempotency", "refused", reason)
  const detail = cause.detail ?? "The store of idempotency keys does not respond."
  return Effect.succeed(
    call.trace.mayHaveRun ? undetermined(call, detail) : refuse(call, "store_unavailable", { detail, cause })
  )
}
