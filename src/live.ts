/** What users import from `effect-toolguard/live`: the events of runs as they cross a network, and runs over HTTP. */
export * as AgentSse from "#src/live/AgentSse"
export * as LiveEvent from "#src/live/LiveEvent"
export * as LiveRun from "#src/live/LiveRun"
