/**
 * Prints the report of `toolguard diff`: breaking changes first, each with a value that proves it, if one was found.
 */
import type { Rating } from "#kit/report/ChangeRatings"
import { counted, grouped } from "#kit/text/Numbers"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { type Change, line, type Weight } from "#kit/diff/Change"
import type { SkillFinding } from "#kit/diff/Skills"
import { fit, plain, type Screen, wrap } from "#kit/cli/console/Screen"
import type { RatedTraffic } from "./RatedTraffic.ts"

/** The contents of the report. */
export interface Report {
  readonly changes: ReadonlyArray<Change>
  /** The ids of accepted breaking changes. */
  readonly accepted: ReadonlySet<string>
  readonly traffic: RatedTraffic | undefined
  readonly skills: ReadonlyArray<SkillFinding> | undefined
}

const titles: Readonly<Record<Weight, string>> = {
  breaking: "Breaking",
  behavioural: "Behavioural: models and clients read something different",
  safe: "Safe: more is accepted, or fewer results are possible"
}

const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`

/** Prints the report. */
export const write = (screen: Screen, { accepted, changes, skills, traffic }: Report): void => {
  const width = Math.min(screen.columns, 100)
  const print = (text: string, indent: number): void => {
    for (const part of wrap(plain(shown(text)), width - indent)) screen.line(" ".repeat(indent) + part)
  }
  /** Prints a value on one line, truncated to the width. */
  const quote = (text: string): void => screen.line(screen.styled("dim", fit(`    ${plain(shown(text))}`, width)))
  for (const weight of ["breaking", "behavioural", "safe"] as const) {
    const matching = changes.filter((change) => change.weight === weight)
    if (matching.length === 0) continue
    screen.line("")
    screen.line(screen.styled("bold", titles[weight]))
    for (const change of matching) {
      const isAccepted = accepted.has(change.id)
      const mark = weight === "breaking" ? `${change.id} ${isAccepted ? "accepted " : ""}` : ""
      print(`${mark}${change.tool}: ${line(change)}`, 2)
      if (change.witness !== undefined && weight === "breaking") {
        const label = change.subject === "result" ? "may return:" : "was accepted:"
        quote(`${label} ${JSON.stringify(change.witness.value)}`)
      }
      if (traffic !== undefined) writeRating(print, quote, change, traffic.ratingOf(change))
    }
  }
  if (traffic !== undefined) writeTraffic(screen, traffic, print)
  if (skills !== undefined) writeSkills(screen, skills, print)
}

/** Returns the number of calls that would newly fail. */
export const brokenIn = (tools: RatedTraffic["tools"]): number => tools.reduce((sum, { broken }) => sum + broken, 0)

type Print = (text: string, indent: number) => void

/** Prints how many recorded calls a change would have broken: for each breaking change, and for others if any. */
const writeRating = (
  print: Print,
  quote: (text: string) => void,
  change: Change,
  { answered, broken, calls, example }: Rating
): void => {
  if (broken === 0 && change.weight !== "breaking") return
  const isRead = change.consequence === "possible"
  const noun = isRead ? "result" : "call"
  if (calls === 0) return print(`no recorded ${noun} of ${change.tool}`, 4)
  const share = `${grouped(broken)} of ${counted(calls, `recorded ${noun}`)}`
  const worked = broken === 0 || isRead ? "" : ` (${grouped(answered)} worked)`
  print(isRead ? `${share} ${broken === 1 ? "has" : "have"} this form` : `would have broken ${share}${worked}`, 4)
  if (example === undefined) return
  const { call, file, line: at } = example
  quote(`first ${file}:${at}#${call}: ${example.result ?? example.arguments}`)
}

/** The maximum number of printed parts that were not read. The JSON has more. */
const maxSkipped = 5

const writeTraffic = (screen: Screen, { calls, skipped, tools }: RatedTraffic, print: Print): void => {
  const broken = brokenIn(tools)
  screen.line("")
  screen.line(screen.styled("bold", "Recorded calls"))
  if (calls === 0) print("The files have no call of these tools.", 2)
  else print(`${broken} of ${counted(calls, "call")} would newly fail (${percent(broken, calls)}).`, 2)
  for (const { broken, brokenResults, calls, first, isGone, refused, tool } of tools.filter(
    ({ broken, refused }) => broken + refused > 0
  )) {
    const place = first === undefined ? "" : `, first ${first.file}:${first.line}#${first.call}`
    const before = refused - (broken - brokenResults)
    const also = before > 0 ? `; the lock already refused ${before} more` : ""
    print(`${tool}${isGone ? " (removed)" : ""}: ${broken} of ${calls} (${percent(broken, calls)})${place}${also}`, 2)
  }
  if (skipped.total === 0) return
  print(`${counted(skipped.total, "part")} of the files ${skipped.total === 1 ? "was" : "were"} not read:`, 2)
  for (const { place, reason } of skipped.shown.slice(0, maxSkipped)) print(`${place.file}:${place.line}: ${reason}`, 4)
}

const writeSkills = (screen: Screen, skills: ReadonlyArray<SkillFinding>, print: Print): void => {
  screen.line("")
  screen.line(screen.styled("bold", "Skills and prompts"))
  if (skills.length === 0) screen.line("  Nothing in them is stale.")
  for (const { kind, line, path, text } of skills) print(`${path}:${line} ${kind}: ${text}`, 2)
}
