/** A conversation as a page of its own: each call with what the guard makes of it. */
import { foreignName, html, type Html, nothing } from "effect-toolguard/internal/domain/text/Html"
import type { CallDetail, ConversationDetail } from "#kit/report/Report"
import { length, within } from "./Bound.ts"
import { type Mark, strip } from "./Chart.ts"
import * as Foreign from "./Foreign.ts"
import { counted } from "./Numbers.ts"
import { lookOf } from "./Words.ts"

/** Calls one after the other that differ in nothing but their numbers. */
export interface Run {
  readonly first: CallDetail
  readonly last: CallDetail
  readonly count: number
}

/** Counters in reasons differ from call to call. */
const likeness = ({ answer, arguments: args, detail, isSuspect, tool, turn, verdict }: CallDetail): string =>
  JSON.stringify([turn, tool, args, verdict, detail.replaceAll(/\d+/g, "0"), answer, isSuspect])

/** Joins calls that are alike and follow on each other. */
export const runs = (calls: ReadonlyArray<CallDetail>): ReadonlyArray<Run> => {
  const found: Array<Run> = []
  let before = ""
  for (const call of calls) {
    const like = likeness(call)
    const run = found.at(-1)
    if (run !== undefined && like === before && call.call === run.last.call + 1) {
      found[found.length - 1] = { first: run.first, last: call, count: run.count + 1 }
    } else found.push({ first: call, last: call, count: 1 })
    before = like
  }
  return found
}

const marks: { readonly [Look in ReturnType<typeof lookOf>]: Mark } = {
  good: "good",
  warn: "warn",
  bad: "bad",
  spared: "spared",
  plain: "plain"
}

const markOf = (verdict: string): Mark => (verdict === "refused" ? "refused" : marks[lookOf(verdict)])

const timeline = (found: ReadonlyArray<Run>): Html =>
  strip(found.map(({ count, first }) => ({ count, mark: markOf(first.verdict) })))

const badge = ({ isSuspect, verdict }: CallDetail): Html =>
  html`<span class="badge b-${lookOf(verdict)}">${Foreign.name(verdict)}</span
    >${isSuspect ? html` <span class="badge b-warn">suspect</span>` : nothing}`

const line = (name: string, text: string): Html =>
  text === ""
    ? nothing
    : html`<dt>${name}</dt>
        <dd><code>${Foreign.said(text)}</code></dd> `

/** Anchors of the calls that a run joins, so that links to each find it. */
const anchors = (id: string, { count, first }: Run): ReadonlyArray<Html> =>
  Array.from({ length: count - 1 }, (_, index) => html`<span id="${id}-${first.call + index + 1}"></span>`)

const shownRun = (id: string, run: Run): Html => {
  const { count, first, last } = run
  const isFine = first.verdict === "ran" && !first.isSuspect
  return html`<li id="${id}-${first.call}" class="${isFine ? "call fine" : "call"}">
    ${anchors(id, run)}
    <p>
      <a class="at" href="#${id}-${first.call}">#${first.call}${count > 1 ? `–${last.call}` : ""}</a>
      <code class="tool">${Foreign.name(first.tool)}</code>
      ${badge(first)}${count > 1 ? html` <b>${counted(count)} times</b>` : nothing}
      <span class="quiet">round ${first.round}${count > 1 && last.round !== first.round ? `–${last.round}` : ""}</span>
    </p>
    <dl>${line("Arguments", first.arguments)}${line("Why", last.detail)}${line("In the log", first.answer)}</dl>
  </li> `
}

const gap = (from: number, to: number): Html =>
  to < from
    ? nothing
    : html`<li class="gap">${from === to ? `Call ${from} is` : `Calls ${from} to ${to} are`} not shown.</li>`

/** Longest name of a conversation at the top of its page. */
const longestTitle = 240

/** A word of a shell's command line. */
const shellWord = (text: string): string =>
  /^[\w./:@+=,#-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/** How to learn more of a call: of the first in which something was found. */
const explained = ({ calls, file, line }: ConversationDetail): Html => {
  const call = calls.find(({ isSuspect, verdict }) => isSuspect || verdict !== "ran")
  if (call === undefined || file === standardInput) return nothing
  return html`<p class="quiet">
    Why a call was judged so: <code>toolguard explain ${foreignName(shellWord(`${file}:${line}#${call.call}`))}</code>
  </p>`
}

/** What readers call a file without a name. */
const standardInput = "standard input"

const room = { most: 400, characters: 300_000 }

/** The part of a conversation's page below its links to others, and the calls that it shows. */
export const body = (
  id: string,
  detail: ConversationDetail,
  place: Html
): { readonly markup: Html; readonly calls: ReadonlySet<number> } => {
  const all = runs(detail.calls)
  const { shown } = within(
    all,
    room,
    (run) => ({ run, markup: shownRun(id, run) }),
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
      html`<h3>${turn === -1 ? "Left out" : `Turn ${turn}`}</h3>
        <ol class="calls">
          ${items}
        </ol>`
    )
    items = []
  }
  for (const { markup, run } of shown) {
    if (run.first.turn !== turn) {
      close()
      turn = run.first.turn
    }
    items.push(gap(next, run.first.call - 1), markup)
    for (let call = run.first.call; call <= run.last.call; call++) calls.add(call)
    next = run.last.call + 1
  }
  items.push(gap(next, detail.count))
  close()
  const suspects = detail.calls.filter(({ isSuspect }) => isSuspect).length
  const hasBoth = all.some(({ first }) => first.verdict === "ran") && all.some(({ first }) => first.verdict !== "ran")
  const markup = html`<h2 id="${id}-title">${Foreign.name(detail.conversation, longestTitle)}</h2>
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
              <dd>${Foreign.name(detail.model)}</dd>
            </div>`
      }
      <div>
        <dt>Calls</dt>
        <dd>${counted(detail.count)}</dd>
      </div>
      <div>
        <dt>Failed</dt>
        <dd>${counted(detail.failed)}</dd>
      </div>
      <div>
        <dt>Spared</dt>
        <dd>${counted(detail.saved)}</dd>
      </div>
      ${
        suspects === 0
          ? nothing
          : html`<div>
              <dt>Suspects</dt>
              <dd>${counted(suspects)}</dd>
            </div>`
      }
    </dl>
    ${timeline(all)} ${explained(detail)}
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
