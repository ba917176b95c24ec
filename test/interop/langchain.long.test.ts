/** Runs guarded tools in LangChain: `createAgent`, LangGraph's `ToolNode` and a loop with `bindTools`. */
import { assert, describe, it } from "@effect/vitest"
import type { BaseMessage } from "@langchain/core/messages"
import { guardFor, guardTools } from "effect-toolguard/langchain"
import * as z from "zod"
import { needs } from "../support/prerequisites.ts"
import { type Call, type Driver, envelope, good, hostSuite, makeDesk } from "./hostSuite.ts"
import { packages } from "./packages.ts"

const sdk = needs(packages("@langchain/core", "langchain", "@langchain/langgraph"))

const call = (id: string, name: string, args: string): Call => ({ id, name, arguments: args })

/** Returns a chat model that makes the calls of each response, which LangChain parses as it does for a provider. */
const scripted = async (responses: ReadonlyArray<ReadonlyArray<Call>>) => {
  const [{ BaseChatModel }, { AIMessage }, { makeInvalidToolCall, parseToolCall }] = await Promise.all([
    import("@langchain/core/language_models/chat_models"),
    import("@langchain/core/messages"),
    import("@langchain/core/output_parsers/openai_tools")
  ])
  let round = 0
  const parsed = (calls: ReadonlyArray<Call>) => {
    const tool_calls: Array<any> = []
    const invalid_tool_calls: Array<any> = []
    for (const { arguments: args, id, name } of calls) {
      const raw = { id, type: "function", function: { name, arguments: args } }
      try {
        tool_calls.push(parseToolCall(raw, { returnId: true }))
      } catch (error) {
        invalid_tool_calls.push(makeInvalidToolCall(raw, String(error)))
      }
    }
    return new AIMessage({ content: "", tool_calls, invalid_tool_calls })
  }
  class Scripted extends BaseChatModel {
    _llmType() {
      return "scripted"
    }
    override bindTools() {
      return this as any
    }
    async _generate() {
      const calls = responses[round++]
      return { generations: [{ text: "", message: calls === undefined ? new AIMessage("done") : parsed(calls) }] }
    }
  }
  return new Scripted({})
}

/** The texts of the tool results that a model reads. */
const told = (messages: ReadonlyArray<BaseMessage>) =>
  new Map(
    messages.flatMap((message) =>
      message.getType() === "tool" ? [[(message as any).tool_call_id as string, message.text] as const] : []
    )
  )

const driver: Driver = {
  name: "createAgent",
  run: async (guard, responses, signal) => {
    const { createAgent, createMiddleware } = await import("langchain")
    const { middleware, tools, turn } = guardFor(guard)
    const agent = createAgent({
      model: await scripted(responses),
      tools,
      middleware: [createMiddleware(middleware)]
    })
    const config = { recursionLimit: 200, ...(signal && { signal }) }
    const { messages } = await turn(() => agent.invoke({ messages: [{ role: "user", content: "hi" }] }, config))
    return told(messages)
  }
}

hostSuite(driver, sdk)

describe("what LangChain decides before the guard", sdk, () => {
  const asked = async (calls: ReadonlyArray<Call>) => {
    const { createAgent } = await import("langchain")
    const { guard, runs } = makeDesk()
    const { tools, turn } = guardFor(guard)
    const agent = createAgent({ model: await scripted([calls]), tools })
    const { messages } = await turn(() => agent.invoke({ messages: [{ role: "user", content: "hi" }] }))
    await guard.dispose()
    return { runs, told: told(messages), last: messages.at(-1)?.text }
  }

  it("11.5 answers unknown tools itself, and ends at broken JSON, without `middleware`", async () => {
    const unknown = await asked([call("c1", "search_order", "{}")])
    assert.include(unknown.told.get("c1"), "Error: search_order is not a valid tool, try one of [search_orders")
    const broken = await asked([call("c1", "search_orders", "{")])
    assert.deepStrictEqual([broken.told.size, broken.last, broken.runs], [0, "", []])
  })

  it("11.5 without a guard: shows the errors of the schema's library and of the tool", async () => {
    const [{ createAgent }, { tool }] = await Promise.all([import("langchain"), import("@langchain/core/tools")])
    const find = tool(() => Promise.reject(new Error("password=hunter2secret")), {
      name: "find",
      description: "Finds.",
      schema: z.object({ id: z.string() })
    })
    const model = await scripted([[call("c1", "find", '{"order":1}'), call("c2", "find", '{"id":"O-1"}')]])
    const agent = createAgent({ model, tools: [find] })
    const read = told((await agent.invoke({ messages: [{ role: "user", content: "hi" }] })).messages)
    assert.include(read.get("c1"), "Received tool input did not match expected schema")
    assert.include(read.get("c2"), "hunter2secret")
  })

  it("11.5 runs guarded tools in LangGraph's ToolNode and in a loop with bindTools", async () => {
    const { ToolNode } = await import("@langchain/langgraph/prebuilt")
    const { AIMessage } = await import("@langchain/core/messages")
    const { guard, runs } = makeDesk()
    const { tools, turn } = guardFor(guard)
    const message = new AIMessage({
      content: "",
      tool_calls: [{ id: "c1", name: "search_orders", args: JSON.parse(good), type: "tool_call" }]
    })
    // the node's type asks for instances, its code for objects with these members
    const { messages } = await turn(() => new ToolNode(tools as never).invoke({ messages: [message] }))
    assert.deepStrictEqual(envelope(told(messages).get("c1")), { status: "success", data: { ids: ["O-1"] } })
    const model = (await scripted([[call("c2", "search_orders", good), call("c3", "search_orders", "{}")]])).bindTools()
    const results = await turn(async () => {
      const response = await model.invoke("hi")
      const results = await Promise.all(
        response.tool_calls.map((each: any) => tools.find(({ name }) => name === each.name)?.invoke(each))
      )
      assert.strictEqual((await model.invoke([["user", "hi"], response, ...results])).text, "done")
      return results
    })
    assert.deepStrictEqual(
      results.map(({ content, ...rest }) => ({ ...rest, status: envelope(content).status })),
      [
        { role: "tool", tool_call_id: "c2", name: "search_orders", status: "success" },
        { role: "tool", tool_call_id: "c3", name: "search_orders", status: "error" }
      ]
    )
    assert.deepStrictEqual(runs, ["search_orders c1", "search_orders c2"])
    await guard.dispose()
  })
})

describe("guardTools of LangChain", sdk, () => {
  it("11.5 runs existing tools with their schemas and functions", async () => {
    const [{ createAgent, createMiddleware }, { tool }] = await Promise.all([
      import("langchain"),
      import("@langchain/core/tools")
    ])
    const seen: Array<unknown> = []
    const find = tool(
      ({ id, since }, config) => {
        seen.push([id, since, config.signal instanceof AbortSignal, config.configurable?.["user"]])
        return { status: "shipped" }
      },
      {
        name: "find_order",
        description: "Finds an order.",
        schema: z.object({ id: z.string(), since: z.iso.date().transform((text) => new Date(text)) })
      }
    )
    const weather = tool(({ city }) => `It is sunny in ${city}.`, {
      name: "weather",
      description: "Tells the weather.",
      schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
    })
    const { guard, middleware, tools, turn } = guardTools([find, weather], {
      find_order: { access: "read" },
      weather: { access: "read" }
    })
    const model = await scripted([
      [
        call("c1", "find_order", '{"id":"O-1","since":"2026-01-02"}'),
        call("c2", "find_order", '{"order":1,"since":"yesterday"}'),
        call("c3", "weather", '{"city":"Rome"}')
      ]
    ])
    const agent = createAgent({ model, tools, middleware: [createMiddleware(middleware)] })
    const { messages } = await turn(() =>
      agent.invoke({ messages: [{ role: "user", content: "hi" }] }, { configurable: { user: "ann" } })
    )
    const read = told(messages)
    assert.deepStrictEqual(envelope(read.get("c1")).data, { status: "shipped" })
    assert.deepStrictEqual(seen, [["O-1", new Date("2026-01-02"), true, "ann"]])
    assert.sameMembers(envelope(read.get("c2")).error.fields, ["id", "order", "since"])
    assert.strictEqual(envelope(read.get("c3")).data, "It is sunny in Rome.")
    assert.deepStrictEqual(
      messages.flatMap((message) => (message.getType() === "tool" ? [(message as any).status] : [])),
      [undefined, "error", undefined] // LangChain sets none for a result
    )
    await guard.dispose()
  })
})
