/** Reads labelled error messages (JSON Lines), and reports where a file is malformed. */
import { existsSync, readFileSync } from "node:fs"
import type { FailureTag } from "#domain/failure/Failure"
import * as LabelledLine from "./labelledLine.ts"
import { UnreadableFile } from "./labelledLine.ts"

/** The failure class of each label. */
export const tagOf: Readonly<Record<string, FailureTag>> = {
  tool_arg: "ToolArgError",
  unknown_tool: "ToolArgError",
  schema_mismatch: "SchemaMismatch",
  partial_data: "PartialData",
  semantic_garbage: "SemanticGarbage",
  transient: "Transient",
  resource: "Resource",
  permanent: "Permanent"
}

/** One labelled message. */
export interface ErrorRow {
  readonly id: string
  /** The input of the classifier: `message` and, if known, `code`, `status`, `body` and `headers`. */
  readonly error: Readonly<Record<string, unknown>>
  readonly label: string
  /** The label and the other labels that count as right. */
  readonly accept: ReadonlyArray<string>
}

const remedy =
  'Each line is one object: {"message": "…", "label": "transient", "accept": ["permanent"], "status": 503, …}.'

const parseLine = (path: string, line: string, number: number): ErrorRow => {
  const { refuse, row } = LabelledLine.read(path, line, number, remedy)
  const { accept = [], label, message } = row
  if (typeof message !== "string") return refuse("`message` is missing or not a string")
  if (typeof label !== "string" || !Object.hasOwn(tagOf, label)) {
    return refuse(`\`label\` is ${JSON.stringify(label) ?? "missing"}, not one of ${Object.keys(tagOf).join(", ")}`)
  }
  if (!Array.isArray(accept) || !accept.every((other) => typeof other === "string")) {
    return refuse("`accept` is not a list of labels")
  }
  const error: Record<string, unknown> = { message }
  for (const field of ["code", "status", "body", "headers"]) {
    if (row[field] !== undefined && row[field] !== null) error[field] = row[field]
  }
  return { id: typeof row["id"] === "string" ? row["id"] : `line ${number}`, error, label, accept: [label, ...accept] }
}

/** Reads the rows of a file. Throws `UnreadableFile` with the line and a remedy. */
export const readErrorFile = (path: string): ReadonlyArray<ErrorRow> => {
  if (!existsSync(path))
    throw new UnreadableFile(`${path}: no such file. Give the path of a JSON Lines file of labelled messages.`)
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch {
    throw new UnreadableFile(`${path}: cannot be read. Give the path of a file, not of a folder.`)
  }
  const rows = text
    .replace(/^\ufeff/, "")
    .split("\n")
    .flatMap((line, index) => (line.trim() === "" ? [] : [parseLine(path, line, index + 1)]))
  if (rows.length === 0) throw new UnreadableFile(`${path}: contains no rows. ${remedy}`)
  return rows
}
