/** The hosts without a framework, and effect/ai, bare and guarded. */
import OpenAI from "openai"
import { Effect, Layer, ManagedRuntime, Schema } from "effect"
import { Chat, Tool, Toolkit } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import { Guard, GuardedModel, Toolbox } from "effect-toolguard"
import { createGuard, type HostedTool, readResult, tool } from "effect-toolguard/promise"
import * as OpenAiCompatible from "effect-toolguard/layers/OpenAiCompatible"
import type { Host, HostInput } from "./run.ts"
import type { NeutralTool } from "./scenarios.ts"

const model = "served-model"

/** The policy of every guarded tool. The limit is short, so that a run that hangs ends soon. */
const policy = { timeout: "500 millis", deadline: "1 second" } as const

/** Returns the guarded tools of a scenario. */
export const guardedTools = (tools: ReadonlyArray<NeutralTool>): ReadonlyArray<HostedTool> => [
  ...tools.map(({ execute, ...rest }) =>
    tool({ ...rest, ...policy, execute: async (args, { signal }) => (await execute(args, signal)) as never })
  ),
  readResult
]

type Message = OpenAI.ChatCompletionMessageParam

/** The loop that the documentation of the SDK shows, in which an error of a call becomes its result. */
const loop = async (
  { baseUrl, prompt, tools }: HostInput,
  answer: (call: OpenAI.ChatCompletionMessageFunctionToolCall, isCut: boolean) => Promise<string>
): Promise<void> => {
  const client = new OpenAI({ baseURL: baseUrl, apiKey: "sk", maxRetries: 0 })
  const messages: Array<Message> = [{ role: "user", content: prompt }]
  const advertised = tools.map(({ description, name, parameters }) => ({
    type: "function" as const,
    function: { name, description, parameters: parameters.toJSONSchema() }
  }))
  for (;;) {
    const { choices } = await client.chat.completions.create({ model, messages, tools: advertised })
    const [choice] = choices
    if (choice === undefined) throw new Error("no choice")
    messages.push(choice.message)
    const calls = (choice.message.tool_calls ?? []).filter((call) => call.type === "function")
    if (calls.length === 0) return
    for (const call of calls) {
      const content = await answer(call, choice.finish_reason === "length")
      messages.push({ role: "tool", tool_call_id: call.id, content })
    }
  }
}

const bareLoop: Host = {
  name: "openai loop",
  isGuarded: false,
  run: (given) =>
    loop(given, async (call) => {
      try {
        const found = given.tools.find(({ name }) => name === call.function.name)
        if (found === undefined) throw new Error(`Unknown tool: ${call.function.name}`)
        const args: unknown = JSON.parse(call.function.arguments)
        const result = await found.execute(args, undefined)
        return typeof result === "string" ? result : JSON.stringify(result)
      } catch (error) {
        return `Error: ${error instanceof Error ? error.message : String(error)}`
      }
    })
}

const guardedLoop: Host = {
  name: "openai loop",
  isGuarded: true,
  run: async (given) => {
    await using guard = createGuard({ tools: guardedTools(given.tools) })
    await guard.turn((turn) =>
      loop(given, async ({ function: { arguments: text, name }, id }, isCut) => {
        const { text: content } = await turn.answer({ name, arguments: text, callId: id, isCut })
        return content
      })
    )
  }
}

const layerOf = (baseUrl: string) =>
  OpenAiCompatible.layer({ baseUrl, model }).pipe(Layer.provide(FetchHttpClient.layer))

/** Returns effect/ai's loop. */
const chat = (prompt: string, toolkit: Toolkit.Any) =>
  Effect.gen(function* () {
    const chat = yield* Chat.empty
    let answer = yield* chat.generateText({ prompt, toolkit: toolkit as never })
    while (answer.toolCalls.length > 0) answer = yield* chat.generateText({ prompt: [], toolkit: toolkit as never })
  })

const schemas = {
  get_orders: {
    parameters: Schema.Struct({
      customer: Schema.String,
      limit: Schema.Int,
      status: Schema.Literals(["placed", "shipped"])
    }),
    success: Schema.Struct({ orders: Schema.Array(Schema.Struct({ id: Schema.String, cents: Schema.Int })) })
  },
  pay_invoice: {
    parameters: Schema.Struct({ invoice: Schema.String, cents: Schema.Int }),
    success: Schema.Struct({ paid: Schema.Literal(true), receipt: Schema.String })
  }
}

const toolkitOf = (tools: ReadonlyArray<NeutralTool>) =>
  Toolkit.make(
    ...tools.map(({ description, name }) =>
      Tool.make(name, {
        description,
        failure: Schema.String,
        failureMode: "return",
        // the schemas of both tools, whose union no overload takes
        ...(schemas[name] as (typeof schemas)["get_orders"])
      })
    )
  )

/** The handlers, as a program writes them: the value has the type of the schema, and an error is a failure. */
const handlersOf = (tools: ReadonlyArray<NeutralTool>) =>
  Object.fromEntries(
    tools.map(({ execute, name }) => [
      name,
      (args: unknown) =>
        Effect.tryPromise({
          try: async (signal) => (await execute(args, signal)) as never,
          catch: (error) => (error instanceof Error ? error.message : String(error))
        })
    ])
  )

const bareEffect: Host = {
  name: "effect/ai",
  isGuarded: false,
  run: ({ baseUrl, prompt, tools }) => {
    const toolkit = toolkitOf(tools)
    const handlers = toolkit.toLayer(handlersOf(tools))
    return Effect.runPromise(
      chat(prompt, toolkit).pipe(Effect.provide(Layer.merge(layerOf(baseUrl), handlers as never)))
    )
  }
}

const guardedEffect: Host = {
  name: "effect/ai",
  isGuarded: true,
  run: async ({ baseUrl, prompt, tools }) => {
    const make: (...tools: ReadonlyArray<HostedTool>) => Toolbox.Toolbox<HostedTool> = Toolbox.make
    const box = make(...guardedTools(tools))
    const model = GuardedModel.layer.pipe(Layer.provide(layerOf(baseUrl)))
    const guard = Layer.provideMerge(readResult.layerGuard, Guard.layerMemory)
    const runtime = ManagedRuntime.make(Layer.provideMerge(Layer.merge(model, box.handlers), guard))
    try {
      await runtime.runPromise(Guard.turn(chat(prompt, box.toolkit)))
    } finally {
      await runtime.dispose()
    }
  }
}

/** The hosts of this module. */
export const hosts: ReadonlyArray<Host> = [bareLoop, guardedLoop, bareEffect, guardedEffect]
