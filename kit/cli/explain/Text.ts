/** The text of an explanation. */
import type { Explanation } from "#kit/explain/Explain"
import { plain, type Screen, wrap } from "#kit/cli/console/Screen"

/** Writes the explanation, at most 100 columns wide. */
export const write = (screen: Screen, explanation: Explanation): void => {
  const width = Math.min(screen.columns, 100)
  const under = (text: string, indent: string): void =>
    wrap(plain(text), width - indent.length).forEach((line) => screen.line(indent + line))
  const head = (text: string): void => {
    screen.line("")
    screen.line(screen.styled("bold", text))
  }
  const { answer, attempts, decisions, earlier, failure, issues, isSuspect, wouldPass } = explanation
  const mark = explanation.verdict === "passed" ? "green" : "yellow"
  screen.line(
    `${screen.styled("bold", plain(explanation.call))}  ${plain(explanation.tool)}  ${screen.styled(mark, explanation.verdict)}`
  )
  under(`turn ${explanation.turn}, round ${explanation.round}, conversation ${explanation.conversation}`, "  ")
  under(explanation.arguments, "  ")

  head("Why")
  under(explanation.why, "  ")
  if (failure !== null) {
    under(`${failure.class} ${failure.code}: ${failure.meaning}`, "  ")
    if (failure.hint !== "") under(`The model reads: ${failure.hint}`, "  ")
    if (failure.sideEffect !== "none") under(`Side effect: ${failure.sideEffect}.`, "  ")
  }
  issues.forEach((issue) => under(issue, "  - "))

  if (decisions.length > 0) {
    head("Decisions")
    for (const { decision, question, reason, stage } of decisions) {
      under(`${stage}${question === "" ? "" : ` (${question}?)`}: ${decision}; ${reason}`, "  ")
    }
  }

  head("Context")
  under(attempts === 0 ? "The tool was not called." : `Attempts: ${attempts}.`, "  ")
  if (earlier.length === 0) under("No earlier identical call in this turn.", "  ")
  earlier.slice(-10).forEach(({ call, outcome }) => under(`identical call ${call}: ${outcome}`, "  "))

  if (wouldPass !== null) {
    head("What would have let it pass")
    under(`${wouldPass[0]?.toUpperCase() ?? ""}${wouldPass.slice(1)}.`, "  ")
  }
  if (answer !== null) {
    head("Answer in the log")
    under(answer === "" ? "(nothing)" : answer, "  ")
  }
  if (isSuspect) {
    screen.line("")
    under("Suspect: the guard would have blocked this call, although its answer is new and successful.", "")
  }
}
