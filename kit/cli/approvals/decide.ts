/** `toolguard approvals approve`, `deny` and `answer`: decide one request. */
import { longestReason, type Verdict } from "effect-toolguard/internal/domain/approval/ApprovalRequest"
import { systemUser } from "effect-toolguard/internal/layers/terminal/SystemUser"
import { inWords } from "effect-toolguard/internal/domain/text/TimeSpan"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Json from "#kit/cli/console/Json"
import { misuse, problem } from "#kit/cli/console/Problem"
import { using } from "./Database.ts"
import { database, json } from "#kit/cli/console/Flags"

const verbs = { approve: "approved", deny: "denied", answer: "answered" } as const

const refusals = {
  expired: "The request expired before it was decided.",
  withdrawn: "The request was withdrawn: its run has ended.",
  other_binding: "The request is for a different call.",
  empty_answer: "An answer must not be empty.",
  used: "The approval has been used.",
  not_approved: "The request is not approved.",
  undecided: "The request has not been decided."
} as const

/** Returns the id of a request from the id itself or from the request's URL. */
const idOf = (text: string): string => text.trim().split("/").at(-1) ?? ""

interface Options {
  readonly id: string
  readonly reason: string
  readonly by: Option.Option<string>
  readonly binding: Option.Option<string>
  readonly database: Option.Option<string>
  readonly json: boolean
}

const decide = (verdict: Verdict, { binding, by, database, id, json, reason }: Options) =>
  Effect.gen(function* () {
    if (reason.length > longestReason) {
      return yield* misuse(`The text has ${reason.length} characters.`, `Write at most ${longestReason}.`)
    }
    const decision = { verdict, by: Option.getOrElse(by, systemUser), reason }
    const decided = yield* using(database, (approvals) =>
      // without --binding, the decision is for the call as it was just read
      Effect.flatMap(approvals.find(idOf(id)), (read) =>
        approvals.decide(idOf(id), { ...decision, binding: Option.getOrElse(binding, () => read?.binding) })
      )
    )
    if (decided._tag === "Unknown") {
      return yield* problem(`There is no request ${shown(id)}.`, "See toolguard approvals list.")
    }
    const { request } = decided
    if (decided._tag === "Taken") {
      const line = `${shown(decision.by)} ${verbs[verdict]} ${shown(request.tool)}: ${shown(request.sentence)}`
      return yield* Console.log(json ? Json.text(request) : line)
    }
    const earlier = request.decision
    if (decided.refusal === "withdrawn") {
      return yield* problem(refusals.withdrawn, "Nothing was changed. If the run is resumed, it asks again.")
    }
    if (decided.refusal === "other_binding") {
      return yield* problem(
        refusals.other_binding,
        "Nothing was changed. See the request with toolguard approvals list."
      )
    }
    if (decided.refusal !== "decided" || earlier === undefined) {
      return yield* problem(
        decided.refusal === "decided" ? "The request has already been decided." : refusals[decided.refusal],
        ""
      )
    }
    const ago = inWords((yield* Clock.currentTimeMillis) - earlier.at)
    const message = `${shown(earlier.by)} already ${verbs[earlier.verdict]} the request ${ago} ago.`
    return yield* problem(message, "The first decision counts. Nothing was changed.")
  })

const id = Argument.String("id").pipe(Argument.withDescription("Id of the request, or its URL"))
const by = Flag.String("by").pipe(
  Flag.withMetavar("<name>"),
  Flag.withDescription("Name stored with the decision. Default: the user of this machine"),
  Flag.optional
)
const binding = Flag.String("binding").pipe(
  Flag.withMetavar("<digest>"),
  Flag.withDescription("Binding of the call that you saw, from list --json"),
  Flag.optional
)
const reason = Flag.String("reason").pipe(
  Flag.withAlias("r"),
  Flag.withMetavar("<text>"),
  Flag.withDescription("Reason, which the model reads if the call is denied. Default: none"),
  Flag.withDefault("")
)

export const approve = Command.make("approve", { id, reason, by, binding, database, json }, (options) =>
  decide("approve", options)
).pipe(Command.withShortDescription("Let the call run once"))

export const deny = Command.make("deny", { id, reason, by, binding, database, json }, (options) =>
  decide("deny", options)
).pipe(Command.withShortDescription("Refuse the call; the model reads the reason"))

const text = Argument.String("text").pipe(Argument.withDescription("Text that the model reads instead of a result"))

export const answer = Command.make("answer", { id, text, by, binding, database, json }, ({ text, ...options }) =>
  decide("answer", { ...options, reason: text })
).pipe(
  Command.withShortDescription("Answer with text that the model reads instead of a result"),
  Command.withDescription(`Answers with text. The call is not made, and the model reads the text instead of a result. A
  run that has stopped at a question continues, and its model reads the text as a user message.`)
)
