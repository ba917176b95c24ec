/** The entry `effect-toolguard/openai-agents`: guarded tools in the OpenAI Agents SDK. */
export {
  guardFor,
  guardModel,
  guardTools,
  type AgentsCallDetails,
  type AgentsExistingTool,
  type AgentsGuard,
  type AgentsHost,
  type AgentsPolicies,
  type AgentsTool
} from "#src/frameworks/OpenAiAgents"
export type { ExistingOptions, ExistingPolicy } from "#src/frameworks/ExistingTools"
