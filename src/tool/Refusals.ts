/** The refusals of a definition [3.5]: their types, and the rules that are checked when a tool is defined. */
import type { FailureTag } from "#domain/failure/Failure"
import { info } from "#domain/failure/FailureCode"
import * as DeclaredRefusal from "#domain/tool/DeclaredRefusal"
import { checkCodes } from "#src/checks/CheckCodes"
import type * as Schema from "effect/Schema"

/** A tagged schema error, such as a class of `Schema.TaggedError`. */
export type RefusalError = Schema.Top & { readonly Type: { readonly _tag: string } }

/** A declared refusal: its error alone, or its error with the class and the hint that the model reads. */
export type Refusal =
  | RefusalError
  | {
      readonly error: RefusalError
      /** The class that a model reads. `ToolArgError` says that other arguments help. Default `Permanent`. */
      readonly as?: DeclaredRefusal.RefusalClass
      /** One sentence on what the model should do next. Default: the hint of the class. */
      readonly hint?: string
    }

type ErrorIn<R> = R extends { readonly error: infer S extends RefusalError } ? S : R extends RefusalError ? R : never

/** The errors of declared refusals, as a typed caller catches them. */
export type RefusalOf<R> = ErrorIn<R>["Type"]

type TagIn<R> = RefusalOf<R> extends { readonly _tag: infer Tag extends string } ? Tag : never

/** The positions of each tag. */
type Positions<Refs extends ReadonlyArray<unknown>> = {
  readonly [K in Extract<keyof Refs, `${number}`> as TagIn<Refs[K]>]: K
}

/** Refuses a reserved or repeated tag, and a schema that requires services, with a sentence. */
type RefusalGuard<R, Position, K> =
  string extends TagIn<R>
    ? unknown
    : [Extract<TagIn<R>, FailureTag>] extends [never]
      ? [ErrorIn<R>["DecodingServices"] | ErrorIn<R>["EncodingServices"]] extends [never]
        ? [Position] extends [K]
          ? unknown
          : `Two refusals have the tag "${TagIn<R>}".`
        : `The schema of the refusal "${TagIn<R>}" requires services: use fields that need none.`
      : `The tag "${TagIn<R>}" is one of the guard's failures: give the refusal another tag.`

/** Refusals, each of which is checked by the compiler. */
export type Refusals<Refs extends ReadonlyArray<Refusal>> = {
  readonly [K in keyof Refs]: Refs[K] &
    RefusalGuard<Refs[K], Positions<Refs>[TagIn<Refs[K]> & keyof Positions<Refs>], K>
}

/** The part of a definition that declares refusals. */
export interface RefusingDefinition<Refs extends ReadonlyArray<Refusal>> {
  /**
   * The errors with which the handler says that it did nothing, such as `OutOfStock`. Typed callers catch each error by
   * its own tag. A model reads the tag as the code, the message, and the fields. Default: none.
   */
  readonly refusals?: Refusals<Refs>
}

const failureTags: Readonly<Record<FailureTag, true>> = {
  ToolArgError: true,
  SchemaMismatch: true,
  PartialData: true,
  SemanticGarbage: true,
  Transient: true,
  Resource: true,
  Permanent: true,
  HumanReview: true
}

/** Resolves the refusals of a definition. Throws a RangeError that names the tool, the entry and the remedy. */
export const resolve = (
  tool: string,
  inputs: ReadonlyArray<DeclaredRefusal.RefusalInput>,
  checks: ReadonlyArray<string>
): ReadonlyArray<DeclaredRefusal.DeclaredRefusal> => {
  // untyped programs can pass any value
  if (!Array.isArray(inputs)) {
    throw new RangeError(`${tool}: \`refusals\` is not a list; write \`refusals: [OutOfStock]\`.`)
  }
  const known: Array<DeclaredRefusal.DeclaredRefusal> = []
  for (const [index, input] of inputs.entries()) {
    const place = `${tool}: refusals[${index}]`
    const refusal = DeclaredRefusal.make(place, input)
    const fault = faultOf(refusal, known, checks)
    if (fault !== undefined) throw new RangeError(`${place} ${fault}`)
    known.push(refusal)
  }
  return known
}

const faultOf = (
  { code, failureClass, tag }: DeclaredRefusal.DeclaredRefusal,
  before: ReadonlyArray<DeclaredRefusal.DeclaredRefusal>,
  checks: ReadonlyArray<string>
): string | undefined => {
  if (Object.hasOwn(failureTags, tag)) {
    return `has the tag "${tag}" of one of the guard's failures; give it another tag, such as OutOfStock.`
  }
  if (code === "") return `has the tag "${tag}", from which no code can be derived; use letters and digits.`
  if (failureClass !== "Permanent" && failureClass !== "ToolArgError") {
    return `(${tag}) has the class "${String(failureClass)}"; write "Permanent" or "ToolArgError" as \`as\`.`
  }
  const same = before.find((other) => other.code === code)
  if (same !== undefined) {
    return same.tag === tag
      ? `has the tag "${tag}", like another refusal of the tool; give each a different tag.`
      : `has the tag "${tag}", whose code ${code} is also that of "${same.tag}"; give one of them a different tag.`
  }
  if (info(code) !== undefined)
    return `has the tag "${tag}", whose code ${code} is one of the guard's; use another tag.`
  return checkCodes.has(code) || checks.some((check) => DeclaredRefusal.codeOf(check) === code)
    ? `has the tag "${tag}", whose code ${code} is also that of a check; use another tag.`
    : undefined
}
