/**
 * JSON Schemas of OpenAI's Responses API: requests, responses and stream events, written from the types of the official
 * client (`openai/resources/responses/responses.d.ts`). `test/interop/responses.long.test.ts` compares both.
 *
 * Only the items and parts that our tests use have closed schemas. The types of the other items are listed.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"

type Schema = object

const text = { type: "string" }
const integer = { type: "integer", minimum: 0 }
const any = {}
const orNull = (schema: Schema) => ({ anyOf: [schema, { type: "null" }] })
const literal = (...values: ReadonlyArray<string>) => ({ enum: values })
const listOf = (items: Schema) => ({ type: "array", items })
const ref = (name: string) => ({ $ref: `#/$defs/${name}` })

/** An object without other fields. */
const closed = (required: Record<string, Schema>, optional: Record<string, Schema> = {}) => ({
  type: "object",
  properties: { ...required, ...optional },
  required: Object.keys(required),
  additionalProperties: false
})

const status = literal("in_progress", "completed", "incomplete")
const phase = orNull(literal("commentary", "final_answer"))

/** The types of the items that are accepted with any fields. */
const otherItems = [
  "file_search_call",
  "computer_call",
  "computer_call_output",
  "web_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "local_shell_call",
  "local_shell_call_output",
  "shell_call",
  "shell_call_output",
  "apply_patch_call",
  "apply_patch_call_output",
  "mcp_list_tools",
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_call",
  "compaction",
  "item_reference"
]

const calls = {
  FunctionCall: closed(
    { type: literal("function_call"), call_id: text, name: text, arguments: text },
    { id: text, async: { type: "boolean" }, caller: orNull({ type: "object" }), namespace: text, status }
  ),
  CustomToolCall: closed(
    { type: literal("custom_tool_call"), call_id: text, name: text, input: text },
    { id: text, async: { type: "boolean" }, caller: orNull({ type: "object" }), namespace: text }
  ),
  Reasoning: closed(
    { type: literal("reasoning"), id: text, summary: listOf(closed({ type: literal("summary_text"), text })) },
    {
      content: listOf(closed({ type: literal("reasoning_text"), text })),
      encrypted_content: orNull(text),
      status
    }
  ),
  OtherItem: { type: "object", properties: { type: literal(...otherItems) }, required: ["type"] },
  OutputText: closed(
    { type: literal("output_text"), text, annotations: listOf({ type: "object", required: ["type"] }) },
    { logprobs: listOf(any) }
  ),
  Refusal: closed({ type: literal("refusal"), refusal: text }),
  OutputMessage: closed(
    {
      type: literal("message"),
      id: text,
      role: literal("assistant"),
      status,
      content: listOf({ anyOf: [ref("OutputText"), ref("Refusal")] })
    },
    { phase }
  )
}

const inputs = {
  InputText: closed({ type: literal("input_text"), text }),
  InputImage: closed(
    { type: literal("input_image"), detail: literal("low", "high", "auto", "original") },
    { image_url: orNull(text), file_id: orNull(text) }
  ),
  InputFile: closed(
    { type: literal("input_file") },
    { file_data: text, file_id: orNull(text), file_url: text, filename: text, detail: literal("low", "high", "auto") }
  ),
  InputContent: { anyOf: [ref("InputText"), ref("InputImage"), ref("InputFile")] },
  InputMessage: closed(
    {
      role: literal("user", "system", "developer"),
      content: { anyOf: [text, listOf(ref("InputContent"))] }
    },
    { type: literal("message"), status }
  ),
  AssistantMessage: closed({ role: literal("assistant"), content: text }, { type: literal("message"), phase }),
  CallOutput: closed(
    {
      type: literal("function_call_output", "custom_tool_call_output"),
      call_id: text,
      output: { anyOf: [text, listOf(ref("InputContent"))] }
    },
    { id: orNull(text), status: orNull(status) }
  ),
  InputItem: {
    anyOf: ["InputMessage", "AssistantMessage", "OutputMessage", "CallOutput", "OtherItem"]
      .concat("FunctionCall", "CustomToolCall", "Reasoning")
      .map(ref)
  }
}

const request = {
  Format: {
    anyOf: [
      closed({ type: literal("text") }),
      closed({ type: literal("json_object") }),
      closed(
        { type: literal("json_schema"), name: text, schema: { type: "object" } },
        { description: text, strict: orNull({ type: "boolean" }) }
      )
    ]
  },
  Tool: {
    anyOf: [
      closed(
        {
          type: literal("function"),
          name: text,
          parameters: orNull({ type: "object" }),
          strict: orNull({ type: "boolean" })
        },
        { description: orNull(text) }
      ),
      {
        type: "object",
        properties: { type: { type: "string", not: { const: "function" } } },
        required: ["type"]
      }
    ]
  },
  CreateParams: closed(
    {},
    {
      background: orNull({ type: "boolean" }),
      include: orNull(listOf(text)),
      input: { anyOf: [text, listOf(ref("InputItem"))] },
      instructions: orNull(text),
      max_output_tokens: orNull({ type: "integer", minimum: 16 }),
      max_tool_calls: orNull(integer),
      metadata: orNull({ type: "object" }),
      model: text,
      parallel_tool_calls: orNull({ type: "boolean" }),
      previous_response_id: orNull(text),
      prompt_cache_key: orNull(text),
      reasoning: orNull(closed({}, { effort: orNull(text), summary: orNull(text) })),
      safety_identifier: orNull(text),
      service_tier: orNull(text),
      store: orNull({ type: "boolean" }),
      stream: orNull({ type: "boolean" }),
      temperature: orNull({ type: "number", minimum: 0, maximum: 2 }),
      text: closed({}, { format: ref("Format"), verbosity: orNull(text) }),
      tool_choice: {
        anyOf: [
          literal("none", "auto", "required"),
          closed({ type: literal("function"), name: text }),
          { type: "object", properties: { type: { type: "string", not: { const: "function" } } }, required: ["type"] }
        ]
      },
      tools: listOf(ref("Tool")),
      top_p: orNull({ type: "number", minimum: 0, maximum: 1 }),
      truncation: orNull(literal("auto", "disabled")),
      user: text
    }
  )
}

const response = {
  Usage: closed({
    input_tokens: integer,
    input_tokens_details: closed({ cache_write_tokens: integer, cached_tokens: integer }),
    output_tokens: integer,
    output_tokens_details: closed({ reasoning_tokens: integer }),
    total_tokens: integer
  }),
  OutputItem: {
    anyOf: [
      ...["FunctionCall", "CustomToolCall"].map((name) => ({ allOf: [ref(name)], required: ["id"] })),
      ...["OutputMessage", "Reasoning", "OtherItem"].map(ref)
    ]
  },
  Response: {
    type: "object",
    properties: {
      id: text,
      object: literal("response"),
      created_at: { type: "number" },
      status: literal("completed", "failed", "in_progress", "cancelled", "queued", "incomplete"),
      error: orNull({ type: "object", properties: { code: text, message: text }, required: ["code", "message"] }),
      incomplete_details: orNull(closed({}, { reason: text })),
      model: text,
      output: listOf(ref("OutputItem")),
      usage: orNull(ref("Usage"))
    },
    required: ["id", "object", "created_at", "error", "incomplete_details", "model", "output"].concat([
      "instructions",
      "metadata",
      "parallel_tool_calls",
      "temperature",
      "tool_choice",
      "tools",
      "top_p"
    ])
  }
}

const event = (type: string, fields: Record<string, Schema>) =>
  closed({ type: literal(type), sequence_number: integer, ...fields })

const itemPlace = { item_id: text, output_index: integer }
const contentPlace = { ...itemPlace, content_index: integer }
const summaryPlace = { ...itemPlace, summary_index: integer }
const contentPart = { anyOf: [ref("OutputText"), ref("Refusal"), closed({ type: literal("reasoning_text"), text })] }
const summaryPart = closed({ type: literal("summary_text"), text })

const events = {
  StreamEvent: {
    anyOf: [
      ...["created", "in_progress", "queued", "completed", "incomplete", "failed"].map((name) =>
        event(`response.${name}`, { response: ref("Response") })
      ),
      event("response.output_item.added", { item: any, output_index: integer }),
      event("response.output_item.done", { item: ref("OutputItem"), output_index: integer }),
      event("response.content_part.added", { ...contentPlace, part: contentPart }),
      event("response.content_part.done", { ...contentPlace, part: contentPart }),
      event("response.output_text.delta", { ...contentPlace, delta: text, logprobs: listOf(any) }),
      event("response.output_text.done", { ...contentPlace, text, logprobs: listOf(any) }),
      event("response.output_text.annotation.added", { ...contentPlace, annotation: any, annotation_index: integer }),
      event("response.refusal.delta", { ...contentPlace, delta: text }),
      event("response.refusal.done", { ...contentPlace, refusal: text }),
      event("response.function_call_arguments.delta", { ...itemPlace, delta: text }),
      event("response.function_call_arguments.done", { ...itemPlace, arguments: text }),
      event("response.custom_tool_call_input.delta", { ...itemPlace, delta: text }),
      event("response.custom_tool_call_input.done", { ...itemPlace, input: text }),
      event("response.reasoning_summary_part.added", { ...summaryPlace, part: summaryPart }),
      event("response.reasoning_summary_part.done", { ...summaryPlace, part: summaryPart }),
      event("response.reasoning_summary_text.delta", { ...summaryPlace, delta: text }),
      event("response.reasoning_summary_text.done", { ...summaryPlace, text }),
      event("response.reasoning_text.delta", { ...contentPlace, delta: text }),
      event("response.reasoning_text.done", { ...contentPlace, text }),
      event("error", { code: orNull(text), message: text, param: orNull(text) })
    ]
  }
}

const definitions = { ...calls, ...inputs, ...request, ...response, ...events }

const validators = new Map<string, ValidateFunction>()

const validator = (definition: keyof typeof definitions): ValidateFunction => {
  const known = validators.get(definition)
  if (known !== undefined) return known
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  const compiled = ajv.compile({ $defs: definitions, $ref: `#/$defs/${definition}` })
  validators.set(definition, compiled)
  return compiled
}

/** Validates a value against one of the definitions. Returns the errors. */
export const schemaErrors = (definition: keyof typeof definitions, value: unknown): ReadonlyArray<string> => {
  const validate = validator(definition)
  return validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
