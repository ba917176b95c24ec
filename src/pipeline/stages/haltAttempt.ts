/** Refuses an attempt of a tool that was halted after its call started: while it waited for a person or for a retry. */
import { Halts } from "#services/Halts"
import * as Effect from "effect/Effect"
import type { Stage } from "#pipeline/call/Stage"
import { unlessHalted } from "./halt.ts"

export const haltAttempt: Stage<Halts> = {
  name: "haltAttempt",
  question: "was the tool halted while the call waited",
  make: Effect.map(Halts, (halts) => (tool) => (next) => unlessHalted("haltAttempt", halts, tool, next))
}
