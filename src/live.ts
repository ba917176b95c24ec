/** The entry `effect-toolguard/live`: sends the events of runs over a network, and serves runs over HTTP. */
export * as AgentSse from "#src/live/AgentSse"
export * as LiveEvent from "#src/live/LiveEvent"
export * as LiveRun from "#src/live/LiveRun"
