/**
 * Generates the documentation of the lint rules: a page for each rule, the index, the configuration's schema, and the
 * steps of a review in docs/linting.md and in the skill. Run `node scripts/lint.ts`; a test fails if the files are out of
 * date.
 */
import * as RulePage from "#kit/lint/report/RulePage"
import { rules } from "#kit/lint/Rules"
import { Config } from "#kit/lint/Settings"
import { JsonSchema, Schema } from "effect"
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

const root = resolve(import.meta.dirname, "..")
const folder = join(root, "docs/lint")

/** Returns the configuration's JSON Schema, for editors. */
const configSchema = (): string => {
  const document = JsonSchema.toDocumentDraft07(Schema.toJsonSchemaDocument(Config, { onExcessProperty: "error" }))
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...document.schema,
    definitions: document.definitions
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}

/** Generates all files, by name. */
export const pages = (): ReadonlyMap<string, string> =>
  new Map([
    ["README.md", RulePage.index()],
    ["config.schema.json", configSchema()],
    ...rules.map((rule) => [`${rule.id}.md`, RulePage.page(rule)] as const)
  ])

/** The sections that this script writes in other pages: the page, the lines to replace, and the new text. */
const sections: ReadonlyArray<readonly [path: string, lines: RegExp, text: () => string]> = [
  ["docs/linting.md", /^\| step \|.*(?:\n\|.*)*/mu, RulePage.stepTable],
  [
    "kit/skills/tool-use-schema-review/SKILL.md",
    /(?<=^## The steps\n\n)(?:\d+\. .*\n?)+(?=\n)/mu,
    () => `${RulePage.stepList()}\n`
  ]
]

/** Files that this script does not write. */
export const handwritten: ReadonlySet<string> = new Set(["verdicts.md"])

if (import.meta.main) {
  mkdirSync(folder, { recursive: true })
  const files = pages()
  for (const name of readdirSync(folder)) if (!files.has(name) && !handwritten.has(name)) rmSync(join(folder, name))
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
  for (const [path, lines, text] of sections) {
    const file = join(root, path)
    writeFileSync(file, readFileSync(file, "utf8").replace(lines, text))
  }
}
