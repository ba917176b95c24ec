/**
 * What is exported after repair is valid by the published schema of each protocol and by the rules that no schema says,
 * and nothing that a person or a model said is lost: on recorded conversations, on damaged ones, and on random ones.
 */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import * as CallArguments from "#domain/transcript/CallArguments"
import * as AnthropicRules from "../../support/AnthropicRules.ts"
import { conversation, Damage, damage, fromPlan, Plan, user } from "../../support/conversation.ts"
import { hasData } from "../../support/data.ts"
import * as OpenAiRules from "../../support/OpenAiRules.ts"
import { type Recording, recordings } from "../../support/recorded.ts"

const all: ReadonlyArray<Recording> = hasData ? recordings() : []

/** The rules for names are those of the request, not of the history: the provider layer keeps them. */
const openAiError = (messages: ReadonlyArray<Transcript.ChatMessage>): string | undefined => {
  const [first] = OpenAiRules.schemaErrors("CreateChatCompletionRequest", { model: "m", messages })
  return first ?? OpenAiRules.sequenceError(messages as never)?.error.message
}

const anthropicError = (history: Transcript.AnthropicHistory): string | undefined =>
  AnthropicRules.refusal({ model: "m", max_tokens: 1, ...history } as never)

/** What users and models said, but white space. */
const saidIn = (prompt: Prompt.Prompt): ReadonlyArray<string> =>
  prompt.content.flatMap((message) =>
    message.role === "user" || message.role === "assistant"
      ? message.content.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [part.text] : []))
      : []
  )

const resultsIn = (prompt: Prompt.Prompt): ReadonlyArray<string> =>
  prompt.content.flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part) => (part.type === "tool-result" ? [CallArguments.textOf(part.result)] : []))
      : []
  )

/** The texts of `before` that `after` does not hold; one that was the result of a call is one now. */
const lost = (before: Prompt.Prompt, after: Prompt.Prompt): ReadonlyArray<string> => {
  const left = new Map<string, number>()
  for (const text of saidIn(after)) left.set(text.trimEnd(), (left.get(text.trimEnd()) ?? 0) + 1)
  const results = new Set(resultsIn(after))
  return saidIn(before).filter((text) => {
    const count = left.get(text.trimEnd()) ?? 0
    left.set(text.trimEnd(), count - 1)
    if (count > 0) return false
    return ![...results].some((result) => text.endsWith(result) && text.startsWith("Tool result for "))
  })
}

/** Everything that a conversation holds, in order, whatever messages it stands in; system texts first. */
const heldBy = (prompt: Prompt.Prompt): ReadonlyArray<unknown> => [
  ...prompt.content.flatMap((message) => (message.role === "system" ? [["system", message.content]] : [])),
  ...prompt.content.flatMap((message): ReadonlyArray<unknown> => {
    if (message.role === "system") return []
    return (message.content as ReadonlyArray<Prompt.Part>).map((part) => {
      switch (part.type) {
        case "text":
          return [message.role, part.text]
        case "tool-call":
          return ["call", part.id, part.name, JSON.parse(CallArguments.writeObject(part))]
        case "tool-result":
          return ["result", part.id, part.isFailure, CallArguments.textOf(part.result)]
        default:
          return [part.type]
      }
    })
  })
]

const protocols = [
  {
    name: "OpenAI",
    repair: (prompt: Prompt.Prompt) => Transcript.repair(prompt),
    error: (prompt: Prompt.Prompt) => openAiError(Transcript.toOpenAi(prompt)),
    exported: (prompt: Prompt.Prompt) => JSON.stringify(Transcript.toOpenAi(prompt))
  },
  {
    name: "Anthropic",
    repair: (prompt: Prompt.Prompt) => Transcript.repairForAnthropic(prompt),
    error: (prompt: Prompt.Prompt) => anthropicError(Transcript.toAnthropic(prompt)),
    exported: (prompt: Prompt.Prompt) => JSON.stringify(Transcript.toAnthropic(prompt))
  }
]

const check = ({ error, exported, repair }: (typeof protocols)[number], damaged: Prompt.Prompt, label: string) => {
  const first = repair(damaged)
  assert.deepStrictEqual(Transcript.validate(first.prompt), [], label)
  assert.deepStrictEqual(lost(damaged, first.prompt), [], label)
  const second = repair(first.prompt)
  assert.strictEqual(second.prompt, first.prompt, label)
  assert.deepStrictEqual(second.changes, [], label)
  assert.strictEqual(first.prompt === damaged, first.changes.length === 0, label)
  if (first.prompt.content.length > 0) assert.strictEqual(error(first.prompt), undefined, label)
  const written = exported(first.prompt)
  for (const text of saidIn(first.prompt)) assert.include(written, JSON.stringify(text).slice(1, -1), label)
}

/** The same numbers in every run. */
const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * below)
  }
}

const kinds = Damage.fields.kind.literals

describe("repaired exports", () => {
  for (const protocol of protocols) {
    it.skipIf(!hasData)(`9.4 of every recorded conversation are valid for ${protocol.name}`, () => {
      assert.isAbove(all.length, 600)
      for (const { id, messages } of all) check(protocol, Transcript.fromOpenAi(messages), id)
    })

    it.skipIf(!hasData)(
      `9.4 of every recorded conversation, damaged, are valid for ${protocol.name}`,
      () => {
        const next = numbers(7)
        for (const [index, { id, messages }] of all.entries()) {
          const prompt = Transcript.fromOpenAi(messages)
          const own = { kind: kinds[index % kinds.length] ?? "drop message", at: next(1000), to: next(40) }
          const more = Array.from({ length: 6 }, () => ({
            kind: kinds[next(kinds.length)] ?? "drop part",
            at: next(1000),
            to: next(40)
          }))
          check(protocol, damage(prompt, own), `${id} ${own.kind}`)
          check(protocol, more.reduce(damage, prompt), `${id} ${more.map(({ kind }) => kind).join(", ")}`)
        }
      },
      60_000
    )

    it.prop(
      `9.4 of random conversations, damaged, are valid for ${protocol.name}`,
      [Plan, Schema.Array(Damage).check(Schema.isMaxLength(10))],
      ([plan, damages]) => check(protocol, damages.reduce(damage, fromPlan(plan)), "random"),
      { arbitrary: { runs: 400 } }
    )
  }
})

describe("import of what was exported", () => {
  it.skipIf(!hasData)("9.2 loses nothing of a recorded conversation", () => {
    for (const { id, messages } of all) {
      const { prompt } = Transcript.repairForAnthropic(Transcript.fromOpenAi(messages))
      const history = Transcript.toAnthropic(prompt)
      const read = Transcript.fromAnthropic(history)
      assert.deepStrictEqual(heldBy(read), heldBy(prompt), id)
      assert.deepStrictEqual(Transcript.toAnthropic(read), history, id)
    }
  })

  it.prop(
    "9.2 loses nothing of any conversation, for both protocols",
    [Plan, Schema.Array(Damage).check(Schema.isMaxLength(6))],
    ([plan, damages]) => {
      const { prompt } = Transcript.repairForAnthropic(damages.reduce(damage, fromPlan(plan)))
      assert.deepStrictEqual(heldBy(Transcript.fromAnthropic(Transcript.toAnthropic(prompt))), heldBy(prompt))
      const again = Transcript.fromOpenAi(Transcript.toOpenAi(prompt))
      assert.deepStrictEqual(Transcript.toOpenAi(again), Transcript.toOpenAi(prompt))
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "9.2 keeps every text and every JSON value as it is",
    [Schema.String, Schema.Json],
    ([text, value]) => {
      const { params } = CallArguments.read(JSON.stringify({ text, value })) // as any conversation holds it
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
