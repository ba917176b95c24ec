/** A backend whose handlers report on standard error and print to the console, which must not break the protocol. */
import { Backend } from "effect-toolguard"
import { bareBox, tools } from "./support.ts"

export const backend = Backend.make({
  name: "desk",
  tools: bareBox,
  layer: tools((line) => {
    process.stderr.write(`${line}\n`)
    console.log("printed by a tool")
  }),
  prompt: "Hello"
})
