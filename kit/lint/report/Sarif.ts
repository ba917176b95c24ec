/**
 * Converts the report to SARIF 2.1.0, within the limits of GitHub's code scanning.
 *
 * - Every finding has one location with a complete region, and a fingerprint of the file, the rule, the tool, the place
 *   in the schema and the message. The fingerprint does not change when lines are added above the finding.
 * - Suppressed findings are left out, because GitHub would show them as alerts.
 * - GitHub accepts at most 25,000 results per run. The least severe results are left out first.
 */
import * as JsonPointer from "effect-toolguard/internal/domain/json/JsonPointer"
import { page } from "./RulePage.ts"
import type { FileReport, LocatedFinding, Report } from "./Report.ts"
import type { Rule } from "#kit/lint/rules/Rule"
import { byId, rules } from "#kit/lint/Rules"
import { stepOf } from "#kit/lint/Steps"
import type { Settings } from "#kit/lint/Settings"
import { type Level, severities, type Severity } from "#kit/lint/rules/Severity"

const maxResults = 25_000

const level = { error: "error", warning: "warning", info: "note" } as const
const problem = { error: "error", warning: "warning", info: "recommendation" } as const

/** The data of the linter that the log needs. */
interface Linter {
  readonly settings: Settings
  readonly version: string
  /** Returns the digest of a text, in hexadecimal digits. */
  readonly digest: (text: string) => string
}

/** Returns one SARIF log with one run. */
export const of = (report: Report, { digest, settings, version }: Linter) => {
  const results = report.flatMap((file) => file.findings.map((finding) => [file, finding] as const))
  const mostSevere = results.toSorted(([, a], [, b]) => rank(b.severity) - rank(a.severity)).slice(0, maxResults)
  const kept = results.length > maxResults ? mostSevere : results
  return {
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "toolguard lint",
            semanticVersion: version,
            rules: rules.map((rule) => descriptor(rule, settings.levelOf(rule)))
          },
          properties: { preset: settings.preset }
        },
        columnKind: "utf16CodeUnits",
        results: kept.map(([file, finding]) => result(file, finding, digest))
      }
    ]
  }
}

const rank = (severity: Severity): number => severities.indexOf(severity)

const descriptor = (rule: Rule, set: Level) => ({
  id: rule.id,
  name: rule.id.replaceAll(/(?:^|-)(\w)/gu, (_, letter: string) => letter.toUpperCase()),
  shortDescription: { text: rule.title },
  fullDescription: { text: rule.why.slice(0, 1_000) },
  help: { text: `${rule.title}\n\n${rule.why}`, markdown: page(rule) },
  defaultConfiguration: {
    level: level[set === "off" ? rule.severity : set],
    ...(set === "off" ? { enabled: false } : {})
  },
  properties: {
    tags: ["llm-tools", rule.category],
    precision: "high",
    "problem.severity": problem[set === "off" ? rule.severity : set]
  }
})

const indices = new Map(rules.map(({ id }, index) => [id, index]))

const result = ({ artifact }: FileReport, finding: LocatedFinding, digest: Linter["digest"]) => {
  const { message, pointer, region, rule, severity, tool } = finding
  const about = JSON.stringify([
    artifact,
    rule,
    tool ?? "",
    tool === undefined ? "" : schemaPath(JsonPointer.format(pointer)),
    message
  ])
  return {
    ruleId: rule,
    ruleIndex: indices.get(rule) ?? 0,
    level: level[severity],
    message: { text: tool === undefined ? message : `${tool}: ${message}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: addressOf(artifact),
          region: {
            startLine: region.line,
            startColumn: region.column,
            endLine: region.endLine,
            endColumn: region.endColumn
          }
        }
      }
    ],
    partialFingerprints: { primaryLocationLineHash: `${digest(about).slice(0, 16)}:1` },
    properties: { category: byId.get(rule)?.category ?? "file", step: stepOf(rule) }
  }
}

/** Removes the tool's index in its list from a place. */
const schemaPath = (pointer: string): string => pointer.replace(/^(?:\/\w+)?\/\d+/u, "")

/**
 * Converts a path to a URI, which is relative to the root of the sources, or absolute if the path is outside the root.
 */
const addressOf = (path: string) => {
  const parts = path.split(/[\\/]/u)
  const encoded = parts.map((part) => encodeURIComponent(part).replaceAll("%3A", ":")).join("/")
  if (path.startsWith("/")) return { uri: `file://${encoded}` }
  return /^[A-Za-z]:/u.test(path) ? { uri: `file:///${encoded}` } : { uri: encoded, uriBaseId: "%SRCROOT%" }
}
