/** Renders positions in the log in the format of `explain`, with a link if the conversation is on the page. */
import { html, type Html } from "effect-toolguard/internal/domain/text/Html"
import { type ConversationDetail, type Report, sharedFolder } from "#kit/report/Report"
import * as Untrusted from "./UntrustedText.ts"

interface Place {
  readonly file: string
  readonly line: number
  readonly conversation: string
}

/** A conversation on the page. */
export interface AnchoredConversation {
  readonly id: string
  readonly detail: ConversationDetail
  /** The numbers of the calls that the page shows. */
  readonly calls: ReadonlySet<number>
}

/** Renders positions in the log. */
export interface Places {
  /** Renders a link to a call, or to the conversation. */
  readonly link: (place: Place, call?: number) => Html
  /** Renders a link that shows only the number of a call, for rows that name the conversation. */
  readonly number: (place: Place, call: number) => Html
  /** Renders the name of a file without the folder that all files share. */
  readonly file: (file: string) => Html
}

const keyOf = ({ conversation, file, line }: Place): string => JSON.stringify([file, line, conversation])

/** Creates the renderer. Only conversations in `pages` are linked. */
export const make = (files: Report["files"], pages: ReadonlyArray<AnchoredConversation>): Places => {
  const folder = sharedFolder(files)
  const anchors = new Map(pages.map((page) => [keyOf(page.detail), page]))
  const named = (file: string): Html => Untrusted.path(file.startsWith(folder) ? file.slice(folder.length) : file)
  const linked = (place: Place, call: number | undefined, text: Html | string): Html => {
    const page = anchors.get(keyOf(place))
    if (page === undefined) return html`${text}`
    const anchor = call !== undefined && page.calls.has(call) ? `${page.id}-${call}` : page.id
    return html`<a href="#${anchor}">${text}</a>`
  }
  return {
    file: named,
    link: (place, call) =>
      linked(
        place,
        call,
        html`<span class="place">${named(place.file)}:${place.line}${call === undefined ? "" : `#${call}`}</span>`
      ),
    number: (place, call) => linked(place, call, String(call))
  }
}
