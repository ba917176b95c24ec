/** `toolguard approvals approve`, `deny` and `answer`: decides on one request. */
import { longestReason, type Verdict } from "effect-toolguard/internal/domain/approval/ApprovalRequest"
import { inWords } from "effect-toolguard/internal/domain/text/TimeSpan"
import { shown, visibleJson } from "effect-toolguard/internal/domain/text/VisibleText"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { userInfo } from "node:os"
import { misuse, problem } from "#kit/cli/console/Problem"
import { using } from "./Database.ts"
import { database, json } from "#kit/cli/console/Flags"

/** In a container the user may have no name; the system then gives an error. */
const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    return "terminal"
  }
}

const verbs = { approve: "approved", deny: "denied", answer: "answered" } as const

const refusals = {
  expired: "Nobody decided in time: this request has expired.",
  other_binding: "The request is about something else.",
  empty_answer: "An answer needs words.",
  used: "The approval has been used.",
  not_approved: "There is no approval.",
  undecided: "Nothing has been decided."
} as const

/** The id of a request, also from its URL. */
const idOf = (text: string): string => text.trim().split("/").at(-1) ?? ""

interface Given {
  readonly id: string
  readonly reason: string
  readonly by: Option.Option<string>
  readonly database: Option.Option<string>
  readonly json: boolean
}

const decide = (verdict: Verdict, { by, database, id, json, reason }: Given) =>
  Effect.gen(function* () {
    if (reason.length > longestReason) {
      return yield* misuse(`The text has ${reason.length} characters.`, `Write at most ${longestReason}.`)
    }
    const said = { verdict, by: Option.getOrElse(by, userName), reason }
    const decided = yield* using(database, (approvals) => approvals.decide(idOf(id), said))
    if (decided._tag === "Unknown") {
      return yield* problem(`There is no request ${shown(id)}.`, "See toolguard approvals list.")
    }
    const { request } = decided
    if (decided._tag === "Taken") {
      const line = `${shown(said.by)} ${verbs[verdict]} ${shown(request.tool)}: ${shown(request.sentence)}`
      return yield* Console.log(json ? visibleJson(JSON.stringify(request)) : line)
    }
    const { decision } = request
    if (decided.refusal !== "decided" || decision === undefined) {
      return yield* problem(decided.refusal === "decided" ? "It is decided." : refusals[decided.refusal], "")
    }
    const ago = inWords((yield* Clock.currentTimeMillis) - decision.at)
    const first = `${shown(decision.by)} was quicker, and ${verbs[decision.verdict]} it ${ago} ago.`
    return yield* problem(first, "That decision stands; nothing was changed.")
  })

const id = Argument.String("id").pipe(Argument.withDescription("Id of the request, or its approval URL"))
const by = Flag.String("by").pipe(
  Flag.withMetavar("<name>"),
  Flag.withDescription("Who decides, as it is kept. Default: the user of this machine"),
  Flag.optional
)
const reason = Flag.String("reason").pipe(
  Flag.withAlias("r"),
  Flag.withMetavar("<text>"),
  Flag.withDescription("Kept with it; the model reads why it was denied. Default: none"),
  Flag.withDefault("")
)

export const approve = Command.make("approve", { id, reason, by, database, json }, (given) =>
  decide("approve", given)
).pipe(Command.withShortDescription("Let the call run, once"))

export const deny = Command.make("deny", { id, reason, by, database, json }, (given) => decide("deny", given)).pipe(
  Command.withShortDescription("Refuse the call; the model reads the reason")
)

const text = Argument.String("text").pipe(Argument.withDescription("What the model reads instead of a result"))

export const answer = Command.make("answer", { id, text, by, database, json }, ({ text, ...given }) =>
  decide("answer", { ...given, reason: text })
).pipe(Command.withShortDescription("Refuse the call, and tell the model what to do instead"))
