/** The conversations in which something was found, each with a link to its page. */
import { html, type Html, nothing } from "effect-toolguard/internal/domain/text/Html"
import type { ConversationDetail, Report } from "#kit/report/Report"
import { length, within } from "#kit/report/html/elements/Bound"
import * as Conversation from "#kit/report/html/elements/Conversation"
import * as Foreign from "#kit/report/html/elements/Foreign"
import { counted, of } from "#kit/report/html/elements/Numbers"
import * as Places from "#kit/report/html/elements/Places"
import type { Section } from "#kit/report/html/elements/Section"
import { table } from "#kit/report/html/elements/Table"

const room = { most: 500, characters: 6_000_000 }

/** The pages of conversations, and how many found no room. */
export interface Pages {
  readonly anchored: ReadonlyArray<Places.Anchored>
  readonly markup: ReadonlyArray<Html>
  readonly left: number
}

/** Renders the page of each conversation that has room. */
export const pages = ({ conversations: { shown: details, total }, files }: Report): Pages => {
  const places = Places.make(files, [])
  const { shown } = within(
    details,
    room,
    (detail, index) => {
      const id = `c${index + 1}`
      return { id, detail, ...Conversation.body(id, detail, places.link(detail)) }
    },
    ({ markup }) => length(markup)
  )
  const count = shown.length
  const markup = shown.map(
    ({ id, markup }, index) =>
      html`<section class="talk" id="${id}" aria-labelledby="${id}-title" tabindex="-1">
        <nav aria-label="Conversation ${index + 1} of ${count}">
          <a href="#conversations">Overview</a>
          <span class="quiet">Conversation ${counted(index + 1)} of ${counted(count)}</span>
          ${index === 0 ? nothing : html`<a rel="prev" href="#c${index}">Previous</a>`}
          ${index + 1 === count ? nothing : html`<a rel="next" href="#c${index + 2}">Next</a>`}
        </nav>
        ${markup}
      </section>`
  )
  return { anchored: shown, markup, left: total - count }
}

const suspectsOf = ({ calls }: ConversationDetail): number => calls.filter(({ isSuspect }) => isSuspect).length

/** The list of the pages. */
export const conversations = ({ totals }: Report, { anchored, left }: Pages): Section => ({
  id: "conversations",
  title: "Conversations",
  count: anchored.length + left,
  none: totals.calls === 0 ? "" : "No conversation needs a look of yours.",
  body:
    anchored.length === 0
      ? undefined
      : html`<p>
            Conversations in which a call failed, or would have been refused or spared, the most telling first. Each has
            a page of its
            own.${left === 0 ? "" : ` ${of(left, "more is", "more are")} left out, so that this page stays small.`}
          </p>
          ${table(
            { caption: "Conversations in which something was found", total: anchored.length + left },
            [
              {
                name: "Conversation",
                of: ({ detail, id }) => html`<a href="#${id}">${Foreign.name(detail.conversation)}</a>`
              },
              { name: "Model", of: ({ detail }) => Foreign.model(detail.model) },
              { name: "Calls", of: ({ detail }) => counted(detail.count), isNumber: true },
              { name: "Suspects", of: ({ detail }) => counted(suspectsOf(detail)), isNumber: true },
              { name: "Spared", of: ({ detail }) => counted(detail.saved), isNumber: true },
              { name: "Failed", of: ({ detail }) => counted(detail.failed), isNumber: true }
            ],
            anchored
          )}`
})
