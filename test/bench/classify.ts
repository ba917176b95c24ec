/**
 * Measures the error classifier on labelled messages: `npm run bench:classify -- [FILE …] [--json] [--held-out REASON]`.
 *
 * Without FILE it reads the recorded messages (`TOOLGUARD_DATA`, if present), `test/vectors/errors-own.jsonl` and the
 * open half of `test/data/corpus`. Prints accuracy, recall, confusion and misses, and the figures of a baseline that uses
 * words only. `--json` prints one object. `--held-out` measures the held-out half, prints only its sums, and records them
 * with the reason.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { classify } from "#domain/classification/Classification"
import { data } from "../support/data.ts"
import * as Corpus from "./corpus.ts"
import { type ErrorRow, readErrorFile } from "./errorFile.ts"
import { UnreadableFile } from "./labelledLine.ts"
import { recognitionOf, type Share } from "./recognised.ts"
import { type Classifier, type Score, score } from "./score.ts"
import { wordsOnly } from "./wordsOnly.ts"

const ours: Classifier = (error, access) => classify(error, { access })

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

const report = (files: ReadonlyArray<string>, result: Score, baseline: Score, micros: number): string => {
  const predicted = [...new Set(Object.values(result.confusion).flatMap((cells) => Object.keys(cells)))].sort()
  const table = Object.entries(result.confusion).map(([label, cells]) => {
    const { right, total } = result.recall[label] ?? { right: 0, total: 0 }
    const other = baseline.recall[label]
    const counts = predicted.map((name) => String(cells[name] ?? ".").padStart(Math.max(name.length, 4)))
    return `${label.padEnd(17)}${counts.join("  ")}   ${percent(right / total).padStart(7)} of ${String(total).padEnd(4)} ${percent(other?.recall ?? 0).padStart(7)}`
  })
  return [
    `${result.total} messages of ${files.join(", ")}`,
    "",
    `accuracy            ${percent(result.accuracy)}   (words only: ${percent(baseline.accuracy)})`,
    `wrongly transient on a write: ${result.transientOnWrite}   (words only: ${baseline.transientOnWrite})`,
    `time                ${micros.toFixed(1)} µs per message`,
    "",
    `${"label \\ predicted".padEnd(17)}${predicted.map((name) => name.padStart(4)).join("  ")}   recall (accepted)   words only`,
    ...table,
    "",
    result.misses.length === 0 ? "no misses" : "misses:",
    ...result.misses.map(
      ({ id, label, message, predicted: as, rule }) =>
        `  ${id}: ${label}, predicted ${as} by ${rule}: ${message.replaceAll(/\s+/g, " ").slice(0, 110)}`
    )
  ].join("\n")
}

/** Returns the microseconds per message in the fastest of 20 rounds: other work on the machine only slows rounds down. */
const fastest = (rows: ReadonlyArray<ErrorRow>): number => {
  let best = Infinity
  for (let round = 0; round < 20; round++) {
    const start = performance.now()
    for (const { error } of rows) ours(error, "read")
    best = Math.min(best, ((performance.now() - start) * 1000) / rows.length)
  }
  return best
}

/** The sums of a half of the corpus. `exact` counts only the label itself, `accepted` the other accepted labels too. */
const sumsOf = (half: Corpus.Half) => {
  const rows = Corpus.failures(half)
  const accepted = score(rows, ours)
  const exact = score(
    rows.map((row) => ({ ...row, accept: [row.label] })),
    ours
  )
  return {
    half,
    total: accepted.total,
    exact: exact.accuracy,
    accepted: accepted.accuracy,
    wordsOnly: score(rows, wordsOnly).accuracy,
    recall: Object.fromEntries(Object.entries(accepted.recall).map(([label, { recall }]) => [label, recall])),
    transientOnWrite: accepted.transientOnWrite,
    recognised: recognitionOf(
      rows.map(({ error }) => error),
      Corpus.looks(half)
    )
  }
}

const shareText = ({ right, total }: Share): string => `${right} of ${total} (${percent(right / total)})`

const sumsText = ({
  accepted,
  exact,
  half,
  recall,
  recognised,
  total,
  transientOnWrite,
  wordsOnly: words
}: Sums): string =>
  [
    `corpus, ${half} half: ${total} failures`,
    `  the label itself    ${percent(exact)}`,
    `  an accepted label   ${percent(accepted)}   (words only: ${percent(words)})`,
    `  recall              ${Object.entries(recall)
      .map(([label, share]) => `${label} ${percent(share)}`)
      .join(", ")}`,
    `  wrongly transient on a write: ${transientOnWrite}`,
    `  recognised without an error flag: as a text ${shareText(recognised.asText)}, as a body ${shareText(recognised.asBody)}`,
    `  texts that only look like failures and stay a success: ${shareText(recognised.looks)}`
  ].join("\n")

type Sums = ReturnType<typeof sumsOf>

const heldOut = (reason: string, isJson: boolean): number => {
  if (reason.trim() === "") {
    process.stderr.write("--held-out needs a reason: what was changed since the last measurement.\n")
    return 1
  }
  const sums = sumsOf("held-out")
  Corpus.recordOpening(reason, sums)
  const count = `measurement ${Corpus.openingCount()} of ${Corpus.maxOpenings}`
  process.stdout.write(isJson ? `${JSON.stringify(sums)}\n` : `${sumsText(sums)}\n  ${count}\n`)
  return 0
}

const main = (argv: ReadonlyArray<string>): number => {
  const options = new Set(["--json", "--held-out", "--"])
  const unknown = argv.find((argument) => argument.startsWith("-") && !options.has(argument))
  if (unknown !== undefined) {
    process.stderr.write(
      `Unknown option ${unknown}. Usage: npm run bench:classify -- [FILE …] [--json] [--held-out REASON]\n`
    )
    return 1
  }
  const isHeldOut = argv.includes("--held-out")
  const named = argv.filter((argument) => !argument.startsWith("-"))
  const recorded = join(data, "errors.jsonl")
  const own = join(import.meta.dirname, "../vectors/errors-own.jsonl")
  const files = named.length > 0 ? named : [...(existsSync(recorded) ? [recorded] : []), own]
  try {
    if (isHeldOut) return heldOut(argv[argv.indexOf("--held-out") + 1] ?? "", argv.includes("--json"))
    const corpus = named.length > 0 ? undefined : sumsOf("open")
    const rows = files.flatMap((file) => readErrorFile(file))
    const result = score(rows, ours)
    const baseline = score(rows, wordsOnly)
    const micros = fastest(rows)
    const { accuracy, confusion, misses, recall, right, total, transientOnWrite } = result
    process.stdout.write(
      argv.includes("--json")
        ? `${JSON.stringify({ accuracy, total, right, confusion, recall, transientOnWrite, microsPerMessage: micros, misses, baseline: { accuracy: baseline.accuracy, recall: baseline.recall, confusion: baseline.confusion, transientOnWrite: baseline.transientOnWrite }, corpus })}\n`
        : [report(files, result, baseline, micros), ...(corpus === undefined ? [] : ["", sumsText(corpus)]), ""].join(
            "\n"
          )
    )
    return 0
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  }
}

process.exitCode = main(process.argv.slice(2))
