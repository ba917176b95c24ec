/**
 * Prints the report of `toolguard diff`: breaking changes first, each with a value that proves it, if one was found.
 */
import { counted } from "#kit/text/Numbers"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { type Change, line, type Weight } from "#kit/diff/Change"
import type { ToolCalls } from "#kit/diff/FailingCalls"
import type { SkillFinding } from "#kit/diff/Skills"
import { fit, plain, type Screen, wrap } from "#kit/cli/console/Screen"

/** The contents of the report. */
export interface Report {
  readonly changes: ReadonlyArray<Change>
  /** The ids of accepted breaking changes. */
  readonly accepted: ReadonlySet<string>
  readonly traffic: { readonly calls: number; readonly tools: ReadonlyArray<ToolCalls> } | undefined
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
        screen.line(
          screen.styled("dim", fit(`    ${label} ${plain(shown(JSON.stringify(change.witness.value)))}`, width))
        )
      }
    }
  }
  if (traffic !== undefined) writeTraffic(screen, traffic, print)
  if (skills !== undefined) writeSkills(screen, skills, print)
}

type Print = (text: string, indent: number) => void

const writeTraffic = (screen: Screen, { calls, tools }: NonNullable<Report["traffic"]>, print: Print): void => {
  const broken = tools.reduce((sum, tool) => sum + tool.broken, 0)
  screen.line("")
  screen.line(screen.styled("bold", "Recorded calls"))
  print(`${broken} of ${counted(calls, "call")} would newly fail (${percent(broken, calls)}).`, 2)
  for (const { broken, calls, first, isGone, refused, tool } of tools.filter(({ refused }) => refused > 0)) {
    const place = first === undefined ? "" : `, first ${first.file}:${first.line}#${first.call}`
    const also = refused > broken ? `; the lock already refused ${refused - broken} more` : ""
    print(`${tool}${isGone ? " (removed)" : ""}: ${broken} of ${calls} (${percent(broken, calls)})${place}${also}`, 2)
  }
}

const writeSkills = (screen: Screen, skills: ReadonlyArray<SkillFinding>, print: Print): void => {
  screen.line("")
  screen.line(screen.styled("bold", "Skills and prompts"))
  if (skills.length === 0) screen.line("  Nothing in them is stale.")
  for (const { kind, line, path, text } of skills) print(`${path}:${line} ${kind}: ${text}`, 2)
}
