/**
 * A client's user as the person who approves: asked by elicitation where the client can, else the escalation beneath is.
 *
 * **Details**
 *
 * - Accepted with `approve` is a yes, accepted without and declined is a no, dismissed is no answer.
 * - A client without sessions is asked by a result that needs input; its call comes again with the answer. The answer counts
 *   once, and for the very call that was asked about.
 *
 * **Gotchas**
 *
 * The client answers for its user: one that answers by itself approves by itself.
 */
import { Escalation, type EscalationAnswer, type EscalationRequest } from "#services/Escalation"
import * as McpSchema from "effect/ai/McpSchema"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"

/** Asks the user of the client whose call runs; undefined where it cannot be asked. */
type Ask = (request: EscalationRequest) => Effect.Effect<EscalationAnswer | undefined>

/** The client whose call runs. Set by the server around each call. */
const Asking = Context.Reference<Ask | undefined>("effect-toolguard/mcp/Asking", { defaultValue: () => undefined })

/** The escalation that asks the client's user first. Put it on top of your own. */
export const layer: Layer.Layer<Escalation, never, Escalation> = Layer.effect(
  Escalation,
  Effect.map(Escalation, (beneath) => ({
    inform: beneath.inform,
    ask: (request) =>
      Effect.flatMap(Asking, (ask) =>
        ask === undefined
          ? beneath.ask(request)
          : Effect.flatMap(ask(request), (answer) =>
              answer === undefined ? beneath.ask(request) : Effect.succeed(answer)
            )
      )
  }))
)

/** Longest wait for the user. */
const expiry = Duration.hours(1)

const canElicit = ({ clientCapabilities, protocolVersion }: McpSchema.McpRequestContext["Service"]): boolean => {
  const { elicitation } = clientCapabilities
  if (elicitation === undefined || protocolVersion < "2025-06-18") return false
  return elicitation.form !== undefined || elicitation.url === undefined
}

/** Most characters of the arguments that are shown. */
const longest = 1500

const messageOf = ({ arguments: args, sentence, tool }: EscalationRequest): string => {
  const shown = JSON.stringify(args) ?? "nothing"
  const cut = shown.length > longest ? `${shown.slice(0, longest)}… (${shown.length} characters)` : shown
  return `${sentence}\n${tool} ${cut}`
}

const requestedSchema = {
  type: "object" as const,
  properties: {
    approve: { type: "boolean" as const, title: "Approve", description: "Whether the call may run." }
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
  const isApproved = (content as { readonly approve?: unknown } | undefined)?.approve === true
  return isApproved ? { _tag: "Approved", by } : { _tag: "Denied", by, reason: "" }
}

const nameOf = ({ clientInfo }: McpSchema.McpRequestContext["Service"]): string =>
  `the user of ${clientInfo?.name ?? "the client"}`

/** Questions to clients without sessions, by the state that they send back. */
export interface Questions {
  readonly open: (binding: string) => Effect.Effect<string>
  /** Takes a question; true where it was about this binding. */
  readonly take: (state: string, binding: string) => Effect.Effect<boolean>
}

/** Most questions that wait; the oldest gives way. */
const mostOpen = 10_000

export const questions = (): Questions => {
  const open = new Map<string, { readonly binding: string; readonly untilMillis: number }>()
  return {
    open: (binding) =>
      Effect.gen(function* () {
        const words = yield* Effect.all([Random.nextInt, Random.nextInt, Random.nextInt])
        const state = words.map((word) => Math.abs(word).toString(36)).join("-")
        const now = yield* Clock.currentTimeMillis
        const [oldest] = open.keys()
        if (open.size >= mostOpen && oldest !== undefined) open.delete(oldest)
        open.set(state, { binding, untilMillis: now + Duration.toMillis(expiry) })
        return state
      }),
    take: (state, binding) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const found = open.get(state)
        open.delete(state)
        return found !== undefined && found.binding === binding && found.untilMillis > now
      })
  }
}

/** Under which name the answer of a client without sessions comes. */
const inputName = "approval"

/**
 * Runs a call whose approvals the client's user may be asked for. Where the client has no session the result may be the
 * question instead of the answer.
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
    const ask: Ask = (asked) =>
      Effect.gen(function* () {
        const answer = request.inputResponses?.[inputName]
        const state = request.requestState
        const isAnswered = answer !== undefined && state !== undefined && (yield* pending.take(state, asked.binding))
        if (isAnswered) return decided(by, answer)
        const params = { mode: "form", message: messageOf(asked), requestedSchema }
        question = new McpSchema.InputRequired({
          inputRequests: { [inputName]: { method: "elicitation/create", params } },
          requestState: yield* pending.open(asked.binding)
        })
        return { _tag: "Pending", approvalUrl: undefined }
      })
    const answer = yield* Effect.provideService(call, Asking, ask)
    return question ?? answer
  })
}

const inSession =
  ({ getClient }: McpSchema.McpServerClient["Service"], by: string): Ask =>
  (asked) =>
    Effect.flatMap(getClient, (client) =>
      client.elicit(new McpSchema.ElicitRequestFormParams({ mode: "form", message: messageOf(asked), requestedSchema }))
    ).pipe(
      Effect.scoped,
      Effect.map((response) => decided(by, response)),
      Effect.timeoutOrElse({
        duration: expiry,
        orElse: () => Effect.succeed<EscalationAnswer | undefined>({ _tag: "Expired" })
      }),
      // a client that cannot after all, or is gone: whoever is beneath is asked
      Effect.catch((error) => Effect.as(Effect.logDebug("A client could not be asked", error), undefined))
    )
