/**
 * Measures the proposals of `toolguard infer` on unseen results: `npm run bench:infer -- [DIR] [--json]`.
 *
 * Each file of DIR (or of `DIR/traffic`) is a source. Its conversations are split into halves by a hash of their ids. Schemas are
 * inferred from one half and decode the well-formed results of the other. Without DIR it reads `TOOLGUARD_DATA`.
 * `--splits 20` repeats the measurement with other hashes.
 *
 * Also counts two weaknesses of proposals: a schema of JSON results that accepts any object, and an enum with a value that
 * was seen once.
 */
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import * as Schema from "effect/Schema"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Traffic from "#kit/cli/traffic/Traffic"
import { Problem } from "#kit/cli/console/Problem"
import { infer } from "#kit/infer/infer"
import type { InferredResult } from "#kit/infer/inferResult"
import { readResult } from "#kit/infer/inferResult"
import { Recorder, type RecordedResults } from "#kit/infer/RecordedResults"
import { plain } from "#kit/infer/Sample"
import { children, type Shape } from "#kit/infer/Shape"
import { toSchema } from "#kit/infer/toSchema"
import { hash } from "effect-toolguard/internal/domain/text/Hash"
import type { Conversation } from "#kit/traffic/Conversation"
import { data } from "../support/data.ts"

/** The score of one tool's schema. */
export interface ToolScore {
  readonly source: string
  readonly tool: string
  readonly answers: "json" | "text"
  /** The number of results from which the schema was inferred, in all splits. */
  inferredFrom: number
  /** The number of well-formed results of the other half. */
  unseen: number
  passed: number
  /** The number of splits in which the schema accepts any object although the results are JSON. */
  unconstrained: number
  /** The number of enums. */
  enums: number
  /** The number of enums with a value that was seen once. */
  enumsSeenOnce: number
  /** The number of refused results, by reason. */
  readonly refusals: Record<string, number>
}

export interface Score {
  readonly tools: ReadonlyArray<ToolScore>
  /** The number of tools without a proposal, in all splits. */
  readonly leftOut: number
}

const enumsIn = ({ kind }: Shape): ReadonlyArray<number> => [
  ...(kind._tag === "Text" && kind.isChoice && kind.values.length > 1
    ? [Math.min(...kind.values.map(([, count]) => count))]
    : []),
  ...children(kind).flatMap(enumsIn)
]

const probes: ReadonlyArray<unknown> = [{ "an unknown field": [] }, {}]

/** Scores one split of one source. */
const scoreSplit = (
  source: string,
  [seen, unseen]: readonly [ReadonlyArray<RecordedResults>, ReadonlyArray<RecordedResults>],
  scores: Map<string, ToolScore>
): number => {
  const { leftOut, tools } = infer(seen)
  for (const proposed of tools) {
    const key = `${source} ${proposed.tool}`
    const score = scores.get(key) ?? fresh(source, proposed)
    scores.set(key, score)
    const decode = Schema.decodeUnknownResult(Schema.toCodecJson(toSchema(proposed.shape)))
    const enums = enumsIn(proposed.shape)
    score.inferredFrom += proposed.counts.used
    score.enums += enums.length
    score.enumsSeenOnce += enums.filter((least) => least < 2).length
    const isOpen = proposed.answers === "json" && probes.every((probe) => Result.isSuccess(decode(probe)))
    if (isOpen) score.unconstrained += 1
    for (const { count, text } of unseen.find(({ tool }) => tool === proposed.tool)?.texts.values() ?? []) {
      const value = wellFormed(proposed, text)
      if (value === undefined) continue
      const decoded = decode(value.value)
      score.unseen += count
      if (Result.isSuccess(decoded)) score.passed += count
      else {
        const why = String(decoded.failure).replaceAll(/\s+/g, " ").slice(0, 160)
        score.refusals[why] = (score.refusals[why] ?? 0) + count
      }
    }
  }
  return leftOut.length
}

const fresh = (source: string, { answers, tool }: InferredResult): ToolScore => ({
  source,
  tool,
  answers,
  inferredFrom: 0,
  unseen: 0,
  passed: 0,
  unconstrained: 0,
  enums: 0,
  enumsSeenOnce: 0,
  refusals: {}
})

/** Returns a result as the guard decodes it, or undefined for a failure, a truncated result and text instead of JSON. */
const wellFormed = ({ answers }: InferredResult, text: string): { readonly value: unknown } | undefined => {
  const reading = readResult(text)
  if (reading._tag === "Failure" || reading._tag === "Cut") return undefined
  if (answers === "text") return { value: text }
  return reading._tag === "Json" ? { value: plain(reading.value) } : undefined
}

/** Scores all sources. */
export const score = (sources: ReadonlyMap<string, ReadonlyArray<Conversation>>, splits: number): Score => {
  const scores = new Map<string, ToolScore>()
  let leftOut = 0
  for (const [source, conversations] of sources) {
    for (let split = 0; split < splits; split++) {
      const halves = [new Recorder(), new Recorder()] as const
      for (const one of conversations) halves[hash(`${split} ${one.id}`) % 2 === 0 ? 0 : 1].add(one)
      leftOut += scoreSplit(source, [halves[0].tools, halves[1].tools], scores)
    }
  }
  return { tools: [...scores.values()], leftOut }
}

const filesIn = (folder: string): ReadonlyArray<string> => {
  const inside = existsSync(join(folder, "traffic")) ? join(folder, "traffic") : folder
  return readdirSync(inside)
    .filter((name) => /\.jsonl(?:\.gz)?$/.test(name))
    .sort()
    .map((name) => join(inside, name))
}

const conversationsIn = async (file: string): Promise<ReadonlyArray<Conversation>> => {
  const conversations: Array<Conversation> = []
  for await (const { items } of Stream.toAsyncIterable(Traffic.stream([file]))) {
    for (const item of items) if (item._tag === "Conversation") conversations.push(item)
  }
  return conversations
}

const percent = (part: number, whole: number): string => (whole === 0 ? "-" : `${((100 * part) / whole).toFixed(2)} %`)

const totals = ({ tools }: Score) => {
  const sum = (of: (tool: ToolScore) => number) => tools.reduce((total, tool) => total + of(tool), 0)
  const json = (count: (tool: ToolScore) => number) => sum((tool) => (tool.answers === "json" ? count(tool) : 0))
  return {
    unseen: sum(({ unseen }) => unseen),
    passed: sum(({ passed }) => passed),
    unseenJson: json(({ unseen }) => unseen),
    passedJson: json(({ passed }) => passed),
    unconstrained: sum(({ unconstrained }) => unconstrained),
    enums: sum(({ enums }) => enums),
    enumsSeenOnce: sum(({ enumsSeenOnce }) => enumsSeenOnce)
  }
}

const report = (result: Score): string => {
  const { enums, enumsSeenOnce, passed, passedJson, unconstrained, unseen, unseenJson } = totals(result)
  const rows = result.tools.map(
    ({ answers, inferredFrom, passed, source, tool, unseen }) =>
      `${source.slice(0, 24).padEnd(25)}${tool.slice(0, 36).padEnd(37)}${answers.padEnd(5)}${String(inferredFrom).padStart(8)}${String(unseen).padStart(8)}${percent(passed, unseen).padStart(10)}`
  )
  const refusals = result.tools.flatMap(({ refusals, source, tool }) =>
    Object.entries(refusals).map(([why, count]) => `  ${count} × ${source} ${tool}: ${why}`)
  )
  return [
    `${"source".padEnd(25)}${"tool".padEnd(37)}${"as".padEnd(5)}${"seen".padStart(8)}${"unseen".padStart(8)}${"pass".padStart(10)}`,
    ...rows,
    "",
    `unseen results that pass         ${percent(passed, unseen)} (${passed} of ${unseen})`,
    `of these, results that are JSON  ${percent(passedJson, unseenJson)} (${passedJson} of ${unseenJson})`,
    `schemas that accept any object   ${unconstrained} of ${result.tools.length}`,
    `enums with a value seen once     ${enumsSeenOnce} of ${enums}`,
    `tools without a proposal         ${result.leftOut} (too few results in one half)`,
    ...(refusals.length === 0 ? [] : ["", "refused:", ...refusals])
  ].join("\n")
}

const main = async (argv: ReadonlyArray<string>): Promise<number> => {
  const splitsAt = argv.indexOf("--splits")
  const splits = splitsAt < 0 ? 1 : Number(argv[splitsAt + 1])
  const rest = splitsAt < 0 ? argv : argv.toSpliced(splitsAt, 2)
  const unknown = rest.find((argument) => argument.startsWith("-") && argument !== "--json" && argument !== "--")
  const [folder = data, ...more] = rest.filter((argument) => !argument.startsWith("-"))
  if (unknown !== undefined || more.length > 0 || !(splits >= 1)) {
    process.stderr.write("Usage: npm run bench:infer -- [DIR] [--splits N] [--json]\n")
    return 2
  }
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    process.stderr.write(`There is no folder ${folder}. Name one that contains .jsonl or .jsonl.gz files.\n`)
    return 1
  }
  const files = filesIn(folder)
  if (files.length === 0) {
    process.stderr.write(`${folder} contains no .jsonl or .jsonl.gz file. Name a folder that does.\n`)
    return 1
  }
  const sources = new Map<string, ReadonlyArray<Conversation>>()
  try {
    for (const file of files) sources.set(file.split(/[\\/]/).at(-1) ?? file, await conversationsIn(file))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    process.stderr.write(`${error.message}\n${error.remedy}\n`)
    return 1
  }
  const result = score(sources, splits)
  const json = { ...totals(result), leftOut: result.leftOut, splits, tools: result.tools }
  process.stdout.write(argv.includes("--json") ? `${JSON.stringify(json)}\n` : `${report(result)}\n`)
  return 0
}

process.exitCode = await main(process.argv.slice(2))
