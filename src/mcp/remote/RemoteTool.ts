/** A guarded tool of a tool that an MCP server lists. */
import type { Access } from "#domain/tool/Access"
import type { HumanReview } from "#domain/failure/Failure"
import type { Level } from "#domain/tool/EscalationPolicy"
import { hiddenFailure } from "#src/checks/Recognisers"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import * as Part from "#domain/parts/Part"
import type { PolicyInput } from "#domain/tool/ToolDefinition"
import * as DynamicTool from "#src/tool/DynamicTool"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { McpError } from "#src/mcp/wire/McpError"
import { accessOf } from "./AccessOf.ts"
import * as Blocks from "./Blocks.ts"
import type { ListedTool } from "./ListTools.ts"
import * as ToolError from "./ToolError.ts"

/** What is decided for a tool beside what its server says. */
export interface RemotePolicy extends PolicyInput {
  /** Default: by the server's hints, and `destructive` where it says nothing. */
  readonly access?: Access
  /** Its failures for good are told to a person. Default: false. */
  readonly critical?: boolean
  /** How much of a person a call needs. Default: by the escalation policy, which confirms what is destructive. */
  readonly approval?: Level
  /** `derived`: the same arguments are one action, done once. Default: `none`. */
  readonly idempotency?: "none" | "derived"
}

/** Calls the tool at its server. */
export type Invoke = (args: JsonObject, idempotencyKey: string) => Effect.Effect<JsonObject, McpError | HumanReview>

/** Where the key of an action stands in a call's `_meta`. */
export const keyField = "effect-toolguard/idempotency-key"

/** The definition that a listed tool and its policy give. */
export const definitionOf = (listed: ListedTool, policy: RemotePolicy) => {
  const access = policy.access ?? accessOf(listed.annotations)
  return { ...policy, access, description: listed.description, parameters: listed.inputSchema }
}

/**
 * The tool under a name. Its result is the structured content, by the server's output schema; else its texts, which are then
 * looked through for failures that call themselves none. Pictures, sounds and resources stand beside it.
 */
export const make = (
  name: string,
  listed: ListedTool,
  policy: RemotePolicy,
  invoke: Invoke
): DynamicTool.DynamicTool => {
  const definition = definitionOf(listed, policy)
  return DynamicTool.dynamic<string, unknown>(name, {
    ...definition,
    success: listed.outputSchema ?? Schema.String,
    ...(listed.outputSchema === undefined ? { checks: { hiddenFailure } } : {}),
    handler: (args, { idempotencyKey }) =>
      invoke(isJsonObject(args) ? args : {}, idempotencyKey).pipe(
        Effect.mapError((error) =>
          error._tag === "McpError" ? ToolError.ofMcp(name, definition.access, error) : error
        ),
        Effect.flatMap((result) =>
          result["isError"] === true
            ? Effect.fail<unknown>(ToolError.reported(result))
            : Effect.succeed(answerOf(listed, result))
        )
      )
  })
}

const answerOf = ({ outputSchema }: ListedTool, result: JsonObject): unknown => {
  const { structuredContent } = result
  const parts = Blocks.partsOf(result)
  const text = ToolError.textOf(result)
  const answer =
    structuredContent !== undefined && (outputSchema !== undefined || text === "")
      ? JSON.stringify(structuredContent)
      : text
  return parts.length === 0 ? answer : Part.withParts(answer, parts)
}
