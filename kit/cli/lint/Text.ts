/** Prints the report: the findings by tool, with place and rule, then their number and the next steps. */
import { counted, grouped } from "#kit/text/Numbers"
import { counts, type FileReport, head, type LocatedFinding, type Report, total } from "#kit/lint/report/Report"
import { byId } from "#kit/lint/Rules"
import { isAtLeast, type Preset, type Severity } from "#kit/lint/rules/Severity"
import type { Change } from "./Linting.ts"
import { fit, plain, type Screen, type Style, wrap } from "#kit/cli/console/Screen"

const styles: Readonly<Record<Severity, Style>> = { error: "red", warning: "yellow", info: "dim" }

/** How many of the most expensive tools are listed. */
const maxListed = 3

/** The number of findings of a file that are printed. */
const maxFindings = 5_000

/** Prints the report, with the findings of severity `least` or higher. */
export const write = (screen: Screen, report: Report, least: Severity, preset: Preset): void => {
  for (const file of report) writeFile(screen, file, least)
  summary(screen, report, least, preset)
}

/** Prints the changes of --fix. */
export const changes = (screen: Screen, changed: ReadonlyArray<Change>, isDryRun: boolean): void => {
  const width = Math.min(screen.columns, 100)
  for (const { change, file, region, tool } of changed) {
    const text = `${plain(file)}:${region.line}:${region.column} ${tool === undefined ? "" : `${plain(tool)}: `}${change}`
    wrap(text, width).forEach(screen.line)
  }
  if (changed.length === 0) return
  screen.line(
    isDryRun
      ? `${counted(changed.length, "change")}; nothing was written.`
      : `${counted(changed.length, "change")} made.`
  )
  screen.line("")
}

const writeFile = (screen: Screen, { file, findings, tools }: FileReport, least: Severity): void => {
  const width = Math.min(screen.columns, 100)
  const title = `${plain(file)}: ${counted(tools.length, "tool")}, ${counted(total(tools), "token")} in each request`
  wrap(title, width).forEach((line) => screen.line(screen.styled("bold", line)))
  const mostExpensive = tools.toSorted((a, b) => b.tokens - a.tokens).slice(0, maxListed)
  if (tools.length > maxListed) {
    const costs = mostExpensive.map(({ name, tokens }) => `${fit(plain(name), 40)} ${grouped(tokens)}`).join(", ")
    wrap(`The most expensive: ${costs}.`, width).forEach((line) => screen.line(screen.styled("dim", line)))
  }
  let tool: string | undefined
  let isFirst = true
  const shown = findings.filter(({ severity }) => isAtLeast(severity, least))
  for (const finding of shown.slice(0, maxFindings)) {
    if (isFirst || finding.tool !== tool) {
      screen.line("")
      screen.line(fit(finding.tool === undefined ? "The list" : plain(finding.tool), width))
    }
    isFirst = false
    tool = finding.tool
    writeFinding(screen, finding, width)
  }
  if (shown.length > maxFindings) {
    screen.line("")
    const more = shown.length - maxFindings
    screen.line(`${counted(more, "more finding")} ${more === 1 ? "is" : "are"} not shown. --json shows all.`)
  }
  screen.line("")
}

const writeFinding = (screen: Screen, { message, region, rule, severity }: LocatedFinding, width: number): void => {
  // findings about a server have no line
  const place = (region === head ? "" : `${region.line}:${region.column}`).padEnd(8)
  const [first = "", ...rest] = wrap(`${plain(message)} (${rule})`, width - 19)
  screen.line(`  ${place} ${screen.styled(styles[severity], severity.padEnd(7))} ${first}`)
  for (const line of rest) screen.line(`${" ".repeat(19)}${line}`)
}

const summary = (screen: Screen, report: Report, least: Severity, preset: Preset): void => {
  const found = counts(report)
  const hidden = found.info + found.warning + found.error - shown(report, least)
  const suppressed = report.reduce((sum, file) => sum + file.suppressed.length, 0)
  const fixable = report
    .filter(({ isCorrectable }) => isCorrectable)
    .flatMap(({ findings }) => findings)
    .filter(({ rule }) => byId.get(rule)?.isFixable === true)
  const sentences = [
    `${counted(found.error, "error")}, ${counted(found.warning, "warning")}, ${counted(found.info, "info")}.`,
    ...(preset === "strict" ? ["The preset is strict."] : []),
    ...(hidden === 0 ? [] : [`--level info shows ${grouped(hidden)} more.`]),
    ...(suppressed === 0 ? [] : [`${counted(suppressed, "finding")} ${suppressed === 1 ? "is" : "are"} suppressed.`]),
    ...(found.info + found.warning + found.error === 0 ? [] : ["--explain RULE says why a rule matters."]),
    ...(fixable.length === 0 ? [] : ["--fix corrects some of these."])
  ]
  const style = found.error > 0 ? "red" : found.warning > 0 ? "yellow" : "green"
  wrap(sentences.join(" "), Math.min(screen.columns, 100)).forEach((line) => screen.line(screen.styled(style, line)))
}

const shown = (report: Report, least: Severity): number =>
  report.flatMap(({ findings }) => findings).filter(({ severity }) => isAtLeast(severity, least)).length
