/** The report for people: what matters most first, tables that fit the screen. */
import type { CallPlace, Report, Suggestion } from "#kit/report/Report"
import { sharedFolder } from "#kit/report/SharedFolder"
import { fit, plain, type Screen, wrap } from "#kit/cli/console/Screen"
import { type Column, lines } from "./Table.ts"

/** Rows of each table; the JSON and the page have all. */
const most = 10

const number = new Intl.NumberFormat("en")
const counted = (count: number): string => number.format(count)
const many = (count: number, what: string): string => `${counted(count)} ${what}${count === 1 ? "" : "s"}`
const share = (count: number, all: number): string => (all === 0 ? "0 %" : `${((100 * count) / all).toFixed(1)} %`)

export const suggested = (suggestion: Suggestion): string => {
  switch (suggestion._tag) {
    case "keep":
      return "keep: a real fault"
    case "nullable":
      return "allow null"
    case "optional":
      return "make it optional"
    case "open object":
      return "allow further fields"
    case "wider enum":
      return `allow ${suggestion.values.join(", ")}`
    case "wider type":
      return `allow ${suggestion.type} too`
    case "wider bound":
      return `widen the bound: ${suggestion.expected}`
  }
}

/** Writes the report. */
export const write = (screen: Screen, report: Report): void => {
  const width = Math.min(screen.columns, 100)
  const folder = sharedFolder(report.files)
  const named = (file: string) => (file.startsWith(folder) ? file.slice(folder.length) : file)
  const at = ({ call, file, line }: CallPlace): string => `${named(file)}:${line}#${call}`
  const say = (text: string) => wrap(plain(text), width).forEach(screen.line)
  const head = (text: string) => {
    screen.line("")
    screen.line(screen.styled("bold", text))
  }
  const tableOf = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>, total = rows.length): void => {
    const [names = "", ...rest] = lines(columns, rows.slice(0, most), width)
    screen.line(screen.styled("dim", names))
    rest.forEach(screen.line)
    if (total > most) screen.line(`  … and ${counted(total - Math.min(most, rows.length))} more`)
  }
  const { loops, refused, rejected, repair, repeats, saved, skipped, suspects, tools, totals } = report

  say(
    `${many(totals.conversations, "conversation")}, ${many(totals.turns, "turn")}, ${many(totals.calls, "call")} of ${many(tools.length, "tool")}.`
  )
  say(
    `Answered well: ${counted(totals.succeeded)}; in part: ${counted(totals.partial)}; failed: ${counted(totals.failed)} (${share(totals.failed, totals.calls)}); without an answer: ${counted(totals.unanswered)}.`
  )

  if (folder !== "") say(`Files are in ${folder}`)

  head("What the guard would have spared")
  say(
    `${counted(saved.calls)} calls (${share(saved.calls, totals.calls)}), ${counted(saved.rounds)} requests to the model, about ${counted(saved.inputTokens)} input and ${counted(saved.outputTokens)} output tokens${saved.money === null ? "" : `, $${saved.money.toFixed(2)}`}.`
  )
  say(
    `Identical calls: ${counted(repeats.calls)}, of these ${counted(repeats.sameAnswer)} with the same answer; longest run: ${counted(repeats.longestRun)}.`
  )

  head("Suspects: stops that the log contradicts")
  if (suspects.total === 0) say("None. Every call that the guard would have stopped had nothing new to say.")
  else {
    tableOf(
      [
        { name: "call", of: at },
        { name: "tool", of: ({ tool }) => tool },
        { name: "stopped by", of: ({ reason }) => reason },
        { name: "what it would have missed", of: ({ missed }) => missed }
      ],
      suspects.shown,
      suspects.total
    )
  }

  if (report.failures.length > 0) {
    head("Failures by tool and class")
    tableOf(
      [
        { name: "tool", of: ({ tool }) => tool },
        { name: "class", of: (row) => row.class },
        { name: "code", of: ({ code }) => code },
        { name: "count", of: ({ count }) => counted(count), isNumber: true },
        { name: "first", of: ({ first }) => at(first) }
      ],
      report.failures
    )
  }

  if (refused.length > 0) {
    head("Refused before they were made")
    tableOf(
      [
        { name: "code", of: ({ code }) => code },
        { name: "calls", of: ({ count }) => counted(count), isNumber: true }
      ],
      refused
    )
  }

  if (rejected.length > 0) {
    head("Fields that calls broke")
    tableOf(
      [
        { name: "tool", of: ({ tool }) => tool },
        { name: "field", of: ({ path }) => path },
        { name: "fault", of: ({ problem }) => problem },
        { name: "calls", of: ({ count }) => counted(count), isNumber: true },
        { name: "taken", of: ({ accepted }) => counted(accepted), isNumber: true },
        { name: "suggestion", of: ({ suggestion }) => suggested(suggestion) }
      ],
      rejected
    )
    for (const { examples, path, tool } of rejected.slice(0, 3)) {
      const shown = examples.map(({ at: place, sent }) => `${fit(plain(sent), 40)} at ${at(place)}`)
      screen.line(fit(`  ${plain(tool)}.${plain(path)} was sent ${shown.join("; ")}`, width))
    }
  }

  if (repeats.groups.total > 0) {
    head("Identical calls within a turn")
    tableOf(
      [
        { name: "tool", of: ({ tool }) => tool },
        { name: "calls", of: ({ count }) => counted(count), isNumber: true },
        { name: "answers", of: ({ answers }) => counted(answers), isNumber: true },
        { name: "conversation", of: ({ file, line }) => `${named(file)}:${line}` },
        { name: "numbers", of: ({ calls, count }) => `${calls.join(", ")}${count > calls.length ? ", …" : ""}` }
      ],
      repeats.groups.shown.toSorted((a, b) => b.count - a.count),
      repeats.groups.total
    )
  }

  if (loops.total > 0) {
    head("Loops")
    tableOf(
      [
        { name: "tool", of: ({ tool }) => tool },
        { name: "pattern", of: ({ pattern }) => pattern },
        { name: "stopped", of: ({ count }) => counted(count), isNumber: true },
        { name: "conversation", of: ({ file, line }) => `${named(file)}:${line}` },
        { name: "calls", of: ({ calls, count }) => `${calls.join(", ")}${count > calls.length ? ", …" : ""}` }
      ],
      loops.shown.toSorted((a, b) => b.count - a.count),
      loops.total
    )
  }

  if (repair.length > 0) {
    head("Repair: failures after which the model's next call of that tool succeeded")
    tableOf(
      [
        { name: "tool", of: ({ tool }) => tool },
        { name: "class", of: (row) => row.class },
        { name: "model", of: ({ model }) => model },
        { name: "failures", of: ({ failures }) => counted(failures), isNumber: true },
        { name: "repaired", of: ({ failures, repaired }) => share(repaired, failures), isNumber: true }
      ],
      repair
    )
  }

  if (report.asked.length > 0) {
    head("Calls that a person would have been asked about")
    tableOf(
      [
        { name: "tool", of: ({ tool }) => tool },
        { name: "calls", of: ({ count }) => counted(count), isNumber: true }
      ],
      report.asked
    )
  }

  if (report.unchecked.total > 0) {
    head("Constraints of the log's schemas that were not checked")
    tableOf(
      [
        { name: "tool", of: ({ tool }) => tool },
        { name: "where", of: ({ pointer }) => pointer || "(whole)" },
        { name: "why", of: ({ reason }) => reason }
      ],
      report.unchecked.shown,
      report.unchecked.total
    )
  }

  if (skipped.total > 0) {
    head("Not read")
    tableOf(
      [
        { name: "where", of: ({ file, line }) => `${named(file)}:${line}` },
        { name: "why", of: ({ reason }) => reason }
      ],
      skipped.shown,
      skipped.total
    )
  }
}
