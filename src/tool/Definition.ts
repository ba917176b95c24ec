/**
 * Declares the type of a tool's definition, with which the compiler refuses unsafe definitions.
 *
 * **Details**
 *
 * - The verdicts of a tool's checks determine the failures of its calls (`FailureOf`).
 * - The type of a field that is not allowed is a sentence that says why, so that the compiler prints the sentence.
 */
import type { Access } from "#domain/tool/Access"
import type { Approval } from "#domain/tool/Approval"
import type { Level } from "#domain/tool/EscalationPolicy"
import type { FallbackCode } from "#domain/tool/FallbackCodes"
import type * as Failure from "#domain/failure/Failure"
import type { LoopInput, PolicyInput, Repeats, RetryInput } from "#domain/tool/PolicyInput"
import type { CheckContext } from "#domain/tool/ToolDefinition"
import type { GarbageVerdict, OkVerdict, PartialVerdict } from "#domain/tool/Verdict"
import type { CheckCode } from "#src/checks/CheckCodes"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { ArgumentsOf, Codec, SuccessOf } from "./ToolClass.ts"

/** The verdicts that a check may return. */
export type VerdictFor<Arguments> =
  | OkVerdict
  | GarbageVerdict
  | PartialVerdict<(Partial<Arguments> & object) | undefined>

/** The verdict, or a sentence that explains the fault if its continuation is empty or names an unknown parameter. */
export type ContinuingVerdict<V, Arguments> = [FaultOf<V, Arguments>] extends [never] ? V : FaultOf<V, Arguments>

/** Refuses a continuation that is empty or names an unknown parameter. */
export type Continues<Next, Arguments> = [Fault<Next, Arguments>] extends [never] ? unknown : Fault<Next, Arguments>

type FaultOf<V, Arguments> = V extends PartialVerdict<infer Next> ? Fault<Next, Arguments> : never

/** The faults of the continuations in a union, or `never`. */
type Fault<Next, Arguments> = Next extends undefined
  ? never
  : [keyof Next] extends [never]
    ? "A partial verdict must say how to continue: `next` contains the arguments that change, or `narrow` says what to make smaller."
    : [Exclude<keyof Next, keyof Arguments>] extends [never]
      ? never
      : `\`next\` contains a field that is not a parameter of this tool: ${Extract<Exclude<keyof Next, keyof Arguments>, string>}`

/** The access that a fallback may have: at most the access of its tool. */
type AllowedAccess = { read: "read"; write: "read" | "write"; destructive: Access }

type FallbackTool<F, Data, A extends Access> = F extends { readonly access: infer Own }
  ? [Own] extends [AllowedAccess[A]]
    ? SuccessOf<F> extends Data
      ? unknown
      : "The fallback's success type is not this tool's success type."
    : "A fallback's access must not be higher than its tool's."
  : unknown

/**
 * The codes that a fallback may name: the codes of the guard and of ready-made checks. A fallback of a tool with custom
 * checks may name any text, because the code of a check may be any text.
 */
export type FallbackOn<Verdicts> = [keyof Verdicts] extends [never]
  ? FallbackCode | CheckCode
  : FallbackCode | CheckCode | (string & {})

/**
 * Fallbacks in the order in which they are tried. `arguments` maps the decoded arguments to the fallback's arguments.
 */
export type Fallbacks<Arguments, Data, A extends Access, Fs, Verdicts = {}> = {
  readonly [K in keyof Fs]: {
    readonly tool: Fs[K] & FallbackTool<Fs[K], Data, A>
    /**
     * The fallback is tried only after failures with one of these codes, such as `not_found`. Default: every Permanent,
     * SchemaMismatch and Transient failure except `permission_denied`. No fallback runs after a side effect, a declared
     * refusal, `unauthorized` or a person's decision.
     */
    readonly on?: ReadonlyArray<FallbackOn<Verdicts>>
    readonly arguments: (args: Arguments) => ArgumentsOf<Fs[K]>
  }
}

/** Looks up with a read tool whether the effect happened, if the outcome of a call is unknown. */
export interface Reconcile<Arguments, Data, Rec> {
  readonly tool: Rec &
    (Rec extends { readonly access: "read" } | undefined ? unknown : "A reconcile lookup must only read.")
  readonly arguments: (args: Arguments, idempotencyKey: string) => ArgumentsOf<Rec>
  /** Returns Some with the result if the effect happened, and None if it did not. */
  readonly found: (result: SuccessOf<Rec>, args: Arguments) => Option.Option<Data>
}

/** The source of the idempotency key of a write. */
export type IdempotencyInput<Arguments> =
  | "derived"
  | "key"
  | "none"
  | {
      /** `derived`: computed by the guard. `key`: optionally sent by the model. */
      readonly mode: "derived" | "key"
      /** The arguments that identify the action. Default: all. */
      readonly fields?: ReadonlyArray<keyof Arguments & string>
      /**
       * The scope of the keys that a model chooses, with `mode: "key"`. `conversation`: the same key in another
       * conversation identifies another action. `principal`: a key identifies one action in all conversations of a
       * principal. Default `conversation`; `principal` in a turn for which the host names no conversation.
       */
      readonly scope?: "conversation" | "principal"
      /** True if the upstream executes a keyed action once. Default false: an unknown outcome is never retried. */
      readonly upstreamHonoursKey?: boolean
      /** How long the result of a completed action is returned again. Default 24 hours. */
      readonly timeToLive?: Duration.Input
    }

/** Keeps the complete first rows of a truncated answer, and says how to get the rest. */
export interface SalvageInput<S extends Codec, Arguments, Next, Narrow> {
  /** Dotted path of the array in the encoded result. */
  readonly path: string
  /** Returns the encoded fields that the truncation removed. */
  readonly rest?: (rows: ReadonlyArray<unknown>, args: Arguments) => Partial<S["Encoded"]>
  /** Returns the arguments that the continuing call changes. */
  readonly next?: (result: S["Type"], args: Arguments) => Next & Continues<Next, Arguments>
  /** One sentence on how to request less, if there is no continuation. */
  readonly narrow?: Narrow
}

export interface PollInput<Data> {
  /** The minimum time between two identical calls. */
  readonly interval: Duration.Input
  /** The maximum time to poll, from the first call. */
  readonly deadline: Duration.Input
  /** Returns true once the awaited result has arrived. */
  readonly until: (result: Data) => boolean
}

/** The type of a field that only writes have. For a read, `Refused` is a sentence that says so. */
type OfWrite<A extends Access, Field, Refused> = [A] extends ["read"] ? Refused : Field

/** The thresholds of loops. Only a write has `repeats`. */
type LoopOf<A extends Access> = Omit<LoopInput, "repeats"> & {
  /** See `LoopInput.repeats`. */
  readonly repeats?: OfWrite<A, number, "A read changes nothing: remove `loop.repeats`.">
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
  RA,
  Id extends string = string
> extends Omit<PolicyInput, "loop" | "repeats" | "retry"> {
  /**
   * Identifies the tool outside the process: in keys, circuits, quotas, approvals and records. Default: its name.
   * Two classes with the same name need different ids if either writes and processes share a store.
   */
  readonly id?: Id
  /** What the tool does, whether it reads or writes, when to use it and when not. */
  readonly description: string
  readonly access: A
  readonly parameters: P
  readonly success: S
  readonly checks?: {
    readonly [K in keyof Verdicts]: (
      result: S["Type"],
      context: CheckContext<P["Type"], S["Type"]>
    ) => ContinuingVerdict<Verdicts[K], P["Type"]>
  }
  readonly fallbacks?: Fallbacks<P["Type"], S["Type"], A, Fs, Verdicts>
  readonly idempotency?: OfWrite<
    A,
    Idem & IdempotencyInput<P["Type"]>,
    "none" | "A read changes nothing: remove `idempotency`."
  >
  readonly reconcile?: OfWrite<A, Reconcile<P["Type"], S["Type"], Rec>, "A read changes nothing: remove `reconcile`.">
  /** See `PolicyInput.repeats`. */
  readonly repeats?: OfWrite<A, Repeats, "A read changes nothing: remove `repeats`.">
  /** See `PolicyInput.loop`. */
  readonly loop?: LoopOf<A>
  readonly salvage?: SalvageInput<S, P["Type"], SalNext, SalNarrow>
  /**
   * Default: a read is a poll while its result is the status of unfinished work [7.2]. `false`: the tool is not a poll.
   */
  readonly poll?: PollInput<S["Type"]> | false
  /** `json` parses text as JSON even if `success` is a string or bytes. */
  readonly answers?: "json"
  /**
   * A level, or a function of the decoded arguments. If the function fails, the level is `confirm`. Default: the policy
   * decides.
   *
   * The approval replaces the default policy. If an `EscalationPolicy` is provided too, the stricter of the two levels
   * applies, unless `approval` is a function marked by `weaken`.
   */
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

/** A retry policy, or the sentence that says why the tool must not have one. */
export type RetryOf<A, Idem, Rec> =
  RetrySafe<A, Idem, Rec> extends true
    ? RetryInput
    : "A write is retried only with `idempotency` or `reconcile`: without them a retry may do it twice."

type NextOf<V, Arguments> = V extends PartialVerdict<infer Next> ? WholeArguments<Next, Arguments> : never
type WholeArguments<Next, Arguments> = Next extends undefined ? undefined : Arguments
type SalvagedNext<SalNext, SalNarrow, Arguments> = [SalNext] extends [never]
  ? [SalNarrow] extends [never]
    ? never
    : undefined
  : Arguments

/**
 * The failures of a call: always six classes; PartialData and SemanticGarbage only if checks or `salvage` can return
 * them.
 */
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
