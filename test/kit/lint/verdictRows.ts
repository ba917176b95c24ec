/** Reads the findings and their verdicts from `docs/lint/verdicts.md`. */
import { read } from "../../support/sources.ts"

export const [, fifty = "", byRule = ""] = read("docs/lint/verdicts.md").split(/^## .*$/m)

/** Parses the rows of a section, with their verdicts. */
export const rowsOf = (section: string) =>
  [...section.matchAll(/^(\| \d+ \|.*\|) (\w[^|]*) \|$/gm)].map(([, body = "", verdict = ""]) => ({ body, verdict }))
