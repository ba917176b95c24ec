/**
 * Charts as inline SVG: bars without words of their own, so that they stretch to any width. The words and figures stand
 * beside them as text, in lists and tables, and are what a screen reader says.
 */
import { html, Html, nothing } from "effect-toolguard/internal/domain/text/Html"
import { counted, share } from "./Numbers.ts"

/** The colour of a mark. */
export type Mark = "good" | "warn" | "bad" | "spared" | "refused" | "plain"

interface Part {
  readonly count: number
  readonly mark: Mark
}

/** A part of a whole, for its legend. */
export interface NamedPart extends Part {
  readonly name: string
}

/** What is there is drawn at least this wide, in percent. */
const least = 0.8

const percent = (value: number): string => `${Number(value.toFixed(2))}%`

const rectangle = (mark: Mark, x: number, width: number): string =>
  `<rect class="m-${mark}" x="${percent(x)}" width="${percent(width)}" height="100%"/>`

const svg = (kind: string, drawn: ReadonlyArray<string>): Html =>
  new Html(`<svg class="${kind}" aria-hidden="true" focusable="false">${drawn.join("")}</svg>`)

/** Widths in percent: what is drawn wider than it is takes its room from the widest. */
const widthsOf = (parts: ReadonlyArray<Part>, all: number): ReadonlyArray<number> => {
  const widths = parts.map(({ count }) => Math.max(least, (100 * count) / all))
  const over = widths.reduce((sum, width) => sum + width, 0) - 100
  if (over > 0) {
    const widest = widths.indexOf(Math.max(...widths))
    widths[widest] = Math.max(0, (widths[widest] ?? 0) - over)
  }
  return widths
}

/** Parts side by side, together as long as `most`, or as their sum. */
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

/** Parts side by side in their order, as long as they are: what happened one after the other. */
export const strip = (parts: ReadonlyArray<Part>): Html => {
  const all = parts.reduce((sum, { count }) => sum + count, 0)
  let x = 0
  const drawn = parts.map(({ count, mark }) => {
    x += count
    return rectangle(mark, (100 * (x - count)) / all, (100 * count) / all)
  })
  return svg("strip", drawn)
}

/** One bar: `count` of `most`. */
export const bar = (count: number, most: number, mark: Mark): Html => stacked([{ count, mark }], most)

/** A bar of parts with its legend, which says each part's figures. */
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
            <i class="k-${mark}"></i>${name} <b>${counted(count)}</b> <span class="quiet">${share(count, all)}</span>
          </li>`
      )}
    </ul>
  </figure>`
}

/** A line of a bar chart. */
export interface Line {
  readonly name: Html | string
  /** What stands below the bar. */
  readonly note?: Html | string
  readonly count: number
  /** Default: that of the chart. */
  readonly mark?: Mark
  /** What stands behind the name; default: the count. */
  readonly figure?: string
}

/** A bar for each line, the longest as long as the chart; `most`: what a full bar means. */
export const bars = (lines: ReadonlyArray<Line>, mark: Mark, most?: number): Html => {
  const full = most ?? Math.max(0, ...lines.map(({ count }) => count))
  return html`<ul class="bars">
    ${lines.map(
      ({ count, figure, mark: own = mark, name, note = nothing }) =>
        html`<li>
          <span class="name">${name}</span> <b>${figure ?? counted(count)}</b> ${bar(count, full, own)}
          <p class="quiet">${note}</p>
        </li>`
    )}
  </ul>`
}
