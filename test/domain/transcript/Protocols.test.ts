/**
 * Repairs and exports random damaged conversations. The exports satisfy the published schema of each protocol and the
 * rules that a schema cannot express, and no text of a user or a model is lost.
 */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import * as CallArguments from "#domain/transcript/CallArguments"
import { conversation, Damage, damage, fromPlan, Plan, user } from "../../support/conversation.ts"
import { check, contentsOf, protocols } from "./exportChecks.ts"

describe("repaired exports", () => {
  for (const protocol of protocols) {
    it.prop(
      `9.4 of random conversations, after random damage, are valid for ${protocol.name}`,
      [Plan, Schema.Array(Damage).check(Schema.isMaxLength(10))],
      ([plan, damages]) => check(protocol, damages.reduce(damage, fromPlan(plan)), "random"),
      { arbitrary: { runs: 400 } }
    )
  }
})

describe("the import of an export", () => {
  it.prop(
    "9.2 preserves the contents of a conversation in both protocols",
    [Plan, Schema.Array(Damage).check(Schema.isMaxLength(6))],
    ([plan, damages]) => {
      const { prompt } = Transcript.repairForAnthropic(damages.reduce(damage, fromPlan(plan)))
      assert.deepStrictEqual(contentsOf(Transcript.fromAnthropic(Transcript.toAnthropic(prompt))), contentsOf(prompt))
      const again = Transcript.fromOpenAi(Transcript.toOpenAi(prompt))
      assert.deepStrictEqual(Transcript.toOpenAi(again), Transcript.toOpenAi(prompt))
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "9.2 preserves every text and every JSON value",
    [Schema.String, Schema.Json],
    ([text, value]) => {
      const { params } = CallArguments.read(JSON.stringify({ text, value })) // arguments as read from a log
      const prompt = conversation(
        user(`${text}.`),
        Prompt.assistantMessage({
          content: [Prompt.toolCallPart({ id: "a", name: "search", params, providerExecuted: false })]
        }),
        Prompt.toolMessage({
          content: [
            Prompt.toolResultPart({ id: "a", name: "search", isFailure: false, result: text, providerExecuted: false })
          ]
        })
      )
      assert.deepStrictEqual(Transcript.fromAnthropic(Transcript.toAnthropic(prompt)), prompt)
    },
    { arbitrary: { runs: 300 } }
  )
})
