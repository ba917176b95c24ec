/** Creates a guarded tool from a tool that an MCP server lists. */
import type { Access, AccessBy } from "#domain/tool/Access"
import type { HumanReview } from "#domain/failure/Failure"
import { flagIn } from "#domain/answers/FailureFlag"
import { failureIn } from "#domain/answers/HiddenFailure"
import * as McpResult from "#domain/answers/McpResult"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import * as FieldKind from "#domain/tool/FieldKind"
import * as PolicySources from "#domain/tool/PolicySources"
import * as Part from "#domain/parts/Part"
import * as DynamicTool from "#src/tool/DynamicTool"
import { check, forTool, isPolled, pollOf, type RemotePolicy } from "#src/tool/RemotePolicy"
import * as ToolProperties from "#src/tool/ToolProperties"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { McpError } from "#src/mcp/wire/McpError"
import { accessOf } from "./AnnotatedAccess.ts"
import * as Blocks from "./Blocks.ts"
import type { ListedTool } from "./ToolListing.ts"
import * as Names from "./Names.ts"
import { checksOf } from "./ResultCheck.ts"
import * as ToolError from "./ToolError.ts"

/**
 * Checks policies before any tool is listed. Throws a RangeError that names the tool or pattern if a setting of its
 * policy, or of the patterns that apply to it, makes no sense.
 */
export const checkPolicies = (policies: Readonly<Record<string, RemotePolicy>>): void => {
  // untyped programs can pass any value
  if (!isJsonObject(policies)) {
    throw new RangeError(
      `\`policies\` is ${FieldKind.shown(policies)}; write an object with policies by name, such as { search: { access: "read" } }.`
    )
  }
  for (const [name, policy] of Object.entries(policies)) check(name, policy, policyOf(policies, name))
}

/**
 * Returns the policy of a tool: the policies of all patterns that match its name, field by field. If a budget is
 * smaller than the number of attempts, the setting of the more specific pattern applies, and the other is derived from
 * it.
 */
export const policyOf = (policies: Readonly<Record<string, RemotePolicy>>, name: string): RemotePolicy =>
  PolicySources.follow(
    Names.merged(policies, name) ?? {},
    // untyped programs can pass any value
    PolicySources.overruledIn(Names.matching(policies, name).filter(isJsonObject))
  )

/** Calls the tool on its server. */
export type Invoke = (args: JsonObject, idempotencyKey: string) => Effect.Effect<JsonObject, McpError | HumanReview>

/** The field of a call's `_meta` for the idempotency key. */
export const keyField = "effect-toolguard/idempotency-key"

interface RemoteDefinition extends Omit<RemotePolicy, "access" | "poll"> {
  readonly access: Access
  readonly accessBy: AccessBy
  readonly description: ListedTool["description"]
  readonly parameters: ListedTool["inputSchema"]
}

/**
 * Returns the definition of a listed tool with its policy. A tool that is not declared idempotent has no idempotency,
 * so its writes may be repeated [4.6].
 */
export const definitionOf = (listed: ListedTool, { poll, ...policy }: RemotePolicy): RemoteDefinition => {
  const access = policy.access ?? accessOf(listed.annotations)
  const accessBy = policy.access === undefined ? "server" : "owner"
  const isDeclared = policy.idempotency !== undefined || listed.annotations["idempotentHint"] === true
  return {
    ...forTool({ access, isPolled: isPolled(poll) }, isDeclared ? policy : { ...policy, idempotency: "none" as const }),
    access,
    accessBy,
    description: listed.description,
    parameters: listed.inputSchema
  }
}

/**
 * Creates the tool. The result is the structured content if the tool has an output schema, if it sends no text, or if
 * the structured content states a failure; otherwise it is the text content. Without an output schema, the result is
 * searched for hidden failures. Images, audio and resources become parts.
 */
export const make = (
  name: string,
  listed: ListedTool,
  policy: RemotePolicy,
  invoke: Invoke
): DynamicTool.DynamicTool => {
  const definition = definitionOf(listed, policy)
  const poll = pollOf(name, policy.poll)
  const tool = DynamicTool.dynamic<string, unknown>(name, {
    ...definition,
    ...(poll === undefined ? {} : { poll }),
    success: listed.outputSchema ?? Schema.String,
    ...(listed.outputSchema === undefined ? { checks: checksOf(definition.access) } : {}),
    handler: (args, { idempotencyKey }) =>
      invoke(isJsonObject(args) ? args : {}, idempotencyKey).pipe(
        Effect.mapError((error) =>
          error._tag === "McpError" ? ToolError.ofMcp(name, definition.access, error) : error
        ),
        Effect.flatMap((result) => {
          const failure = ToolError.reported(result, listed.outputSchema !== undefined)
          return failure === undefined ? Effect.succeed(answerOf(listed, result)) : Effect.fail<unknown>(failure)
        })
      )
  })
  return ToolProperties.ofServer(tool)
}

const statesFailure = (content: unknown, tool: string): boolean =>
  failureIn(content, tool) !== undefined || flagIn(content, { tool }) !== undefined

const answerOf = ({ name, outputSchema }: ListedTool, result: JsonObject): unknown => {
  const { structuredContent } = result
  const parts = Blocks.partsOf(result)
  const text = McpResult.textOf(result)
  const isStructured =
    structuredContent !== undefined &&
    (outputSchema !== undefined || text === "" || statesFailure(structuredContent, name))
  const answer = isStructured ? JSON.stringify(structuredContent) : text
  return parts.length === 0 ? answer : Part.withParts(answer, parts)
}
