/** Passes the events of a run to its `onEvent`. */
import * as Effect from "effect/Effect"
import type { AgentEvent } from "./AgentEvent.ts"
import type { RunOptions } from "./AgentOptions.ts"
import type { AnyTool } from "#src/tool/ToolClass"

/** Passes an event to `onEvent`. A failure of `onEvent` is logged and does not end the run. */
export const emitterOf =
  (onEvent: RunOptions<AnyTool>["onEvent"]) =>
  (event: AgentEvent): Effect.Effect<void> =>
    onEvent === undefined
      ? Effect.void
      : Effect.catchCause(
          Effect.suspend(() => onEvent(event)),
          (cause) => Effect.logWarning(`onEvent failed at ${event._tag}`, cause)
        )
