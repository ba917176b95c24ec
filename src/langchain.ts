/** The entry `effect-toolguard/langchain`: guarded tools in LangChain. */
export {
  guardFor,
  guardTools,
  type LangChainCall,
  type LangChainConfig,
  type LangChainExistingTool,
  type LangChainGuard,
  type LangChainMiddleware,
  type LangChainPolicies,
  type LangChainTool,
  type LangChainToolMessage
} from "#src/frameworks/LangChain"
export type { ExistingOptions, ExistingPolicy } from "#src/frameworks/ExistingTools"
