/**
 * The output schema of a served tool: the envelope, with the tool's own results under `data`.
 *
 * MCP requires `structuredContent` to match `outputSchema`, even for errors. `data` is optional because failures,
 * previews and results that redaction made invalid do not have it. `data` of a tool that only advises may have any
 * shape, because a result that violates `success` is passed on.
 */
import * as Contract from "#domain/schema/Contract"
import type { Enforcement } from "#domain/tool/PolicyInput"
import { mayAdvise } from "#domain/turn/Enforcement"
import type { Codec } from "#domain/tool/ToolDefinition"
import type * as JsonSchema from "effect/JsonSchema"

const text = (description: string) => ({ type: "string", description })

const anything: JsonSchema.JsonSchema = { description: "The result as the tool returned it." }

const error = {
  type: "object",
  description: "Why there is no complete result, and what to do next.",
  properties: {
    error_class: text("The class of the failure, such as tool_arg_error or transient."),
    code: text("The code of the failure, for programs."),
    message: text("The failure, in one line."),
    hint: text("What to do next."),
    next_step: {
      type: "string",
      enum: ["fix_arguments", "wait", "continue", "use_other_tool", "ask_user", "stop"]
    },
    details: { type: "object", description: "The fields of a refusal that the tool declares." },
    trace_id: text("Identifies the call in the server's logs.")
  },
  required: ["error_class", "code", "message", "next_step"]
}

/**
 * Returns the schema of the envelopes of a tool. The definitions of `success` stay at the root, where references find
 * them.
 */
export const of = (success: Codec, enforce: Enforcement): JsonSchema.JsonSchema => {
  const { $defs, ...data } = mayAdvise(enforce) ? anything : Contract.resultSchema(success).jsonSchema2020
  return {
    type: "object",
    properties: {
      status: { type: "string", enum: ["success", "partial", "error"] },
      data,
      error,
      used_fallback: { type: "string", description: "The tool that answered instead." },
      resource_url: text("Where the complete result can be read, if it was too large.")
    },
    required: ["status"],
    ...($defs === undefined ? {} : { $defs })
  }
}
