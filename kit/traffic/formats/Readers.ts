/** Maps the name of each format to its reader. */
import * as AiSdk from "./AiSdk.ts"
import * as AnthropicMessages from "./AnthropicMessages.ts"
import * as CallRecords from "./CallRecords.ts"
import * as ClaudeCode from "./ClaudeCode.ts"
import * as Gemini from "./Gemini.ts"
import * as LangChain from "./LangChain.ts"
import * as Langfuse from "./Langfuse.ts"
import * as LangSmith from "./LangSmith.ts"
import * as MessageLines from "./MessageLines.ts"
import * as OpenAiChat from "./OpenAiChat.ts"
import * as OpenAiResponses from "./OpenAiResponses.ts"
import * as OpenTelemetry from "./OpenTelemetry.ts"
import { withUserAnswers } from "#kit/traffic/UserAnswers"
import type { Reader } from "#kit/traffic/Reader"
import type { FormatName } from "#kit/traffic/Format"

/** Creates the reader of a format, for one file. */
export const readerOf: { readonly [Name in FormatName]: () => Reader } = {
  openai: withUserAnswers(OpenAiChat.reader),
  "openai-responses": withUserAnswers(OpenAiResponses.reader),
  anthropic: withUserAnswers(AnthropicMessages.reader),
  gemini: withUserAnswers(Gemini.reader),
  langchain: withUserAnswers(LangChain.reader),
  "message-lines": withUserAnswers(MessageLines.reader),
  langfuse: withUserAnswers(Langfuse.reader),
  langsmith: withUserAnswers(LangSmith.reader),
  otel: withUserAnswers(OpenTelemetry.reader),
  "ai-sdk": withUserAnswers(AiSdk.reader),
  "claude-code": ClaudeCode.reader,
  toolguard: CallRecords.reader
}
