/** A part of the overview: what was found, in words and figures, and what to do about it. */
import { html, type Html, nothing } from "effect-toolguard/internal/domain/text/Html"
import { counted } from "./Numbers.ts"

export interface Section {
  /** The anchor. */
  readonly id: string
  readonly title: string
  /** The title in the list of sections, where it is another. */
  readonly short?: string
  /** How many there are; none where nothing is counted. */
  readonly count?: number
  /** Undefined where there is nothing to tell; `none` then says so. */
  readonly body: Html | undefined
  /** What is said of it where nothing was found. */
  readonly none?: string
}

/** What to do about it. */
export const advice = (text: Html | string): Html => html`<p class="advice"><b>What to do.</b> ${text}</p>`

/** The section as it stands on the page. */
export const render = ({ body, count, id, title }: Section): Html =>
  body === undefined
    ? nothing
    : html`<section id="${id}" aria-labelledby="${id}-title">
        <h2 id="${id}-title">
          ${title}${count === undefined ? nothing : html` <span class="count">${counted(count)}</span>`}
        </h2>
        ${body}
      </section>`
