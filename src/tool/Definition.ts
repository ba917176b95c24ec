/**
 * The definition of a tool as users write it, with the types that let the compiler refuse what is unsafe.
 *
 * **Details**
 *
 * - What its checks can return decides what a call can fail with (`FailureOf`).
 * - A field that is not allowed has the type of a sentence that says why, so the compiler prints that sentence.
 */
import type { Access } from "#domain/tool/Access"
import type { Approval } from "#domain/tool/Approval"
import type { Level } from "#domain/tool/EscalationPolicy"
import type * as Failure from "#domain/failure/Failure"
import type { CheckContext, PolicyInput, RetryInput } from "#domain/tool/ToolDefinition"
import type { GarbageVerdict, OkVerdict, PartialVerdict } from "#domain/tool/Verdict"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { ArgumentsOf, Codec, SuccessOf } from "./ToolClass.ts"

/** What a check may return. */
export type VerdictFor<Arguments> =
  | OkVerdict
  | GarbageVerdict
  | PartialVerdict<(Partial<Arguments> & object) | undefined>

/** The verdict, or a sentence in its place if a continuation is empty or names no parameter of the tool. */
export type Continuing<V, Arguments> = [FaultOf<V, Arguments>] extends [never] ? V : FaultOf<V, Arguments>

/** Refuses a continuation that is empty or names no parameter of the tool. */
export type Continues<Next, Arguments> = [Fault<Next, Arguments>] extends [never] ? unknown : Fault<Next, Arguments>

type FaultOf<V, Arguments> = V extends PartialVerdict<infer Next> ? Fault<Next, Arguments> : never

/** The fault of each continuation in a union; `never` if there is none. */
type Fault<Next, Arguments> = Next extends undefined
  ? never
  : [keyof Next] extends [never]
    ? "A partial verdict must say how to continue: `next` holds the arguments that change, or `narrow` says what to make smaller."
    : [Exclude<keyof Next, keyof Arguments>] extends [never]
      ? never
      : `\`next\` names no parameter of this tool: ${Extract<Exclude<keyof Next, keyof Arguments>, string>}`

/** The access that an alternative or a lookup may have: at most that of its tool. */
type AtMost = { read: "read"; write: "read" | "write"; destructive: Access }

type FallbackTool<F, Data, A extends Access> = F extends { readonly access: infer Own }
  ? [Own] extends [AtMost[A]]
    ? SuccessOf<F> extends Data
      ? unknown
      : "The fallback's success type is not this tool's success type."
    : "A fallback's access is not higher than its tool's."
  : unknown

/** Alternatives in the order in which they are tried; each maps the decoded arguments to its own encoded ones. */
export type Fallbacks<Arguments, Data, A extends Access, Fs> = {
  readonly [K in keyof Fs]: {
    readonly tool: Fs[K] & FallbackTool<Fs[K], Data, A>
    readonly arguments: (args: Arguments) => ArgumentsOf<Fs[K]>
  }
}

/** Looks up with a read tool whether the effect happened, if the outcome of a call is unknown. */
export interface Reconcile<Arguments, Data, Rec> {
  readonly tool: Rec &
    (Rec extends { readonly access: "read" } | undefined ? unknown : "A reconcile lookup only reads.")
  readonly arguments: (args: Arguments, idempotencyKey: string) => ArgumentsOf<Rec>
  /** Some: the effect happened, and this is its result. None: it did not happen. */
  readonly found: (result: SuccessOf<Rec>, args: Arguments) => Option.Option<Data>
}

/** Where the idempotency key of a write comes from. */
export type IdempotencyInput<Arguments> =
  | "derived"
  | "key"
  | "none"
  | {
      /** `derived`: computed by the guard. `key`: sent by the model, optionally. */
      readonly mode: "derived" | "key"
      /** The arguments that identify the action. Default: all. */
      readonly fields?: ReadonlyArray<keyof Arguments & string>
      /** The upstream executes a keyed action once. Default false: an unknown outcome is never retried. */
      readonly upstreamHonoursKey?: boolean
      /** How long a finished action is replayed. Default 24 hours. */
      readonly timeToLive?: Duration.Input
    }

/** Keeps the complete leading rows of a truncated answer, and says how to get the rest. */
export interface SalvageInput<S extends Codec, Arguments, Next, Narrow> {
  /** Dotted path of the array in the encoded result. */
  readonly path: string
  /** Encoded fields that the truncation removed. */
  readonly rest?: (rows: ReadonlyArray<unknown>, args: Arguments) => Partial<S["Encoded"]>
  /** The arguments that the continuing call changes. */
  readonly next?: (result: S["Type"], args: Arguments) => Next & Continues<Next, Arguments>
  /** One sentence on what to make smaller, if there is no continuation. */
  readonly narrow?: Narrow
}

export interface PollInput<Data> {
  /** The shortest time between two identical calls. */
  readonly interval: Duration.Input
  /** The longest time to poll, from the first call. */
  readonly deadline: Duration.Input
  /** True once the awaited result has arrived. */
  readonly until: (result: Data) => boolean
}

/** Describes a tool and its policy as one declarative value. */
export interface Definition<
  P extends Codec,
  S extends Codec,
  A extends Access,
  Verdicts,
  Idem,
  Rec,
  Fs,
  SalNext,
  SalNarrow,
  RA
> extends Omit<PolicyInput, "retry"> {
  /** What the tool does, whether it reads or writes, when to use it and when not. */
  readonly description: string
  readonly access: A
  /** A person is notified of its permanent failures. Default false. */
  readonly critical?: boolean
  readonly parameters: P
  readonly success: S
  readonly checks?: {
    readonly [K in keyof Verdicts]: (
      result: S["Type"],
      context: CheckContext<P["Type"], S["Type"]>
    ) => Continuing<Verdicts[K], P["Type"]>
  }
  readonly fallbacks?: Fallbacks<P["Type"], S["Type"], A, Fs>
  readonly idempotency?: Idem & IdempotencyInput<P["Type"]>
  readonly reconcile?: Reconcile<P["Type"], S["Type"], Rec>
  readonly salvage?: SalvageInput<S, P["Type"], SalNext, SalNarrow>
  readonly poll?: PollInput<S["Type"]>
  /** Text is parsed as JSON even if `success` is a string or bytes. */
  readonly answers?: "json"
  /** A level, or a function of the decoded arguments; if it fails, the level is `confirm`. Default: by policy. */
  readonly approval?: Level | ((args: P["Type"]) => Approval | Effect.Effect<Approval, unknown, RA>)
}

/** True if the compiler allows retries of the tool. */
export type RetrySafe<A, Idem, Rec> = A extends "read"
  ? true
  : [Extract<Idem, undefined | "none">] extends [never]
    ? true
    : [Rec] extends [undefined]
      ? false
      : true

/** A retry policy, or the sentence that says why the tool may not have one. */
export type RetryOf<A, Idem, Rec> =
  RetrySafe<A, Idem, Rec> extends true
    ? RetryInput
    : "A write is retried only with `idempotency` or `reconcile`: without them a retry may do it twice."

type NextOf<V, Arguments> = V extends PartialVerdict<infer Next> ? Whole<Next, Arguments> : never
type Whole<Next, Arguments> = Next extends undefined ? undefined : Arguments
type SalvagedNext<SalNext, SalNarrow, Arguments> = [SalNext] extends [never]
  ? [SalNarrow] extends [never]
    ? never
    : undefined
  : Arguments

/** The failures of a call: six always; PartialData and SemanticGarbage only if a check or `salvage` can produce them. */
export type FailureOf<V, SalNext, SalNarrow, Data, Arguments> = [
  NextOf<V, Arguments> | SalvagedNext<SalNext, SalNarrow, Arguments>
] extends [never]
  ? [Extract<V, GarbageVerdict>] extends [never]
    ? Failure.CallFailure
    : Failure.CallFailure | Failure.SemanticGarbage
  : [Extract<V, GarbageVerdict>] extends [never]
    ?
        | Failure.CallFailure
        | Failure.PartialData<Data, NextOf<V, Arguments> | SalvagedNext<SalNext, SalNarrow, Arguments>>
    :
        | Failure.CallFailure
        | Failure.PartialData<Data, NextOf<V, Arguments> | SalvagedNext<SalNext, SalNarrow, Arguments>>
        | Failure.SemanticGarbage
