/** The types of Anthropic's messages format, which is sent to the API and written to logs. */

/** Marks the end of a prefix that the provider caches. */
export interface CacheControl {
  readonly type: "ephemeral"
  readonly ttl?: "5m" | "1h"
}

interface CacheFields {
  readonly cache_control?: CacheControl
}

export interface TextBlock extends CacheFields {
  readonly type: "text"
  readonly text: string
}

export interface ImageBlock extends CacheFields {
  readonly type: "image"
  readonly source:
    | { readonly type: "base64"; readonly media_type: string; readonly data: string }
    | { readonly type: "url"; readonly url: string }
}

export interface DocumentBlock extends CacheFields {
  readonly type: "document"
  readonly title?: string
  readonly source:
    | { readonly type: "base64"; readonly media_type: "application/pdf"; readonly data: string }
    | { readonly type: "text"; readonly media_type: "text/plain"; readonly data: string }
    | { readonly type: "url"; readonly url: string }
}

interface ThinkingBlock {
  readonly type: "thinking"
  readonly thinking: string
  readonly signature: string
}

interface RedactedThinkingBlock {
  readonly type: "redacted_thinking"
  readonly data: string
}

/** A call. */
interface ToolUseBlock extends CacheFields {
  readonly type: "tool_use"
  readonly id: string
  readonly name: string
  readonly input: { readonly [name: string]: unknown }
}

/** The result of a call, in the user message after the call. */
export interface ToolResultBlock extends CacheFields {
  readonly type: "tool_result"
  readonly tool_use_id: string
  readonly content: string | ReadonlyArray<Block>
  readonly is_error?: boolean
}

/** A block whose type this package does not know. It is kept unchanged. */
export interface OtherBlock {
  readonly type: string & {}
  readonly [field: string]: unknown
}

/** A block of a message. */
export type Block =
  | TextBlock
  | ImageBlock
  | DocumentBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | OtherBlock

/** A message. If the content is a single text, it is a string. */
export interface Message {
  readonly role: "user" | "assistant"
  readonly content: string | ReadonlyArray<Block>
}

/** A conversation. The system text is separate from the messages. */
export interface History {
  readonly system?: string | ReadonlyArray<TextBlock>
  readonly messages: ReadonlyArray<Message>
}
