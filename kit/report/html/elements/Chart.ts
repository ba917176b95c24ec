/**
 * Draws charts as inline SVG. The bars contain no text, so that they stretch to any width. Labels and figures are text
 * in the lists and tables around the bars, where screen readers find them.
 */
import { html, Html, nothing } from "effect-toolguard/internal/domain/text/Html"
import { grouped, share } from "#kit/text/Numbers"

/** The colour of a mark. */
export type Mark = "good" | "warn" | "bad" | "saved" | "refused" | "plain"

interface Part {
  readonly count: number
  readonly mark: Mark
}

/** A part of a bar, with its label in the legend. */
export interface NamedPart extends Part {
  readonly name: string
}

/** The minimum width of a non-empty part, in percent. */
const minWidth = 0.8

const percent = (value: number): string => `${Number(value.toFixed(2))}%`

const rectangle = (mark: Mark, x: number, width: number): string =>
  `<rect class="m-${mark}" x="${percent(x)}" width="${percent(width)}" height="100%"/>`

const svg = (kind: string, drawn: ReadonlyArray<string>): Html =>
  new Html(`<svg class="${kind}" aria-hidden="true" focusable="false">${drawn.join("")}</svg>`)

/**
 * Returns the widths of parts in percent. The widest part shrinks by the width that the minimum width adds to other
 * parts.
 */
const widthsOf = (parts: ReadonlyArray<Part>, all: number): ReadonlyArray<number> => {
  const widths = parts.map(({ count }) => Math.max(minWidth, (100 * count) / all))
  const over = widths.reduce((sum, width) => sum + width, 0) - 100
  if (over > 0) {
    const widest = widths.indexOf(Math.max(...widths))
    widths[widest] = Math.max(0, (widths[widest] ?? 0) - over)
  }
  return widths
}

/** Draws a stacked bar. The full length represents `most`, or the sum of the parts if the sum is larger. */
export const stacked = (parts: ReadonlyArray<Part>, most = 0): Html => {
  const present = parts.filter(({ count }) => count > 0)
  const all = Math.max(
    most,
    present.reduce((sum, { count }) => sum + count, 0)
  )
  const widths = widthsOf(present, all)
  let x = 0
  const drawn = present.map(({ mark }, index) => {
    const width = widths[index] ?? 0
    x += width
    return rectangle(mark, x - width, width)
  })
  return svg("bar", drawn)
}

/** Draws parts in chronological order, with proportional widths. */
export const strip = (parts: ReadonlyArray<Part>): Html => {
  const all = parts.reduce((sum, { count }) => sum + count, 0)
  let x = 0
  const drawn = parts.map(({ count, mark }) => {
    x += count
    return rectangle(mark, (100 * (x - count)) / all, (100 * count) / all)
  })
  return svg("strip", drawn)
}

/** Draws stacked columns from left to right. The highest column has the full height. */
export const columns = (all: ReadonlyArray<ReadonlyArray<Part>>): Html => {
  const heights = all.map((parts) => parts.reduce((sum, { count }) => sum + count, 0))
  const most = Math.max(1, ...heights)
  const width = 100 / all.length
  const drawn = all.flatMap((parts, index) => {
    let top = 100
    return parts
      .filter(({ count }) => count > 0)
      .map(({ count, mark }) => {
        const height = (100 * count) / most
        top -= height
        return `<rect class="m-${mark}" x="${percent(index * width)}" y="${percent(top)}" width="${percent(width)}" height="${percent(height)}"/>`
      })
  })
  return svg("time", drawn)
}

/** Draws a bar that shows `count` of `most`. */
export const bar = (count: number, most: number, mark: Mark): Html => stacked([{ count, mark }], most)

/** Draws a stacked bar with a legend that lists the figures. */
export const whole = (title: string, parts: ReadonlyArray<NamedPart>): Html => {
  const present = parts.filter(({ count }) => count > 0)
  const all = present.reduce((sum, { count }) => sum + count, 0)
  return html`<figure>
    <figcaption>${title}</figcaption>
    ${stacked(present)}
    <ul class="legend">
      ${present.map(
        ({ count, mark, name }) =>
          html`<li>
            <i class="k-${mark}"></i>${name} <b>${grouped(count)}</b> <span class="quiet">${share(count, all)}</span>
          </li>`
      )}
    </ul>
  </figure>`
}

/** A line of a bar chart. */
interface Line {
  readonly name: Html | string
  /** The text below the bar. */
  readonly note?: Html | string
  readonly count: number
  /** The colour of the bar. Default: the chart's mark. */
  readonly mark?: Mark
  /** The figure after the name. Default: the count. */
  readonly figure?: string
}

/** Draws a bar chart with one bar per line. `most` is the value of a full bar. Default: the largest count. */
export const bars = (lines: ReadonlyArray<Line>, mark: Mark, most?: number): Html => {
  const full = most ?? Math.max(0, ...lines.map(({ count }) => count))
  return html`<ul class="bars">
    ${lines.map(
      ({ count, figure, mark: own = mark, name, note = nothing }) =>
        html`<li>
          <span class="name">${name}</span> <b>${figure ?? grouped(count)}</b> ${bar(count, full, own)}
          <p class="quiet">${note}</p>
        </li>`
    )}
  </ul>`
}
