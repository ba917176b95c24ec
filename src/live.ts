/** What users import from `effect-toolguard/live`: the events of runs as they cross a network, and runs over HTTP. */
export * as AgentSse from "./AgentSse.ts"
export * as LiveEvent from "./LiveEvent.ts"
export * as LiveRun from "./LiveRun.ts"
