/** Writes the table of codes from `FailureCode` into docs/failures.md. `node scripts/codes.ts`; a test says when it is due. */
import { codes } from "#domain/failure/FailureCode"
import { readFileSync, writeFileSync } from "node:fs"

/** The table of the guard's own codes. */
export const codeTable = (): string =>
  [
    "| code | class | given when |",
    "| --- | --- | --- |",
    ...Object.entries(codes).map(([code, { meaning, tag }]) => `| \`${code}\` | ${tag} | ${meaning} |`)
  ].join("\n")

/** The page with its table brought up to date. */
export const updated = (page: string): string =>
  page.replace(
    /<!-- codes -->[\s\S]*<!-- \/codes -->/u,
    () => `<!-- codes -->\n\n${intro}\n\n${codeTable()}\n\n<!-- /codes -->`
  )

const intro = "The guard's own codes, a closed list; a check's codes are its tool's own."

if (import.meta.main) {
  writeFileSync("docs/failures.md", updated(readFileSync("docs/failures.md", "utf8")))
}
