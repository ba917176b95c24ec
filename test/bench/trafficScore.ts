/**
 * Scores predictions for labelled calls: precision and recall of each class, of stops and of suspects, and the
 * confusion matrix.
 */
import type { Prediction } from "./guardedTraffic.ts"
import { type Label, labels } from "./labelFile.ts"
import { wordsOnly } from "./wordsOnly.ts"

/** Precision and recall for one kind of call. Precision is 1 if nothing is predicted, recall if nothing is labelled. */
export interface Accuracy {
  /** 0 to 1. */
  readonly precision: number
  /** 0 to 1. */
  readonly recall: number
  /** The number of calls of the kind. */
  readonly labelled: number
  /** The number of calls that are predicted to be of the kind. */
  readonly predicted: number
}

export interface ClassAccuracy extends Accuracy {
  /** The number of predictions that are the label itself, not another accepted label. */
  readonly exact: number
}

export interface TrafficScore {
  readonly total: number
  readonly accuracy: number
  readonly classes: { readonly [Name in Label]?: ClassAccuracy }
  /** The number of calls by label, then by predicted label. */
  readonly confusion: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Stops of repeated calls. Calls for which both decisions are right, and first calls at fault, are not counted. */
  readonly stops: Accuracy & { readonly wrong: number }
  readonly misses: ReadonlyArray<Prediction>
}

const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole)

const isRight = ({ predicted, row }: Prediction): boolean => row.accept.includes(predicted)

/**
 * Scores predictions. An accepted prediction counts as right for the recall of the row's label and for the precision of the
 * predicted label.
 */
export const scoreTraffic = (predictions: ReadonlyArray<Prediction>): TrafficScore => {
  const confusion: Record<string, Record<string, number>> = {}
  const classes: { [Name in Label]?: ClassAccuracy } = {}
  for (const { predicted, row } of predictions) {
    const cells = (confusion[row.label] ??= {})
    cells[predicted] = (cells[predicted] ?? 0) + 1
  }
  for (const label of labels) {
    const own = predictions.filter(({ row }) => row.label === label)
    const named = predictions.filter(({ predicted }) => predicted === label)
    if (own.length === 0 && named.length === 0) continue
    classes[label] = {
      precision: share(named.filter(isRight).length, named.length),
      recall: share(own.filter(isRight).length, own.length),
      labelled: own.length,
      predicted: named.length,
      exact: named.filter(({ row }) => row.label === label).length
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

/** Labels whose calls were not at fault. */
const harmless: ReadonlySet<Label> = new Set(["ok", "partial_data", "semantic_garbage", "transient"])

/** True if a call must run, because its label says so or because it is a first call that is not at fault. */
const mustRun = ({ row: { accept, repeat } }: Prediction): boolean =>
  repeat === "allow" || (repeat === undefined && accept.every((label) => harmless.has(label)))

const stopsOf = (predictions: ReadonlyArray<Prediction>): TrafficScore["stops"] => {
  const labelled = predictions.filter(({ row }) => row.repeat === "stop")
  const right = labelled.filter(({ isStopped }) => isStopped).length
  const wrong = predictions.filter((prediction) => prediction.isStopped && mustRun(prediction)).length
  return {
    precision: share(right, right + wrong),
    recall: share(right, labelled.length),
    labelled: labelled.length,
    predicted: right + wrong,
    wrong
  }
}

/** Scores suspects: stops that replay reports as suspects, against stops of calls that must run. */
export const suspectsOf = (predictions: ReadonlyArray<Prediction>): Accuracy => {
  const wrong = predictions.filter((prediction) => prediction.isStopped && mustRun(prediction))
  const reported = predictions.filter(({ isSuspect }) => isSuspect)
  const right = wrong.filter(({ isSuspect }) => isSuspect).length
  return {
    precision: share(right, reported.length),
    recall: share(right, wrong.length),
    labelled: wrong.length,
    predicted: reported.length
  }
}

const failing = /error|fail|exception|invalid|denied|not found|forbidden|timed? ?out|unable/i

/** Converts the tag of a failure to its label: the tag in snake case, or `tool_arg` for `ToolArgError`. */
const snake = (tag: string): Label =>
  (tag === "ToolArgError" ? "tool_arg" : tag.replaceAll(/(?<=[a-z])([A-Z])/g, "_$1").toLowerCase()) as Label

/**
 * Predicts a call by words only: an answer is a failure if the log says so or if it contains a failure word, with the class
 * that `wordsOnly` returns. A call is stopped if the identical call was made three times before.
 */
export const byWords = (prediction: Prediction): Prediction => ({
  ...prediction,
  predicted:
    prediction.isError || failing.test(prediction.text) ? snake(wordsOnly({ message: prediction.text }).tag) : "ok",
  isStopped: prediction.repeats >= 3,
  isSuspect: false
})
