/**
 * Describes incidents to the person who is asked or informed: one sentence on what happened, and guidance [10.2].
 *
 * **Details**
 *
 * - A sentence is one line of at most 180 characters. Texts of tools, servers and models are quoted in it, cut to the
 *   remaining room, with hidden characters as code points, so that they cannot imitate the guard's words.
 * - A tool's name of at most 64 letters, digits and `_ . : / -` is written plainly, and any other name as a JSON
 *   string.
 */
import type { Failure } from "#domain/failure/Failure"
import { info } from "#domain/failure/FailureCode"
import type { LoopPattern } from "#domain/loop/LoopDetector"
import { cut } from "#domain/text/Cut"
import { shownOnOneLine } from "#domain/text/VisibleText"
import type { RunLimit } from "#domain/tool/EscalationPolicy"
import type { Finding } from "#domain/faults/ContractWatch"
import type { Finding as StrictFinding } from "#domain/faults/RefusalWatch"
import type { Guidance } from "./Guidance.ts"

/** The maximum length of a sentence, in UTF-16 units. A question of at most 19 units may follow it. */
const maxLength = 180

/** The maximum length of a name in a sentence, in UTF-16 units. */
const longestName = 64

/** Returns a foreign text as a JSON string of at most `max` UTF-16 units; empty if there is no room for it. */
const quoted = (text: string, max: number): string => {
  const line = shownOnOneLine(text.slice(0, 10 * maxLength))
  for (let room = Math.min(line.length, max - 2); room > 0; room--) {
    const json = JSON.stringify(cut(line, room))
    if (json.length <= max) return json
  }
  return ""
}

/** Returns the name of a tool for a sentence. */
const nameOf = (tool: string): string => (/^[\p{L}\p{N}_.:/-]{1,64}$/u.test(tool) ? tool : quoted(tool, longestName))

/** Matches prefixes that a sentence states in other words: an instruction to the model, or the number of attempts. */
const modelPrefix = /^(?:Please rewrite the input with valid arguments\. Errors: |Failed after \d+ attempts?: )/u

/** A call that failed, after all attempts and fallbacks. */
interface FailedCall {
  /** The name of the tool. */
  readonly tool: string
  readonly failure: Failure
  /** The failure that became `outcome_unknown`, because the side effect of the call is unknown. */
  readonly original?: Failure | undefined
  /** The number of executions of the handler. */
  readonly attempts: number
}

/** Says that a call failed, why, and what the tool reported. */
export const failed = ({ attempts, failure, original, tool }: FailedCall): string => {
  const name = nameOf(tool)
  const { _tag, code, detail } = original ?? failure
  const isUnknown = failure.code === "outcome_unknown"
  const times = attempts > 1 ? ` after ${attempts} attempts` : ""
  const meaning = info(code)?.meaning ?? `Its code is ${quoted(code, longestName)}.`
  const start = isUnknown
    ? `It is not known whether ${name} was done.${original === undefined ? "" : ` It failed${times}: ${meaning}`}`
    : _tag === "ToolArgError"
      ? `The model called ${name} with wrong arguments.`
      : `${name} failed${times}. ${meaning}`
  const reported = quoted(detail.replace(modelPrefix, ""), maxLength - start.length - reports.length - 1)
  return isUnknown && original === undefined && detail.startsWith("It is not known")
    ? start
    : reported === ""
      ? cut(start, maxLength)
      : `${start}${reports}${reported}.`
}

const reports = " Details: "

/** Says which pattern the loop detector found. */
export const looped = (tool: string, pattern: LoopPattern, count: number): string => {
  const name = nameOf(tool)
  switch (pattern) {
    case "identical":
      return `The model called ${name} ${count} times with the same arguments, and the result did not change.`
    case "cycle":
      return `The model repeats the same calls in a cycle, ${count} times so far, and their results do not change. The latest is ${name}.`
    case "same_failure":
      return `${name} failed ${count} times in the same way, with different arguments.`
    case "no_progress":
      return `The last ${count} calls of the model returned nothing new. The latest is ${name}.`
  }
}

/** Says which of its limits a run has reached. */
export const limitReached = (limit: RunLimit): string => `The run has reached its limit of ${limit}.`

/**
 * Returns a quoted text that contains double quotes, but no single quotes, in single quotes, so that it can be
 * copied.
 */
const withoutEscapes = (text: string): string =>
  text.includes('\\"') && !text.includes("'") ? `'${text.slice(1, -1).replaceAll('\\"', '"')}'` : text

/** Says that the answers of a tool often violate its schema, where, and how the schema could be loosened. */
export const brokenContract = (tool: string, { broken, calls, line, path, problem }: Finding): string => {
  const start = `${nameOf(tool)}: ${broken} of the last ${calls} answers violate its schema, mostly at `
  return proposed(`${start}${path === "" ? "the whole answer" : quoted(path, 40)}`, line, problem)
}

/** Adds the proposed line to a sentence, or the problem if there is no line. */
const proposed = (sentence: string, line: string | undefined, problem: string): string => {
  const end = line === undefined ? " " : ". Proposed: "
  const rest = withoutEscapes(quoted(line ?? problem, maxLength - sentence.length - end.length - 3))
  return cut(`${sentence}${rest === "" ? "" : line === undefined ? ` (${rest})` : `${end}${rest}`}.`, maxLength)
}

/** Says that the arguments of a tool are often refused at one place, and how the schema could be loosened. */
export const strictArguments = (
  tool: string,
  { calls, isLowerBound, line, path, problem, refused, worked }: StrictFinding
): string => {
  const counts =
    refused === 0
      ? `${worked} of the last ${calls} calls worked although they violate its schema`
      : `${refused} of the last ${calls} calls were refused${worked === 0 ? "" : `, and ${worked} ran and worked,`}`
  const place = path === "" ? "the whole arguments" : quoted(path, 40)
  const bound = isLowerBound ? "at least " : ""
  return proposed(`${nameOf(tool)}: ${bound}${counts} at ${place}`, line, problem)
}

/** Says what a failed call has changed. */
const effectOf = ({ sideEffect }: Failure): string => {
  switch (sideEffect) {
    case "none":
      return "Nothing was changed. "
    case "committed":
      return "The action was done. "
    case "unknown":
      return "It is not known whether anything was changed. "
  }
}

/** Where an incident happened, as far as the guidance depends on it. */
interface Place {
  /** True if the call belongs to a run of the agent loop, which the guard can stop. */
  readonly isInRun: boolean
  /** True if the run can be resumed later. */
  readonly isOpen: boolean
}

const halting = (tool: string): string => `No answer is needed. To stop further calls: toolguard halt ${nameOf(tool)}`

/** The guidance for a call that waits for a person's approval. */
export const approval: Guidance = {
  did: "The call has not been made. It waits for a decision.",
  choices:
    "Approve: the call is made once. Deny: it is not made, and the model reads your reason. Answer: it is not made, and the model reads your answer.",
  otherwise: "The call is not made."
}

/** Returns the guidance for a call that is made and reported to a person. */
export const announced = (tool: string): Guidance => ({
  did: "The call is made now.",
  choices: halting(tool),
  otherwise: "The call is made."
})

/** Returns the guidance for an identical call that waits for a person. */
export const repetition = (isInRun: boolean): Guidance => ({
  did: "The call has not been made again. It waits for a decision.",
  choices: `Approve: the call is made again. Deny: it is refused${isInRun ? ", and the run ends" : ""}. Answer: it is not made, and the model reads your answer.`,
  otherwise: isInRun ? "The call is not made, and the run ends." : "The call is refused."
})

/** Returns the guidance for calls that repeat without progress and continue. */
export const repeating = (tool: string): Guidance => ({
  did: "The model reads about it. Its calls continue.",
  choices: halting(tool),
  otherwise: "The calls continue until a limit is reached."
})

/** Returns the guidance for a stopped run that a person may let continue. `effect` says what was changed. */
const stopped = (effect: string, { isOpen }: Pick<Place, "isOpen">): Guidance => ({
  did: `${effect}The run has stopped.`,
  choices:
    "Approve: the run continues. Deny: the run ends. Answer: the run continues, and the model reads your answer.",
  otherwise: isOpen
    ? "The run stays stopped. It can be resumed later."
    : "The run waits. It ends if no decision comes in time."
})

/** Returns the guidance for a run that has stopped after a failed call. */
export const stoppedByCall = (failure: Failure, place: Pick<Place, "isOpen">): Guidance =>
  stopped(effectOf(failure), place)

/** Returns the guidance for a run that has stopped for a reason other than a failed call: a loop, or the model. */
export const stoppedRun = (place: Pick<Place, "isOpen">): Guidance => stopped("", place)

/** Returns the guidance for a run that has ended without a person's decision on the incident. */
export const ended = ({ isOpen }: Pick<Place, "isOpen">): Guidance => ({
  did: "The run has ended without a decision on this.",
  choices: isOpen ? "Correct the cause, and resume the run." : "Correct the cause, and start a new run.",
  otherwise: "The run stays ended."
})

/** Returns the guidance for a run that has ended at a limit. */
export const limited = ({ isOpen }: Pick<Place, "isOpen">): Guidance => ({
  did: "The run has ended.",
  choices: isOpen ? "Raise the limit, and resume the run." : "Raise the limit, and start a new run.",
  otherwise: "The run stays ended."
})

/** Returns the guidance for a failed call whose caller continues. */
export const continued = ({ failure, tool }: Pick<FailedCall, "failure" | "tool">, isSevere: boolean): Guidance => ({
  did: `${effectOf(failure)}The failure was returned${isSevere ? ". The guard does not control this loop, so it could not stop it." : ", and work continues."}`,
  choices: halting(tool),
  otherwise: "Work continues."
})

/**
 * Returns the guidance for a tool whose answers often violate its schema. `isAdvised`: the results reached the model.
 */
export const overStrict = (isProposed: boolean, isAdvised: boolean): Guidance => ({
  did: isAdvised
    ? "The results reached the model and were recorded."
    : "The model read failures instead of these results.",
  choices: isProposed
    ? 'Loosen the schema as proposed, or let the tool only advise: enforce: "advise".'
    : 'Keep the schema and correct the tool, or let the tool only advise: enforce: "advise".',
  otherwise: isAdvised ? "The results continue to reach the model." : "The model may stop trusting the tool."
})

/** Returns the guidance for a tool whose arguments are often refused at one place, or work although they violate it. */
export const strictSchema = (
  isProposed: boolean,
  { refused, worked }: Pick<StrictFinding, "refused" | "worked">
): Guidance => ({
  did:
    refused === 0
      ? "The calls ran and were recorded."
      : `The model read how to correct the refused calls.${worked === 0 ? "" : " The others ran and were recorded."}`,
  choices: `Loosen the schema${isProposed ? " as proposed" : ""} if the tool accepts such calls.${worked === 0 ? ' To find out, let it only advise: enforce: "advise".' : ""}`,
  otherwise: refused === 0 ? "Such calls continue to run." : "Such calls continue to be refused."
})

const didNotRepeat = ({ isInRun, isOpen }: Place): string =>
  `The call is not repeated${isInRun ? (isOpen ? ", and the run stops" : ", and the run ends") : ""}.`

/** Returns the guidance for an unknown outcome that a person who is present can settle now. */
export const unknownNow = (place: Place): Guidance => ({
  did: "The call is not repeated. It waits for what you find out.",
  choices: "Find out whether it was done, and enter the answer now. If it was not done, it is made again.",
  otherwise: `The outcome stays open. ${didNotRepeat(place)}`
})

/**
 * Returns the guidance for an unknown outcome. `outcomeId` identifies the stored outcome; empty if it is not stored.
 */
export const unknown = (outcomeId: string, { isInRun, isOpen }: Place): Guidance => ({
  did: didNotRepeat({ isInRun, isOpen }),
  choices: `Find out whether it was done${outcomeId === "" ? "." : `, and settle it in the inbox or with: toolguard outcomes settle ${outcomeId} --done (or --not-done)`}`,
  otherwise: `Identical calls are refused${isInRun ? (isOpen ? ", and the run stays stopped" : ", and the run stays ended") : ""}.`
})
