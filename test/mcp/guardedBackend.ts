/** A backend whose layer brings a guard of its own, where nobody can be asked. */
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
