/**
 * Lets a client's user approve calls: by elicitation if the client supports it, otherwise by the wrapped escalation.
 *
 * **Details**
 *
 * - Accepting with `approve` approves the call. Accepting with only an `answer` sends the model these words instead of
 *   a result. Accepting with neither of them denies the call, and so does declining. Dismissing leaves the request
 *   undecided.
 * - A client without sessions gets a result that requires input, and repeats its call with the answer. The answer is
 *   valid once, within one hour, and only for the call that the question was about.
 *
 * **Gotchas**
 *
 * The client answers for its user: a client that answers automatically approves automatically.
 */
import { tenantOf } from "#domain/approval/ApprovalRequest"
import { answerIn, longestAnswer } from "#domain/approval/PersonAnswer"
import { linesOf, questionOf } from "#domain/approval/ShownCall"
import { oldestOfLargest } from "#domain/turn/FairEviction"
import { ownerValues } from "#domain/turn/Turn"
import { Escalation, type EscalationAnswer, type EscalationRequest } from "#services/Escalation"
import { RequestObserver } from "#services/RequestObserver"
import { unguessableId } from "#services/Unguessable"
import * as McpSchema from "effect/ai/McpSchema"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/** Asks the user of the current call's client. Returns undefined if the client cannot ask. */
type Ask = (request: EscalationRequest) => Effect.Effect<EscalationAnswer | undefined>

/** How the client of the current call asks its user. The server sets it for each call. */
const Asking = Context.Reference<Ask | undefined>("effect-toolguard/mcp/Asking", { defaultValue: () => undefined })

/** Notifies the observer that the client's user is asked, without a stored request. */
const notifyObserver = Effect.map(RequestObserver, (observe) => observe?.(undefined))

/** Asks the client's user. If the client cannot ask, delegates to the wrapped escalation. */
export const layer: Layer.Layer<Escalation, never, Escalation> = Layer.effect(
  Escalation,
  Effect.map(Escalation, (inner) => ({
    ...inner,
    waits: true,
    ask: (request) =>
      Effect.flatMap(Asking, (ask) =>
        ask === undefined
          ? inner.ask(request)
          : Effect.flatMap(Effect.andThen(notifyObserver, ask(request)), (answer) =>
              answer === undefined ? inner.ask(request) : Effect.succeed(answer)
            )
      )
  }))
)

/** The maximum wait for the user. */
const expiry = Duration.hours(1)

const canElicit = ({ clientCapabilities, protocolVersion }: McpSchema.McpRequestContext["Service"]): boolean => {
  const { elicitation } = clientCapabilities
  if (elicitation === undefined || protocolVersion < "2025-06-18") return false
  return elicitation.form !== undefined || elicitation.url === undefined
}

const messageOf = (request: EscalationRequest): string => [questionOf(request), ...linesOf(request)].join("\n")

const requestedSchema = {
  type: "object" as const,
  properties: {
    approve: { type: "boolean" as const, title: "Approve", description: "Whether the call may run." },
    answer: {
      type: "string" as const,
      title: "Answer instead",
      description: "What the model should do instead, in your words. Leave it empty if you approve.",
      maxLength: longestAnswer
    }
  },
  required: ["approve"]
}

const decided = (
  by: string,
  response: { readonly action?: unknown; readonly content?: unknown }
): EscalationAnswer | undefined => {
  const { action, content } = response
  if (action === "cancel") return { _tag: "Expired" }
  if (action === "decline") return { _tag: "Denied", by, reason: "" }
  if (action !== "accept") return undefined
  // the client chose the content: only `approve: true` approves, whatever its shape
  const form = content as { readonly answer?: unknown; readonly approve?: unknown } | undefined
  if (form?.approve === true) return { _tag: "Approved", by }
  const text = answerIn(form?.answer)
  return text === "" ? { _tag: "Denied", by, reason: "" } : { _tag: "Answered", by, text }
}

const nameOf = ({ clientInfo }: McpSchema.McpRequestContext["Service"]): string =>
  `the user of ${clientInfo?.name ?? "the client"}`

/** Open questions to clients without sessions, by the request state that a client sends back. */
interface Questions {
  /** Opens a question to an owner, which is the text of a tenant and a principal. */
  readonly open: (binding: string, owner: string) => Effect.Effect<string>
  /**
   * Ends a question of an owner. Returns true if it was open and has this binding. The question of another owner stays
   * open.
   */
  readonly take: (state: string, binding: string, owner: string) => Effect.Effect<boolean>
}

/**
 * The maximum number of open questions. Beyond it, the oldest question of the owner with the most questions is dropped.
 */
const maxOpen = 10_000

interface Question {
  readonly state: string
  readonly owner: string
  readonly binding: string
  readonly untilMillis: number
}

const choice = { ownerOf: ({ owner }: Question) => owner, mayForget: () => true }

export const questions = (): Questions => {
  const open = new Map<string, Question>()
  return {
    open: (binding, owner) =>
      Effect.gen(function* () {
        const state = yield* unguessableId
        const now = yield* Clock.currentTimeMillis
        open.set(state, { state, owner, binding, untilMillis: now + Duration.toMillis(expiry) })
        const dropped = open.size > maxOpen ? oldestOfLargest(open.values(), choice) : undefined
        if (dropped !== undefined) open.delete(dropped.state)
        return state
      }),
    take: (state, binding, owner) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const found = open.get(state)
        if (found?.owner !== owner) return false
        open.delete(state)
        return found.binding === binding && found.untilMillis > now
      })
  }
}

const ownerOf = ({ turn }: EscalationRequest): string =>
  JSON.stringify(ownerValues({ tenant: tenantOf({ turn }), principal: turn?.principal }))

/** The name of the input in which a client without sessions answers. */
const inputName = "approval"

/**
 * Runs a call whose approvals may be decided by the client's user. For a client without a session, the result may be
 * the question instead of the answer.
 */
export const asking = <A, E, R>(
  pending: Questions,
  request: McpSchema.McpRequestContext["Service"],
  call: Effect.Effect<A, E, R>
): Effect.Effect<A | McpSchema.InputRequired, E, R> => {
  if (!canElicit(request)) return call
  const by = nameOf(request)
  return Effect.gen(function* () {
    const client = yield* Effect.serviceOption(McpSchema.McpServerClient)
    if (Option.isSome(client)) return yield* Effect.provideService(call, Asking, inSession(client.value, by))
    let question: McpSchema.InputRequired | undefined
    const ask: Ask = (escalation) =>
      Effect.gen(function* () {
        const answer = request.inputResponses?.[inputName]
        const state = request.requestState
        const isAnswered =
          answer !== undefined &&
          state !== undefined &&
          (yield* pending.take(state, escalation.binding, ownerOf(escalation)))
        if (isAnswered) return decided(by, answer)
        const params = { mode: "form", message: messageOf(escalation), requestedSchema }
        question = new McpSchema.InputRequired({
          inputRequests: { [inputName]: { method: "elicitation/create", params } },
          requestState: yield* pending.open(escalation.binding, ownerOf(escalation))
        })
        return { _tag: "Pending", approvalUrl: undefined }
      })
    const answer = yield* Effect.provideService(call, Asking, ask)
    return question ?? answer
  })
}

const inSession =
  ({ getClient }: McpSchema.McpServerClient["Service"], by: string): Ask =>
  (escalation) =>
    Effect.flatMap(getClient, (client) =>
      client.elicit(
        new McpSchema.ElicitRequestFormParams({ mode: "form", message: messageOf(escalation), requestedSchema })
      )
    ).pipe(
      Effect.scoped,
      Effect.map((response) => decided(by, response)),
      Effect.timeoutOrElse({
        duration: expiry,
        orElse: () => Effect.succeed<EscalationAnswer | undefined>({ _tag: "Expired" })
      }),
      // the client refuses to ask, or has disconnected: the wrapped escalation decides
      Effect.catch((error) => Effect.as(Effect.logDebug("The client's user could not be asked", error), undefined))
    )
