/** A button of an inbox form. Its accessible name contains the heading of the card, because a page has many buttons. */
import { html, type Html } from "#domain/text/Html"

interface FormButton {
  /** The field that the form sends. */
  readonly field: string
  readonly value: string
  /** The id of the request or the outcome. */
  readonly id: string
  readonly text: string
  /** The CSS class, which sets the colour. */
  readonly kind: string
}

/** Renders the button. */
export const formButton = ({ field, id, kind, text, value }: FormButton): Html =>
  html`<button
    class="${kind}"
    name="${field}"
    value="${value}"
    id="${value}-${id}"
    aria-labelledby="${value}-${id} heading-${id}"
  >
    ${text}
  </button>`
