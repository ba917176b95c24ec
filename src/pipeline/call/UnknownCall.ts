/** Describes a call whose side effect is unknown, for the store of unknown outcomes [10.5]. */
import type { FailedOutcome } from "#domain/call/Outcome"
import { unknownOutcome } from "#domain/tool/EscalationPolicy"
import type { Redactor } from "#services/Redactor"
import type { NewUnknownOutcome } from "#services/UnknownOutcomes"
import type { Call } from "./Call.ts"
import * as FailureSentence from "./FailureSentence.ts"
import * as SafeEscalation from "./SafeEscalation.ts"

/** Returns the outcome to store. `args` are the encoded arguments, or the arguments as received. */
export const describe = (
  call: Call,
  outcome: FailedOutcome,
  redactor: Redactor["Service"],
  { args, binding }: { readonly args: unknown; readonly binding: string }
): NewUnknownOutcome => ({
  binding,
  isAnswered: outcome.failure.code !== unknownOutcome,
  tool: call.tool.definition.id,
  code: outcome.failure.code,
  sentence: FailureSentence.of(redactor, call.tool.definition.id, call, outcome),
  arguments: redactor.data(args),
  idempotencyKey: call.trace.idempotencyKey,
  ...(call.turn === undefined ? {} : { turn: call.turn }),
  // the key holds the outcome of the call that acted
  traceId: outcome.recalled === true ? outcome.failure.traceId : call.traceId,
  ...SafeEscalation.namesOf(call)
})
