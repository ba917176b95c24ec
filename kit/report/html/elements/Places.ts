/** Where something stands in the log, as text that `explain` takes, and as a link where its conversation is on the page. */
import { html, type Html } from "effect-toolguard/internal/domain/text/Html"
import type { ConversationDetail, Report } from "#kit/report/Report"
import { sharedFolder } from "#kit/report/SharedFolder"
import * as Foreign from "./Foreign.ts"

interface Place {
  readonly file: string
  readonly line: number
  readonly conversation: string
}

/** A conversation that is on the page. */
export interface Anchored {
  readonly id: string
  readonly detail: ConversationDetail
  /** Numbers of the calls that are shown of it. */
  readonly calls: ReadonlySet<number>
}

export interface Places {
  /** A call, or the whole conversation. */
  readonly link: (place: Place, call?: number) => Html
  /** The number of a call alone, where its conversation is told beside it. */
  readonly number: (place: Place, call: number) => Html
  /** A file's name without the folder that all files share. */
  readonly file: (file: string) => Html
}

const keyOf = ({ conversation, file, line }: Place): string => JSON.stringify([file, line, conversation])

export const make = (files: Report["files"], pages: ReadonlyArray<Anchored>): Places => {
  const folder = sharedFolder(files)
  const anchors = new Map(pages.map((page) => [keyOf(page.detail), page]))
  const named = (file: string): Html => Foreign.path(file.startsWith(folder) ? file.slice(folder.length) : file)
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
