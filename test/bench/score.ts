/** Scores a classifier on labelled messages: accuracy, recall of each class, confusion, and dangerous predictions. */
import type { Access } from "#domain/tool/Access"
import type { FailureTag } from "#domain/failure/Failure"
import { type ErrorRow, tagOf } from "./errorFile.ts"

/** Returns the class of an error, and the rule that decided. */
export type Classifier = (
  error: Readonly<Record<string, unknown>>,
  access: Access
) => { readonly tag: FailureTag; readonly rule: string }

/** One wrong prediction. */
export interface Miss {
  readonly id: string
  readonly label: string
  readonly predicted: string
  readonly rule: string
  readonly message: string
}

export interface Score {
  readonly total: number
  readonly right: number
  /** 0 to 1. */
  readonly accuracy: number
  /** The share of right predictions, by label. */
  readonly recall: Readonly<Record<string, { readonly right: number; readonly total: number; readonly recall: number }>>
  /** Label, then predicted label, then count. */
  readonly confusion: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** The number of errors of writes that are wrongly predicted as `transient`. */
  readonly transientOnWrite: number
  readonly misses: ReadonlyArray<Miss>
}

const snake = (tag: string): string =>
  tag === "ToolArgError" ? "tool_arg" : tag.replaceAll(/(?<=[a-z])([A-Z])/g, "_$1").toLowerCase()

/** Scores a classifier. A prediction is right if it is in `accept`. */
export const score = (rows: ReadonlyArray<ErrorRow>, classifier: Classifier): Score => {
  const confusion: Record<string, Record<string, number>> = {}
  const recall: Record<string, { right: number; total: number; recall: number }> = {}
  const misses: Array<Miss> = []
  let transientOnWrite = 0
  for (const { accept, error, id, label } of rows) {
    const accepted = new Set(accept.map((other) => tagOf[other]))
    const { rule, tag } = classifier(error, "read")
    const predicted = snake(tag)
    const cells = (confusion[label] ??= {})
    cells[predicted] = (cells[predicted] ?? 0) + 1
    const entry = (recall[label] ??= { right: 0, total: 0, recall: 0 })
    entry.total += 1
    if (accepted.has(tag)) entry.right += 1
    else misses.push({ id, label, predicted, rule, message: String(error["message"]) })
    entry.recall = entry.right / entry.total
    if (classifier(error, "write").tag === "Transient" && !accepted.has("Transient")) transientOnWrite += 1
  }
  const right = rows.length - misses.length
  return { total: rows.length, right, accuracy: right / rows.length, recall, confusion, transientOnWrite, misses }
}
