/** Reads a person's settlement of an unknown outcome: its id, the finding and the result [10.5]. */
import { mayDecide, type Approver } from "#domain/approval/ApprovalRequest"
import { Finding, longestResult, type Settlement, type UnknownOutcome } from "#domain/approval/UnknownOutcome"
import type { UnknownOutcomesUnavailable } from "#services/UnknownOutcomes"
import { isUnguessableId } from "#services/Unguessable"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Inbox } from "./Inbox.ts"

/** Finds the outcome with an id. Returns undefined if it does not exist or the approver may not see it. */
export const findVisible = (
  { outcomes }: Pick<Inbox, "outcomes">,
  id: string,
  approver: Approver
): Effect.Effect<UnknownOutcome | undefined, UnknownOutcomesUnavailable> =>
  isUnguessableId(id)
    ? Effect.map(outcomes.find(id), (found) => (found !== undefined && mayDecide(approver, found) ? found : undefined))
    : Effect.undefined

const parse = Schema.decodeOption(Schema.fromJsonString(Schema.Json))

/** A result that a person wrote. `Faulty`: the text is not JSON, or too long. */
type WrittenResult =
  | { readonly _tag: "Read"; readonly result: Settlement["result"] | undefined }
  | { readonly _tag: "Faulty"; readonly message: string }

/** Reads a result that a person wrote. An empty text means that there is no result. */
export const readResult = (text: string): WrittenResult => {
  if (text.trim() === "") return { _tag: "Read", result: undefined }
  if (text.length > longestResult) {
    return { _tag: "Faulty", message: `The result has ${text.length} characters; the limit is ${longestResult}.` }
  }
  const parsed = parse(text)
  return Option.isNone(parsed)
    ? { _tag: "Faulty", message: `The result is not JSON. Write a string in quotes, such as "R-1".` }
    : { _tag: "Read", result: parsed.value }
}

/** True if a text is a finding. */
export const isFinding = Schema.is(Finding)
