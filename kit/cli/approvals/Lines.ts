/** Requests as lines of a terminal: what cannot be seen is shown by number, so that no text paints over another. */
import { type ApprovalRequest, tenantOf } from "effect-toolguard/internal/domain/approval/ApprovalRequest"
import { inWords } from "effect-toolguard/internal/domain/text/TimeSpan"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import * as Screen from "#kit/cli/console/Screen"

/** Most characters of arguments in a list; all of them are in `--json`. */
const longest = 2_000

const argumentsOf = ({ arguments: args }: ApprovalRequest): ReadonlyArray<string> => {
  if (args === undefined) return []
  const text = shown(JSON.stringify(args))
  return text.length <= longest
    ? [text]
    : [`${text.slice(0, longest)}…`, `${text.length - longest} more characters are not shown: see --json.`]
}

export const request = (screen: Screen.Screen, it: ApprovalRequest, now: number): ReadonlyArray<string> => {
  const width = screen.columns - 2
  const about = [
    `asked ${inWords(now - it.requestedAt)} ago`,
    `expires in ${inWords(it.expiresAt - now)}`,
    ...(it.reason === "approval" ? [] : [shown(it.reason)]),
    ...(it.level === "block" ? ["stopped until decided"] : []),
    `tenant ${shown(tenantOf(it))}`
  ]
  return [
    screen.styled("bold", it.id),
    ...Screen.wrap(shown(it.sentence === "" ? it.tool : it.sentence), width).map((line) => `  ${line}`),
    `  ${shown(it.tool)}`,
    ...argumentsOf(it).flatMap((text) => chunks(text, width).map((line) => `  ${line}`)),
    ...Screen.wrap(about.join(" · "), width).map((line) => `  ${screen.styled("dim", line)}`),
    ""
  ]
}

/** A text cut at every width, nothing left out. */
const chunks = (text: string, width: number): ReadonlyArray<string> =>
  text.match(new RegExp(`.{1,${Math.max(10, width)}}`, "gsu")) ?? []
