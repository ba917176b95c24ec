/**
 * Counts calls over time, in bounded memory.
 *
 * The calls are counted in columns of equal length. If there are too many columns, their length grows to the next step,
 * which is a multiple of it, so that the result does not depend on the order of the calls.
 */
import * as StopReview from "#kit/replay/StopReview"
import type { ReplayedCall } from "#kit/replay/ReplayedCall"

/** The calls between two times. */
interface TimeColumn {
  readonly calls: number
  /** The number of calls that failed in the log. */
  readonly failed: number
  /** The number of calls that the guard would have refused or saved. */
  readonly blocked: number
}

/** The calls with times, in columns of equal length. */
export interface TimeAxis {
  /** The start of the first column, in epoch milliseconds. */
  readonly from: number
  readonly stepMillis: number
  readonly columns: ReadonlyArray<TimeColumn>
  /** The number of calls whose answer has a time in the log. */
  readonly timed: number
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** The possible lengths of columns. Each divides the next. */
const steps = [second, 10 * second, minute, 5 * minute, 15 * minute, hour, 6 * hour, day, 7 * day, 28 * day, 364 * day]
const longestStep = 364 * day

/** The maximum number of columns to show, and to keep while counting. */
const maxColumns = 48
const maxKept = 2_000

/** Times outside of these years are errors of a log, such as 0 or seconds in place of milliseconds. */
const earliest = Date.UTC(2000, 0, 1)
const latest = Date.UTC(2100, 0, 1)

type Columns = Map<number, { -readonly [K in keyof TimeColumn]: TimeColumn[K] }>

const widened = (columns: Columns, step: number): Columns => {
  const wider: Columns = new Map()
  for (const [start, { blocked, calls, failed }] of columns) {
    const column = columnAt(wider, start, step)
    column.calls += calls
    column.failed += failed
    column.blocked += blocked
  }
  return wider
}

const columnAt = (columns: Columns, at: number, step: number) => {
  const start = at - (at % step)
  const known = columns.get(start) ?? { calls: 0, failed: 0, blocked: 0 }
  columns.set(start, known)
  return known
}

const nextStep = (step: number): number => steps.find((longer) => longer > step) ?? longestStep

/** Creates an empty count. */
export const make = () => {
  let columns: Columns = new Map()
  let step = second
  let timed = 0
  return {
    add: ({ answer, loggedEnd, tally }: Pick<ReplayedCall, "answer" | "loggedEnd" | "tally">): void => {
      const at = answer?.at
      if (at === undefined || !(at >= earliest && at < latest)) return
      timed += 1
      const column = columnAt(columns, Math.floor(at), step)
      column.calls += 1
      if (loggedEnd?._tag === "Failure") column.failed += 1
      if (StopReview.isBlocked({ tally })) column.blocked += 1
      while (columns.size > maxKept && step < longestStep) {
        step = nextStep(step)
        columns = widened(columns, step)
      }
    },
    /** Returns the columns from the first to the last call, empty ones included; `null` without calls with times. */
    value: (): TimeAxis | null => {
      if (columns.size === 0) return null
      const starts = [...columns.keys()]
      const [first, last] = [Math.min(...starts), Math.max(...starts)]
      const lengthWith = (own: number) => Math.floor(last / own) - Math.floor(first / own) + 1
      const stepMillis = steps.find((own) => own >= step && lengthWith(own) <= maxColumns) ?? longestStep
      const wider = widened(columns, stepMillis)
      const from = first - (first % stepMillis)
      return {
        from,
        stepMillis,
        columns: Array.from({ length: lengthWith(stepMillis) }, (_, index) => ({
          ...(wider.get(from + index * stepMillis) ?? { calls: 0, failed: 0, blocked: 0 })
        })),
        timed
      }
    }
  }
}
