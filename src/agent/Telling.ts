/** How a run tells its events. */
import * as Effect from "effect/Effect"
import type { AgentEvent } from "./AgentEvent.ts"
import type { RunOptions } from "./AgentOptions.ts"
import type { AnyTool } from "#src/tool/ToolClass"

/** Tells an event. A listener that breaks ends no run. */
export const telling =
  (onEvent: RunOptions<AnyTool>["onEvent"]) =>
  (event: AgentEvent): Effect.Effect<void> =>
    onEvent === undefined
      ? Effect.void
      : Effect.catchCause(
          Effect.suspend(() => onEvent(event)),
          (cause) => Effect.logWarning(`onEvent failed at ${event._tag}`, cause)
        )
