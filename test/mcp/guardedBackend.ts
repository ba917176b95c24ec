/** A backend whose layer provides a guard without a person to ask. */
import { Layer } from "effect"
import { Backend } from "effect-toolguard"
import { Guard } from "#src/guard/Guard"
import { bareBox, tools } from "./support.ts"

export const backend = Backend.make({
  name: "guarded",
  tools: bareBox,
  layer: Layer.merge(
    tools((line) => void process.stderr.write(`${line}\n`)),
    Guard.layerMemory
  ),
  prompt: "Hello"
})
