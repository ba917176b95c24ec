/** Writes the table of policy fields into docs/policy.md. Run `node scripts/policy.ts`; a test fails if the page is stale. */
import { policyFields } from "#domain/tool/PolicyFields"
import { readFileSync, writeFileSync } from "node:fs"

/** Returns the table of fields. */
const table = (): string =>
  [
    "| field | sets | default | stages |",
    "| --- | --- | --- | --- |",
    ...policyFields.map(
      ({ byDefault, field, meaning, stages, unit }) =>
        `| \`${field}\` | ${meaning}${unit === undefined || unit === "ms" ? "" : `, in ${unit}`} | ${byDefault} | ${stages.join(", ")} |`
    )
  ].join("\n")

/** Returns the page with an up-to-date table. */
export const updated = (page: string): string =>
  page.replace(/<!-- fields -->[\s\S]*<!-- \/fields -->/u, () => `<!-- fields -->\n\n${table()}\n\n<!-- /fields -->`)

if (import.meta.main) {
  writeFileSync("docs/policy.md", updated(readFileSync("docs/policy.md", "utf8")))
}
