/** Shows the changes of tools to people: what breaks first, each with a value that shows it. */
import { counted } from "#kit/text/Numbers"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { type Change, line, type Weight } from "#kit/diff/Change"
import type { ToolCalls } from "#kit/diff/FailingCalls"
import type { SkillFinding } from "#kit/diff/Skills"
import { fit, plain, type Screen, wrap } from "#kit/cli/console/Screen"

export interface Shown {
  readonly changes: ReadonlyArray<Change>
  /** Ids of breaking changes that are accepted. */
  readonly accepted: ReadonlySet<string>
  readonly traffic: { readonly calls: number; readonly tools: ReadonlyArray<ToolCalls> } | undefined
  readonly skills: ReadonlyArray<SkillFinding> | undefined
}

const titles: Readonly<Record<Weight, string>> = {
  breaking: "Breaking",
  behavioural: "Behavioural: what models and clients are told differs",
  safe: "Safe: more is taken, or less is answered"
}

const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`

/** Writes all of it. */
export const write = (screen: Screen, { accepted, changes, skills, traffic }: Shown): void => {
  const width = Math.min(screen.columns, 100)
  const say = (text: string, indent: number): void => {
    for (const part of wrap(plain(shown(text)), width - indent)) screen.line(" ".repeat(indent) + part)
  }
  for (const weight of ["breaking", "behavioural", "safe"] as const) {
    const some = changes.filter((change) => change.weight === weight)
    if (some.length === 0) continue
    screen.line("")
    screen.line(screen.styled("bold", titles[weight]))
    for (const change of some) {
      const isAccepted = accepted.has(change.id)
      const mark = weight === "breaking" ? `${change.id} ${isAccepted ? "accepted " : ""}` : ""
      say(`${mark}${change.tool}: ${line(change)}`, 2)
      if (change.witness !== undefined && weight === "breaking") {
        const what = change.subject === "result" ? "may come:" : "was taken:"
        screen.line(
          screen.styled("dim", fit(`    ${what} ${plain(shown(JSON.stringify(change.witness.value)))}`, width))
        )
      }
    }
  }
  if (traffic !== undefined) writeTraffic(screen, traffic, say)
  if (skills !== undefined) writeSkills(screen, skills, say)
}

type Say = (text: string, indent: number) => void

const writeTraffic = (screen: Screen, { calls, tools }: NonNullable<Shown["traffic"]>, say: Say): void => {
  const broken = tools.reduce((sum, tool) => sum + tool.broken, 0)
  screen.line("")
  screen.line(screen.styled("bold", "Recorded calls"))
  say(`Of ${counted(calls, "call")} ${broken} would fail that the lock takes (${percent(broken, calls)}).`, 2)
  for (const { broken, calls, first, isGone, refused, tool } of tools.filter(({ refused }) => refused > 0)) {
    const place = first === undefined ? "" : `, first ${first.file}:${first.line}#${first.call}`
    const also = refused > broken ? `; the lock refuses ${refused - broken} more` : ""
    say(`${tool}${isGone ? " (gone)" : ""}: ${broken} of ${calls} (${percent(broken, calls)})${place}${also}`, 2)
  }
}

const writeSkills = (screen: Screen, skills: ReadonlyArray<SkillFinding>, say: Say): void => {
  screen.line("")
  screen.line(screen.styled("bold", "Skills and prompts"))
  if (skills.length === 0) screen.line("  Nothing that they say is stale.")
  for (const { kind, line, path, text } of skills) say(`${path}:${line} ${kind}: ${text}`, 2)
}
