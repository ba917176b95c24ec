/** Renders the rates at which models repair a failure with their next call of the tool. */
import { html, type Html, nothing } from "effect-toolguard/internal/domain/text/Html"
import type { RepairRow, Report } from "#kit/report/Report"
import { bar, bars } from "#kit/report/html/elements/Chart"
import * as Untrusted from "#kit/report/html/elements/UntrustedText"
import { grouped, share } from "#kit/text/Numbers"
import { advice, type Section } from "#kit/report/html/elements/Section"
import { table } from "#kit/report/html/elements/Table"
import { classes } from "#kit/report/html/elements/Terms"

interface Sum {
  readonly failures: number
  readonly repaired: number
}

const sum = (rows: ReadonlyArray<RepairRow>): Sum =>
  rows.reduce((all, row) => ({ failures: all.failures + row.failures, repaired: all.repaired + row.repaired }), {
    failures: 0,
    repaired: 0
  })

const maxModels = 8

const rate = ({ failures, repaired }: Sum): number => (failures === 0 ? 0 : repaired / failures)

/** Renders repair rates as bars. A full bar means that every failure was repaired. */
const rates = (groups: Iterable<readonly [name: Html | string, rows: ReadonlyArray<RepairRow>]>): Html =>
  bars(
    [...groups]
      .map(([name, rows]) => ({ name, all: sum(rows) }))
      .toSorted((a, b) => b.all.failures - a.all.failures)
      .slice(0, maxModels)
      .map(({ all, name }) => ({
        name,
        count: rate(all),
        figure: share(all.repaired, all.failures),
        note: `${grouped(all.repaired)} of ${grouped(all.failures)}`
      })),
    "good",
    1
  )

/** Creates the section on repairs. */
export const repair = ({ repair: rows }: Report): Section => {
  const models = Map.groupBy(rows, ({ model }) => model)
  return {
    id: "repair",
    title: "Repair",
    body:
      rows.length === 0
        ? undefined
        : html`<p>
              The repair rate is the share of failures after which the model's next call of the tool succeeds. It shows
              how well the model understood the error.
            </p>
            ${advice("A low rate means that the error does not say what to do next. The guard's errors do.")}
            <div class="columns">
              <div>
                <h3>By class</h3>
                ${rates([...Map.groupBy(rows, (row) => row.class)].map(([tag, own]) => [classes[tag].name, own] as const))}
              </div>
              ${
                models.size < 2
                  ? nothing
                  : html`<div>
                      <h3>By model</h3>
                      ${rates([...models].map(([model, own]) => [Untrusted.model(model), own] as const))}
                    </div>`
              }
            </div>
            ${table(
              { caption: "Repair by tool, class and model", sorted: ["Failures", "descending"] },
              [
                { name: "Tool", of: ({ tool }) => Untrusted.code(tool) },
                { name: "Class", of: (row) => classes[row.class].name },
                { name: "Model", of: ({ model }) => Untrusted.model(model) },
                { name: "Failures", of: ({ failures }) => grouped(failures), isNumber: true },
                {
                  name: "Repaired",
                  of: (row) => html`${share(row.repaired, row.failures)} ${bar(rate(row), 1, "good")}`,
                  isNumber: true
                }
              ],
              rows
            )}`
  }
}
