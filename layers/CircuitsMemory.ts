/** Keeps circuits in this process: one state of `Circuit` for each tool [4.11]. */
import * as Circuit from "#domain/tool/Circuit"
import { Circuits } from "#services/Circuits"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as CircuitOutcome from "#layers/internal/stores/CircuitOutcome"

/** One circuit for each tool. */
export const layer: Layer.Layer<Circuits> = Layer.sync(Circuits, () => {
  const states = new Map<string, Circuit.CircuitState>()
  const stateOf = (tool: string): Circuit.CircuitState => states.get(tool) ?? Circuit.closed
  return {
    isShared: false,
    execute: (tool, policy, attempt, onRejected) => {
      const run = ({ epoch }: Circuit.CircuitState) =>
        Effect.onExit(attempt, (exit) => {
          const outcome = CircuitOutcome.of(exit)
          const known = stateOf(tool)
          // the time decides nothing about a closed circuit that stays closed
          if (outcome !== "failure" && Circuit.isClosed(known)) {
            states.set(tool, Circuit.record(policy, known, epoch, outcome, 0, 0))
            return Effect.void
          }
          return Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const before = stateOf(tool)
            const after = Circuit.record(policy, before, epoch, outcome, now, 0)
            states.set(tool, after)
            // only an opening draws a random number, so that other failures do not change the random delays of retries
            return after === before || after._tag !== "Open" || outcome !== "failure"
              ? Effect.void
              : Effect.map(Random.next, (random) => {
                  states.set(tool, Circuit.record(policy, before, epoch, outcome, now, random))
                })
          })
        })
      return Effect.suspend(() => {
        const state = stateOf(tool)
        if (Circuit.isClosed(state)) return run(state)
        return Effect.flatMap(Effect.all([Clock.currentTimeMillis, Random.next]), ([now, random]) => {
          const admission = Circuit.admit(policy, stateOf(tool), now, random)
          states.set(tool, admission.state)
          return admission._tag === "Admitted"
            ? run(admission.state)
            : Effect.succeed(onRejected({ retryAfter: Duration.millis(admission.retryAfterMillis) }))
        })
      })
    }
  }
})
