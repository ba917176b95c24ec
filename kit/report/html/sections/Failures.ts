/** Renders failures by class, tool and code, and calls that the guard would have refused. */
import type { FailureTag } from "effect-toolguard/internal/domain/failure/Failure"
import { info } from "effect-toolguard/internal/domain/failure/FailureCode"
import { html, type Html, nothing } from "effect-toolguard/internal/domain/text/Html"
import type { FailureRow, Report } from "#kit/report/Report"
import { bars } from "#kit/report/html/elements/Chart"
import * as Untrusted from "#kit/report/html/elements/UntrustedText"
import { grouped } from "#kit/text/Numbers"
import type { Places } from "#kit/report/html/elements/Places"
import type { Section } from "#kit/report/html/elements/Section"
import { type Column, table } from "#kit/report/html/elements/Table"
import { classes } from "#kit/report/html/elements/Terms"

// `Object.keys` returns strings, but the keys of this constant are the classes
const tags = Object.keys(classes) as ReadonlyArray<FailureTag>

/** The maximum number of tools in the matrix. The table has all tools. */
const maxTools = 12

const sum = (rows: ReadonlyArray<FailureRow>): number => rows.reduce((all, { count }) => all + count, 0)

/** Returns the level of a count in the heat map, from 1 to 4. */
const heatOf = (count: number, most: number): number =>
  Math.max(1, Math.ceil((4 * Math.log1p(count)) / Math.max(1, Math.log1p(most))))

const meaningOf = (code: string): Html => {
  const meaning = info(code)?.meaning
  return meaning === undefined ? nothing : html`<span class="note">${meaning}</span>`
}

const byClass = (rows: ReadonlyArray<FailureRow>): Html =>
  bars(
    tags
      .map((tag) => ({ tag, count: sum(rows.filter((row) => row.class === tag)) }))
      .filter(({ count }) => count > 0)
      .toSorted((a, b) => b.count - a.count)
      .map(({ count, tag }) => {
        const { meaning, name, remedy } = classes[tag]
        return {
          name: html`${name} <code>${tag}</code>`,
          count,
          mark: tag === "PartialData" ? "warn" : "bad",
          note: html`${meaning} ${remedy}`
        }
      }),
    "bad"
  )

interface ToolFailures {
  readonly tool: string
  readonly all: number
  readonly of: ReadonlyMap<FailureTag, number>
}

const toolsOf = (rows: ReadonlyArray<FailureRow>): ReadonlyArray<ToolFailures> => {
  const byTool = Map.groupBy(rows, ({ tool }) => tool)
  return [...byTool]
    .map(([tool, own]) => ({
      tool,
      all: sum(own),
      of: new Map([...Map.groupBy(own, (row) => row.class)].map(([tag, some]) => [tag, sum(some)]))
    }))
    .toSorted((a, b) => b.all - a.all || (a.tool < b.tool ? -1 : 1))
}

/** Renders a heat map of the failures by tool and class. */
const matrix = (rows: ReadonlyArray<FailureRow>): Html => {
  const tools = toolsOf(rows)
  const shown = tools.slice(0, maxTools)
  const present = tags.filter((tag) => shown.some((tool) => tool.of.has(tag)))
  const most = Math.max(...shown.flatMap((tool) => [...tool.of.values()]))
  const column = (tag: FailureTag): Column<ToolFailures> => ({
    name: classes[tag].name,
    isNumber: true,
    of: (tool) => {
      const count = tool.of.get(tag)
      return count === undefined
        ? html`<span class="zero">0</span>`
        : html`<span class="heat h-${heatOf(count, most)}">${grouped(count)}</span>`
    }
  })
  return html`<div class="matrix">
    ${table(
      {
        caption: `Failures by class, ${tools.length > maxTools ? `for the ${maxTools} tools with the most failures` : "for each tool"}`,
        sorted: ["All", "descending"]
      },
      [
        { name: "Tool", of: ({ tool }) => Untrusted.code(tool) },
        { name: "All", of: ({ all }) => grouped(all), isNumber: true },
        ...present.map(column)
      ],
      shown
    )}
  </div>`
}

const refusals = ({ refused }: Report): Html =>
  refused.length === 0
    ? nothing
    : html`<h3 id="refused">Refused before the tool ran</h3>
        <p>The guard tells the model immediately what to correct. The tool does not run.</p>
        ${table(
          { caption: "Refusals by code", sorted: ["Calls", "descending"] },
          [
            { name: "Code", of: ({ code }) => Untrusted.code(code) },
            { name: "Meaning", of: ({ code }) => info(code)?.meaning ?? "", isWide: true },
            { name: "Calls", of: ({ count }) => grouped(count), isNumber: true }
          ],
          refused
        )}`

const declaredRefusals = ({ declared }: Report, places: Places): Html =>
  declared.length === 0
    ? nothing
    : html`<h3 id="declared">Refused by the tools</h3>
        <p>The tools declare these refusals, with which they report that they did nothing. They are not failures.</p>
        ${table(
          { caption: "Declared refusals by tool and code", sorted: ["Calls", "descending"] },
          [
            { name: "Tool", of: ({ tool }) => Untrusted.code(tool) },
            { name: "Code", of: ({ code }) => Untrusted.code(code), isWide: true },
            { name: "Calls", of: ({ count }) => grouped(count), isNumber: true },
            { name: "First", of: ({ first }) => places.link(first, first.call) }
          ],
          declared
        )}`

/** Creates the section on failures and refusals. */
export const failures = (report: Report, places: Places): Section => {
  const rows = report.failures
  return {
    id: "failures",
    title: "Failures",
    count: sum(rows),
    none: report.totals.calls === 0 ? "" : "No failures: every answer was a complete result.",
    body:
      rows.length === 0
        ? report.declared.length === 0
          ? undefined
          : declaredRefusals(report, places)
        : html`<p>
              Calls that the guard would have made and that failed or returned a partial result, and calls that it would
              have refused. Calls that it would have saved are not included.
            </p>
            <h3>By class</h3>
            ${byClass(rows)}
            <h3>By tool</h3>
            ${matrix(rows)}
            <h3>By code</h3>
            ${table(
              { caption: "Failures by tool, class and code", sorted: ["Calls", "descending"] },
              [
                { name: "Tool", of: ({ tool }) => Untrusted.code(tool) },
                { name: "Class", of: (row) => classes[row.class].name },
                { name: "Code", of: ({ code }) => html`${Untrusted.code(code)} ${meaningOf(code)}`, isWide: true },
                { name: "Calls", of: ({ count }) => grouped(count), isNumber: true },
                { name: "First", of: ({ first }) => places.link(first, first.call) }
              ],
              rows
            )}
            ${declaredRefusals(report, places)} ${refusals(report)}`
  }
}
