/**
 * The pipeline around a call: which stages, in which order, and why each stands where it stands.
 *
 * Outermost first. A user inserts, replaces or removes a stage by its name; a test pins the order.
 */
import type * as Effect from "effect/Effect"
import { approve } from "./approve.ts"
import { authorize } from "./authorize.ts"
import { authorizeArguments } from "./authorizeArguments.ts"
import { budget } from "./budget.ts"
import { check } from "./check.ts"
import { circuit } from "./circuit.ts"
import { claim } from "./claim.ts"
import { classify } from "./classify.ts"
import { concurrency } from "./concurrency.ts"
import { deadline } from "./deadline.ts"
import { decodeArguments } from "./decodeArguments.ts"
import { decodeResult } from "./decodeResult.ts"
import { escalate } from "./escalate.ts"
import { fallback } from "./fallback.ts"
import { idempotency } from "./idempotency.ts"
import { limit } from "./limit.ts"
import { locate } from "./locate.ts"
import { loop } from "./loop.ts"
import { parse } from "./parse.ts"
import { parseResult } from "./parseResult.ts"
import { provenance } from "./provenance.ts"
import { quota } from "./quota.ts"
import { recall } from "./recall.ts"
import { reconcile } from "./reconcile.ts"
import { record } from "./record.ts"
import { redact } from "./redact.ts"
import { render } from "./render.ts"
import { retry } from "./retry.ts"
import { run } from "./run.ts"
import { timeout } from "./timeout.ts"

/** The stages of every call. */
export const stages = [
  record, //             every call leaves a record, whatever happens to it
  escalate, //           hears the outcome that the caller gets, after all alternatives
  locate, //             a name that no tool has ends here
  parse, //              text becomes a value before anybody looks into it
  authorize, //          before decoding: a stranger learns nothing from decoding errors
  decodeArguments, //    from here on the arguments are typed and have a key
  authorizeArguments, // rules that read the arguments
  provenance, //         ids that nobody has seen
  fallback, //           maps decoded arguments; around all that can fail
  loop, //               before recall: recalled calls count as repeats
  recall, //             before idempotency: no store is asked about what failed already
  idempotency, //        what was done already is replayed, without a person or an attempt
  approve, //            a person decides, outside of the deadline
  claim, //              the key is taken when everything has agreed, in one step
  deadline, //           over all attempts and waits
  retry, //              everything below happens once an attempt
  budget, //             inside retry: it counts attempts
  quota, //              takes the retries of all callers from one allowance
  circuit, //            hears each attempt; a rejection gives the budget's unit back
  concurrency, //        a slot is taken for a handler that may really start
  timeout, //            the time of one attempt
  run, //                the handler; everything below reads what it gave
  parseResult, //        text to JSON
  decodeResult, //       JSON to the tool's type
  check, //              what the result means
  classify, //           value or failure
  reconcile //           what is unknown is looked up, before retry may act on it
] as const

/** The stages that only what a model reads passes. Programs get the outcome untouched. */
export const modelStages = [
  redact, // no stack, path or secret leaves
  limit, //  a result too large is previewed, and kept to be read
  render //  one shape always
] as const

/** The services that a list of stages takes when the guard's layer is built. */
export type Services<Stages extends ReadonlyArray<{ readonly make: Effect.Effect<unknown, never, unknown> }>> = {
  readonly [K in keyof Stages]: Stages[K] extends { readonly make: Effect.Effect<unknown, never, infer R> } ? R : never
}[number]

type Named = { readonly name: string }

const indexOf = (list: ReadonlyArray<Named>, name: string): number => {
  const index = list.findIndex((stage) => stage.name === name)
  if (index < 0)
    throw new RangeError(`No stage is named "${name}". Stages: ${list.map((stage) => stage.name).join(", ")}.`)
  return index
}

/** The list with a stage put directly outside of the named one. Throws a RangeError where no stage has the name. */
export const insertBefore =
  <New extends Named>(name: string, stage: New) =>
  <Old extends Named>(list: ReadonlyArray<Old>): ReadonlyArray<Old | New> => [
    ...list.slice(0, indexOf(list, name)),
    stage,
    ...list.slice(indexOf(list, name))
  ]

/** The list with the named stage replaced. Throws a RangeError where no stage has the name. */
export const replace =
  <New extends Named>(name: string, stage: New) =>
  <Old extends Named>(list: ReadonlyArray<Old>): ReadonlyArray<Old | New> =>
    list.map((old, index) => (index === indexOf(list, name) ? stage : old))

/** The list without the named stage. Throws a RangeError where no stage has the name. */
export const remove =
  (name: string) =>
  <Old extends Named>(list: ReadonlyArray<Old>): ReadonlyArray<Old> =>
    list.filter((_, index) => index !== indexOf(list, name))
