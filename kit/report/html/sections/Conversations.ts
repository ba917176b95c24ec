/** Renders the conversations with findings, each with a link to its page. */
import { html, type Html, nothing } from "effect-toolguard/internal/domain/text/Html"
import type { ConversationDetail, Report } from "#kit/report/Report"
import { length, limited } from "#kit/report/html/elements/Limit"
import * as Conversation from "#kit/report/html/elements/Conversation"
import * as Untrusted from "#kit/report/html/elements/UntrustedText"
import { counted, grouped } from "#kit/text/Numbers"
import * as Places from "#kit/report/html/elements/Places"
import type { Section } from "#kit/report/html/elements/Section"
import { table } from "#kit/report/html/elements/Table"

const limit = { items: 500, characters: 6_000_000 }

/** The pages of conversations, and the number of conversations that have no page because of the limit. */
interface Pages {
  readonly anchored: ReadonlyArray<Places.AnchoredConversation>
  readonly markup: ReadonlyArray<Html>
  readonly omitted: number
}

/** Renders the pages of conversations, up to the limit. */
export const pages = ({ conversations: { shown: details, total }, files }: Report): Pages => {
  const places = Places.make(files, [])
  const { shown } = limited(
    details,
    limit,
    (detail, index) => {
      const id = `c${index + 1}`
      return { id, detail, ...Conversation.body(id, detail, places.link(detail)) }
    },
    ({ markup }) => length(markup)
  )
  const count = shown.length
  const markup = shown.map(
    ({ id, markup }, index) =>
      html`<section class="conversation" id="${id}" aria-labelledby="${id}-title" tabindex="-1">
        <nav aria-label="Conversation ${index + 1} of ${count}">
          <a href="#conversations">Overview</a>
          <span class="quiet">Conversation ${grouped(index + 1)} of ${grouped(count)}</span>
          ${index === 0 ? nothing : html`<a rel="prev" href="#c${index}">Previous</a>`}
          ${index + 1 === count ? nothing : html`<a rel="next" href="#c${index + 2}">Next</a>`}
        </nav>
        ${markup}
      </section>`
  )
  return { anchored: shown, markup, omitted: total - count }
}

const suspectsOf = ({ calls }: ConversationDetail): number => calls.filter(({ isSuspect }) => isSuspect).length

/** Creates the section that lists the pages. */
export const conversations = ({ totals }: Report, { anchored, omitted }: Pages): Section => ({
  id: "conversations",
  title: "Conversations",
  count: anchored.length + omitted,
  none: totals.calls === 0 ? "" : "No conversation needs your attention.",
  body:
    anchored.length === 0
      ? undefined
      : html`<p>
            These are the conversations in which a call failed, or in which the guard would have refused or saved a
            call. The most significant ones come first. Each conversation has a separate
            page.${omitted === 0 ? "" : ` ${counted(omitted, "more is", "more are")} omitted to keep this page small.`}
          </p>
          ${table(
            { caption: "Conversations with findings", total: anchored.length + omitted },
            [
              {
                name: "Conversation",
                of: ({ detail, id }) => html`<a href="#${id}">${Untrusted.name(detail.conversation)}</a>`
              },
              { name: "Model", of: ({ detail }) => Untrusted.model(detail.model) },
              { name: "Calls", of: ({ detail }) => grouped(detail.count), isNumber: true },
              { name: "Suspects", of: ({ detail }) => grouped(suspectsOf(detail)), isNumber: true },
              { name: "Saved", of: ({ detail }) => grouped(detail.saved), isNumber: true },
              { name: "Failed", of: ({ detail }) => grouped(detail.failed), isNumber: true }
            ],
            anchored
          )}`
})
