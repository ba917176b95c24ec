/**
 * The pipeline around a call: its stages, their order, and the reason for each position.
 *
 * Outermost first. A user inserts, replaces or removes a stage by its name; a test pins the order.
 */
import type * as Effect from "effect/Effect"
import { approve } from "#pipeline/stages/approve"
import { authorize } from "#pipeline/stages/authorize"
import { authorizeArguments } from "#pipeline/stages/authorizeArguments"
import { budget } from "#pipeline/stages/budget"
import { check } from "#pipeline/stages/check"
import { circuit } from "#pipeline/stages/circuit"
import { claim } from "#pipeline/stages/claim"
import { classify } from "#pipeline/stages/classify"
import { concurrency } from "#pipeline/stages/concurrency"
import { deadline } from "#pipeline/stages/deadline"
import { decodeArguments } from "#pipeline/stages/decodeArguments"
import { decodeResult } from "#pipeline/stages/decodeResult"
import { drain } from "#pipeline/stages/drain"
import { escalate } from "#pipeline/stages/escalate"
import { fallback } from "#pipeline/stages/fallback"
import { halt } from "#pipeline/stages/halt"
import { haltAttempt } from "#pipeline/stages/haltAttempt"
import { idempotency } from "#pipeline/stages/idempotency"
import { limit } from "#pipeline/stages/limit"
import { locate } from "#pipeline/stages/locate"
import { loop } from "#pipeline/stages/loop"
import { parse } from "#pipeline/stages/parse"
import { parseResult } from "#pipeline/stages/parseResult"
import { provenance } from "#pipeline/stages/provenance"
import { quota } from "#pipeline/stages/quota"
import { recall } from "#pipeline/stages/recall"
import { reconcile } from "#pipeline/stages/reconcile"
import { record } from "#pipeline/stages/record"
import { redact } from "#pipeline/stages/redact"
import { render } from "#pipeline/stages/render"
import { retry } from "#pipeline/stages/retry"
import { run } from "#pipeline/stages/run"
import { settle } from "#pipeline/stages/settle"
import { timeout } from "#pipeline/stages/timeout"

/** The stages of every call. */
export const stages = [
  record, //             every call leaves a record, whatever happens to it
  escalate, //           sees the outcome that the caller gets, after all fallbacks
  drain, //              inside record: a refused call leaves a record too
  locate, //             calls of unknown tools end here
  parse, //              text becomes a value before any rule reads it
  authorize, //          before decoding: a caller without access learns nothing from decoding errors
  halt, //               after authorize: only callers with access learn who halted the tool
  decodeArguments, //    from here on the arguments are typed and have a key
  authorizeArguments, // access rules that read the arguments
  provenance, //         refuses ids that do not occur in the conversation
  fallback, //           maps decoded arguments; around every stage whose failure may lead to a fallback
  loop, //               before recall: recalled calls count as repeats
  settle, //             around every stage that replays or refuses a call whose side effect is unknown
  recall, //             before idempotency: a call that already failed needs no store
  idempotency, //        a completed action is replayed, without a person or an attempt
  approve, //            a person decides; the wait does not count against the deadline
  claim, //              the key is claimed in one step, after policy and person have agreed
  deadline, //           limits all attempts and waits together
  retry, //              everything below happens once per attempt
  haltAttempt, //        a tool may be halted while its call waits for a person or a retry
  budget, //             inside retry: it counts attempts
  quota, //              limits the retries of all callers together
  circuit, //            sees each attempt; a rejected attempt costs no budget
  concurrency, //        takes a slot only for a handler that is about to start
  timeout, //            limits one attempt
  run, //                the handler; everything below reads its answer
  parseResult, //        text to JSON
  decodeResult, //       JSON to the tool's type
  check, //              whether the result is complete and plausible
  classify, //           value or failure
  reconcile //           looks up an unknown effect, before retry acts on it
] as const

/** The stages between an outcome and the model that reads it. Programs get the outcome unchanged. */
export const modelStages = [
  redact, // no secret reaches the model, and no stack or host path in a failure
  limit, //  a result that is too large is previewed and stored
  render //  every outcome has the same form
] as const

/** The services that a list of stages takes when the guard's layer is built. */
export type Services<Stages extends ReadonlyArray<{ readonly make: Effect.Effect<unknown, never, unknown> }>> = {
  readonly [K in keyof Stages]: Stages[K] extends { readonly make: Effect.Effect<unknown, never, infer R> } ? R : never
}[number]

type NamedStage = { readonly name: string }

const indexOf = (list: ReadonlyArray<NamedStage>, name: string): number => {
  const index = list.findIndex((stage) => stage.name === name)
  if (index < 0)
    throw new RangeError(`No stage is named "${name}". Stages: ${list.map((stage) => stage.name).join(", ")}.`)
  return index
}

/**
 * Returns the list with a stage inserted directly outside the named stage. Throws a RangeError if no stage has the
 * name.
 */
export const insertBefore =
  <New extends NamedStage>(name: string, stage: New) =>
  <Old extends NamedStage>(list: ReadonlyArray<Old>): ReadonlyArray<Old | New> => [
    ...list.slice(0, indexOf(list, name)),
    stage,
    ...list.slice(indexOf(list, name))
  ]

/** Returns the list with the named stage replaced. Throws a RangeError if no stage has the name. */
export const replace =
  <New extends NamedStage>(name: string, stage: New) =>
  <Old extends NamedStage>(list: ReadonlyArray<Old>): ReadonlyArray<Old | New> =>
    list.map((old, index) => (index === indexOf(list, name) ? stage : old))

/** Returns the list without the named stage. Throws a RangeError if no stage has the name. */
export const remove =
  (name: string) =>
  <Old extends NamedStage>(list: ReadonlyArray<Old>): ReadonlyArray<Old> =>
    list.filter((_, index) => index !== indexOf(list, name))
