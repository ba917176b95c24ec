/**
 * Writes the tables of docs/what-is-told.md from test/vectors/reports.ts. Run `node scripts/reports.ts`; a test fails if
 * the page is out of date.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { groups, type Group } from "../test/vectors/reports.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|")

const section = ({ note, rows, title }: Group): string =>
  [
    `## ${title}`,
    "",
    note,
    "",
    "| what the handler returns or fails with | what is reported | side effect | what the model reads | next step | does the run continue |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows.map(
      ({ continues, gave, message, nextStep, outcome, sideEffect }) =>
        `| ${cell(gave)} | ${outcome} | \`${sideEffect}\` | ${cell(message)} | ${nextStep === "none" ? "" : `\`${nextStep}\``} | ${continues ? "yes" : "no: a person must check"} |`
    )
  ].join("\n")

/** Returns the page with up-to-date tables. */
export const updated = (page: string): string =>
  page.replace(
    /<!-- reports -->[\s\S]*<!-- \/reports -->/u,
    () => `<!-- reports -->\n\n${groups.map(section).join("\n\n")}\n\n<!-- /reports -->`
  )

if (import.meta.main) {
  writeFileSync("docs/what-is-told.md", updated(readFileSync("docs/what-is-told.md", "utf8")))
}
