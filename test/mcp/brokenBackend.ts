/** A backend whose layer cannot be built. */
import { Effect, Layer } from "effect"
import { Backend } from "effect-toolguard"
import { bareBox, tools } from "./support.ts"

export const backend = Backend.make({
  name: "broken",
  tools: bareBox,
  layer: Layer.provideMerge(
    tools(() => undefined),
    Layer.effectDiscard(Effect.fail(new Error("the database is unavailable")))
  ),
  prompt: "Hello"
})
