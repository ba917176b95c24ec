/**
 * Renders tables with a caption, row headers, and columns that the script makes sortable. On a phone, each row becomes
 * a card whose cells are labelled with the names of their columns.
 */
import { html, type Html, nothing } from "effect-toolguard/internal/domain/text/Html"
import { length, limited } from "./Limit.ts"
import { counted } from "#kit/text/Numbers"

/** A column of a table. */
export interface Column<Row> {
  readonly name: string
  readonly of: (row: Row) => Html | string
  /** True if the column contains numbers. They are right-aligned, and the first sort is descending. */
  readonly isNumber?: boolean
  /** True if the column takes the remaining width. */
  readonly isWide?: boolean
  /** True if the column contains charts and is therefore not sortable. */
  readonly isChart?: boolean
}

/** The options of a table. */
interface Options {
  /** The caption, which also labels the filter. */
  readonly caption: string
  /** The number of all rows, if only the first rows are passed. */
  readonly total?: number
  /** The column by which the rows are already sorted, and the order. */
  readonly sorted?: readonly [column: string, order: "ascending" | "descending"]
}

const limit = { items: 500, characters: 400_000 }

const classOf = ({ isChart, isNumber, isWide }: Column<never>): Html =>
  isChart === true
    ? html` class="chart"`
    : isNumber === true
      ? html` class="number"`
      : isWide === true
        ? html` class="wide"`
        : nothing

/** Renders the table and the number of omitted rows. The first column contains the row headers. */
export const table = <Row>(
  { caption, sorted, total }: Options,
  [head, ...others]: readonly [Column<Row>, ...ReadonlyArray<Column<Row>>],
  rows: ReadonlyArray<Row>
): Html => {
  const { shown } = limited(
    rows,
    limit,
    (row) =>
      html`<tr>
        <th scope="row">${head.of(row)}</th>
        ${others.map((column) => html`<td data-label="${column.name}" ${classOf(column)}><div>${column.of(row)}</div></td>`)}
      </tr> `,
    length
  )
  const all = Math.max(total ?? 0, rows.length)
  return html`<div class="table" data-table>
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${[head, ...others].map((column) => {
            const order = column.name === sorted?.[0] ? html` aria-sort="${sorted[1]}"` : nothing
            return html`<th scope="col" ${classOf(column)}${order}>${column.name}</th>`
          })}
        </tr>
      </thead>
      <tbody>
        ${shown}
      </tbody>
    </table>
    ${all > shown.length ? html`<p class="left">The first ${counted(shown.length, "row")} of ${counted(all, "row")}.</p>` : nothing}
  </div>`
}
