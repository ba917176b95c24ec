/** Renders the page of one conversation, which shows each call with the guard's decision. */
import { foreignName, html, type Html, nothing } from "effect-toolguard/internal/domain/text/Html"
import type { CallDetail, ConversationDetail } from "#kit/report/Report"
import { length, limited } from "./Limit.ts"
import { type Mark, strip } from "./Chart.ts"
import * as Untrusted from "./UntrustedText.ts"
import { grouped } from "#kit/text/Numbers"
import { lookOf } from "./Terms.ts"

/** A group of consecutive similar calls. */
export interface CallGroup {
  readonly first: CallDetail
  readonly last: CallDetail
  readonly count: number
}

const withoutNumbers = (text: string): string => text.replaceAll(/\d+/g, "0")

/** True if two calls are similar. Ignores numbers in reasons, because counters differ from call to call. */
const isSimilar = (a: CallDetail, b: CallDetail): boolean =>
  a.turn === b.turn &&
  a.tool === b.tool &&
  a.arguments === b.arguments &&
  a.verdict === b.verdict &&
  a.answer === b.answer &&
  a.isSuspect === b.isSuspect &&
  withoutNumbers(a.detail) === withoutNumbers(b.detail)

/** Merges consecutive similar calls. */
export const callGroups = (calls: ReadonlyArray<CallDetail>): ReadonlyArray<CallGroup> => {
  const found: Array<CallGroup> = []
  for (const call of calls) {
    const group = found.at(-1)
    if (group !== undefined && isSimilar(call, group.last) && call.call === group.last.call + 1) {
      found[found.length - 1] = { first: group.first, last: call, count: group.count + 1 }
    } else found.push({ first: call, last: call, count: 1 })
  }
  return found
}

const marks: { readonly [Look in ReturnType<typeof lookOf>]: Mark } = {
  good: "good",
  warn: "warn",
  bad: "bad",
  saved: "saved",
  plain: "plain"
}

const markOf = (status: string): Mark => (status === "refused" ? "refused" : marks[lookOf(status)])

const timeline = (found: ReadonlyArray<CallGroup>): Html =>
  strip(found.map(({ count, first }) => ({ count, mark: markOf(first.verdict) })))

const badge = ({ isSuspect, verdict }: CallDetail): Html =>
  html`<span class="badge b-${lookOf(verdict)}">${Untrusted.name(verdict)}</span
    >${isSuspect ? html` <span class="badge b-warn">suspect</span>` : nothing}`

const line = (name: string, text: string): Html =>
  text === ""
    ? nothing
    : html`<dt>${name}</dt>
        <dd><code>${Untrusted.text(text)}</code></dd> `

/** Renders anchors for the calls that a group merges, so that links to each of these calls work. */
const anchors = (id: string, { count, first }: CallGroup): ReadonlyArray<Html> =>
  Array.from({ length: count - 1 }, (_, index) => html`<span id="${id}-${first.call + index + 1}"></span>`)

const groupMarkup = (id: string, group: CallGroup): Html => {
  const { count, first, last } = group
  const isFine = first.verdict === "ran" && !first.isSuspect
  return html`<li id="${id}-${first.call}" class="${isFine ? "call fine" : "call"}">
    ${anchors(id, group)}
    <p>
      <a class="at" href="#${id}-${first.call}">#${first.call}${count > 1 ? `–${last.call}` : ""}</a>
      <code class="tool">${Untrusted.name(first.tool)}</code>
      ${badge(first)}${count > 1 ? html` <b>${grouped(count)} times</b>` : nothing}
      <span class="quiet">round ${first.round}${count > 1 && last.round !== first.round ? `–${last.round}` : ""}</span>
    </p>
    <dl>${line("Arguments", first.arguments)}${line("Why", last.detail)}${line("In the log", first.answer)}</dl>
  </li> `
}

const gap = (from: number, to: number): Html =>
  to < from
    ? nothing
    : html`<li class="gap">${from === to ? `Call ${from} is` : `Calls ${from} to ${to} are`} not shown.</li>`

/** The maximum number of characters of a conversation's name in the title of its page. */
const longestTitle = 240

/** Quotes a word for a shell if necessary. */
const shellWord = (text: string): string =>
  /^[\w./:@+=,#-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/** Renders the command that explains the first call with a finding. */
const explainCommand = ({ calls, file, line }: ConversationDetail): Html => {
  const call = calls.find(({ isSuspect, verdict }) => isSuspect || verdict !== "ran")
  if (call === undefined || file === standardInput) return nothing
  return html`<p class="quiet">
    To see why: <code>toolguard explain ${foreignName(shellWord(`${file}:${line}#${call.call}`))}</code>
  </p>`
}

/** The name of standard input in a report. */
const standardInput = "standard input"

const limit = { items: 400, characters: 300_000 }

/** Renders the content of a conversation's page. Returns it with the numbers of the calls that the page shows. */
export const body = (
  id: string,
  detail: ConversationDetail,
  place: Html
): { readonly markup: Html; readonly calls: ReadonlySet<number> } => {
  const all = callGroups(detail.calls)
  const { shown } = limited(
    all,
    limit,
    (group) => ({ group, markup: groupMarkup(id, group) }),
    ({ markup }) => length(markup)
  )
  const calls = new Set<number>()
  const turns: Array<Html> = []
  let items: Array<Html> = []
  let turn = -1
  let next = 1
  const close = () => {
    if (items.length === 0) return
    turns.push(
      html`<h3>${turn === -1 ? "Omitted" : `Turn ${turn}`}</h3>
        <ol class="calls">
          ${items}
        </ol>`
    )
    items = []
  }
  for (const { group, markup } of shown) {
    if (group.first.turn !== turn) {
      close()
      turn = group.first.turn
    }
    items.push(gap(next, group.first.call - 1), markup)
    for (let call = group.first.call; call <= group.last.call; call++) calls.add(call)
    next = group.last.call + 1
  }
  items.push(gap(next, detail.count))
  close()
  const suspects = detail.calls.filter(({ isSuspect }) => isSuspect).length
  const hasBoth = all.some(({ first }) => first.verdict === "ran") && all.some(({ first }) => first.verdict !== "ran")
  const markup = html`<h2 id="${id}-title">${Untrusted.name(detail.conversation, longestTitle)}</h2>
    <dl class="facts">
      <div>
        <dt>In the log</dt>
        <dd>${place}</dd>
      </div>
      ${
        detail.model === ""
          ? nothing
          : html`<div>
              <dt>Model</dt>
              <dd>${Untrusted.name(detail.model)}</dd>
            </div>`
      }
      <div>
        <dt>Calls</dt>
        <dd>${grouped(detail.count)}</dd>
      </div>
      <div>
        <dt>Failed</dt>
        <dd>${grouped(detail.failed)}</dd>
      </div>
      <div>
        <dt>Saved</dt>
        <dd>${grouped(detail.saved)}</dd>
      </div>
      ${
        suspects === 0
          ? nothing
          : html`<div>
              <dt>Suspects</dt>
              <dd>${grouped(suspects)}</dd>
            </div>`
      }
    </dl>
    ${timeline(all)} ${explainCommand(detail)}
    ${
      hasBoth
        ? html`<p>
            <label><input type="checkbox" class="only" /> Only calls with a finding</label>
          </p>`
        : nothing
    }
    ${turns}`
  return { markup, calls }
}
