/** Draws the requests of storms over time as an SVG, which is readable on a light and on a dark page. */
import * as Upstream from "./Upstream.ts"
import type { Result } from "./Storm.ts"

/** A line of the chart. */
export interface Line {
  readonly name: string
  readonly result: Result
}

const size = { width: 760, height: 320 }
const plot = { left: 56, right: 28, top: 48, bottom: 44 }

/** The seconds before and after the end of the outage. */
const span = { before: 30, after: 30 }

/** Each is told apart from the others in both schemes, also without colours, by its dashes. */
const styles = [
  { light: "#b45309", dark: "#fbbf24", dashes: "5 3" },
  { light: "#1d4ed8", dark: "#93c5fd", dashes: "none" }
] as const

const css = `
  text { font: 12px system-ui, sans-serif; fill: #374151 }
  .axis { stroke: #9ca3af; stroke-width: 1 }
  .grid { stroke: #9ca3af; stroke-width: 1; stroke-dasharray: 2 4 }
  .outage { fill: #6b7280; fill-opacity: 0.15 }
  .line { fill: none; stroke-width: 1.75; stroke-linejoin: round }
${styles.map(({ dashes, light }, index) => `  .line${index} { stroke: ${light}; stroke-dasharray: ${dashes} }`).join("\n")}
  @media (prefers-color-scheme: dark) {
    text { fill: #d1d5db }
${styles.map(({ dark }, index) => `    .line${index} { stroke: ${dark} }`).join("\n")}
  }
`

/** Draws the lines of storms with the same outage. `capacity` is in requests per second. */
export const draw = (capacity: number, lines: readonly [Line, Line]): string => {
  const series = lines.map(({ result }) => perSecond(result))
  const highest = Math.max(capacity, ...series.flatMap((points) => points.map(([, rate]) => rate)))
  const top = Math.ceil((highest / capacity) * 2) / 2
  const x = (second: number) =>
    plot.left + ((second + span.before) / (span.before + span.after)) * (size.width - plot.left - plot.right)
  const y = (perSecond: number) =>
    size.height - plot.bottom - (perSecond / (top * capacity)) * (size.height - plot.top - plot.bottom)
  const vertical = Array.from({ length: (span.before + span.after) / 10 + 1 }, (_, index) => {
    const second = index * 10 - span.before
    const label = `${second > 0 ? "+" : second < 0 ? "−" : ""}${Math.abs(second)} s`
    return `<text x="${x(second).toFixed(1)}" y="${size.height - plot.bottom + 18}" text-anchor="middle">${label}</text>`
  })
  const horizontal = Array.from({ length: Math.floor(top / 0.5) + 1 }, (_, index) => {
    const height = y(index * 0.5 * capacity).toFixed(1)
    return [
      `<line class="${index === 0 ? "axis" : "grid"}" x1="${plot.left}" x2="${size.width - plot.right}" y1="${height}" y2="${height}"/>`,
      `<text x="${plot.left - 8}" y="${height}" dy="4" text-anchor="end">${Math.round(index * 0.5 * capacity)}</text>`
    ].join("\n")
  })
  const paths = series.map((line, index) => {
    const points = line.map(([second, rate]) => `${x(second).toFixed(1)},${y(rate).toFixed(1)}`)
    return `<polyline class="line line${index}" points="${points.join(" ")}"/>`
  })
  const legend = lines.map(({ name }, index) => {
    const left = plot.left + index * 330
    return `<line class="line line${index}" x1="${left}" x2="${left + 28}" y1="20" y2="20"/>\n<text x="${left + 36}" y="24">${name}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-labelledby="title">
<title id="title">Requests per second before and after the end of an outage: ${lines.map(({ name }) => name).join("; ")}</title>
<style>${css}</style>
<rect class="outage" x="${x(-span.before)}" y="${plot.top}" width="${(x(0) - x(-span.before)).toFixed(1)}" height="${size.height - plot.top - plot.bottom}"/>
<text x="${x(-span.before) + 8}" y="${plot.top + 16}">outage</text>
<text x="${size.width - plot.right}" y="${y(capacity) - 5}" text-anchor="end">capacity</text>
${[...horizontal, ...vertical, ...paths, ...legend].join("\n")}
<text x="${plot.left}" y="${size.height - 6}">Requests per second at the upstream, over the time since the end of the outage</text>
</svg>
`
}

/** Returns the requests of the second around each slice that the chart shows, by the time since the end of the outage. */
const perSecond = ({ outageMillis, rates }: Result): ReadonlyArray<readonly [second: number, rate: number]> => {
  const { millis, perSecond: count } = Upstream.slice
  return Array.from({ length: (span.before + span.after) * count + 1 }, (_, index) => {
    const second = index / count - span.before
    const middle = Math.round((outageMillis + second * 1_000) / millis)
    const within = rates.slice(Math.max(0, middle - count / 2), Math.max(0, middle + count / 2))
    return [second, within.reduce((sum, rate) => sum + rate, 0)] as const
  })
}
