/**
 * Draws random findings of the linter from recorded catalogues, for a person to judge: `node scripts/lint-verdicts.ts SEED`.
 *
 * There are two draws: fifty of all findings, all equally likely, and two of each rule. The same seed and catalogues always give
 * the same draws. `docs/lint/verdicts.md` holds the judged draws.
 */
import { cut } from "#domain/text/Cut"
import { shown } from "#domain/text/VisibleText"
import * as JsonPointer from "#domain/json/JsonPointer"
import * as Lint from "#kit/lint/Lint"
import * as ListingFormats from "#kit/lint/reading/ListingFormats"
import * as ListingAnalysis from "#kit/lint/reading/ListingAnalysis"
import { rules } from "#kit/lint/Rules"
import * as Settings from "#kit/lint/Settings"
import { Effect, Result } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Tokens from "#kit/cli/console/Tokens"

/** A finding and its place. */
export interface Drawn {
  readonly catalogue: string
  readonly finding: Lint.Finding
  /** The value at the finding's JSON Pointer. */
  readonly value: unknown
}

/** Returns all findings in the catalogues of a folder. */
export const findings = (folder: string, count: ListingAnalysis.Count): ReadonlyArray<Drawn> =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .flatMap((catalogue) => {
      const document: unknown = JSON.parse(readFileSync(join(folder, catalogue), "utf8"))
      const listing = ListingAnalysis.read(Result.getOrThrow(ListingFormats.read(document)), count)
      const [outcome] = Lint.run([{ listing, suppressions: [] }], Settings.defaults).outcomes
      return (outcome?.findings ?? []).map((finding) => ({
        catalogue,
        finding,
        value: JsonPointer.valueAt(document, finding.pointer)
      }))
    })

/** Creates a generator of random numbers from 0 to 1, the same for the same seed (mulberry32). */
const random = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** Draws items of a list without replacement, all equally likely, in the order of the draw. */
const sample = <A>(from: ReadonlyArray<A>, amount: number, next: () => number): ReadonlyArray<A> => {
  const left = [...from]
  return Array.from(
    { length: Math.min(amount, from.length) },
    () => left.splice(Math.floor(next() * left.length), 1)[0]! // not empty: `length` is at most the length of `from`
  )
}

/** Draws fifty of all findings, and two of each rule. */
export const draw = (all: ReadonlyArray<Drawn>, seed: number) => {
  const next = random(seed)
  return {
    all: sample(all, 50, next),
    byRule: rules.flatMap(({ id }) =>
      sample(
        all.filter(({ finding }) => finding.rule === id),
        2,
        next
      )
    )
  }
}

/** Returns a row of the table, without a verdict. */
export const row = ({ catalogue, finding, value }: Drawn, number: number): string => {
  const cell = (text: string) => shown(text).replaceAll("|", "\\|").replaceAll("<", "&lt;")
  const where = `${catalogue.replace(".json", "")} \`${cell(finding.tool ?? "")}\` ${cell(JsonPointer.format(finding.pointer))}`
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "")
  return `| ${number} | ${finding.rule} | ${cut(where, 110)} | ${cell(finding.message)} | \`${cell(cut(text.replaceAll("`", "'").replaceAll(/\s+/gu, " "), 160))}\` |`
}

if (import.meta.main) {
  const seed = Number(process.argv[2] ?? 1)
  const folder = resolve(process.env["TOOLGUARD_DATA"] ?? "../shared/data", "catalogues")
  const drawn = draw(findings(folder, await Effect.runPromise(Tokens.load)), seed)
  for (const rows of [drawn.all, drawn.byRule]) {
    console.log(
      [
        "",
        "| # | rule | where | finding | value |",
        "| --- | --- | --- | --- | --- |",
        ...rows.map((each, at) => row(each, at + 1))
      ].join("\n")
    )
  }
}
