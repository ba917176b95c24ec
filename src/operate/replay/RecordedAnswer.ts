/**
 * What a recorded answer was: a result, a piece of one, or a failure and of which class.
 *
 * A log holds what the client showed: failures stand there as text, with a flag or without, in success envelopes, in
 * JSON in JSON. Structure decides first, then the classifier of errors; what only looks like a failure passes (SPEC 3.4).
 */
import * as Classification from "#domain/Classification"
import type { FailureTag } from "#domain/Failure"
import type { FailureCode } from "#domain/FailureCode"
import * as Recognisers from "#src/Recognisers"

/** An answer as the log holds it, and what is known of its call. */
export interface Recorded {
  readonly tool: string
  readonly text: string
  /** The log says that it is an error. */
  readonly isError: boolean
  /** Parsed, where they could be. */
  readonly arguments: unknown
}

export type Judged =
  | { readonly _tag: "Success" }
  | { readonly _tag: "Partial"; readonly detail: string }
  | {
      readonly _tag: "Failure"
      readonly class: FailureTag
      readonly code: FailureCode
      /** One line. */
      readonly detail: string
    }

const success: Judged = { _tag: "Success" }

/** Judges an answer. Pure and total. */
export const judge = (recorded: Recorded): Judged => {
  const { arguments: args, isError, text } = recorded
  const isHidden = !isError && Recognisers.hiddenFailure(text)._tag === "Garbage"
  if (isError || isHidden) {
    const { code, detail, tag } = Classification.classify(text, { access: "read", arguments: args })
    return { _tag: "Failure", class: tag, code, detail }
  }
  const cut = Recognisers.cutAt()(text)
  return cut._tag === "Partial" ? { _tag: "Partial", detail: cut.detail ?? "" } : success
}
