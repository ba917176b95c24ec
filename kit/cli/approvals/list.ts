/** `toolguard approvals list`: prints the requests that are waiting for a decision. */
import * as Guidance from "effect-toolguard/internal/domain/approval/Guidance"
import { completeness, originOf, textOf } from "effect-toolguard/internal/domain/approval/ShownCall"
import { type ApprovalRequest, tenantOf } from "effect-toolguard/internal/domain/approval/ApprovalRequest"
import * as UnreadableRequests from "effect-toolguard/internal/domain/approval/UnreadableRequests"
import { inWords } from "effect-toolguard/internal/domain/text/TimeSpan"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { using } from "./Database.ts"
import * as Json from "#kit/cli/console/Json"
import { database, json } from "#kit/cli/console/Flags"
import * as Screen from "#kit/cli/console/Screen"
import { maxLimit, remaining } from "./ListLimit.ts"

export const list = Command.make(
  "list",
  {
    database,
    json,
    limit: Flag.Int("limit").pipe(
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxLimit }))),
      Flag.withMetavar("<n>"),
      Flag.withDescription("Maximum number of requests to list. Default: 100"),
      Flag.withDefault(100)
    )
  },
  Effect.fnUntraced(function* (options) {
    const page = yield* using(options.database, ({ pending }) => pending({ limit: options.limit }))
    if (options.json) return yield* Console.log(Json.text(page))
    const screen = yield* Screen.make(false)
    const now = yield* Clock.currentTimeMillis
    for (const request of page.requests) linesOf(screen, request, now).forEach(screen.line)
    if (page.unreadable !== undefined) {
      Screen.wrap(UnreadableRequests.sentenceOf(page.unreadable), screen.columns).forEach(screen.line)
    }
    screen.line(
      page.total === 0
        ? "No requests are waiting for a decision."
        : `${page.total === 1 ? "One request is" : `${page.total} requests are`} waiting for a decision${remaining(
            page.total,
            page.requests.length + (page.unreadable?.length ?? 0)
          )}.`
    )
  })
).pipe(Command.withShortDescription("List the requests that are waiting for a decision, oldest first"))

/**
 * Returns the lines that show a request, with hidden characters as code points, so that no text can repaint the
 * terminal.
 */
const linesOf = (screen: Screen.Screen, request: ApprovalRequest, now: number): ReadonlyArray<string> => {
  const width = screen.columns - 2
  const { expiresAt, guidance, id, level, reason, requestedAt, sentence, tool } = request
  const explained = [...originOf(request), ...(guidance === undefined ? [] : Guidance.linesOf(guidance))]
  const facts = [
    `asked ${inWords(now - requestedAt)} ago`,
    `expires in ${inWords(expiresAt - now)}`,
    ...(reason === "approval" ? [] : [shown(reason)]),
    ...(level === "block" ? ["stopped until decided"] : []),
    `tenant ${shown(tenantOf(request))}`
  ]
  return [
    screen.styled("bold", id),
    ...Screen.wrap(shown(sentence === "" ? tool : sentence), width).map((line) => `  ${line}`),
    `  ${shown(tool)}`,
    ...explained.flatMap((line) => Screen.wrap(shown(line), width).map((part) => `  ${part}`)),
    ...argumentsOf(request).flatMap((text) => chunks(text, width).map((line) => `  ${line}`)),
    ...Screen.wrap(facts.join(" · "), width).map((line) => `  ${screen.styled("dim", line)}`),
    ""
  ]
}

const argumentsOf = ({ arguments: args, hidden, shown }: ApprovalRequest): ReadonlyArray<string> =>
  args === undefined && shown === undefined ? [] : [`${completeness(hidden)}:`, ...(shown ?? textOf(args)).split("\n")]

/** Splits a text into lines of at most `width` characters. */
const chunks = (text: string, width: number): ReadonlyArray<string> =>
  text.match(new RegExp(`.{1,${Math.max(10, width)}}`, "gsu")) ?? []
