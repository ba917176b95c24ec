/** How other frameworks run one tool, for `npm run bench:peers`. */
import { createTool } from "@mastra/core/tools"
import { tool as langchainTool } from "@langchain/core/tools"
import { RunContext, tool as agentsTool } from "@openai/agents"
import { Ajv } from "ajv"
import { asSchema, tool as aiTool } from "ai"
import { executeTool, safeValidateTypes } from "@ai-sdk/provider-utils"
import { Schema } from "effect"
import { type Loop, nextArguments, type Variant } from "../bench/variants.ts"
import * as W from "../bench/workload.ts"

const description = "Searches orders. Read-only."
const name = "search_orders"

const timed =
  (call: () => unknown): Loop =>
  async (n) => {
    for (let i = 0; i < n; i++) await call()
  }

const ajv = (): Variant => {
  const compiler = new Ajv({ useDefaults: true, strict: false })
  const check = (schema: Schema.Top) => compiler.compile(Schema.toJsonSchemaDocument(schema).schema)
  const [isInput, isOutput] = [check(W.Input()), check(W.wide.Output())]
  const call = async () => {
    const args = nextArguments()
    if (!isInput(args)) throw new Error("arguments")
    const result = await W.wide.upstream(args)
    if (!isOutput(result)) throw new Error("result")
    return result
  }
  return { name: "ajv in and out", loop: timed(call) }
}

const aiSdk = (): Variant => {
  const search = aiTool({ description, inputSchema: W.ZodInput, execute: W.wide.upstream })
  const schema = asSchema(search.inputSchema)
  const call = async () => {
    // `generateText` validates the arguments of a call in this way
    const parsed = await safeValidateTypes({ value: nextArguments(), schema })
    if (!parsed.success) throw parsed.error
    const options = { toolCallId: "c", messages: [], context: {} }
    for await (const part of executeTool({ tool: search, input: parsed.value, options }))
      if (part.type === "final") return
  }
  return { name: "Vercel AI SDK, executeTool", loop: timed(call) }
}

const langchain = (): Variant => {
  const search = langchainTool(W.wide.upstream, { name, description, schema: W.ZodInput, responseFormat: "content" })
  return { name: "LangChain, tool.invoke", loop: timed(() => search.invoke(nextArguments())) }
}

const agents = (): Variant => {
  const search = agentsTool({
    name,
    description,
    parameters: W.ZodInput,
    strict: true,
    execute: W.wide.upstream,
    errorFunction: null
  })
  const context = new RunContext()
  // the only form that it takes is the text of a model
  return {
    name: "OpenAI Agents, tool.invoke",
    loop: timed(() => search.invoke(context, JSON.stringify({ ...nextArguments() })))
  }
}

const mastra = (): Variant => {
  const search = createTool({
    id: name,
    description,
    inputSchema: W.ZodInput,
    outputSchema: W.wide.ZodOutput,
    execute: W.wide.upstream
  })
  return { name: "Mastra, tool.execute", loop: timed(() => search.execute?.(nextArguments(), {})) }
}

/** All peers. */
export const peers = (): ReadonlyArray<Variant> => [ajv(), aiSdk(), langchain(), agents(), mastra()]
