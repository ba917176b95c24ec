/** Defines the accuracy that the classifier must reach on a file of labelled messages. */
import { classify } from "#domain/classification/Classification"
import { assert } from "@effect/vitest"
import { readErrorFile } from "../../bench/errorFile.ts"
import { type Classifier, score } from "../../bench/score.ts"
import { wordsOnly } from "../../bench/wordsOnly.ts"

const ours: Classifier = (error, access) => classify(error, { access })

/** The project's own labelled messages. */
export const own = "test/vectors/errors-own.jsonl"

/** Asserts accuracy, recall, and better accuracy than a classifier that reads only words. */
export const meetsTargets = (file: string) => {
  const result = score(readErrorFile(file), ours)
  assert.isAtLeast(result.accuracy, 0.97)
  for (const [label, { recall, total }] of Object.entries(result.recall)) {
    if (total >= 10) assert.isAtLeast(recall, 0.9, label)
  }
  assert.strictEqual(result.transientOnWrite, 0)
  assert.isAbove(result.accuracy, score(readErrorFile(file), wordsOnly).accuracy + 0.15)
}
