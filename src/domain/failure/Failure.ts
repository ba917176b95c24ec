/**
 * The eight ways in which a guarded call can end without a plain success.
 *
 * Each is a tagged class, so that callers write `Effect.catchTag("Transient", …)`. All classes share one set of fields.
 * The classes are schemas: a failure that was sent to a journal, a log or another process decodes to the same class.
 *
 * The file has more than 300 lines, because the eight classes share their fields and the functions that create them.
 *
 * **Gotchas**
 *
 * `cause` is for logs. It is never shown to a model.
 */
import type { FailureTag } from "#domain/failure/codes/CodeInfo"
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { codes, type FailureCode, info } from "./FailureCode.ts"

export type { FailureTag } from "#domain/failure/codes/CodeInfo"

/**
 * What a call changed: `none` (nothing, so the call may be retried if the failure is transient), `committed`
 * (there is evidence that it was done) or `unknown` (it may have been done).
 */
export const SideEffect = Schema.Literals(["none", "committed", "unknown"])
export type SideEffect = typeof SideEffect.Type

/** The fields that all eight failures share. */
const fields = {
  /** The name of the tool that failed. With fallbacks, the tool to which this failure belongs. */
  tool: Schema.String,
  /** What went wrong, in snake_case: a `FailureCode`, or the code of a check or of a declared refusal of the tool. */
  code: Schema.String,
  /** What happened, in one line for people, without stack, path or secret. */
  detail: Schema.String,
  /** What the model should do next, as an instruction. */
  hint: Schema.String,
  /** States whether the call changed anything. */
  sideEffect: SideEffect,
  /** Identifies the full cause in the logs. */
  traceId: Schema.String,
  /** The paths of the affected fields in the arguments or the result, such as `orders[2].cents`. */
  fields: Schema.optionalKey(Schema.Array(Schema.String)),
  /** How often the handler was executed for the call, if more than once; absent after one execution or none. */
  attempts: Schema.optionalKey(Schema.Int),
  /** The underlying error, for logs only. */
  cause: Schema.optionalKey(Schema.Defect())
}

/** The fields of the classes that a declared refusal can have. */
const refusable = {
  ...fields,
  /** The error of a declared refusal [3.5] as JSON, with its `_tag`; absent for every other failure. */
  refusal: Schema.optionalKey(Schema.Json)
}

/** The model's call is wrong. The tool did not do the requested action. The model must correct the call. */
export class ToolArgError extends Schema.TaggedError<ToolArgError>("effect-toolguard/ToolArgError")(
  "ToolArgError",
  refusable
) {}

/**
 * The tool ran, but its answer violates its contract. Repeating the call does not help. The tool's maintainers must
 * act.
 */
export class SchemaMismatch extends Schema.TaggedError<SchemaMismatch>("effect-toolguard/SchemaMismatch")(
  "SchemaMismatch",
  fields
) {}

/** The tool ran, but its result makes no sense. Repeating the call does not help. The model must find another way. */
export class SemanticGarbage extends Schema.TaggedError<SemanticGarbage>("effect-toolguard/SemanticGarbage")(
  "SemanticGarbage",
  fields
) {}

/** The upstream could not answer now. The guard has retried if that was safe. The same call may succeed later. */
export class Transient extends Schema.TaggedError<Transient>("effect-toolguard/Transient")("Transient", {
  ...fields,
  /** The wait that the upstream asked for (Retry-After). The next delay is at least this long. */
  retryAfter: Schema.optionalKey(Schema.Duration)
}) {}

/**
 * The call reached a limit that does not lift within seconds: memory, disk, quota, context. An operator must free or
 * add capacity.
 */
export class Resource extends Schema.TaggedError<Resource>("effect-toolguard/Resource")("Resource", {
  ...fields,
  /** When the upstream expects to lift the limit. */
  retryAfter: Schema.optionalKey(Schema.Duration)
}) {}

/** The same call will keep failing, and other arguments alone do not help. The model must find another way. */
export class Permanent extends Schema.TaggedError<Permanent>("effect-toolguard/Permanent")("Permanent", refusable) {}

/** A person must decide about the call, or denied it, or its outcome is unknown. The model must stop and wait. */
export class HumanReview extends Schema.TaggedError<HumanReview>("effect-toolguard/HumanReview")("HumanReview", {
  ...fields,
  /** The URL of the approval request. It identifies the request and grants no permission. */
  approvalUrl: Schema.optionalKey(Schema.String)
}) {}

class PartialDataBase extends Schema.TaggedError<PartialDataBase>("effect-toolguard/PartialData")("PartialData", {
  ...fields,
  /** The available part of the tool's result, decoded. */
  data: Schema.Unknown,
  /** The complete encoded arguments of the follow-up call; absent if the request must be narrowed instead. */
  next: Schema.optionalKey(Schema.Unknown)
}) {}

/**
 * The tool ran, and its result is valid but incomplete. `data` is the available part. Continue with the arguments
 * `next`, or, if `next` is absent, with a smaller request as `hint` describes.
 */
export interface PartialData<out Data = unknown, out Next = unknown> extends PartialDataBase {
  readonly data: Data
  readonly next: Next
}
type PartialDataProps<Data, Next> = Omit<ConstructorParameters<typeof PartialDataBase>[0], "data" | "next"> & {
  readonly data: Data
  readonly next?: Next
}
/** The class of `PartialData`, typed by its data and its continuation. */
export const PartialData: {
  new <Data, Next>(props: PartialDataProps<Data, Next>): PartialData<Data, Next>
} & Schema.Codec<PartialData, (typeof PartialDataBase)["Encoded"]> = PartialDataBase as never // a class cannot be generic in fields of its schema

/** The six failures that any guarded call may end with, regardless of its definition. */
export type CallFailure = ToolArgError | SchemaMismatch | Transient | Resource | Permanent | HumanReview

/**
 * Any of the eight failures. A program's call fails with `PartialData` or `SemanticGarbage` only if the tool has checks
 * or `salvage`.
 */
export type Failure<Data = unknown, Next = unknown> = CallFailure | PartialData<Data, Next> | SemanticGarbage

/** The schema of the eight failures. It decodes each to its class. */
export const Failure: Schema.Codec<Failure, unknown> = Schema.Union([
  ToolArgError,
  SchemaMismatch,
  PartialData,
  SemanticGarbage,
  Transient,
  Resource,
  Permanent,
  HumanReview
]) as never // the union's type is that of PartialDataBase, without the parameters of PartialData

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

/** Defines the message that logs and error trackers show, such as `read_weather: no such city (not_found)`. */
for (const { prototype } of Object.values(classes)) {
  Object.defineProperty(prototype, "message", {
    get(this: Failure) {
      return `${this.tool}: ${this.detail} (${this.code})`
    }
  })
}

/**
 * The fields from which a failure is created. A field is ignored if it is `undefined` or the class does not have it.
 */
export interface Details {
  readonly tool: string
  /** What happened, in one line. */
  readonly detail: string
  /** What to do next. Default: the hint of the code, or an empty text for a code of the tool. */
  readonly hint?: string | undefined
  /** Default: `none`. */
  readonly sideEffect?: SideEffect | undefined
  /** Default: an empty text. The guard sets the id on failures that a handler returns. */
  readonly traceId?: string | undefined
  /** An empty list is left out. */
  readonly fields?: ReadonlyArray<string> | undefined
  readonly retryAfter?: Duration.Duration | undefined
  /** How often the handler was executed, if more than once. */
  readonly attempts?: number | undefined
  readonly approvalUrl?: string | undefined
  readonly cause?: unknown
  /** Only for `Permanent` and `ToolArgError`: the error of a declared refusal as JSON. */
  readonly refusal?: unknown
  /** Only for `PartialData`. */
  readonly data?: unknown
  /** Only for `PartialData`. */
  readonly next?: unknown
}

/** Creates a failure of the class with this tag, without a stack. */
export const make = <Tag extends FailureTag>(
  tag: Tag,
  code: string,
  {
    approvalUrl,
    attempts,
    cause,
    data,
    detail,
    fields,
    hint,
    next,
    refusal,
    retryAfter,
    sideEffect,
    tool,
    traceId
  }: Details
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
        ...(attempts === undefined ? {} : { attempts }),
        ...(approvalUrl === undefined ? {} : { approvalUrl }),
        ...(cause === undefined ? {} : { cause }),
        ...(refusal === undefined ? {} : { refusal }),
        ...(next === undefined ? {} : { next })
      })
  )
}

/** Creates a failure with one of the guard's codes. The code determines the class. */
export const ofCode = <Code extends FailureCode>(
  code: Code,
  details: Details
): Extract<Failure, { readonly _tag: (typeof codes)[Code]["tag"] }> =>
  make<FailureTag>(codes[code].tag, code, details) as never // an index by a type parameter loses the type of the code's class

/** Returns the schema of a tool's failures. The `data` of a PartialData is encoded by `success`. */
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

/** True if a value is one of the eight failures. */
export const isFailure = (u: unknown): u is Failure =>
  u instanceof ToolArgError ||
  u instanceof SchemaMismatch ||
  u instanceof PartialDataBase ||
  u instanceof SemanticGarbage ||
  u instanceof Transient ||
  u instanceof Resource ||
  u instanceof Permanent ||
  u instanceof HumanReview

/** True if a failure is one page of a longer result: a correct answer that `next` continues. */
export const isPage = (failure: Failure): boolean => failure._tag === "PartialData" && failure.next !== undefined

/** Returns the error of a declared refusal [3.5] as JSON, with its tag; undefined if the failure has none. */
export const refusalOf = (failure: Failure): Schema.Json | undefined =>
  failure._tag === "Permanent" || failure._tag === "ToolArgError" ? failure.refusal : undefined

/** True if a failure is a declared refusal [3.5]: the handler decided against the action and did nothing. */
export const isRefusal = (failure: Failure): boolean =>
  failure.sideEffect === "none" && refusalOf(failure) !== undefined

/** True if a failure is an incident: neither a page of a longer result nor a declared refusal. */
export const isIncident = (failure: Failure): boolean => !isPage(failure) && !isRefusal(failure)

/** Returns a copy with some fields changed, or the failure itself if these fields already have the new values. */
export const changed = <F extends Failure>(
  failure: F,
  fields: Partial<Record<"approvalUrl" | "hint" | "detail" | "tool" | "traceId", string>> & {
    readonly fields?: ReadonlyArray<string>
    readonly sideEffect?: SideEffect
    readonly attempts?: number | undefined
    readonly cause?: unknown
    readonly data?: unknown
    readonly next?: unknown
    readonly refusal?: unknown
  }
): F => {
  const isUnchanged = (Object.keys(fields) as ReadonlyArray<keyof F & keyof typeof fields>).every(
    (name) => failure[name] === fields[name]
  )
  if (isUnchanged) return failure
  const Class = failure.constructor as new (fields: object) => F
  const { cause } = failure
  // the cause of an error is not enumerable, so a spread leaves it out
  const { attempts, ...all } = { ...failure, ...(cause === undefined ? {} : { cause }), ...fields }
  return withoutStack(() => new Class(attempts === undefined ? all : { ...all, attempts }))
}

/**
 * Creates an error without recording a stack, because recording takes four fifths of the time. The stack of a failure
 * would show only the pipeline. The cause keeps its stack.
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
