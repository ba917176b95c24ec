/** The reader of each format, by its name. */
import * as AiSdk from "./AiSdk.ts"
import * as AnthropicMessages from "./AnthropicMessages.ts"
import * as CallRecords from "./CallRecords.ts"
import * as ClaudeCode from "./ClaudeCode.ts"
import * as OpenAiChat from "./OpenAiChat.ts"
import * as OpenTelemetry from "./OpenTelemetry.ts"
import type { Reader } from "#kit/traffic/Reader"
import type { FormatName } from "#kit/traffic/Format"

/** Creates the reader of a format, for one file. */
export const readerOf: { readonly [Name in FormatName]: () => Reader } = {
  openai: OpenAiChat.reader,
  anthropic: AnthropicMessages.reader,
  otel: OpenTelemetry.reader,
  "ai-sdk": AiSdk.reader,
  "claude-code": ClaudeCode.reader,
  toolguard: CallRecords.reader
}
