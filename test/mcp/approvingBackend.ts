/** A backend whose layer provides an escalation that approves. */
import { Layer } from "effect"
import { Backend } from "effect-toolguard"
import * as EscalationScripted from "#layers/EscalationScripted"
import { bareBox, tools } from "./support.ts"

export const backend = Backend.make({
  name: "approving",
  tools: bareBox,
  layer: Layer.merge(
    tools((line) => void process.stderr.write(`${line}\n`)),
    EscalationScripted.layer(["approve"])
  ),
  prompt: "Hello"
})
