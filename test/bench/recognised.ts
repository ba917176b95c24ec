/**
 * Counts how many failures of the corpus are recognised without an error flag, and how many texts that only look like
 * failures stay a success [3.4].
 *
 * Each text is the whole answer of a tool without a result schema, and is read by the check that the guard adds to such
 * tools of MCP servers. A failure with a status or a code is answered a second time as the JSON body that servers send.
 */
import type { CheckContext } from "#domain/tool/ToolDefinition"
import { checksOf } from "#src/mcp/remote/ResultCheck"

/** The name of the tool that answers. It names neither what the tool reads nor what it does. */
const neutral = "request"

const contextOf = (tool: string): CheckContext => ({ tool, arguments: {}, previous: [], nowMillis: 0 })

/** True if an answer without an error flag is a failure. */
export const isRecognised = (answer: string, tool = neutral): boolean =>
  checksOf("read").hiddenFailure(answer, contextOf(tool))._tag !== "Ok"

type Text = Readonly<Record<string, unknown>>

/** Returns the body that servers send with a status or a code; `undefined` if the text has neither, or is a body itself. */
export const bodyOf = ({ code, message, status }: Text): string | undefined =>
  (code === undefined && status === undefined) || /^\s*[[{<]/.test(String(message))
    ? undefined
    : JSON.stringify({ ...(status === undefined ? {} : { status }), ...(code === undefined ? {} : { code }), message })

/** A number of answers, and how many of them are read right. */
export interface Share {
  readonly right: number
  readonly total: number
}

const shareOf = <A>(all: ReadonlyArray<A>, isRight: (one: A) => boolean): Share => ({
  right: all.filter(isRight).length,
  total: all.length
})

/** How the texts of a half are read. */
export interface Recognition {
  /** The failures that are recognised as a text. */
  readonly asText: Share
  /** The failures with a status or a code that are recognised as a JSON body. */
  readonly asBody: Share
  /** The texts that only look like failures and stay a success. */
  readonly looks: Share
}

/** Counts what is recognised among failures, and among texts that only look like failures. */
export const recognitionOf = (
  failures: ReadonlyArray<Text>,
  looks: ReadonlyArray<{ readonly message: string }>
): Recognition => ({
  asText: shareOf(failures, ({ message }) => isRecognised(String(message))),
  asBody: shareOf(
    failures.map(bodyOf).filter((body) => body !== undefined),
    (body) => isRecognised(body)
  ),
  looks: shareOf(looks, ({ message }) => !isRecognised(String(message)))
})
