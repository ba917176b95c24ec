/** Holds the shortest line of each format with a call, and the shortest mapping, as help for logs that cannot be read. */
import type { FormatName } from "./Format.ts"

/** The shortest lines by format. */
export const shortestLines: { readonly [Name in FormatName]: string } = {
  openai: '{"messages":[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"x","arguments":"{}"}}]}]}',
  "openai-responses": '{"input":[{"type":"function_call","call_id":"1","name":"x","arguments":"{}"}]}',
  anthropic: '{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"x","input":{}}]}]}',
  gemini: '{"contents":[{"role":"model","parts":[{"functionCall":{"name":"x","args":{}}}]}]}',
  langchain: '{"messages":[{"type":"ai","content":"","tool_calls":[{"id":"1","name":"x","args":{}}]}]}',
  "message-lines":
    '{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"x","arguments":"{}"}}]}',
  langfuse: '{"type":"TOOL","traceId":"1","name":"x","input":{},"output":""}',
  langsmith: '{"run_type":"tool","trace_id":"1","name":"x","inputs":{},"outputs":{"output":""}}',
  otel: '{"name":"x","context":{"trace_id":"1"},"start_time":"","attributes":{"gen_ai.tool.name":"x","gen_ai.tool.call.arguments":"{}","gen_ai.tool.call.result":""}}',
  "ai-sdk":
    '{"messages":[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"1","toolName":"x","input":{}}]}]}',
  "claude-code":
    '{"type":"assistant","sessionId":"1","message":{"content":[{"type":"tool_use","id":"1","name":"x","input":{}}]}}',
  codex: '{"type":"response_item","payload":{"type":"function_call","call_id":"1","name":"x","arguments":"{}"}}',
  toolguard:
    '{"conversation":"1","tool":"x","arguments":{},"keyDigest":"","attempts":[],"outcome":{"_tag":"Success","result":1}}'
}

/** The shortest mapping of lines with a call and its result, such as `{"tool":"x","args":{},"result":""}`. */
export const shortestMapping = '{"calls":{"name":"tool","arguments":"args"},"results":{"text":"result"}}'
