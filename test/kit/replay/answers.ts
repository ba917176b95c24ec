/** Sample answers of tools, each with its expected label. */
import { readFileSync } from "node:fs"
import { type ClassifiedAnswer, classify, type RecordedCallAnswer } from "#kit/replay/RecordedAnswer"

/** An answer with its expected label, and other acceptable labels. */
export interface LabelledAnswer extends RecordedCallAnswer {
  readonly label: string
  readonly accept: ReadonlyArray<string>
}

/** Answers written for these tests, each labelled before the rules were applied. */
export const ownAnswers: ReadonlyArray<LabelledAnswer> = readFileSync("test/vectors/answers-own.jsonl", "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))

/** Creates an answer of a tool that only reads, with unspecific arguments. */
export const answer = (text: string, rest: Partial<RecordedCallAnswer> = {}): RecordedCallAnswer => ({
  tool: "lookup",
  isError: false,
  arguments: { query: "blue chairs" },
  ...rest,
  text
})

/** Returns the label of a classified answer. */
export const labelOf = (answer: ClassifiedAnswer): string => {
  if (answer._tag === "Success") return "ok"
  if (answer._tag === "Partial") return "partial_data"
  if (answer.code === "unknown_tool") return "unknown_tool"
  return answer.class === "ToolArgError"
    ? "tool_arg"
    : answer.class.replaceAll(/(?<=[a-z])([A-Z])/g, "_$1").toLowerCase()
}

/** Classifies an answer, and returns its label. */
export const labelled = (recorded: RecordedCallAnswer): string => labelOf(classify(recorded))

/** Formats a server's answer as a Python client prints it. */
export const printed = (text: string, isError = false): string => {
  const inner = JSON.stringify(
    { _meta: null, content: [{ type: "text", text, annotations: null }], isError },
    undefined,
    2
  )
  const escaped = inner.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("'", "\\'")
  return `meta=None content=[TextContent(type='text', text='${escaped}', annotations=None)] isError=False`
}
