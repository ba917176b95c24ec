/** Reads labelled calls (`labels.jsonl`) and the traffic that contains them, and reports where a file is malformed. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import * as LabelledLine from "./labelledLine.ts"
import { UnreadableFile } from "./labelledLine.ts"

/** The valid labels. */
export const labels = [
  "ok",
  "tool_arg",
  "unknown_tool",
  "schema_mismatch",
  "partial_data",
  "semantic_garbage",
  "transient",
  "resource",
  "permanent"
] as const

export type Label = (typeof labels)[number]

/** What a guard should do with a repeated call: `stop` it, `allow` it, or either. */
export type Repeat = "stop" | "allow" | "either"

/** One labelled call. */
export interface LabelRow {
  readonly conversation: string
  /** The index of the assistant message that contains the call. */
  readonly callMessage: number
  readonly callId: string
  readonly label: Label
  /** The label and the other labels that count as right. */
  readonly accept: ReadonlyArray<Label>
  readonly repeat: Repeat | undefined
}

const remedy =
  'Each line is one object: {"conversation": "…", "call_message": 3, "tool_call_id": "…", "label": "transient", "accept": ["permanent"], "repeat": "stop", …}.'

const isLabel = (value: unknown): value is Label => labels.some((label) => label === value)

const parseLine = (path: string, line: string, number: number): LabelRow => {
  const { refuse, row } = LabelledLine.read(path, line, number, remedy)
  const { accept, call_message: callMessage, conversation, label, repeat, tool_call_id: callId } = row
  if (typeof conversation !== "string") return refuse("`conversation` is missing or not a string")
  if (typeof callMessage !== "number") return refuse("`call_message` is missing or not a number")
  if (typeof callId !== "string") return refuse("`tool_call_id` is missing or not a string")
  if (!isLabel(label))
    return refuse(`\`label\` is ${JSON.stringify(label) ?? "missing"}, not one of ${labels.join(", ")}`)
  const others = accept ?? []
  if (!Array.isArray(others) || !others.every(isLabel)) return refuse("`accept` is not a list of labels")
  if (repeat !== undefined && repeat !== null && repeat !== "stop" && repeat !== "allow" && repeat !== "either") {
    return refuse(`\`repeat\` is ${JSON.stringify(repeat)}, not stop, allow or either`)
  }
  return { conversation, callMessage, callId, label, accept: [label, ...others], repeat: repeat ?? undefined }
}

const textOf = (path: string): string => {
  try {
    const bytes = readFileSync(path)
    return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString().replace(/^\ufeff/, "")
  } catch {
    throw new UnreadableFile(
      `${path}: cannot be read. Give a folder that contains labels.jsonl and traffic/*.jsonl.gz.`
    )
  }
}

/** Returns the non-empty lines of a file, with their numbers from 1. */
const linesOf = (path: string): ReadonlyArray<readonly [line: string, number: number]> =>
  textOf(path)
    .split("\n")
    .map((line, index) => [line, index + 1] as const)
    .filter(([line]) => line.trim() !== "")

/** Reads the labels of a folder. Throws `UnreadableFile` with the line and a remedy. */
export const readLabels = (folder: string): ReadonlyArray<LabelRow> => {
  const path = join(folder, "labels.jsonl")
  if (!existsSync(path)) {
    throw new UnreadableFile(`${path}: no such file. Give a folder that contains labels.jsonl and traffic/*.jsonl.gz.`)
  }
  const rows = linesOf(path).map(([line, number]) => parseLine(path, line, number))
  if (rows.length === 0) throw new UnreadableFile(`${path}: contains no rows. ${remedy}`)
  return rows
}

/** A line of the traffic: one logged conversation. */
export interface TrafficLine {
  readonly file: string
  readonly line: number
  readonly value: unknown
}

/** Reads the conversations of a folder, file by file. Throws `UnreadableFile` if a file cannot be read. */
export function* readTraffic(folder: string): Generator<TrafficLine> {
  const within = join(folder, "traffic")
  const files = existsSync(within) ? readdirSync(within).filter((name) => /\.jsonl(?:\.gz)?$/.test(name)) : []
  if (files.length === 0) {
    throw new UnreadableFile(`${within}: contains no recorded traffic. Give a folder with traffic/*.jsonl.gz.`)
  }
  for (const file of files.sort()) {
    for (const [line, number] of linesOf(join(within, file))) {
      try {
        yield { file, line: number, value: JSON.parse(line) }
      } catch {
        throw new UnreadableFile(`${join(within, file)}:${number}: not valid JSON. Each line is one conversation.`)
      }
    }
  }
}
