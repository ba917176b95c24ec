/** Scores what is said of labelled calls: precision and recall of each class, of stops and of suspects, and confusion. */
import type { Predicted } from "./guardedTraffic.ts"
import { type Label, labels } from "./labelFile.ts"
import { wordsOnly } from "./wordsOnly.ts"

/** How well one kind is found. Nothing predicted, or nothing to find, is no mistake: 1. */
export interface Found {
  /** 0 to 1. */
  readonly precision: number
  /** 0 to 1. */
  readonly recall: number
  /** That are of the kind. */
  readonly labelled: number
  /** That are said to be. */
  readonly predicted: number
}

export interface ClassFound extends Found {
  /** Said to be of the kind, and that is the label itself, not another that is accepted. */
  readonly exact: number
}

export interface TrafficScore {
  readonly total: number
  readonly accuracy: number
  readonly classes: { readonly [Name in Label]?: ClassFound }
  /** Label, then predicted label, then count. */
  readonly confusion: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Of repeated calls: a stop where one should be. Calls where either is right, and first calls that fail, count in neither. */
  readonly stops: Found & { readonly wrong: number }
  readonly misses: ReadonlyArray<Predicted>
}

const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole)

const isRight = ({ predicted, row }: Predicted): boolean => row.accept.includes(predicted)

/**
 * Scores predictions. One that is accepted is right: for the recall of its row's label, and for the precision of what
 * was said.
 */
export const scoreTraffic = (predictions: ReadonlyArray<Predicted>): TrafficScore => {
  const confusion: Record<string, Record<string, number>> = {}
  const classes: { [Name in Label]?: ClassFound } = {}
  for (const { predicted, row } of predictions) {
    const cells = (confusion[row.label] ??= {})
    cells[predicted] = (cells[predicted] ?? 0) + 1
  }
  for (const label of labels) {
    const own = predictions.filter(({ row }) => row.label === label)
    const said = predictions.filter(({ predicted }) => predicted === label)
    if (own.length === 0 && said.length === 0) continue
    classes[label] = {
      precision: share(said.filter(isRight).length, said.length),
      recall: share(own.filter(isRight).length, own.length),
      labelled: own.length,
      predicted: said.length,
      exact: said.filter(({ row }) => row.label === label).length
    }
  }
  const misses = predictions.filter((prediction) => !isRight(prediction))
  return {
    total: predictions.length,
    accuracy: share(predictions.length - misses.length, predictions.length),
    classes,
    confusion,
    stops: stopsOf(predictions),
    misses
  }
}

/** Labels that say nothing against the call itself. */
const harmless: ReadonlySet<Label> = new Set(["ok", "partial_data", "semantic_garbage", "transient"])

/** Whether a call must be made: it is labelled so, or it was not made before and nothing speaks against it. */
const isDue = ({ row: { accept, repeat } }: Predicted): boolean =>
  repeat === "allow" || (repeat === undefined && accept.every((label) => harmless.has(label)))

const stopsOf = (predictions: ReadonlyArray<Predicted>): TrafficScore["stops"] => {
  const labelled = predictions.filter(({ row }) => row.repeat === "stop")
  const right = labelled.filter(({ isStopped }) => isStopped).length
  const wrong = predictions.filter((prediction) => prediction.isStopped && isDue(prediction)).length
  return {
    precision: share(right, right + wrong),
    recall: share(right, labelled.length),
    labelled: labelled.length,
    predicted: right + wrong,
    wrong
  }
}

/** Suspects: stops that the recorded future contradicts, against stops of calls that must be made. */
export const suspectsOf = (predictions: ReadonlyArray<Predicted>): Found => {
  const wrong = predictions.filter((prediction) => prediction.isStopped && isDue(prediction))
  const said = predictions.filter(({ isSuspect }) => isSuspect)
  const right = wrong.filter(({ isSuspect }) => isSuspect).length
  return {
    precision: share(right, said.length),
    recall: share(right, wrong.length),
    labelled: wrong.length,
    predicted: said.length
  }
}

const failing = /error|fail|exception|invalid|denied|not found|forbidden|timed? ?out|unable/i

const snake = (tag: string): Label =>
  (tag === "ToolArgError" ? "tool_arg" : tag.replaceAll(/(?<=[a-z])([A-Z])/g, "_$1").toLowerCase()) as Label

/**
 * The baseline: an answer is a failure where the log says so or a word of failure occurs in it, of the class of the first
 * keyword; a call is stopped when the identical one was made three times before.
 */
export const byWords = (prediction: Predicted): Predicted => ({
  ...prediction,
  predicted:
    prediction.isError || failing.test(prediction.text) ? snake(wordsOnly({ message: prediction.text }).tag) : "ok",
  isStopped: prediction.repeats >= 3,
  isSuspect: false
})
