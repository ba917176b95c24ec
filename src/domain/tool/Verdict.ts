/**
 * The verdict of a check on a decoded result: ok, incomplete, or a result that makes no sense.
 *
 * The type names end in `Verdict`, so that compiler messages do not confuse them with TypeScript's `Partial`.
 */

/** The result is complete and plausible. */
export interface OkVerdict {
  readonly _tag: "Ok"
}

/**
 * The result is valid but incomplete. `next` has the changed arguments of the follow-up call; without `next`, `narrow`
 * says how to narrow the request.
 */
export interface PartialVerdict<out Next extends object | undefined> {
  readonly _tag: "Partial"
  readonly next: Next
  /** One sentence on how to narrow the request. The model reads it as the hint. */
  readonly narrow?: string
  /** One line on what is missing, such as "3 of 47 orders". */
  readonly detail?: string
  /** The code of the failure. Default `incomplete_result`. */
  readonly code?: string
}

/** The result makes no sense. */
export interface GarbageVerdict {
  readonly _tag: "Garbage"
  /** The code of the failure, in snake_case. */
  readonly code: string
  readonly detail: string
  readonly hint?: string
  /**
   * The error that the result states. The call then fails with the class of this error, as if the handler had failed
   * with it. The side effect of a write is then unknown.
   */
  readonly statedFailure?: unknown
}

/** The verdict of a check. */
export type Verdict<Next extends object | undefined = object | undefined> =
  | OkVerdict
  | PartialVerdict<Next>
  | GarbageVerdict

/** Accepts the result. */
export const ok: OkVerdict = { _tag: "Ok" }

interface PartialText {
  readonly detail?: string
  readonly code?: string
}

/**
 * Reports an incomplete result. Pass either `next`, the changed arguments, which are merged into the arguments that
 * were sent, or `narrow`, one sentence on how to narrow the request.
 */
export const partial: {
  <const Next extends object>(options: PartialText & { readonly next: Next }): PartialVerdict<Next>
  (options: PartialText & { readonly narrow: string; readonly next?: never }): PartialVerdict<undefined>
} = (options: PartialText & { readonly next?: object; readonly narrow?: string }): never =>
  ({ _tag: "Partial", ...options, next: options.next }) as never // both overloads, which one arrow function cannot implement

/** Reports a result that makes no sense: another unit, another entity, an empty page that is not the last. */
export const garbage = (options: Omit<GarbageVerdict, "_tag">): GarbageVerdict => ({ _tag: "Garbage", ...options })

const weight = { Ok: 0, Partial: 1, Garbage: 2 } as const

/** Returns the more severe of two verdicts, the first on a tie: garbage outweighs partial, and partial outweighs ok. */
export const heavier = (self: Verdict, that: Verdict): Verdict => (weight[that._tag] > weight[self._tag] ? that : self)
