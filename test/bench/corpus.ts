/**
 * Reads the corpus of real texts of tools (`test/data/corpus`), and counts how often its held-out half was measured.
 *
 * The halves share no product. Rules are written from the open half. Of the held-out half, the writer of rules sees only
 * sums, and at most `maxOpenings` times; `openings.jsonl` records each time with its reason.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { type ErrorRow, tagOf } from "./errorFile.ts"
import { UnreadableFile } from "./labelledLine.ts"

/** A half of the corpus. */
export type Half = "open" | "held-out"

const folder = join(import.meta.dirname, "../data/corpus")

/** The file that records each measurement of the held-out half. */
export const openings = join(folder, "openings.jsonl")

/** How often the held-out half may be measured while rules are written. */
export const maxOpenings = 5

/** A text as it was gathered, without labels. */
export interface CorpusText {
  readonly id: string
  readonly product: string
  readonly category: string
  readonly message: string
  readonly status?: number
  readonly code?: string
  /** Whether the gatherer considered the text a failure, or a text that only looks like one. */
  readonly kind: "failure" | "looks"
  readonly language: string
  /** The address of the page, or the repository and path, from which the text was taken. */
  readonly origin: string
}

interface Label {
  readonly id: string
  readonly label: string
  readonly accept?: ReadonlyArray<string>
}

const linesOf = <A>(name: string, half: Half): ReadonlyArray<A> => {
  const path = join(folder, half === "open" ? name : `${name}.gz`)
  if (!existsSync(path))
    throw new UnreadableFile(`${path}: no such file. Restore test/data/corpus from the repository.`)
  const bytes = readFileSync(path)
  const text = (half === "open" ? bytes : gunzipSync(bytes)).toString()
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as A]))
}

/** Returns the texts of a half. */
export const texts = (half: Half): ReadonlyArray<CorpusText> => linesOf(`texts-${half}.jsonl`, half)

/** Returns the labels that one of the two annotators gave, by the id of the text. */
export const labels = (half: Half, annotator: 1 | 2): ReadonlyMap<string, Label> =>
  new Map(linesOf<Label>(`labels-${half}-${annotator}.jsonl`, half).map((label) => [label.id, label]))

/**
 * Returns the labelled failures of a half. The label is that of the first annotator; what the second chose is accepted
 * too. Texts that an annotator did not label, or that both labelled as `ok`, are left out.
 */
export const failures = (half: Half): ReadonlyArray<ErrorRow> => {
  const first = labels(half, 1)
  const second = labels(half, 2)
  return texts(half).flatMap(({ code, id, message, status }): ReadonlyArray<ErrorRow> => {
    const [one, other] = [first.get(id), second.get(id)]
    if (one === undefined || other === undefined) return []
    const chosen = [one.label, ...(one.accept ?? []), other.label, ...(other.accept ?? [])]
    const accept = [...new Set(chosen)].filter((label) => Object.hasOwn(tagOf, label))
    const [label] = accept
    if (label === undefined || chosen.includes("ok")) return []
    const error = { message, ...(status === undefined ? {} : { status }), ...(code === undefined ? {} : { code }) }
    return [{ id, error, label, accept }]
  })
}

/** Returns the texts of a half that only look like failures: both annotators labelled them as `ok`. */
export const looks = (half: Half): ReadonlyArray<CorpusText> => {
  const [first, second] = [labels(half, 1), labels(half, 2)]
  return texts(half).filter(
    ({ id, kind }) => kind === "looks" && first.get(id)?.label === "ok" && second.get(id)?.label === "ok"
  )
}

/** Returns how often the held-out half was measured. */
export const openingCount = (path = openings): number =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "").length
    : 0

/** Records a measurement of the held-out half. Throws `UnreadableFile` if there were `maxOpenings` already. */
export const recordOpening = (reason: string, sums: object, path = openings): void => {
  const count = openingCount(path)
  if (count >= maxOpenings) {
    throw new UnreadableFile(
      `${path}: the held-out half was measured ${maxOpenings} times. Gather new texts before rules are written again.`
    )
  }
  appendFileSync(path, `${JSON.stringify({ opening: count + 1, reason, ...sums })}\n`)
}
