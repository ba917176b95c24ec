/**
 * The eight ways in which a guarded call can end without a plain success.
 *
 * Each is a tagged class of its own, so that callers write `Effect.catchTag("Transient", …)`. They share one set of
 * fields and are schemas: they cross process borders, checkpoints and logs, and decode back to the same class.
 *
 * **Gotchas**
 *
 * `cause` is kept for logs and is never shown to a model.
 */
import type { FailureTag } from "#domain/failure/codes/CodeInfo"
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { codes, type FailureCode, info } from "./FailureCode.ts"

export type { FailureTag } from "#domain/failure/codes/CodeInfo"

/**
 * What a call did to the world: `none` (may be tried again if transient), `committed` (evidence says that it was done)
 * or `unknown` (it may have been done).
 */
export const SideEffect = Schema.Literals(["none", "committed", "unknown"])
export type SideEffect = typeof SideEffect.Type

/** The fields that all eight failures share. */
const fields = {
  /** Name of the tool that failed; with fallbacks, the one whose failure this is. */
  tool: Schema.String,
  /** What went wrong, in snake_case: one of `FailureCode`, or a code that a check of the tool gives. */
  code: Schema.String,
  /** One human-readable line: what happened, without stack, path or secret. */
  detail: Schema.String,
  /** What the model should do next, as an instruction. */
  hint: Schema.String,
  /** What the call did to the world. */
  sideEffect: SideEffect,
  /** Finds the full cause in the logs. */
  traceId: Schema.String,
  /** Paths of the arguments or result fields concerned, e.g. `orders[2].cents`. */
  fields: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The error underneath, for logs only. */
  cause: Schema.optionalKey(Schema.Defect())
}

/** The model's call is wrong. The tool did not do what was asked; other arguments may help; the model must act. */
export class ToolArgError extends Schema.TaggedError<ToolArgError>("effect-toolguard/ToolArgError")(
  "ToolArgError",
  fields
) {}

/** The tool answered, but not by its contract. It ran; the same call never helps; its maintainers must act. */
export class SchemaMismatch extends Schema.TaggedError<SchemaMismatch>("effect-toolguard/SchemaMismatch")(
  "SchemaMismatch",
  fields
) {}

/** The result is wrong in meaning. The tool ran; the same call does not help; the model must choose another way. */
export class SemanticGarbage extends Schema.TaggedError<SemanticGarbage>("effect-toolguard/SemanticGarbage")(
  "SemanticGarbage",
  fields
) {}

/** The upstream could not answer now. The guard has tried again already, where that was safe; later it may work. */
export class Transient extends Schema.TaggedError<Transient>("effect-toolguard/Transient")("Transient", {
  ...fields,
  /** What the upstream asked for (Retry-After): the floor of the next delay. */
  retryAfter: Schema.optionalKey(Schema.Duration)
}) {}

/** A limit that waiting seconds does not lift: memory, disk, quota, context. Somebody must make room. */
export class Resource extends Schema.TaggedError<Resource>("effect-toolguard/Resource")("Resource", {
  ...fields,
  /** When the limit is said to be lifted. */
  retryAfter: Schema.optionalKey(Schema.Duration)
}) {}

/** The same call goes on failing, and other arguments alone do not help. Another way must be found. */
export class Permanent extends Schema.TaggedError<Permanent>("effect-toolguard/Permanent")("Permanent", fields) {}

/** The call needs a person, was denied by one, or its outcome is unknown. The model stops and waits. */
export class HumanReview extends Schema.TaggedError<HumanReview>("effect-toolguard/HumanReview")("HumanReview", {
  ...fields,
  /** Names the request to a person; it grants nothing. */
  approvalUrl: Schema.optionalKey(Schema.String)
}) {}

class PartialDataBase extends Schema.TaggedError<PartialDataBase>("effect-toolguard/PartialData")("PartialData", {
  ...fields,
  /** What there is: the whole decoded result of the tool. */
  data: Schema.Unknown,
  /** The full encoded arguments of the continuing call; absent where the request is to be narrowed. */
  next: Schema.optionalKey(Schema.Unknown)
}) {}

/**
 * The result is valid but incomplete. The tool ran; `data` is what there is; the call goes on with `next`, or with a
 * smaller request where `next` is absent (`hint` then says how).
 */
export interface PartialData<out Data = unknown, out Next = unknown> extends PartialDataBase {
  readonly data: Data
  readonly next: Next
}
type PartialDataProps<Data, Next> = Omit<ConstructorParameters<typeof PartialDataBase>[0], "data" | "next"> & {
  readonly data: Data
  readonly next?: Next
}
export const PartialData: {
  new <Data, Next>(props: PartialDataProps<Data, Next>): PartialData<Data, Next>
} & Schema.Codec<PartialData, (typeof PartialDataBase)["Encoded"]> = PartialDataBase as never

/** The six failures that any guarded call may end with, whatever the tool declares. */
export type CallFailure = ToolArgError | SchemaMismatch | Transient | Resource | Permanent | HumanReview

/** All eight. `PartialData` and `SemanticGarbage` come from a tool's checks and `salvage` alone. */
export type Failure<Data = unknown, Next = unknown> = CallFailure | PartialData<Data, Next> | SemanticGarbage

/** The schema of all eight: decodes each back to its class. */
export const Failure: Schema.Codec<Failure, unknown> = Schema.Union([
  ToolArgError,
  SchemaMismatch,
  PartialData,
  SemanticGarbage,
  Transient,
  Resource,
  Permanent,
  HumanReview
]) as never

/** The class of each tag. */
const classes: { readonly [Tag in FailureTag]: new (fields: never) => Extract<Failure, { readonly _tag: Tag }> } = {
  ToolArgError,
  SchemaMismatch,
  PartialData,
  SemanticGarbage,
  Transient,
  Resource,
  Permanent,
  HumanReview
}

/** What a failure is made from. Fields that its class does not have, and those that are `undefined`, are left out. */
export interface Details {
  readonly tool: string
  /** One line: what happened. */
  readonly detail: string
  /** What to do next. Default: the hint of the code; empty for a code of a tool's check. */
  readonly hint?: string | undefined
  /** Default: `none`. */
  readonly sideEffect?: SideEffect | undefined
  /** Default: empty. The guard sets it on failures that a handler returns. */
  readonly traceId?: string | undefined
  /** An empty list is left out. */
  readonly fields?: ReadonlyArray<string> | undefined
  readonly retryAfter?: Duration.Duration | undefined
  readonly approvalUrl?: string | undefined
  readonly cause?: unknown
  /** Of `PartialData`. */
  readonly data?: unknown
  /** Of `PartialData`. */
  readonly next?: unknown
}

/** Makes a failure of a class, without a stack. */
export const make = <Tag extends FailureTag>(
  tag: Tag,
  code: string,
  { approvalUrl, cause, data, detail, fields, hint, next, retryAfter, sideEffect, tool, traceId }: Details
): Extract<Failure, { readonly _tag: Tag }> => {
  const Class = classes[tag] as new (fields: object) => Extract<Failure, { readonly _tag: Tag }>
  return withoutStack(
    () =>
      new Class({
        tool,
        code,
        detail,
        hint: hint ?? info(code)?.hint ?? "",
        sideEffect: sideEffect ?? "none",
        traceId: traceId ?? "",
        data,
        ...(fields === undefined || fields.length === 0 ? {} : { fields }),
        ...(retryAfter === undefined ? {} : { retryAfter }),
        ...(approvalUrl === undefined ? {} : { approvalUrl }),
        ...(cause === undefined ? {} : { cause }),
        ...(next === undefined ? {} : { next })
      })
  )
}

/** Makes a failure with one of the guard's codes, of the class that the code has. */
export const ofCode = <Code extends FailureCode>(
  code: Code,
  details: Details
): Extract<Failure, { readonly _tag: (typeof codes)[Code]["tag"] }> =>
  make<FailureTag>(codes[code].tag, code, details) as never // of the code's class: an index by a type parameter loses it

/** The schema of a tool's failures: `data` of a PartialData travels as `success` encodes it. */
export const codec = (success: Schema.Codec<unknown, unknown>): Schema.Codec<Failure, unknown> => {
  const decode = Schema.decodeUnknownSync(Schema.toCodecJson(success))
  const encode = Schema.encodeUnknownSync(Schema.toCodecJson(success))
  const mapData = (f: (data: unknown) => unknown) => (failure: Failure) =>
    failure._tag === "PartialData" ? new PartialData({ ...failure, data: f(failure.data) }) : failure
  return Failure.pipe(
    Schema.decodeTo(
      Schema.toType(Failure),
      SchemaTransformation.transform({ decode: mapData(decode), encode: mapData(encode) })
    )
  )
}

/** Whether a value is one of the eight. */
export const isFailure = (u: unknown): u is Failure =>
  u instanceof ToolArgError ||
  u instanceof SchemaMismatch ||
  u instanceof PartialDataBase ||
  u instanceof SemanticGarbage ||
  u instanceof Transient ||
  u instanceof Resource ||
  u instanceof Permanent ||
  u instanceof HumanReview

/** The same failure with some fields changed; the failure itself where they are as they should be. */
export const changed = <F extends Failure>(
  failure: F,
  fields: Partial<Record<"hint" | "detail" | "tool" | "traceId", string>> & {
    readonly fields?: ReadonlyArray<string>
    readonly sideEffect?: SideEffect
    readonly cause?: unknown
    readonly data?: unknown
  }
): F => {
  const isAsItShouldBe = (Object.keys(fields) as ReadonlyArray<keyof F & keyof typeof fields>).every(
    (name) => failure[name] === fields[name]
  )
  if (isAsItShouldBe) return failure
  const Class = failure.constructor as new (fields: object) => F
  return withoutStack(() => new Class({ ...failure, ...fields }))
}

/**
 * Makes an error without recording a stack, which costs four fifths of making it. A failure is an answer, not an
 * accident of the program: its stack would show the pipeline. The cause keeps its own.
 */
export const withoutStack = <A>(make: () => A): A => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return make()
  } finally {
    Error.stackTraceLimit = limit
  }
}
