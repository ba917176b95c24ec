/** The desk as a backend for the command. What runs is told on standard error; a handler that prints must not disturb. */
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
