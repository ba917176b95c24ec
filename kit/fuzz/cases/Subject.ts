/** Compiles the tool under test, with functions that decode, encode and check its results outside the pipeline. */
import type { Contract } from "effect-toolguard/internal/domain/schema/Contract"
import type { ToolDefinition, ToolReference } from "effect-toolguard/internal/domain/tool/ToolDefinition"
import * as Verdict from "effect-toolguard/internal/domain/tool/Verdict"
import { compiledOf, type ResultCodec } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import { policy } from "effect-toolguard/internal/tool/Overrides"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** A compiled tool under test. */
export interface Subject {
  readonly tool: AnyTool
  readonly name: string
  readonly definition: ToolDefinition
  readonly contract: Contract
  readonly isRead: boolean
  /** How the guard interprets a text that the handler returns: as JSON, as a string or as bytes. */
  readonly textKind: ResultCodec["text"]
  /** Decodes JSON to a result; none if the JSON is invalid. */
  readonly decode: (json: unknown) => Option.Option<unknown>
  /** Encodes a decoded result to JSON; none if encoding fails. */
  readonly encode: (value: unknown) => Option.Option<unknown>
  /** True if a value is a decoded result. */
  readonly isResult: (value: unknown) => boolean
  /** Returns the verdict of the tool's checks on a decoded result; `undefined` if a check throws. */
  readonly check: (value: unknown, args: unknown, nowMillis: number) => Verdict.Verdict | undefined
  /** The fallbacks and the lookup that the guard may call for this tool and, recursively, for these tools. */
  readonly relatedTools: ReadonlyArray<AnyTool>
  /** The maximum time that related tools and an approval function may take in addition to the tool's deadline. */
  readonly relatedMillis: number
}

/** Compiles a tool under test. A tool that enforces in a share of conversations enforces in all of them. */
export const make = (given: AnyTool): Subject => {
  const isEnforcedInShare = typeof compiledOf(given).definition.enforce === "object"
  const tool = isEnforcedInShare ? policy({ enforce: "enforce" })(given) : given
  const { contract, definition, result } = compiledOf(tool)
  const { success } = definition
  const json = Schema.toCodecJson(success)
  const decode = Schema.decodeUnknownResult(json)
  const encode = Schema.encodeUnknownResult(json)
  const isType = Schema.is(Schema.toType(success))
  const relatedTools = relatedToolsOf(tool)
  return {
    tool,
    name: definition.name,
    definition,
    contract,
    isRead: definition.access === "read",
    textKind: result.text,
    decode: (value) => attempt(() => Result.getSuccess(decode(value))),
    encode: (value) => attempt(() => Result.getSuccess(encode(value))),
    isResult: (value) =>
      Option.getOrElse(
        attempt(() => Option.some(isType(value))),
        () => false
      ),
    check: (value, args, nowMillis) => {
      const context = { arguments: args, previous: [], nowMillis }
      return Option.getOrUndefined(
        attempt(() =>
          Option.some(
            definition.checks.reduce<Verdict.Verdict>(
              (worst, { run }) => Verdict.heavier(worst, run(value, context)),
              Verdict.ok
            )
          )
        )
      )
    },
    relatedTools,
    relatedMillis: relatedMillisOf(definition, relatedTools)
  }
}

const relatedMillisOf = (
  { approval, attemptMillis, reconcile, retry }: ToolDefinition,
  relatedTools: ReadonlyArray<AnyTool>
) => {
  const deadlines = relatedTools.map((other) => compiledOf(other).definition.deadlineMillis)
  const lookups = reconcile === undefined ? 0 : retry.attempts
  return (
    deadlines.reduce((sum, millis) => sum + millis * Math.max(1, lookups), 0) +
    (typeof approval === "function" ? attemptMillis : 0)
  )
}

/** Runs a function of the tool's definition. Returns none if the function throws. */
const attempt = <A>(run: () => Option.Option<A>): Option.Option<A> => {
  try {
    return run()
  } catch {
    return Option.none()
  }
}

/** Returns the tools that a definition names directly. */
const directlyRelated = (tool: ToolReference): ReadonlyArray<ToolReference> => {
  const { fallbacks, reconcile } = compiledOf(tool).definition
  return [...fallbacks.map((fallback) => fallback.tool), ...(reconcile === undefined ? [] : [reconcile.tool])]
}

/** Returns the key of a tool's service, which is different for each class. */
// a definition types its references by name only; at run time they are the tool classes
export const keyOf = (tool: ToolReference): string => (tool as AnyTool).key

const relatedToolsOf = (tool: AnyTool): ReadonlyArray<AnyTool> => {
  const found = new Map<string, ToolReference>([[tool.key, tool]])
  for (const known of found.values()) {
    for (const next of directlyRelated(known)) if (!found.has(keyOf(next))) found.set(keyOf(next), next)
  }
  // a definition types its references by name only; at run time they are the tool classes
  return [...found.values()].slice(1) as unknown as ReadonlyArray<AnyTool>
}
