/** Runs guarded tools in the OpenAI Agents SDK, with its scripted model. */
import { assert, describe, it } from "@effect/vitest"
import type { AgentInputItem, Tool } from "@openai/agents"
import { guardFor, guardModel, guardTools } from "effect-toolguard/openai-agents"
import { createGuard, tool as guarded, withParts } from "effect-toolguard/promise"
import * as z from "zod"
import { needs } from "../support/prerequisites.ts"
import { type Call, type Driver, envelope, hostSuite, makeDesk } from "./hostSuite.ts"
import { packages } from "./packages.ts"

const sdk = needs(packages("@openai/agents"))

const call = (id: string, name: string, args: string): Call => ({ id, name, arguments: args })

/** Returns the SDK's model that makes the calls of each response, then answers. */
const scripted = async (responses: ReadonlyArray<ReadonlyArray<Call>>) => {
  const [{ setTracingDisabled }, { ScriptedModel }] = await Promise.all([
    import("@openai/agents"),
    import("@openai/agents/testing")
  ])
  setTracingDisabled(true)
  return new ScriptedModel([
    ...responses.map((calls) =>
      calls.map(({ arguments: args, id, name }) => ({
        type: "function_call" as const,
        callId: id,
        name,
        arguments: args,
        status: "completed" as const
      }))
    ),
    [
      {
        type: "message" as const,
        role: "assistant" as const,
        status: "completed" as const,
        content: [{ type: "output_text" as const, text: "done" }]
      }
    ]
  ])
}

/** The texts of the tool results that a model reads. */
const told = (history: ReadonlyArray<AgentInputItem>) =>
  new Map(
    history.flatMap((item) =>
      item.type === "function_call_result" && typeof item.output === "object" && "text" in item.output
        ? [[item.callId, item.output.text] as const]
        : []
    )
  )

const driver = (name: string, isStream: boolean): Driver => ({
  name,
  run: async (guard, responses, signal) => {
    const { Agent, run } = await import("@openai/agents")
    const { options, tools, turn } = guardFor(guard)
    const agent = new Agent({ name: "desk", model: guardModel(await scripted(responses)), tools })
    const more = { ...options, maxTurns: 30, ...(signal && { signal }) }
    return turn(async () => {
      if (!isStream) return told((await run(agent, "Where are my orders?", more)).history)
      const result = await run(agent, "Where are my orders?", { ...more, stream: true })
      await result.completed
      return told(result.history)
    })
  }
})

hostSuite(driver("run", false), sdk)
hostSuite(driver("run with a stream", true), sdk)

describe("what the OpenAI Agents SDK decides before the guard", sdk, () => {
  const asked = async (calls: ReadonlyArray<Call>, more: object = {}) => {
    const { Agent, run } = await import("@openai/agents")
    const { guard, runs } = makeDesk()
    try {
      const { tools, turn } = guardFor(guard)
      const agent = new Agent({ name: "desk", model: await scripted([calls]), tools })
      const { history, interruptions } = await turn(() => run(agent, "Where are my orders?", more))
      return { runs, told: told(history), interruptions: interruptions.length }
    } finally {
      await guard.dispose()
    }
  }

  it("11.5 ends the run at an unknown tool without `options`", async () => {
    const error = await asked([call("c1", "search_order", "{}")]).catch((reason: unknown) => reason)
    assert.match(String(error), /Tool search_order not found in agent desk/)
  })

  it("11.5 stops the run for an approval of arguments that are no JSON object, without `guardModel`", async () => {
    for (const args of ["{", '"text"', "[1]"]) {
      const { interruptions, runs, told } = await asked([call("c1", "search_orders", args)])
      assert.deepStrictEqual([interruptions, runs, told.size], [1, [], 0])
    }
  })
})

describe("the OpenAI Agents SDK alone", sdk, () => {
  it("11.5 says neither what is wrong with arguments nor why a tool failed", async () => {
    const { Agent, run, tool } = await import("@openai/agents")
    const find = tool({
      name: "find_order",
      description: "Finds an order.",
      parameters: z.object({ id: z.string() }),
      execute: () => Promise.reject(new Error("no such order"))
    })
    const model = await scripted([
      [call("c1", "find_order", '{"order":1}'), call("c2", "find_order", "{"), call("c3", "find_order", '{"id":"O-1"}')]
    ])
    const read = told((await run(new Agent({ name: "desk", model, tools: [find] }), "Where is O-1?")).history)
    const failed = "An error occurred while running the tool. Please try again."
    assert.deepStrictEqual(
      ["c1", "c2", "c3"].map((id) => read.get(id)),
      [failed, "An error occurred while parsing tool arguments. Please try again with valid JSON.", failed]
    )
  })
})

describe("guardTools of the OpenAI Agents SDK", sdk, () => {
  it("11.5 runs existing tools with their schemas and functions", async () => {
    const { Agent, run, tool } = await import("@openai/agents")
    const seen: Array<unknown> = []
    const find = tool({
      name: "find_order",
      description: "Finds an order.",
      parameters: z.object({ id: z.string() }),
      execute: ({ id }, context, details) => {
        seen.push([id, context?.context, details?.toolCall?.callId, details?.signal instanceof AbortSignal])
        return { status: "shipped" }
      }
    })
    const fail = tool({
      name: "fail",
      description: "Fails.",
      parameters: z.object({}),
      execute: () => Promise.reject(new Error("secret"))
    })
    const refund = tool({
      name: "refund",
      description: "Refunds an order.",
      parameters: z.object({ cents: z.int() }),
      needsApproval: async (_context, { cents }) => cents > 10_000,
      execute: () => "refunded"
    })
    const erase = tool({ name: "erase", description: "Erases.", parameters: z.object({}), execute: () => "erased" })
    const asked: Array<string> = []
    const { guard, options, tools, turn } = guardTools(
      [find, fail, refund, erase],
      {
        find_order: { access: "read" },
        fail: { access: "read" },
        refund: { access: "write" },
        erase: { access: "destructive" }
      },
      { approve: async ({ tool }) => asked.push(tool) > 0 }
    )
    const model = await scripted([
      [
        call("c1", "find_order", '{"id":"O-1"}'),
        call("c2", "find_order", '{"order":1}'),
        call("c3", "fail", "{}"),
        call("c4", "refund", '{"cents":5}')
      ],
      [call("c5", "refund", '{"cents":20000}')],
      [call("c6", "erase", "{}")]
    ])
    const agent = new Agent<{ user: string }>({ name: "desk", model, tools })
    const { history } = await turn(() => run(agent, "Where is O-1?", { ...options, context: { user: "ann" } }))
    const read = told(history)
    assert.deepStrictEqual(envelope(read.get("c1")).data, { status: "shipped" })
    assert.deepStrictEqual(seen, [["O-1", { user: "ann" }, "c1", true]])
    assert.sameMembers(envelope(read.get("c2")).error.fields, ["id", "order"])
    assert.strictEqual(envelope(read.get("c3")).status, "error")
    assert.deepStrictEqual(
      ["c4", "c5", "c6"].map((id) => envelope(read.get(id)).data),
      ["refunded", "refunded", "erased"]
    )
    assert.deepStrictEqual(asked, ["refund", "erase"])
    await guard.dispose()
  })

  it("11.5 gives the model the images of a result, and refuses hosted tools", async () => {
    const picture = guarded({
      name: "draw",
      description: "Draws. Read-only.",
      access: "read",
      execute: () => withParts({ ok: true }, [{ type: "file", mediaType: "image/png", data: "iVBORw0KGgo=" }])
    })
    await using guard = createGuard({ tools: [picture] })
    const [draw] = guardFor(guard).tools
    assert.deepStrictEqual(await guard.turn(async () => draw?.invoke({}, "{}", { toolCall: { callId: "c1" } })), [
      { type: "text", text: '{"status":"success","data":{"ok":true}}' },
      { type: "image", image: { data: "iVBORw0KGgo=", mediaType: "image/png" } }
    ])
    const hosted = { type: "hosted_tool", name: "web_search" } as Tool
    assert.throws(
      () => guardTools([hosted as never], { web_search: { access: "read" } }),
      RangeError,
      '"web_search" is no function tool'
    )
  })
})
