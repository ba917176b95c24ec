/**
 * Writes a run to a file and reads it, for support and for moves to another database. The file is JSON lines: a head,
 * the rows and a SHA-256 of both, so that a truncated, changed or foreign file is recognised.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as JournalRows from "./JournalRows.ts"

const kind = "effect-toolguard checkpoint"
/** The version of a file. A reader of version 1 does not know principals, and must not import a run without its principal. */
const versionOf = ({ principal }: Pick<Copy, "principal">): number => (principal === undefined ? 1 : 2)

const Head = Schema.Struct({
  kind: Schema.Literal(kind),
  version: Schema.Int,
  tenant: Schema.String,
  principal: Schema.optionalKey(Schema.String),
  run: Schema.String,
  format: Schema.Int,
  written: Schema.Int,
  lastSum: Schema.String,
  end: Schema.NullOr(Schema.String),
  createdAt: Schema.Int,
  updatedAt: Schema.Int
})

const Row = Schema.Struct({ seq: Schema.Int, body: Schema.String, sum: Schema.String })

const decodeHead = Schema.decodeUnknownResult(Schema.fromJsonString(Head))
const decodeRow = Schema.decodeUnknownResult(Schema.fromJsonString(Row))

/** A run with its rows. Times are epoch milliseconds. */
export interface Copy extends Omit<typeof Head.Type, "kind" | "version" | "end"> {
  readonly rows: ReadonlyArray<JournalRows.Row>
  readonly end: string | undefined
}

/** Returns the text of the file for a run. */
export const write = (sha256: JournalRows.Sha256, { end, rows, ...rest }: Copy): string => {
  const head = { kind, version: versionOf(rest), ...rest, end: end ?? null }
  const text = [head, ...rows.map(({ body, seq, sum }) => ({ seq, body, sum }))]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("")
  return `${text}${JSON.stringify({ sha256: sha256(text) })}\n`
}

/** Reads a run from the text of a file. The error is a pair of sentences: the fault and its remedy. */
export const read = (sha256: JournalRows.Sha256, text: string): Result.Result<Copy, readonly [string, string]> => {
  const [first = "", ...lines] = text.split("\n")
  const head = decodeHead(first)
  if (Result.isFailure(head))
    return Result.fail(["It was not written by toolguard runs export.", "Choose another file."])
  const { kind: _, version: own, end, ...rest } = head.success
  const another = (what: string, found: number, known: number) =>
    Result.fail([
      `It has ${what} ${found}, but this version of toolguard reads ${what} ${known}.`,
      found < known ? "Finish the run with the version that started it." : "Import it with a newer version."
    ] as const)
  if (own !== versionOf(rest)) return another("version", own, versionOf(rest))
  const damaged = Result.fail([
    "It is damaged: it was truncated or changed.",
    "Export the run again, or copy the file again."
  ] as const)
  const body = text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1)
  if (text !== `${body}${JSON.stringify({ sha256: sha256(body) })}\n`) return damaged
  const rows = lines.slice(0, -2).map((line) => decodeRow(line))
  if (rest.format !== JournalRows.format) return another("format", rest.format, JournalRows.format)
  const copy = { ...rest, end: end ?? undefined, rows: rows.filter(Result.isSuccess).map(({ success }) => success) }
  const isWhole = JournalRows.fault(sha256, copy.rows, { count: copy.written, sum: copy.lastSum }) === undefined
  return rows.every(Result.isSuccess) && isWhole ? Result.succeed(copy) : damaged
}
