/** The entry `effect-toolguard/ai-sdk`: guarded tools in the Vercel AI SDK. */
export {
  guardFor,
  guardTools,
  type AiSdkCallOptions,
  type AiSdkExistingTool,
  type AiSdkGuard,
  type AiSdkGuardedTools,
  type AiSdkOutput,
  type AiSdkPolicies,
  type AiSdkTool,
  type AiSdkTools
} from "#src/frameworks/AiSdk"
export type { ExistingOptions, ExistingPolicy } from "#src/frameworks/ExistingTools"
