/** What the guard would have saved, and why. */
import { html, nothing } from "effect-toolguard/internal/domain/text/Html"
import type { Report } from "#kit/report/Report"
import { bars } from "#kit/report/html/elements/Chart"
import { dollars, of } from "#kit/report/html/elements/Numbers"
import { advice, type Section } from "#kit/report/html/elements/Section"
import { savings } from "#kit/report/html/elements/Words"

const reasons = Object.keys(savings) as ReadonlyArray<keyof typeof savings>

export const spared = ({ saved, totals }: Report): Section => ({
  id: "spared",
  title: "What it would have saved",
  short: "Saved",
  count: saved.calls,
  none: totals.calls === 0 ? "" : "Nothing to save: the guard would have made every call again.",
  body:
    saved.calls === 0
      ? undefined
      : html`<p>
            ${of(saved.calls, "call")}, ${of(saved.rounds, "request")} to the model, about
            ${of(saved.inputTokens, "input token")} and
            ${of(saved.outputTokens, "output token")}${saved.money === null ? "" : html`: about <b>${dollars(saved.money)}</b>`}.
            That is the least: what the model would have done with a better answer is not guessed.
          </p>
          ${
            saved.byReason.loop + saved.byReason.unchanged === 0
              ? nothing
              : advice(
                  html`Look at the loops: a tool whose answer says what to do next, such as
                    <q>done, do not call again</q>, is not called in circles.`
                )
          }
          <h3>Why a call need not be made again</h3>
          ${bars(
            reasons
              .map((reason) => ({ ...savings[reason], count: saved.byReason[reason] }))
              .filter(({ count }) => count > 0)
              .toSorted((a, b) => b.count - a.count)
              .map(({ count, meaning, name }) => ({ name, count, note: meaning })),
            "spared"
          )}`
})
