/** Writes the tables of docs/model-messages.md from cells without a policy, whose upstream keeps to its protocol. */
import { errorClass } from "#domain/envelope/EnvelopeError"
import type { FailureTag } from "#domain/failure/Failure"
import type { Cell } from "./Cells.ts"
import type { StatedAccess } from "./Situation.ts"
import { vectorSituations } from "./Vectors.ts"

/** The situations of the page. */
export const pageSituations = vectorSituations.filter(({ answer, policy }) => policy === "none" && answer.depth === 0)

interface Section {
  readonly title: string
  readonly note: string
  readonly has: (cell: Cell) => boolean
}

const isOf = (access: StatedAccess) => (cell: Cell) => cell.situation.access === access

const effect = ({ report }: Cell) => report.sideEffect

const sections = (cells: ReadonlyArray<Cell>): ReadonlyArray<Section> => {
  const write = isOf("write")
  const writes = new Map(cells.filter(write).map((cell) => [cell.situation.answer.name, rowOf(cell)]))
  const differs = (cell: Cell): boolean => writes.get(cell.situation.answer.name) !== rowOf(cell)
  const ends = ({ report }: Cell): boolean => report.endsForPerson
  return [
    {
      title: "A write: nothing was done",
      note: "The model may correct its arguments, wait or choose another way.",
      has: (cell) => write(cell) && effect(cell) === "none"
    },
    {
      title: "A write: the action was done",
      note: 'After a failure the model also reads "Do not call again.", and the same arguments are refused for the turn.',
      has: (cell) => write(cell) && effect(cell) === "committed"
    },
    {
      title: "A write: the tool reported something that proves nothing",
      note: 'After a failure the model also reads "The tool reported a failure; it is not known whether anything was done. Do not repeat the call; ask the user." The same arguments are refused for the turn.',
      has: (cell) => write(cell) && effect(cell) === "unknown" && !ends(cell)
    },
    {
      title: "A write: no answer that the guard can rely on",
      note: "A person must check whether the write was done. If the tool has an idempotency key that its upstream honours, or a `reconcile`, the guard settles most of these calls without a person.",
      has: (cell) => write(cell) && ends(cell)
    },
    {
      title: "A tool that its owner declared destructive",
      note: "A failure with an unknown side effect or because of wrong arguments ends the run until a person decides. Answers that are not in this table are reported as those of a write.",
      has: (cell) => isOf("destructive")(cell) && differs(cell)
    },
    {
      title: "A tool that only its server calls destructive, or whose access is not stated",
      note: "Its calls are approved like those of a destructive tool, and its failures are reported like those of a write.",
      has: (cell) => isOf("unstated")(cell) && differs(cell)
    },
    {
      title: "A read",
      note: "A read never has a side effect, and none of these failures ends the run. An exhausted resource, such as a full disk, stops the run of a read or a write, unless another server (MCP, OpenAPI) reported it.",
      has: isOf("read")
    }
  ]
}

const escape = (text: string): string => text.replaceAll("|", "\\|")

/**
 * Returns the text that the model reads: the data and the notice of a success, or a failure's message without the benchmark
 * server's address.
 */
const messageOf = ({ report }: Cell): string =>
  report.error === undefined
    ? `\`{"n":1}\` ${report.notice ?? ""}`.trim()
    : report.error.message.replace(/http:\/\/127\.0\.0\.1:\d+\/\d+/g, "https://api.example/tickets")

/** Returns the columns after the first. */
const rowOf = (cell: Cell): string => {
  const { class: tag, code, endsForPerson, error, outcome, sideEffect } = cell.report
  const reported = outcome === "failure" ? `${errorClass(tag as FailureTag)} ${code}` : outcome
  const step = error === undefined ? "" : `\`${error.next_step}\``
  return `${reported} | \`${sideEffect}\` | ${escape(messageOf(cell))} | ${step} | ${endsForPerson ? "no: a person must decide" : "yes"} |`
}

const table = (cells: ReadonlyArray<Cell>): ReadonlyArray<string> =>
  cells.length === 0
    ? []
    : [
        "",
        "| what the handler returns or fails with | what is reported | side effect | what the model reads | next step | does the run continue |",
        "| --- | --- | --- | --- | --- | --- |",
        ...cells.map((cell) => `| ${escape(cell.situation.answer.name)} | ${rowOf(cell)}`)
      ]

/** Returns the page with up-to-date tables. */
export const updated = (page: string, cells: ReadonlyArray<Cell>): string => {
  const text = sections(cells).map(({ has, note, title }) =>
    [`## ${title}`, "", note, ...table(cells.filter(has))].join("\n")
  )
  return page.replace(
    /<!-- reports -->[\s\S]*<!-- \/reports -->/u,
    () => `<!-- reports -->\n\n${text.join("\n\n")}\n\n<!-- /reports -->`
  )
}
