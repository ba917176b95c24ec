/**
 * Asks people through the store of approvals. The inbox and the webhook share this module.
 *
 * **Details**
 *
 * - `ask` opens a request, or joins the request with the same binding, and answers `Pending`. With `wait` it first
 *   waits that long for the decision. It receives decisions in this process immediately, and those in other processes
 *   after at most `interval`.
 * - The approval of a call is returned with `consume`. `ask` itself consumes the approval of any other question, so
 *   that it is valid once.
 * - If the store does not respond within 5 seconds, the answer is `NoPerson`.
 */
import type { ApprovalRequest } from "#domain/approval/ApprovalRequest"
import { Approvals } from "#services/Approvals"
import type { Escalation, EscalationAnswer, EscalationRequest } from "#services/Escalation"
import { RequestObserver } from "#services/RequestObserver"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as PublicUrl from "./PublicUrl.ts"

/** The inbox, and how long a question waits. */
export interface AskingOptions {
  /** The inbox's public address, such as `https://agents.example.com/toolguard`. */
  readonly publicUrl: string
  /** How long a question waits for its decision before it answers `Pending`. Default: it does not wait. */
  readonly wait?: Duration.Input
  /** How long a request stays open, and how long an approval is valid after the decision. Default 24 hours. */
  readonly lifetime?: Duration.Input
  /** How often the store is polled for decisions of other processes. Default 2 seconds. */
  readonly interval?: Duration.Input
}

/** True if a question waits for its decision. */
export const waits = ({ wait = 0 }: AskingOptions): boolean => Duration.toMillis(Duration.fromInputUnsafe(wait)) > 0

/** Limits the wait for the store, even if the caller cannot be interrupted. */
const inTime = <A, E>(step: Effect.Effect<A, E>) => Effect.timeout(Effect.interruptible(step), "5 seconds")

type Ask = (request: EscalationRequest) => Effect.Effect<EscalationAnswer>

/** Returns the URL of a request. It identifies the request and grants nothing. */
export const approvalUrl = (publicUrl: string, id: string): string =>
  `${publicUrl.replace(/\/+$/u, "")}/approvals/${id}`

/** Returns the URL at which a person settles an unknown outcome. It grants nothing. */
export const outcomeUrl = (publicUrl: string, id: string): string => approvalUrl(publicUrl, `outcomes/${id}`)

/** Creates the function `ask`. `onPending` runs for each pending request, including a joined one. */
export const make = (
  { interval = "2 seconds", lifetime = "24 hours", publicUrl, wait = 0 }: AskingOptions,
  onPending: (request: ApprovalRequest, isNew: boolean) => Effect.Effect<void>
): Effect.Effect<Ask, never, Approvals> =>
  Effect.map(Effect.tap(Approvals, PublicUrl.checked(publicUrl)), (approvals) => {
    const longest = Duration.toMillis(Duration.fromInputUnsafe(wait))
    const every = Duration.toMillis(Duration.fromInputUnsafe(interval))

    /** Waits, and returns the request as decided or expired, or as still pending after the wait. */
    const waitFor = (request: ApprovalRequest) =>
      Effect.scoped(
        Effect.gen(function* () {
          const until = (yield* Clock.currentTimeMillis) + longest
          const changes = yield* approvals.changes
          let last = request
          while (true) {
            // ignores a failure: the store is polled again
            last = (yield* Effect.orElseSucceed(inTime(approvals.find(request.id)), () => last)) ?? last
            const now = yield* Clock.currentTimeMillis
            if (last.state !== "pending" || now >= until) return last
            const pause = Math.max(1, Math.min(every, until - now, last.expiresAt - now))
            yield* Effect.race(changeOf(changes, request.id), Effect.sleep(pause))
          }
        })
      )

    /** Opens or joins the request, and returns it after the wait. */
    const findOrOpen = Effect.fnUntraced(function* (request: EscalationRequest) {
      const opening = { ...request, lifetime: Duration.fromInputUnsafe(lifetime) }
      const { isNew, request: it } = yield* inTime(approvals.open(opening))
      const observe = yield* RequestObserver
      observe?.({ requestId: it.id, approvalUrl: approvalUrl(publicUrl, it.id) })
      if (it.state !== "pending") return it
      yield* onPending(it, isNew)
      return longest > 0 ? yield* waitFor(it) : it
    })

    const answer = (request: EscalationRequest): Effect.Effect<EscalationAnswer, unknown> =>
      Effect.flatMap(findOrOpen(request), (it): Effect.Effect<EscalationAnswer, unknown> => {
        const consume = inTime(approvals.consume(it.id, it.binding))
        const by = it.decision?.by ?? ""
        const revealed = it.reveals === undefined ? {} : { isRevealed: true }
        switch (it.state) {
          case "pending":
            return Effect.succeed({ _tag: "Pending", approvalUrl: approvalUrl(publicUrl, it.id) })
          case "approved":
            if (request.reason === "approval") {
              return Effect.succeed({
                _tag: "Approved",
                by,
                ...revealed,
                consume: Effect.orElseSucceed(consume, () => false)
              })
            }
            return Effect.flatMap(consume, (isTaken) =>
              isTaken ? Effect.succeed<EscalationAnswer>({ _tag: "Approved", by }) : answer(request)
            )
          case "used": // an identical call has used the approval: this call opens a new request
          case "withdrawn": // this call had joined the request of another run, which has ended
            return answer(request)
          case "denied":
            return Effect.as(Effect.ignore(inTime(approvals.tell(it.id))), {
              ...(it.decision?.verdict === "answer"
                ? { _tag: "Answered", by, text: it.decision.reason }
                : { _tag: "Denied", by, reason: it.decision?.reason ?? "" }),
              ...revealed
            })
          case "expired":
            return Effect.as(Effect.ignore(inTime(approvals.tell(it.id))), { _tag: "Expired" })
        }
      })

    return (request) =>
      Effect.catch(answer(request), (error) =>
        Effect.as(Effect.logError("The store of approvals does not respond: no person can be asked.", error), {
          _tag: "NoPerson"
        } as const)
      )
  })

/** Withdraws the pending requests of a turn. A failure is only logged, because the requests expire anyway. */
export const withdrawal =
  (approvals: Approvals["Service"]): NonNullable<Escalation["Service"]["withdraw"]> =>
  (turn) =>
    Effect.catchCause(Effect.asVoid(inTime(approvals.withdraw(turn))), (cause) =>
      Effect.logError("The store of approvals does not respond: requests of an ended run stay pending.", cause)
    )

const changeOf = (changes: PubSub.Subscription<string>, id: string): Effect.Effect<void> =>
  Effect.flatMap(PubSub.take(changes), (changed) => (changed === id ? Effect.void : changeOf(changes, id)))
