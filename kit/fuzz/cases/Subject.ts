/** The tool that is checked, and what its definition promises, compiled once and apart from the pipeline. */
import type { Contract } from "effect-toolguard/internal/domain/schema/Contract"
import type { ToolDefinition, ToolReference } from "effect-toolguard/internal/domain/tool/ToolDefinition"
import * as Verdict from "effect-toolguard/internal/domain/tool/Verdict"
import { compiledOf, type ResultCodec } from "effect-toolguard/internal/pipeline/call/CompiledTool"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

export interface Subject {
  readonly tool: AnyTool
  readonly name: string
  readonly definition: ToolDefinition
  readonly contract: Contract
  readonly isRead: boolean
  /** How a text that the tool answers with is meant: as JSON, or as the value itself. */
  readonly textKind: ResultCodec["text"]
  /** The decoded result, where the JSON is one. */
  readonly decode: (json: unknown) => Option.Option<unknown>
  /** The JSON of a decoded result, where it has one. */
  readonly encode: (value: unknown) => Option.Option<unknown>
  /** Whether it is a decoded result. */
  readonly isResult: (value: unknown) => boolean
  /** What the tool's checks say of a decoded result; undefined where one of them throws. */
  readonly judge: (value: unknown, args: unknown, nowMillis: number) => Verdict.Verdict | undefined
  /** The tools that the guard calls for this one: alternatives and lookups, theirs included. */
  readonly others: ReadonlyArray<AnyTool>
  /** The longest time that all of those may take beside the tool's own. */
  readonly otherMillis: number
}

/** Compiles what is known of a tool. */
export const make = (tool: AnyTool): Subject => {
  const { contract, definition, result } = compiledOf(tool)
  const { success } = definition
  const json = Schema.toCodecJson(success)
  const decode = Schema.decodeUnknownResult(json)
  const encode = Schema.encodeUnknownResult(json)
  const isType = Schema.is(Schema.toType(success))
  const others = reached(tool)
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
    judge: (value, args, nowMillis) => {
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
    others,
    otherMillis: timeOf(definition, others)
  }
}

const timeOf = ({ approval, attemptMillis, reconcile, retry }: ToolDefinition, others: ReadonlyArray<AnyTool>) => {
  const deadlines = others.map((other) => compiledOf(other).definition.deadlineMillis)
  const lookups = reconcile === undefined ? 0 : retry.attempts
  return (
    deadlines.reduce((sum, millis) => sum + millis * Math.max(1, lookups), 0) +
    (typeof approval === "function" ? attemptMillis : 0)
  )
}

/** What a function of the tool's gives; nothing where it throws. */
const attempt = <A>(run: () => Option.Option<A>): Option.Option<A> => {
  try {
    return run()
  } catch {
    return Option.none()
  }
}

const neighbours = (tool: ToolReference): ReadonlyArray<ToolReference> => {
  const { fallbacks, reconcile } = compiledOf(tool).definition
  return [...fallbacks.map((fallback) => fallback.tool), ...(reconcile === undefined ? [] : [reconcile.tool])]
}

const reached = (tool: AnyTool): ReadonlyArray<AnyTool> => {
  const found = new Map<string, ToolReference>([[tool.toolName, tool]])
  for (const known of found.values()) {
    for (const next of neighbours(known)) if (!found.has(next.toolName)) found.set(next.toolName, next)
  }
  // a definition refers to tools by name alone; what it holds are the classes
  return [...found.values()].slice(1) as unknown as ReadonlyArray<AnyTool>
}
