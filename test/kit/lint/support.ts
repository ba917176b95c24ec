/** Lints lists given as text, for the tests of rules. */
import * as Suppressions from "#kit/lint/reading/Suppressions"
import * as JsonPointer from "#domain/json/JsonPointer"
import * as JsonDocument from "#kit/lint/reading/JsonDocument"
import * as Lint from "#kit/lint/Lint"
import * as ListingFormats from "#kit/lint/reading/ListingFormats"
import * as ListingAnalysis from "#kit/lint/reading/ListingAnalysis"
import type { Options } from "#kit/lint/rules/Rule"
import * as Settings from "#kit/lint/Settings"
import { Result } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { data } from "../../support/data.ts"

/** Counts four characters as one token. */
export const count = (text: string): number => Math.ceil(text.length / 4)

/** Lints a list given as text. */
export const lintText = (text: string, settings: Settings.Settings = Settings.defaults): Lint.Outcome => {
  const document: unknown = JSON.parse(text)
  const listing = Result.getOrThrow(ListingFormats.read(document))
  const duplicates = JsonDocument.duplicates(JsonDocument.parse(text))
  const subject = {
    listing: ListingAnalysis.read(listing, count, duplicates),
    suppressions: Suppressions.inDocument(document)
  }
  return Lint.run([subject], settings).outcomes[0]!
}

/** Returns the findings of one rule in tools, as `/pointer message`. */
export const found = (rule: string, tools: unknown, options: Options = {}): ReadonlyArray<string> =>
  lintText(JSON.stringify(tools), Settings.only(rule, options)).findings.map(
    ({ message, pointer }) => `${JsonPointer.format(pointer)} ${message}`
  )

/** Returns the places of one rule's findings. */
export const places = (rule: string, tools: unknown, options: Options = {}): ReadonlyArray<string> =>
  lintText(JSON.stringify(tools), Settings.only(rule, options)).findings.map(({ pointer }) =>
    JsonPointer.format(pointer)
  )

/** Creates an MCP tool with these properties. */
export const tool = (name: string, description: string, properties: object = {}, rest: object = {}): object => ({
  name,
  description,
  inputSchema: { type: "object", properties, ...rest }
})

/** Returns the texts of all recorded catalogues, by name. */
export const catalogues = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(join(data, "catalogues"))
      .filter((file) => file.endsWith(".json"))
      .map((file) => [file, readFileSync(join(data, "catalogues", file), "utf8")])
  )
