/**
 * Tables: a caption, a header of each row, and columns that a person can sort where JavaScript runs. On a phone each row is
 * a card, whose cells say the names of their columns.
 */
import { html, type Html, nothing } from "effect-toolguard/internal/domain/text/Html"
import { length, within } from "./Bound.ts"
import { of as counted } from "./Numbers.ts"

export interface Column<Row> {
  readonly name: string
  readonly of: (row: Row) => Html | string
  /** Numbers stand to the right, and the greatest come first when they are sorted. */
  readonly isNumber?: boolean
  /** Takes what room there is. */
  readonly isWide?: boolean
  /** Drawn: not sorted. */
  readonly isChart?: boolean
}

export interface Options {
  /** Also names its filter. */
  readonly caption: string
  /** The first rows of how many. */
  readonly total?: number
  /** The column by which the rows are in order already. */
  readonly sorted?: readonly [column: string, order: "ascending" | "descending"]
}

const room = { most: 500, characters: 400_000 }

const classOf = ({ isChart, isNumber, isWide }: Column<never>): Html =>
  isChart === true
    ? html` class="chart"`
    : isNumber === true
      ? html` class="number"`
      : isWide === true
        ? html` class="wide"`
        : nothing

/** The table, and a line that says what was left out. The first column is the header of its row. */
export const table = <Row>(
  { caption, sorted, total }: Options,
  [head, ...others]: readonly [Column<Row>, ...ReadonlyArray<Column<Row>>],
  rows: ReadonlyArray<Row>
): Html => {
  const { shown } = within(
    rows,
    room,
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
