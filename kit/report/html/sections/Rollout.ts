/** Renders the tools that enforce in a share of conversations, with both sides of each. */
import { html } from "effect-toolguard/internal/domain/text/Html"
import type { Report } from "#kit/report/Report"
import type { RolloutRow, RolloutSide } from "#kit/report/Rollout"
import { average, grouped, share } from "#kit/text/Numbers"
import { advice, type Section } from "#kit/report/html/elements/Section"
import { table } from "#kit/report/html/elements/Table"
import * as Untrusted from "#kit/report/html/elements/UntrustedText"

interface Row extends RolloutSide {
  readonly tool: string
  readonly side: string
  readonly leftOut: number
}

const sidesOf = ({ advised, enforced, leftOut, tool }: RolloutRow): ReadonlyArray<Row> => [
  { tool, side: "enforced", leftOut, ...enforced },
  { tool, side: "advised", leftOut, ...advised }
]

/** Creates the section on the rollout; a section without content if no tool enforces in a share of conversations. */
export const rollout = ({ rollout: rows }: Report): Section => ({
  id: "rollout",
  title: "Rollout",
  body:
    rows.length === 0
      ? undefined
      : html`<p>
            These tools enforce their contract in a share of conversations. The guard recorded the side of each
            conversation. Conversations that changed sides are left out.
          </p>
          ${advice(
            "Violations are failures on the enforced side only. Enforce in more conversations if the models repair most of them, and if calls and tokens per conversation do not grow."
          )}
          ${table(
            { caption: "Conversations by tool and side. Calls and tokens are averages of a conversation." },
            [
              { name: "Tool", of: ({ tool }: Row) => Untrusted.code(tool) },
              { name: "Side", of: ({ side }) => side },
              { name: "Conversations", of: ({ conversations }) => grouped(conversations), isNumber: true },
              { name: "Calls", of: ({ calls, conversations }) => average(calls, conversations), isNumber: true },
              { name: "Failed", of: ({ calls, failed }) => share(failed, calls), isNumber: true },
              { name: "Repaired", of: ({ failed, repaired }) => share(repaired, failed), isNumber: true },
              { name: "Not enforced", of: ({ calls, notEnforced }) => share(notEnforced, calls), isNumber: true },
              { name: "Tokens", of: ({ conversations, tokens }) => average(tokens, conversations), isNumber: true },
              { name: "Left out", of: ({ leftOut }) => grouped(leftOut), isNumber: true }
            ],
            rows.flatMap(sidesOf)
          )}`
})
