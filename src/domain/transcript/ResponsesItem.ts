/** The types of the items of OpenAI's Responses API, which are sent to the API and written to logs. */

export interface InputText {
  readonly type: "input_text"
  readonly text: string
}

export interface InputImage {
  readonly type: "input_image"
  readonly image_url: string
  readonly detail: "auto" | "low" | "high" | "original"
}

interface InputFile {
  readonly type: "input_file"
  readonly filename?: string
  readonly file_data?: string
  readonly file_url?: string
}

/** A part whose type this package does not know. It is kept unchanged. */
interface OtherContent {
  readonly type: string & {}
  readonly [field: string]: unknown
}

/** A part of a user message or of an output. */
export type InputContent = InputText | InputImage | InputFile | OtherContent

/** A message of the system or of a user. Content that is a single text is a string. */
export interface InputMessage {
  readonly type: "message"
  readonly role: "system" | "developer" | "user"
  readonly content: string | ReadonlyArray<InputContent>
}

/** Whether a text is a comment between calls or the final answer. Newer models require it back. */
export type Phase = "commentary" | "final_answer"

type Status = "in_progress" | "completed" | "incomplete"

export interface OutputText {
  readonly type: "output_text"
  readonly text: string
  readonly annotations: ReadonlyArray<object>
}

export interface Refusal {
  readonly type: "refusal"
  readonly refusal: string
}

/** A message of the model as the API returned it, with its id. */
export interface OutputMessage {
  readonly type: "message"
  readonly id: string
  readonly role: "assistant"
  readonly status: Status
  readonly content: ReadonlyArray<OutputText | Refusal>
  readonly phase?: Phase
}

/** A message of the model without an id, from another provider. */
export interface AssistantMessage {
  readonly type: "message"
  readonly role: "assistant"
  readonly content: string
  readonly phase?: Phase
}

/** A call. `call_id` binds its output to it; `id` is the id of the item. */
export interface FunctionCall {
  readonly type: "function_call"
  readonly id?: string
  readonly call_id: string
  readonly name: string
  readonly arguments: string
  readonly status?: Status
  readonly namespace?: string
}

/** A call whose input is a text instead of JSON. */
export interface CustomToolCall {
  readonly type: "custom_tool_call"
  readonly id?: string
  readonly call_id: string
  readonly name: string
  readonly input: string
  readonly namespace?: string
}

/** The result of a call, or of a custom tool's call. */
export interface CallOutput {
  readonly type: "function_call_output" | "custom_tool_call_output"
  readonly call_id: string
  readonly output: string | ReadonlyArray<InputContent>
}

/** An item that is kept unchanged: reasoning, the work of a tool that the provider ran, or an item of another type. */
interface KeptItem {
  readonly type: string & {}
  readonly [field: string]: unknown
}

/** An item of a conversation. */
export type Item =
  | InputMessage
  | OutputMessage
  | AssistantMessage
  | FunctionCall
  | CustomToolCall
  | CallOutput
  | KeptItem
