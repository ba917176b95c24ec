/** The types of the chat completions format, which is sent to the API and written to logs. */

/** A part of a user message. */
export type ContentPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } }
  | { readonly type: "input_audio"; readonly input_audio: { readonly data: string; readonly format: "wav" | "mp3" } }
  | { readonly type: "file"; readonly file: { readonly filename: string; readonly file_data: string } }

/** A call in an assistant message. `arguments` is the text that the model wrote. */
export interface ToolCall {
  readonly id: string
  readonly type: "function"
  readonly function: { readonly name: string; readonly arguments: string }
}

interface SystemMessage {
  readonly role: "system"
  /** The name of the author. */
  readonly name?: string
  readonly content: string
}

export interface UserMessage {
  readonly role: "user"
  /** The name of the author. */
  readonly name?: string
  readonly content: string | ReadonlyArray<ContentPart>
}

export interface AssistantMessage {
  readonly role: "assistant"
  /** The name of the author. */
  readonly name?: string
  /** The text of the message; null if the model only called tools. */
  readonly content: string | null
  readonly tool_calls?: ReadonlyArray<ToolCall>
}

export interface ToolMessage {
  readonly role: "tool"
  readonly tool_call_id: string
  readonly content: string
}

/** A message of a conversation. */
export type ChatMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage
