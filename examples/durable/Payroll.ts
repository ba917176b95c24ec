/** The agent that pays wages: its tool, and a scripted model that pays one person after another. */
import { Effect, type Layer, Schema } from "effect"
import type { LanguageModel } from "effect/ai"
import { DurableAgent, GuardedTool, Toolbox } from "effect-toolguard"
import * as ScriptedModel from "effect-toolguard/layers/ScriptedModel"

export const people = ["Ann", "Bob", "Cid", "Dora", "Emil"]

class PayWages extends GuardedTool.Service<PayWages>()("pay_wages", {
  description: "Pays the wages of one person for this month. Writes.",
  access: "write",
  parameters: Schema.Struct({ name: Schema.String }),
  success: Schema.Struct({ reference: Schema.String }),
  idempotency: { mode: "derived", upstreamHonoursKey: true }
}) {}

export const Payroll = DurableAgent.make("Payroll", { tools: Toolbox.make(PayWages) })

/** Implements the tool over HTTP. The key of a call is the same in every attempt and on every runner. */
export const tools = (bank: string) =>
  PayWages.layer(({ name }, { idempotencyKey = "" }) =>
    Effect.tryPromise((signal) =>
      // the guard decodes the answer with the tool's schema
      fetch(`${bank}/transfers/${name}`, {
        method: "POST",
        headers: { "idempotency-key": idempotencyKey, "x-process": `${process.pid}` },
        signal
      }).then((response) => response.json() as Promise<{ readonly reference: string }>)
    )
  )

/** A scripted model. Each reply depends only on the conversation, so every runner gets the same reply. */
export const model: Layer.Layer<LanguageModel.LanguageModel> = ScriptedModel.layer((prompt) => {
  const paid = prompt.content.filter(({ role }) => role === "tool").length
  const next = people[paid]
  return next === undefined
    ? `I have paid ${people.length} people.`
    : ScriptedModel.call("pay_wages", { name: next }, `call_${next}`)
})
