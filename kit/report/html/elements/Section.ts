/** Renders a section of the overview, with findings, figures and a recommendation. */
import { html, type Html, nothing } from "effect-toolguard/internal/domain/text/Html"
import { grouped } from "#kit/text/Numbers"

/** A section that is not yet rendered. */
export interface Section {
  /** The anchor of the section. */
  readonly id: string
  readonly title: string
  /** A shorter title for the navigation. */
  readonly short?: string
  /** The number of findings; absent if nothing is counted. */
  readonly count?: number
  /** The content. It is `undefined` if there are no findings. The page then shows `none`. */
  readonly body: Html | undefined
  /** The sentence to show if there are no findings. */
  readonly none?: string
}

/** Renders a recommendation. */
export const advice = (text: Html | string): Html => html`<p class="advice"><b>What to do.</b> ${text}</p>`

/** Renders the section. */
export const render = ({ body, count, id, title }: Section): Html =>
  body === undefined
    ? nothing
    : html`<section id="${id}" aria-labelledby="${id}-title">
        <h2 id="${id}-title">
          ${title}${count === undefined ? nothing : html` <span class="count">${grouped(count)}</span>`}
        </h2>
        ${body}
      </section>`
