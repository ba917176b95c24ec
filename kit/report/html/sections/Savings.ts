/** Renders the calls that the guard would have saved, and the reasons. */
import { html, nothing } from "effect-toolguard/internal/domain/text/Html"
import type { Report } from "#kit/report/Report"
import { bars } from "#kit/report/html/elements/Chart"
import { counted, dollars } from "#kit/text/Numbers"
import { advice, type Section } from "#kit/report/html/elements/Section"
import { savingReasons } from "#kit/report/ChangeNames"

// `Object.keys` returns strings, but the keys of this constant are the reasons
const reasons = Object.keys(savingReasons) as ReadonlyArray<keyof typeof savingReasons>

/** Creates the section on saved calls, requests and tokens. */
export const savings = ({ saved, totals }: Report): Section => ({
  id: "spared", // existing links to the page use this anchor
  title: "What the guard would have saved",
  short: "Saved",
  count: saved.calls,
  none: totals.calls === 0 ? "" : "Nothing to save: no call was repeated unnecessarily.",
  body:
    saved.calls === 0
      ? undefined
      : html`<p>
            ${counted(saved.calls, "call")}, ${counted(saved.rounds, "request")} to the model, about
            ${counted(saved.inputTokens, "input token")} and
            ${counted(saved.outputTokens, "output token")}${saved.money === null ? "" : html`: about <b>${dollars(saved.money)}</b>`}.
            This is a lower bound: the report does not guess what the model would have done with a better answer.
          </p>
          ${
            saved.byReason.loop + saved.byReason.unchanged === 0
              ? nothing
              : advice(
                  html`Look at the loops: models do not repeat a tool whose answer says what to do next, such as
                    <q>done, do not call again</q>.`
                )
          }
          <h3>Why calls were unnecessary</h3>
          ${bars(
            reasons
              .map((reason) => ({ ...savingReasons[reason], count: saved.byReason[reason] }))
              .filter(({ count }) => count > 0)
              .toSorted((a, b) => b.count - a.count)
              .map(({ count, meaning, name }) => ({ name, count, note: meaning })),
            "saved"
          )}`
})
