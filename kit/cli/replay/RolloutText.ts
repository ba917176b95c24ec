/** Prints the tools that enforce in a share of conversations, with both sides of each. */
import type { Report } from "#kit/report/Report"
import type { RolloutRow, RolloutSide } from "#kit/report/Rollout"
import { average, counted, grouped, share } from "#kit/text/Numbers"
import type { Printer } from "./FirstScreen.ts"

interface Row extends RolloutSide {
  readonly tool: string
  readonly side: string
}

const sidesOf = ({ advised, enforced, tool }: RolloutRow): ReadonlyArray<Row> => [
  { tool, side: "enforced", ...enforced },
  { tool: "", side: "advised", ...advised }
]

/** Prints the comparison, if the log has such tools. */
export const write = ({ heading, print, table }: Printer, { rollout }: Report): void => {
  if (rollout.length === 0) return
  heading("Rollout: conversations in which a contract was enforced, and the others")
  table<Row>(
    [
      { name: "tool", of: ({ tool }) => tool },
      { name: "side", of: ({ side }) => side },
      { name: "conversations", of: ({ conversations }) => grouped(conversations), isNumber: true },
      { name: "calls each", of: ({ calls, conversations }) => average(calls, conversations), isNumber: true },
      { name: "failed", of: ({ calls, failed }) => share(failed, calls), isNumber: true },
      { name: "repaired", of: ({ failed, repaired }) => share(repaired, failed), isNumber: true },
      { name: "not enforced", of: ({ calls, notEnforced }) => share(notEnforced, calls), isNumber: true },
      { name: "tokens each", of: ({ conversations, tokens }) => average(tokens, conversations), isNumber: true }
    ],
    rollout.flatMap(sidesOf)
  )
  for (const { leftOut, tool } of rollout) {
    if (leftOut > 0)
      print(
        `${counted(leftOut, "conversation")} of ${tool} changed sides, and ${leftOut === 1 ? "is" : "are"} left out.`
      )
  }
}
