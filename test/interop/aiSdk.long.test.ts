/** Runs guarded tools in the Vercel AI SDK: `generateText` and `streamText` with the mock model of `ai/test`. */
import { assert, describe, it } from "@effect/vitest"
import { guardFor, guardTools } from "effect-toolguard/ai-sdk"
import { readResult } from "effect-toolguard/promise"
import type { ModelMessage } from "ai"
import type { MockLanguageModelV4 } from "ai/test"
import * as z from "zod"
import { needs } from "../support/prerequisites.ts"
import { type Call, type Driver, envelope, hostSuite, makeDesk } from "./hostSuite.ts"
import { packages } from "./packages.ts"

const sdk = needs(packages("ai"))

type Streamed = Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"]
type StreamPart = Streamed extends ReadableStream<infer Part> ? Part : never

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 }
}

/** Returns the mock model that makes the calls of each response, then answers. */
const scripted = async (
  responses: ReadonlyArray<ReadonlyArray<Call>>,
  reason: "tool-calls" | "length" = "tool-calls"
) => {
  const [{ simulateReadableStream }, { MockLanguageModelV4 }] = await Promise.all([import("ai"), import("ai/test")])
  let round = 0
  const next = () => {
    const calls = responses[round++]
    const content = calls?.map(({ arguments: input, id, name }) => ({
      type: "tool-call" as const,
      toolCallId: id,
      toolName: name,
      input
    }))
    const finishReason = { unified: calls === undefined ? ("stop" as const) : reason, raw: undefined }
    return { content: content ?? [{ type: "text" as const, text: "done" }], finishReason }
  }
  return new MockLanguageModelV4({
    doGenerate: async () => ({ ...next(), usage, warnings: [] }),
    doStream: async () => {
      const { content, finishReason } = next()
      const parts = content.flatMap((part): Array<StreamPart> =>
        part.type === "tool-call"
          ? [part]
          : [
              { type: "text-start", id: "t" },
              { type: "text-delta", id: "t", delta: part.text },
              { type: "text-end", id: "t" }
            ]
      )
      const chunks: Array<StreamPart> = [
        { type: "stream-start", warnings: [] },
        ...parts,
        { type: "finish", finishReason, usage }
      ]
      return { stream: simulateReadableStream({ chunks }) }
    }
  })
}

/** The texts of the tool results that a model reads. */
const told = (messages: ReadonlyArray<ModelMessage>) =>
  new Map(
    messages.flatMap(({ content, role }) =>
      role === "tool"
        ? content.flatMap((part) =>
            part.type === "tool-result" && "value" in part.output
              ? [[part.toolCallId, String(part.output.value)] as const]
              : []
          )
        : []
    )
  )

const generating: Driver = {
  name: "generateText",
  run: async (guard, responses, signal) => {
    const { generateText, isStepCount } = await import("ai")
    const model = await scripted(responses)
    const { repairToolCall, tools, turn } = guardFor(guard)
    const { responseMessages } = await turn(() =>
      generateText({
        model,
        tools,
        repairToolCall,
        prompt: "Where are my orders?",
        stopWhen: isStepCount(30),
        ...(signal && { abortSignal: signal })
      })
    )
    return told(responseMessages)
  }
}

const streaming: Driver = {
  name: "streamText",
  run: async (guard, responses, signal) => {
    const { isStepCount, streamText } = await import("ai")
    const model = await scripted(responses)
    const { repairToolCall, tools, turn } = guardFor(guard)
    return turn(async () => {
      const { responseMessages } = streamText({
        model,
        tools,
        repairToolCall,
        prompt: "Where are my orders?",
        stopWhen: isStepCount(30),
        onError: () => undefined,
        ...(signal && { abortSignal: signal })
      })
      return told(await responseMessages)
    })
  }
}

hostSuite(generating, sdk)
hostSuite(streaming, sdk)

const call = (id: string, name: string, args: string): Call => ({ id, name, arguments: args })

describe("what the AI SDK decides before the guard", sdk, () => {
  it("11.5 without a guard: shows the errors of the schema's library and of the tool", async () => {
    const { generateText, isStepCount, tool } = await import("ai")
    const find = tool({
      inputSchema: z.object({ id: z.string() }),
      execute: async (): Promise<string> => {
        throw new Error("password=hunter2secret")
      }
    })
    const model = await scripted([[call("c1", "find", '{"order":1}'), call("c2", "find", '{"id":"O-1"}')]])
    const { responseMessages } = await generateText({ model, tools: { find }, prompt: "hi", stopWhen: isStepCount(3) })
    const read = told(responseMessages)
    assert.include(read.get("c1"), "Type validation failed: Value:")
    assert.include(read.get("c2"), "hunter2secret")
  })

  const asked = async (responses: ReadonlyArray<ReadonlyArray<Call>>, reason?: "length") => {
    const { generateText, isStepCount } = await import("ai")
    const { guard, runs } = makeDesk()
    const { tools, turn } = guardFor(guard)
    const model = await scripted(responses, reason)
    const { responseMessages } = await turn(() =>
      generateText({ model, tools, prompt: "Where are my orders?", stopWhen: isStepCount(5) })
    )
    await guard.dispose()
    return { runs, told: told(responseMessages), rounds: model.doGenerateCalls.length }
  }

  it("11.5 answers unknown tools and broken JSON itself without `repairToolCall`", async () => {
    const { runs, told } = await asked([[call("c1", "search_order", "{}"), call("c2", "search_orders", "{")]])
    assert.include(told.get("c1"), "AI_NoSuchToolError: Model tried to call unavailable tool 'search_order'")
    assert.include(told.get("c2"), "AI_InvalidToolInputError: Invalid input for tool search_orders")
    assert.deepStrictEqual(runs, [])
  })

  it("11.5 runs no complete call of a response that the output limit truncated, and ends", async () => {
    const good = '{"status":"shipped","limit":5,"customer_id":"C-1"}'
    const { rounds, runs, told } = await asked([[call("c1", "search_orders", good)]], "length")
    assert.deepStrictEqual([runs, told.size, rounds], [[], 0, 1])
  })

  it("11.5 takes an empty text for arguments without fields", async () => {
    const { told } = await asked([[call("c1", "search_orders", "")]])
    assert.strictEqual(envelope(told.get("c1")).error.code, "invalid_arguments")
  })
})

describe("guardTools of the AI SDK", sdk, () => {
  const existing = async () => {
    const { jsonSchema, tool } = await import("ai")
    const seen: Array<unknown> = []
    const tools = {
      find_order: tool({
        description: "Finds an order.",
        title: "Find",
        inputSchema: z.object({ id: z.string(), since: z.iso.date().transform((text) => new Date(text)) }),
        outputSchema: z.object({ status: z.string() }),
        execute: async ({ id, since }, { abortSignal, messages, toolCallId }) => {
          seen.push({ id, since, toolCallId, messages: messages.length, isSignal: abortSignal instanceof AbortSignal })
          return { status: id === "O-1" ? "shipped" : "unknown", internal: "cost" }
        }
      }),
      tell_weather: tool({
        description: "Tells the weather.",
        inputSchema: jsonSchema<{ city: string }>({
          type: "object",
          properties: { city: { type: "string" } },
          required: ["city"]
        }),
        execute: ({ city }) => `It is sunny in ${city}.`
      }),
      read_report: tool({
        description: "Reads the report.",
        inputSchema: z.object({}),
        execute: () => '{"rows":[1,'
      }),
      refund: tool({
        description: "Refunds an order.",
        inputSchema: z.object({ cents: z.int() }),
        needsApproval: async ({ cents }) => cents > 10_000,
        execute: () => ({ at: new Date(0) })
      })
    }
    return { seen, tools }
  }

  it("11.5 runs existing tools with their schemas and functions", async () => {
    const { generateText, isStepCount } = await import("ai")
    const { seen, tools: own } = await existing()
    const asked: Array<string> = []
    const { guard, repairToolCall, tools, turn } = guardTools(
      own,
      {
        find_order: { access: "read" },
        tell_weather: { access: "read" },
        read_report: { access: "read", success: { type: "object", properties: { rows: { type: "array" } } } },
        refund: { access: "write", idempotency: "derived" }
      },
      { approve: async ({ tool }) => asked.push(tool) > 0, tools: [readResult] }
    )
    assert.sameMembers(Object.keys(tools), [...Object.keys(own), "read_result"])
    assert.strictEqual(tools.find_order.title, "Find")
    const model = await scripted([
      [
        call("c1", "find_order", '{"id":"O-1","since":"2026-01-02"}'),
        call("c2", "find_order", '{"order":"O-1","since":"yesterday"}'),
        call("c3", "tell_weather", '{"city":"Rome"}'),
        call("c4", "read_report", "{}"),
        call("c5", "refund", '{"cents":5}'),
        call("c6", "refund", '{"cents":20000}')
      ]
    ])
    const result = await turn(() =>
      generateText({ model, tools, repairToolCall, prompt: "Where is O-1?", stopWhen: isStepCount(3) })
    )
    const read = told(result.responseMessages)
    const data = (id: string) => envelope(read.get(id)).data
    assert.deepStrictEqual([data("c1"), data("c3")], [{ status: "shipped" }, "It is sunny in Rome."])
    assert.deepStrictEqual(seen, [
      { id: "O-1", since: new Date("2026-01-02"), toolCallId: "c1", messages: 1, isSignal: true }
    ])
    assert.sameMembers(envelope(read.get("c2")).error.fields, ["id", "order", "since"])
    assert.strictEqual(envelope(read.get("c4")).error.code, "truncated_response")
    assert.deepStrictEqual([data("c5"), data("c6")], [{ at: "1970-01-01T00:00:00.000Z" }, data("c5")])
    assert.deepStrictEqual(asked, ["refund"])
    // the model was offered the closed schemas
    const [{ tools: offered } = {}] = model.doGenerateCalls
    const find = offered?.find(({ name }) => name === "find_order")
    assert.isTrue(find?.type === "function" && find.inputSchema.additionalProperties === false)
    // the outputs of a step are typed envelopes
    for (const { output, toolName } of result.steps[0]?.staticToolResults ?? [])
      if (toolName === "find_order" && output.status === "success" && "data" in output)
        assert.strictEqual(output.data.status satisfies string, "shipped")
    await guard.dispose()
  })

  it("11.5 names every tool that cannot be guarded", async () => {
    const { tool } = await import("ai")
    const { tools } = await existing()
    const policies = { find_order: { access: "read" }, forgotten: { access: "read" } }
    const given = { ...tools, ask: tool({ inputSchema: z.object({}), outputSchema: z.string() }) }
    assert.throws(
      () => guardTools(given, policies as never),
      RangeError,
      /There is no tool named "forgotten".*The access of "tell_weather" is unknown: set.*"ask" is not run by this program/s
    )
  })
})
