/**
 * Writes the table of codes from `FailureCode` into docs/failures.md: `node scripts/codes.ts`. A test fails if the page
 * is out of date.
 */
import { codes } from "#domain/failure/FailureCode"
import { readFileSync, writeFileSync } from "node:fs"

/** Returns the table of the guard's codes. */
export const codeTable = (): string =>
  [
    "| code | class | meaning |",
    "| --- | --- | --- |",
    ...Object.entries(codes).map(([code, { meaning, tag }]) => `| \`${code}\` | ${tag} | ${meaning} |`)
  ].join("\n")

/** Returns the page with an up-to-date table. */
export const updated = (page: string): string =>
  page.replace(
    /<!-- codes -->[\s\S]*<!-- \/codes -->/u,
    () => `<!-- codes -->\n\n${intro}\n\n${codeTable()}\n\n<!-- /codes -->`
  )

const intro = "The guard's codes are a closed list. Codes of checks and of refusals are defined by their tools."

if (import.meta.main) {
  writeFileSync("docs/failures.md", updated(readFileSync("docs/failures.md", "utf8")))
}
