/**
 * Measures replay on labelled calls: `npm run bench:traffic -- [DIR] [--json]`.
 *
 * DIR contains `labels.jsonl` and `traffic/*.jsonl.gz` (default: the recorded data, `TOOLGUARD_DATA`). Prints precision and
 * recall of each class, of stops of repeated calls and of suspects, the confusion and the misses, and the figures of a
 * baseline that uses words only. `--json` prints one JSON object.
 */
import { data } from "../support/data.ts"
import { UnreadableFile } from "./labelledLine.ts"
import { replayFolder, type Totals } from "./guardedTraffic.ts"
import { readLabels } from "./labelFile.ts"
import { type Accuracy, byWords, scoreTraffic, suspectsOf, type TrafficScore } from "./trafficScore.ts"

interface Measurement {
  readonly score: TrafficScore
  readonly suspects: Accuracy
  readonly baseline: TrafficScore
  readonly totals: Totals
}

const measure = (folder: string): Measurement => {
  const { predictions, totals } = replayFolder(folder, readLabels(folder))
  return {
    score: scoreTraffic(predictions),
    suspects: suspectsOf(predictions),
    baseline: scoreTraffic(predictions.map(byWords)),
    totals
  }
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

const row = (name: string, found: Accuracy | undefined, other: Accuracy | undefined): string =>
  [
    name.padEnd(17),
    String(found?.labelled ?? 0).padStart(8),
    String(found?.predicted ?? 0).padStart(10),
    percent(found?.precision ?? 1).padStart(11),
    percent(found?.recall ?? 1).padStart(9),
    `${percent(other?.precision ?? 1).padStart(12)} ${percent(other?.recall ?? 1).padStart(9)}`
  ].join("")

const confusion = ({ confusion }: TrafficScore): ReadonlyArray<string> => {
  const predicted = [...new Set(Object.values(confusion).flatMap((cells) => Object.keys(cells)))].sort()
  return [
    `${"label \\ predicted".padEnd(17)}  ${predicted.join("  ")}`,
    ...Object.entries(confusion).map(
      ([label, cells]) =>
        `${label.padEnd(17)}  ${predicted.map((name) => String(cells[name] ?? ".").padStart(name.length)).join("  ")}`
    )
  ]
}

const report = (folder: string, { baseline, score, suspects, totals }: Measurement): string => {
  const { classes, misses, stops } = score
  return [
    `${score.total} labelled calls of ${folder}, within ${totals.calls} calls of ${totals.conversations} conversations`,
    "",
    `accuracy            ${percent(score.accuracy)}   (words only: ${percent(baseline.accuracy)})`,
    `wrong stops: ${stops.wrong}   (words only: ${baseline.stops.wrong})`,
    `stops in all traffic: ${totals.stops}, of which suspects: ${totals.suspects}`,
    "",
    `${"".padEnd(17)}labelled predicted  precision   recall   precision    recall (words only)`,
    ...Object.entries(classes).map(([label, found]) =>
      row(label, found, baseline.classes[label as keyof typeof classes])
    ),
    row("stops", stops, baseline.stops),
    row("suspects", suspects, undefined),
    "",
    ...confusion(score),
    "",
    misses.length === 0 ? "no misses" : "misses:",
    ...misses.map(
      ({ predicted, row: { callMessage, conversation, label }, text, tool }) =>
        `  ${conversation} message ${callMessage}, ${tool}: ${label}, predicted ${predicted}: ${text.replaceAll(/\s+/g, " ").slice(0, 110)}`
    )
  ].join("\n")
}

const json = ({ baseline, score, suspects, totals }: Measurement): string => {
  const { accuracy, classes, confusion, stops, total } = score
  return JSON.stringify({
    accuracy,
    total,
    classes,
    stops,
    suspects,
    confusion,
    misses: score.misses.map(({ predicted, row: { callId, conversation, label } }) => ({
      conversation,
      callId,
      label,
      predicted
    })),
    traffic: totals,
    baseline: {
      accuracy: baseline.accuracy,
      classes: baseline.classes,
      stops: baseline.stops,
      confusion: baseline.confusion
    }
  })
}

const main = (argv: ReadonlyArray<string>): number => {
  const unknown = argv.find((argument) => argument.startsWith("-") && argument !== "--json" && argument !== "--")
  if (unknown !== undefined) {
    process.stderr.write(`Unknown option ${unknown}. Usage: npm run bench:traffic -- [DIR] [--json]\n`)
    return 1
  }
  const folder = argv.find((argument) => !argument.startsWith("-")) ?? data
  try {
    const measured = measure(folder)
    process.stdout.write(`${argv.includes("--json") ? json(measured) : report(folder, measured)}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  }
}

process.exitCode = main(process.argv.slice(2))
