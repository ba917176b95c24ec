/** Formats times and lengths of time for people, the same on every machine. */
import * as DateTime from "effect/DateTime"
import { counted } from "./Numbers.ts"

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000]
] as const

/** Formats a length of time in its largest unit without a remainder: `15 minutes`, `1 hour`. */
export const lengthOfTime = (millis: number): string => {
  const [name, unit] = units.find(([, one]) => millis >= one && millis % one === 0) ?? units[3]
  return counted(Math.round(millis / unit), name)
}

/** Formats a time in UTC: `2026-01-05 09:00`, with seconds if `precision` is less than a minute. */
export const utc = (at: number, precision = 60_000): string =>
  DateTime.formatIso(DateTime.makeUnsafe(at))
    .replace("T", " ")
    .slice(0, precision < 60_000 ? 19 : precision % 86_400_000 === 0 ? 10 : 16)
