/** Prints the report of a replay: the most important findings first, in tables that fit the screen. */
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { instruction } from "#kit/propose/Proposal"
import { type CallPlace, type RejectedField, type Report, sharedFolder } from "#kit/report/Report"
import { atMost, counted, dollars, grouped, share } from "#kit/text/Numbers"
import { fit, plain, type Screen, wrap } from "#kit/cli/console/Screen"
import * as Distributions from "./Distributions.ts"
import * as FirstScreen from "./FirstScreen.ts"
import * as RolloutText from "./RolloutText.ts"
import * as SkippedText from "./SkippedText.ts"
import { type Column, lines } from "./Table.ts"

/** The maximum number of rows of a table. The JSON and the page have all rows. */
const maxRows = 10

/** The maximum number of lines of a changed schema. The JSON and the page have all lines. */
const maxSourceLines = 12

const suggestionText = ({ problem, suggestion }: RejectedField): string =>
  suggestion._tag === "keep" ? "keep: a real fault" : instruction(suggestion, problem)

/** Prints the report. */
export const write = (screen: Screen, report: Report, advice: FirstScreen.Advice): void => {
  const width = Math.min(screen.columns, 100)
  const folder = sharedFolder(report.files)
  const relative = (file: string) => (file.startsWith(folder) ? file.slice(folder.length) : file)
  const at = ({ call, file, line }: CallPlace): string => `${relative(file)}:${line}#${call}`
  const print = (text: string) => wrap(plain(text), width).forEach(screen.line)
  const heading = (text: string) => {
    screen.line("")
    screen.line(screen.styled("bold", text))
  }
  const tableOf = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>, total = rows.length): void => {
    const [names = "", ...rest] = lines(columns, rows.slice(0, maxRows), width)
    screen.line(screen.styled("dim", names))
    rest.forEach(screen.line)
    if (total > maxRows) screen.line(`  … and ${grouped(total - Math.min(maxRows, rows.length))} more`)
  }
  const { guarded, loops, refused, repair, repeats, results, saved, skipped, suspects, tools, totals } = report
  const sent = report.rejected.filter(({ part }) => part === "arguments")
  const returned = report.rejected.filter(({ part }) => part === "result")
  const broken = results.reduce((sum, row) => sum + row.enforced, 0)

  print(
    `${counted(totals.conversations, "conversation")}, ${counted(totals.turns, "turn")}, ${counted(totals.calls, "call")} of ${counted(tools.length, "tool")}.`
  )
  print(
    `Succeeded: ${grouped(totals.succeeded)}; partial: ${grouped(totals.partial)}; failed: ${grouped(totals.failed)} (${share(totals.failed, totals.calls)})${broken === 0 ? "" : `, ${grouped(broken)} of them with a result that violates its schema`}; ${totals.declared === 0 ? "" : `refused by tools: ${grouped(totals.declared)}; `}unanswered: ${grouped(totals.unanswered)}.`
  )
  print(
    `With the guard: succeeded: ${grouped(guarded.succeeded)}; partial: ${grouped(guarded.partial)}; failed: ${grouped(guarded.failed)}; ${guarded.declared === 0 ? "" : `refused by tools: ${grouped(guarded.declared)}; `}refused: ${grouped(guarded.refused)}; saved: ${grouped(guarded.saved)}; unanswered: ${grouped(guarded.unanswered)}.`
  )

  const printer = { heading, print, printWhole: (text: string) => screen.line(plain(text)), table: tableOf }
  FirstScreen.write(printer, report, advice)

  if (totals.notEnforced > 0) {
    print(`Not enforced: ${grouped(totals.notEnforced)}, calls with a failure that was recorded and not returned.`)
  }

  if (totals.fromUserMessages > 0) {
    print(`Answers read from user messages, where older programs sent them: ${grouped(totals.fromUserMessages)}.`)
  }

  heading("What the guard would have saved")
  if (folder !== "") print(`Files are in ${folder}`)
  print(
    `${counted(saved.calls, "call")} (${share(saved.calls, totals.calls)}), ${counted(saved.rounds, "request")} to the model, about ${grouped(saved.inputTokens)} input and ${grouped(saved.outputTokens)} output tokens${saved.money === null ? "" : `, ${dollars(saved.money)}`}.`
  )
  print(
    `Identical calls: ${grouped(repeats.calls)}, ${grouped(repeats.sameAnswer)} of them with the same answer; longest sequence: ${grouped(repeats.longestRun)}.`
  )

  Distributions.write(printer, report)

  heading("Suspects: calls that the guard would have blocked although they worked")
  if (suspects.total === 0) print("None. The log contradicts no call that the guard would have blocked.")
  else {
    tableOf(
      [
        { name: "call", of: at },
        { name: "tool", of: ({ tool }) => tool },
        { name: "reason", of: ({ reason }) => reason },
        {
          name: "missed answer",
          of: ({ call, missed, missedAt }) => `${missedAt === call ? "" : `#${missedAt}: `}${missed}`
        }
      ],
      suspects.shown,
      suspects.total
    )
  }

  if (report.alarms.total > 0) {
    heading("Over-strict: a person would have been informed")
    tableOf(
      [
        { name: "call", of: at },
        { name: "tool", of: ({ tool }) => tool },
        { name: "answer", of: ({ answers }) => grouped(answers), isNumber: true },
        { name: "broken", of: ({ broken, watched }) => `${grouped(broken)} of ${grouped(watched)}` },
        { name: "proposed", of: ({ path, proposed }) => proposed ?? `${path === "" ? "the whole answer" : path}: keep` }
      ],
      report.alarms.shown,
      report.alarms.total
    )
  }

  if (report.failures.length > 0) {
    heading("Failures by tool and class")
    tableOf(
      [
        { name: "tool", of: ({ tool }) => tool },
        { name: "class", of: (row) => row.class },
        { name: "code", of: ({ code }) => code },
        { name: "count", of: ({ count }) => grouped(count), isNumber: true },
        { name: "first", of: ({ first }) => at(first) }
      ],
      report.failures
    )
  }

  if (report.declared.length > 0) {
    heading("Refused by the tools")
    tableOf(
      [
        { name: "tool", of: ({ tool }) => tool },
        { name: "code", of: ({ code }) => code },
        { name: "calls", of: ({ count }) => grouped(count), isNumber: true },
        { name: "first", of: ({ first }) => at(first) }
      ],
      report.declared
    )
  }

  if (refused.length > 0) {
    heading("Refused before the tool ran")
    tableOf(
      [
        { name: "code", of: ({ code }) => code },
        { name: "calls", of: ({ count }) => grouped(count), isNumber: true }
      ],
      refused
    )
  }

  const line = (text: string) => screen.line(fit(`  ${plain(text)}`, width))
  /** Prints the changed lines at their full width, so that they can be pasted. */
  const linesOf = (fields: ReadonlyArray<RejectedField>): void => {
    const changed = fields.slice(0, maxRows).filter((field) => field.line !== undefined)
    if (changed.length > 0) print("The changed lines of the schemas:")
    for (const { line: source = "", path, tool } of changed) {
      line(`${tool}, ${path}:`)
      const all = source.split("\n")
      for (const each of all.slice(0, maxSourceLines)) {
        const indent = /^ */u.exec(each)?.[0] ?? ""
        screen.line(`    ${indent}${plain(shown(each.slice(indent.length)))}`)
      }
      if (all.length > maxSourceLines) line(`  … ${counted(all.length - maxSourceLines, "more line")}: see --json`)
    }
  }
  const examplesOf = ({ examples, path, tool }: RejectedField) => {
    const shown = examples.map(({ at: place, sent: value }) => `${fit(plain(value), 40)} at ${at(place)}`)
    line(`${tool}.${path} received ${shown.join("; ")}`)
  }

  if (sent.length > 0) {
    heading("Rejected fields")
    tableOf(
      [
        { name: "tool", of: ({ tool }) => tool },
        { name: "field", of: ({ path }) => path },
        { name: "fault", of: ({ problem }) => problem },
        { name: "calls", of: ({ count }) => grouped(count), isNumber: true },
        { name: "accepted", of: ({ accepted }) => grouped(accepted), isNumber: true },
        { name: "suggestion", of: suggestionText }
      ],
      sent
    )
    sent.slice(0, 3).forEach(examplesOf)
    linesOf(sent)
  }

  if (returned.length > 0) {
    heading("Results that violate their schema")
    tableOf(
      [
        { name: "tool", of: ({ tool }) => tool },
        { name: "field", of: ({ path }) => path },
        { name: "fault", of: ({ problem }) => problem },
        { name: "calls", of: ({ count }) => grouped(count), isNumber: true },
        {
          name: "alone",
          of: ({ passes, passesIsUpperBound }) => atMost(passesIsUpperBound)(passes.alone),
          isNumber: true
        },
        {
          name: "together",
          of: ({ passes, passesIsUpperBound }) => atMost(passesIsUpperBound)(passes.together),
          isNumber: true
        },
        { name: "suggestion", of: suggestionText }
      ],
      returned
    )
    for (const row of results.filter((one) => one.rejected > 0).slice(0, maxRows)) {
      const { checked, passes, passesIsUpperBound, rejected, tool } = row
      line(
        `${tool}: ${grouped(rejected)} of ${counted(checked, "result")} ${rejected === 1 ? "violates" : "violate"} the schema; ${atMost(passesIsUpperBound)(passes)} would pass with all suggestions.`
      )
    }
    for (const field of returned.slice(0, 3)) {
      examplesOf(field)
      line(`  ${field.reason}`)
    }
    linesOf(returned)
  }

  if (repeats.groups.total > 0) {
    heading("Identical calls within a turn")
    tableOf(
      [
        { name: "tool", of: ({ tool }) => tool },
        { name: "calls", of: ({ count }) => grouped(count), isNumber: true },
        { name: "answers", of: ({ answers }) => grouped(answers), isNumber: true },
        { name: "conversation", of: ({ file, line }) => `${relative(file)}:${line}` },
        { name: "numbers", of: ({ calls, count }) => `${calls.join(", ")}${count > calls.length ? ", …" : ""}` }
      ],
      repeats.groups.shown.toSorted((a, b) => b.count - a.count),
      repeats.groups.total
    )
  }

  if (loops.total > 0) {
    heading("Loops")
    tableOf(
      [
        { name: "tool", of: ({ tool }) => tool },
        { name: "pattern", of: ({ pattern }) => pattern },
        { name: "stopped", of: ({ count }) => grouped(count), isNumber: true },
        { name: "conversation", of: ({ file, line }) => `${relative(file)}:${line}` },
        { name: "calls", of: ({ calls, count }) => `${calls.join(", ")}${count > calls.length ? ", …" : ""}` }
      ],
      loops.shown.toSorted((a, b) => b.count - a.count),
      loops.total
    )
  }

  if (repair.length > 0) {
    heading("Repair: failures after which the model's next call of that tool succeeded")
    tableOf(
      [
        { name: "tool", of: ({ tool }) => tool },
        { name: "class", of: (row) => row.class },
        { name: "model", of: ({ model }) => model },
        { name: "failures", of: ({ failures }) => grouped(failures), isNumber: true },
        { name: "repaired", of: ({ failures, repaired }) => share(repaired, failures), isNumber: true }
      ],
      repair
    )
  }

  RolloutText.write(printer, report)

  if (report.asked.length > 0) {
    heading("Calls that a person would have been asked to approve")
    tableOf(
      [
        { name: "tool", of: ({ tool }) => tool },
        { name: "calls", of: ({ count }) => grouped(count), isNumber: true }
      ],
      report.asked
    )
  }

  if (report.unchecked.total > 0) {
    heading("Constraints of the log's schemas that cannot be checked")
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
    heading("Skipped")
    SkippedText.write(screen, skipped, width, relative)
  }
}
