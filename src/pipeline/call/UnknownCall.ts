/** Describes a call whose side effect is unknown, for the store of unknown outcomes [10.5]. */
import type { Failure } from "#domain/failure/Failure"
import { unknownOutcome } from "#domain/tool/EscalationPolicy"
import type { Redactor } from "#services/Redactor"
import type { NewUnknownOutcome } from "#services/UnknownOutcomes"
import type { Call } from "./Call.ts"
import * as SafeEscalation from "./SafeEscalation.ts"

/** Returns the outcome to store. `args` are the encoded arguments, or the arguments as received. */
export const describe = (
  call: Call,
  failure: Failure,
  redactor: Redactor["Service"],
  { args, binding }: { readonly args: unknown; readonly binding: string }
): NewUnknownOutcome => ({
  binding,
  isAnswered: failure.code !== unknownOutcome,
  tool: call.tool.definition.id,
  code: failure.code,
  sentence: redactor.text(failure.detail),
  arguments: redactor.data(args),
  idempotencyKey: call.trace.idempotencyKey,
  ...(call.turn === undefined ? {} : { turn: call.turn }),
  traceId: call.traceId,
  ...SafeEscalation.namesOf(call)
})
