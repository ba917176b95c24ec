/** Maps the name of each format to its reader. */
import * as AiSdk from "./AiSdk.ts"
import * as AnthropicMessages from "./AnthropicMessages.ts"
import * as CallRecords from "./CallRecords.ts"
import * as ClaudeCode from "./ClaudeCode.ts"
import * as Codex from "./Codex.ts"
import * as Gemini from "./Gemini.ts"
import * as LangChain from "./LangChain.ts"
import * as Langfuse from "./Langfuse.ts"
import * as LangSmith from "./LangSmith.ts"
import * as MessageLines from "./MessageLines.ts"
import * as OpenAiChat from "./OpenAiChat.ts"
import * as OpenAiResponses from "./OpenAiResponses.ts"
import * as OpenTelemetry from "./OpenTelemetry.ts"
import { withNamedCalls } from "#kit/traffic/NamedCalls"
import { withUserAnswers } from "#kit/traffic/UserAnswers"
import { withWrittenCalls } from "#kit/traffic/WrittenCalls"
import type { Reader } from "#kit/traffic/Reader"
import type { FormatName } from "#kit/traffic/Format"

const answered = (reader: () => Reader) => withWrittenCalls(withNamedCalls(withUserAnswers(reader)))

/** Creates the reader of a format, for one file. */
export const readerOf: { readonly [Name in FormatName]: () => Reader } = {
  openai: answered(OpenAiChat.reader),
  "openai-responses": answered(OpenAiResponses.reader),
  anthropic: answered(AnthropicMessages.reader),
  gemini: answered(Gemini.reader),
  langchain: answered(LangChain.reader),
  "message-lines": answered(MessageLines.reader),
  langfuse: answered(Langfuse.reader),
  langsmith: answered(LangSmith.reader),
  otel: answered(OpenTelemetry.reader),
  "ai-sdk": answered(AiSdk.reader),
  "claude-code": withNamedCalls(ClaudeCode.reader),
  codex: withNamedCalls(Codex.reader),
  toolguard: CallRecords.reader
}
