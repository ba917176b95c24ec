/**
 * Generates the documentation of the lint rules: a page for each rule, the index, and the configuration's schema. Run
 * `node scripts/lint.ts`; a test fails if the files are out of date.
 */
import * as RulePage from "#kit/lint/report/RulePage"
import { rules } from "#kit/lint/Rules"
import { Config } from "#kit/lint/Settings"
import { JsonSchema, Schema } from "effect"
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

const folder = resolve(import.meta.dirname, "../docs/lint")

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

/** Files that this script does not write. */
export const handwritten: ReadonlySet<string> = new Set(["verdicts.md"])

if (import.meta.main) {
  mkdirSync(folder, { recursive: true })
  const files = pages()
  for (const name of readdirSync(folder)) if (!files.has(name) && !handwritten.has(name)) rmSync(join(folder, name))
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
}
