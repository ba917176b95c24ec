/**
 * What a check says about a decoded result: fine, incomplete, or wrong in meaning.
 *
 * The names end in `Verdict` so that compiler messages are not confused with TypeScript's `Partial`.
 */

export interface OkVerdict {
  readonly _tag: "Ok"
}

/** Valid but incomplete. `next` holds the arguments that change; without it `narrow` says what to make smaller. */
export interface PartialVerdict<out Next extends object | undefined> {
  readonly _tag: "Partial"
  readonly next: Next
  /** One sentence on what to make smaller; the model reads it as the hint. */
  readonly narrow?: string
  /** One line on what is missing, e.g. "3 of 47 orders". */
  readonly detail?: string
  /** The check's own code. Default `incomplete_result`. */
  readonly code?: string
}

export interface GarbageVerdict {
  readonly _tag: "Garbage"
  /** snake_case, the tool's own. */
  readonly code: string
  readonly detail: string
  readonly hint?: string
}

export type Verdict<Next extends object | undefined = object | undefined> =
  | OkVerdict
  | PartialVerdict<Next>
  | GarbageVerdict

/** The result is what was asked for. */
export const ok: OkVerdict = { _tag: "Ok" }

interface PartialText {
  readonly detail?: string
  readonly code?: string
}

/**
 * The result is incomplete. Say how to go on: `next` (the arguments that change, merged over those that were sent) or
 * `narrow` (one sentence on what to make smaller).
 */
export const partial: {
  <const Next extends object>(options: PartialText & { readonly next: Next }): PartialVerdict<Next>
  (options: PartialText & { readonly narrow: string; readonly next?: never }): PartialVerdict<undefined>
} = (options: PartialText & { readonly next?: object; readonly narrow?: string }): never =>
  ({ _tag: "Partial", ...options, next: options.next }) as never

/** The result is wrong in meaning: another unit, another entity, a page that claims to be empty and has more. */
export const garbage = (options: Omit<GarbageVerdict, "_tag">): GarbageVerdict => ({ _tag: "Garbage", ...options })

const weight = { Ok: 0, Partial: 1, Garbage: 2 } as const

/** The heavier of two verdicts, the first on a tie: garbage outweighs partial, partial outweighs ok. */
export const heavier = (self: Verdict, that: Verdict): Verdict => (weight[that._tag] > weight[self._tag] ? that : self)
