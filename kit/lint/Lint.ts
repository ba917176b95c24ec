/** Lints lists of tools. Runs the rules, applies suppressions, and reports problems of the suppressions. */
import * as JsonPointer from "effect-toolguard/internal/domain/json/JsonPointer"
import * as Suppressions from "#kit/lint/reading/Suppressions"
import type { Category } from "#kit/lint/rules/Rule"
import type { FoundProblem, AnalysedListing } from "#kit/lint/reading/Subject"
import { byId, ids, rules } from "./Rules.ts"
import type { Settings } from "./Settings.ts"
import type { Severity } from "#kit/lint/rules/Severity"

/** A list to lint. */
interface Subject {
  readonly listing: AnalysedListing
  /** The suppressions in the list. */
  readonly suppressions: ReadonlyArray<Suppressions.Suppression>
}

/** A reported finding. */
export interface Finding {
  readonly rule: string
  readonly category: Category
  readonly severity: Severity
  /** The tool's name. It is `undefined` for a finding about the list or the file. */
  readonly tool: string | undefined
  /** The place of the fault in the document. */
  readonly pointer: JsonPointer.JsonPointer
  readonly message: string
}

/** A suppressed finding, with the reason. */
export interface SuppressedFinding extends Finding {
  readonly reason: string
}

/** The findings in one list, in the order of its tools. */
export interface Outcome {
  readonly findings: ReadonlyArray<Finding>
  readonly suppressed: ReadonlyArray<SuppressedFinding>
}

/** The findings in all lists. */
interface LintResult {
  /** One outcome per list. */
  readonly outcomes: ReadonlyArray<Outcome>
  /** The problems of the suppressions in the configuration. Their pointers point into the configuration. */
  readonly configuration: ReadonlyArray<Finding>
  /** True if a list has more than `maxFindings`, and the rest was left out. */
  readonly isCut: boolean
}

/** The maximum number of findings in a list. */
export const maxFindings = 20_000

/** Lints each list separately. */
export const run = (subjects: ReadonlyArray<Subject>, settings: Settings): LintResult => {
  const configured = settings.ignore.flatMap(({ reason, rules, tool }, index) =>
    rules.map((rule, at) => Suppressions.byName(tool, rule, reason, ["ignore", index, "rules", at]))
  )
  const off = new Set(rules.filter((rule) => settings.levelOf(rule) === "off").map(({ id }) => id))
  const used = new Set<Suppressions.Suppression>()
  let isCut = false
  const problemsOf = (suppressions: ReadonlyArray<Suppressions.Suppression>) =>
    Suppressions.problemsOf(suppressions, used, ids, off)
  const outcomes = subjects.map(({ listing, suppressions }): Outcome => {
    const found = foundIn(listing, settings)
    isCut ||= found.length > maxFindings
    const sorted = Suppressions.sort(found.slice(0, maxFindings), [...suppressions, ...configured])
    for (const each of sorted.used) used.add(each)
    const problems = rated(problemsOf(suppressions), listing, settings)
    return {
      findings: inOrder([...sorted.kept, ...problems], listing).map(findingOf),
      suppressed: sorted.suppressed.map(([found, { reason }]) => ({ ...findingOf(found), reason }))
    }
  })
  return { outcomes, configuration: rated(problemsOf(configured), undefined, settings).map(findingOf), isCut }
}

/** A finding with its rule and severity. */
type RatedFinding = FoundProblem & Pick<Finding, "rule" | "category" | "severity">

/** Applies the rules, until the findings exceed their maximum. */
const foundIn = (listing: AnalysedListing, settings: Settings): ReadonlyArray<RatedFinding> => {
  const all: Array<RatedFinding> = []
  for (const rule of rules) {
    const severity = settings.levelOf(rule)
    if (severity === "off") continue
    const found = rule.check(listing, { options: settings.optionsOf(rule), isStrict: settings.preset === "strict" })
    for (const each of distinct(found)) all.push({ ...each, rule: rule.id, category: rule.category, severity })
    if (all.length > maxFindings) break
  }
  return all
}

/** Reports a fault of a definition once, even if several parameters refer to it. */
const distinct = (found: ReadonlyArray<FoundProblem>): ReadonlyArray<FoundProblem> => {
  const seen = new Set<string>()
  return found.filter(({ message, pointer, tool }) => {
    const key = JSON.stringify([pointer, tool === undefined ? message : message.replace(/`[^`]*`/u, "")])
    return !seen.has(key) && seen.add(key)
  })
}

const rated = (
  problems: ReadonlyArray<Suppressions.SuppressionProblem>,
  listing: AnalysedListing | undefined,
  settings: Settings
): ReadonlyArray<RatedFinding> =>
  problems.flatMap(({ message, pointer, rule: id }) => {
    const rule = byId.get(id)
    const severity = rule === undefined ? "off" : settings.levelOf(rule)
    if (rule === undefined || severity === "off") return []
    const tool = listing?.subjects.find(({ tool }) => JsonPointer.isWithin(pointer, tool.at.tool))?.tool
    return [{ tool, pointer, message, rule: id, category: rule.category, severity }]
  })

/** Sorts by tool in the order of the list, then by rule. Findings about the list come first. */
const inOrder = (found: ReadonlyArray<RatedFinding>, { subjects }: AnalysedListing): ReadonlyArray<RatedFinding> => {
  const positions = new Map<FoundProblem["tool"], number>(subjects.map(({ tool }, index) => [tool, index]))
  const position = ({ tool }: RatedFinding): number => positions.get(tool) ?? -1
  return found.toSorted((a, b) => position(a) - position(b))
}

const findingOf = ({ category, message, pointer, rule, severity, tool }: RatedFinding): Finding => ({
  rule,
  category,
  severity,
  tool: tool?.name,
  pointer,
  message
})
