/** Prints an explanation for people. */
import type { Explanation } from "#kit/explain/Explain"
import { plain, type Screen, wrap } from "#kit/cli/console/Screen"

/** Writes the explanation, at most 100 columns wide. */
export const write = (screen: Screen, explanation: Explanation): void => {
  const width = Math.min(screen.columns, 100)
  const paragraph = (text: string, indent: string): void =>
    wrap(plain(text), width - indent.length).forEach((line) => screen.line(indent + line))
  const head = (text: string): void => {
    screen.line("")
    screen.line(screen.styled("bold", text))
  }
  const { answer, attempts, crash, decisions, earlier, failure, issues, isSuspect, wouldPass } = explanation
  const mark = explanation.verdict === "passed" ? "green" : "yellow"
  screen.line(
    `${screen.styled("bold", plain(explanation.call))}  ${plain(explanation.tool)}  ${screen.styled(mark, explanation.verdict)}`
  )
  paragraph(`turn ${explanation.turn}, round ${explanation.round}, conversation ${explanation.conversation}`, "  ")
  paragraph(explanation.arguments, "  ")

  head("Why")
  paragraph(explanation.why, "  ")
  if (failure !== null) {
    paragraph(`${failure.class} ${failure.code}: ${failure.meaning}`, "  ")
    if (failure.hint !== "") paragraph(`The model reads: ${failure.hint}`, "  ")
    if (failure.sideEffect !== "none") paragraph(`Side effect: ${failure.sideEffect}.`, "  ")
  }
  issues.forEach((issue) => paragraph(issue, "  - "))
  if (explanation.notEnforced.length > 0) {
    head("Not enforced")
    explanation.notEnforced.forEach((line) => paragraph(line, "  "))
  }

  if (decisions.length > 0) {
    head("Decisions")
    for (const { decision, question, reason, stage } of decisions) {
      paragraph(`${stage}${question === "" ? "" : ` (${question}?)`}: ${decision}; ${reason}`, "  ")
    }
  }

  head("Context")
  paragraph(attempts === 0 ? "The tool was not called." : `Attempts: ${attempts}.`, "  ")
  if (earlier.length === 0) paragraph("No earlier identical call in this turn.", "  ")
  earlier.slice(-10).forEach(({ call, outcome }) => paragraph(`identical call ${call}: ${outcome}`, "  "))

  if (crash !== null) {
    head("Crash")
    crash.split("\n").forEach((line) => paragraph(line, "  "))
  }
  if (wouldPass !== null) {
    head("What would have let it pass")
    paragraph(`${wouldPass[0]?.toUpperCase() ?? ""}${wouldPass.slice(1)}.`, "  ")
  }
  if (answer !== null) {
    head("Answer in the log")
    paragraph(answer === "" ? "(nothing)" : answer, "  ")
  }
  if (isSuspect) {
    screen.line("")
    paragraph("Suspect: the guard would have blocked this call, although it worked in the log, or soon after.", "")
  }
}
