/** Renders the calls at which a person would have been informed that the answers of a tool often violate its schema. */
import { html } from "effect-toolguard/internal/domain/text/Html"
import type { Report } from "#kit/report/Report"
import * as Untrusted from "#kit/report/html/elements/UntrustedText"
import { advice, type Section } from "#kit/report/html/elements/Section"
import type { Places } from "#kit/report/html/elements/Places"
import { table } from "#kit/report/html/elements/Table"
import { grouped } from "#kit/text/Numbers"

/** Creates the section on over-strict schemas. */
export const alarms = ({ alarms: { shown, total } }: Report, places: Places): Section => ({
  id: "over-strict",
  title: "Over-strict: a person would have been informed",
  short: "Over-strict",
  count: total,
  body:
    total === 0
      ? undefined
      : html`<p>
            At each of these calls, the guard would have informed a person that the answers of the tool often break its
            schema. The limit of notices per hour does not apply here.
          </p>
          ${advice(
            "Check whether the service really returns what the proposed line allows. Relax the schema, or fix what the tool returns."
          )}
          ${table(
            { caption: "Notices about over-strict schemas, in the order of the log", total },
            [
              { name: "Tool", of: ({ tool }) => Untrusted.code(tool) },
              { name: "Call", of: (alarm) => places.link(alarm, alarm.call) },
              { name: "Answer", of: ({ answers }) => grouped(answers), isNumber: true },
              { name: "Broken", of: ({ broken, watched }) => `${grouped(broken)} of the last ${grouped(watched)}` },
              {
                name: "Proposed line",
                of: ({ path, proposed }) =>
                  proposed === null
                    ? html`${path === "" ? "The whole answer" : Untrusted.code(path)}: keep the schema`
                    : html`<code>${Untrusted.text(proposed)}</code>`,
                isWide: true
              }
            ],
            shown
          )}`
})
