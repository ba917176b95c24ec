/**
 * Tests the profile of each known server with a server that behaves like the real server. The tests that use its
 * sockets are `it.live`. The server also checks each request against the published schema; `profileServers.ts` lists additional fields that
 * servers accept.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References, Schema, Stream } from "effect"
import { LanguageModel, Prompt, type Response, Tool, Toolkit } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import * as ModelResponse from "#domain/transcript/ModelResponse"
import * as OpenAiCompatible from "#layers/OpenAiCompatible"
import * as Profile from "#layers/internal/openai/Profile"
import { conversation, result, tool } from "../../../support/conversation.ts"
import * as Server from "../../../support/OpenAiServer.ts"
import { behaviours } from "../../../support/profileServers.ts"

const search = (name: string) =>
  Tool.dynamic(name, {
    description: "Searches. Read-only.",
    parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"], additionalProperties: false },
    success: Schema.Json
  })
const toolkit = Toolkit.make(search("search"), search("other"))
const deferred = { toolkit, disableToolCallResolution: true, toolCallValidation: "deferred" } as const

type RequestOptions = Omit<LanguageModel.GenerateTextOptions<(typeof toolkit)["tools"]>, "toolkit">

const ask = (streaming: boolean, options: RequestOptions) =>
  streaming
    ? LanguageModel.streamText({ ...options, ...deferred }).pipe(
        Stream.runCollect,
        Effect.map((pieces) => ModelResponse.collect(pieces as ReadonlyArray<Response.AnyPart>))
      )
    : Effect.map(
        LanguageModel.generateText({ ...options, ...deferred }),
        ({ content }) => content as ReadonlyArray<Response.AnyPart>
      )

const brief = (parts: ReadonlyArray<Response.AnyPart>) =>
  parts.flatMap((part): ReadonlyArray<unknown> => {
    if (part.type === "reasoning" || part.type === "text") return [part.text]
    if (part.type === "tool-call") return [[part.id, part.name, part.params]]
    return part.type === "finish" ? [part.reason, part.usage.inputTokens.total, part.usage.outputTokens.total] : []
  })

const served = <A, E>(
  name: string,
  script: ReadonlyArray<Server.Responder>,
  test: (server: Server.Server) => Effect.Effect<A, E, LanguageModel.LanguageModel>,
  options: Partial<OpenAiCompatible.Options> = {}
) =>
  Effect.flatMap(Server.start(script, { deviation: behaviours[name]?.deviation ?? {} }), (server) =>
    test(server).pipe(
      Effect.provide(
        OpenAiCompatible.layer({
          baseUrl: server.baseUrl,
          model: "served-model",
          profile: name as Profile.ProfileName,
          ...options
        }).pipe(Layer.provide(FetchHttpClient.layer))
      )
    )
  ).pipe(Effect.provideService(References.MinimumLogLevel, "None"))

const bodies = (server: Server.Server) => server.requests.map(({ body }) => body as Record<string, any>)

const named = Object.entries(behaviours)
const reasons = (name: string) => (name === "openai" ? [] : ["Let me see."])

describe.each(named)("the profile %s", (name, { calling, saying }) => {
  const profile = Profile.profiles[name as Profile.ProfileName]

  it.live.each([false, true])("9.2 holds a conversation with calls, streaming: %s", (streaming) =>
    served(name, [calling, saying], (server) =>
      Effect.gen(function* () {
        const first = yield* ask(streaming, { prompt: "hi" })
        assert.deepStrictEqual(brief(first), [
          ...reasons(name),
          ["c1", "search", { q: "a" }],
          ["c2", "search", { q: "b" }],
          "tool-calls",
          20,
          7
        ])
        const prompt = Prompt.concat(
          Prompt.concat(Prompt.make("hi"), Prompt.fromResponseParts(first)),
          conversation(tool(result("c1"), result("c2")))
        )
        assert.deepStrictEqual(brief(yield* ask(streaming, { prompt })), ["Done.", "stop", 20, 7])
        const assistant = bodies(server)[1]?.["messages"][1]
        const expected = profile.reasoning.send === "never" ? {} : { [profile.reasoning.field]: "Let me see." }
        const content = profile.emptyContent === "null" ? null : ""
        assert.deepStrictEqual(
          { ...assistant, tool_calls: assistant.tool_calls.length },
          { role: "assistant", content, ...expected, tool_calls: 2 }
        )
        assert.deepStrictEqual(
          server.requests.map(({ refused }) => refused),
          [undefined, undefined]
        )
      })
    )
  )

  it.live("9.2 sends calls without reasoning, such as the calls of another provider", () =>
    served(name, [saying], (server) =>
      Effect.gen(function* () {
        const calls = Prompt.makePart("tool-call", {
          id: "c9",
          name: "search",
          params: { q: "a" },
          providerExecuted: false
        })
        const prompt = Prompt.concat(
          Prompt.fromMessages([
            Prompt.userMessage({ content: [Prompt.textPart({ text: "hi" })] }),
            Prompt.assistantMessage({ content: [calls] })
          ]),
          conversation(tool(result("c9")))
        )
        assert.deepStrictEqual(brief(yield* ask(false, { prompt }))[0], "Done.")
        assert.isUndefined(server.requests[0]?.refused)
      })
    )
  )

  it.live("9.2 sends the choice of tools in a form that the server supports", () =>
    served(
      name,
      [saying, saying, saying, saying],
      (server) =>
        Effect.gen(function* () {
          for (const toolChoice of ["auto", "required", "none", { tool: "other" }] as const) {
            yield* ask(false, { prompt: "hi", toolChoice })
          }
          assert.deepStrictEqual(
            server.requests.map(({ refused }) => refused),
            [undefined, undefined, undefined, undefined]
          )
          const names = bodies(server).map(({ tools = [] }) => tools.map((one: any) => one.function.name))
          const supports = (choice: "none" | "named") => profile.toolChoice.includes(choice)
          assert.deepStrictEqual(names, [
            ["search", "other"],
            ["search", "other"],
            supports("none") ? ["search", "other"] : [],
            supports("named") ? ["search", "other"] : ["other"]
          ])
          const parallel = bodies(server).map(({ parallel_tool_calls }) => parallel_tool_calls)
          assert.strictEqual(parallel[0], profile.parallelToolCalls ? false : undefined)
        }),
      { settings: { parallel_tool_calls: false } }
    )
  )

  it.live("9.2 limits the answer under the name that the server uses", () =>
    served(
      name,
      [saying, saying],
      (server) =>
        Effect.gen(function* () {
          yield* ask(false, { prompt: "hi" })
          yield* OpenAiCompatible.withSettings({ max_completion_tokens: 9 })(ask(true, { prompt: "hi" }))
          assert.deepStrictEqual(
            server.requests.map(({ body, refused }) => [body[profile.maxTokens], refused]),
            [
              [7, undefined],
              [9, undefined]
            ]
          )
        }),
      { settings: { max_tokens: 7 } }
    )
  )

  it.live("9.2 requests an object in a form that the server accepts, and the model reads the schema", () =>
    served(name, [Server.completion({ text: '{"city":"Bonn"}' })], (server) =>
      Effect.gen(function* () {
        const { value } = yield* LanguageModel.generateObject({
          prompt: [
            { role: "system", content: "Be brief." },
            { role: "user", content: "Where?" }
          ],
          schema: Schema.Struct({ city: Schema.String })
        })
        assert.deepStrictEqual(value, { city: "Bonn" })
        assert.isUndefined(server.requests[0]?.refused)
        assert.include(JSON.stringify(bodies(server)[0]), "city")
        assert.deepStrictEqual(
          bodies(server)[0]?.["messages"].map(({ role }: any) => role),
          ["system", "user"]
        )
      })
    )
  )

  it.live.each([true, false])("9.2 sends the setting for thinking if the server supports one: %s", (thinking) =>
    served(
      name,
      [saying],
      (server) =>
        Effect.gen(function* () {
          yield* ask(false, { prompt: "hi" })
          assert.isUndefined(server.requests[0]?.refused)
          assert.deepInclude(bodies(server)[0], { ...profile.thinking?.[thinking ? "on" : "off"] })
        }),
      { thinking }
    )
  )
})

describe("profiles", () => {
  it("9.2 are recognised by the address of a hosted server, but not by a similar address", () => {
    const of = (url: string) => Profile.ofAddress(url).name
    assert.deepStrictEqual(
      [
        of("https://api.openai.com/v1"),
        of("https://api.deepseek.com"),
        of("https://dashscope-intl.aliyuncs.com/compatible-mode/v1"),
        of("https://me.openai.azure.com/openai/v1"),
        of("http://localhost:11434/v1"),
        of("https://api.openai.com.example.org/v1"),
        of("https://notdeepseek.com"),
        of("no address")
      ],
      ["openai", "deepseek", "qwen", "openai", "compatible", "compatible", "compatible", "compatible"]
    )
  })

  it("9.2 have the same names as their keys", () => {
    assert.deepStrictEqual(
      Profile.names.map((name) => Profile.profiles[name].name),
      [...Profile.names]
    )
    assert.deepStrictEqual([...Profile.names].sort(), Object.keys(Profile.profiles).sort())
  })

  it.live("9.2 can be custom records", () =>
    served(
      "compatible",
      [Server.completion({ text: "Hello" })],
      (server) =>
        Effect.gen(function* () {
          yield* ask(true, {
            prompt: [
              { role: "system", content: "Be brief." },
              { role: "user", content: "hi" }
            ]
          })
          assert.strictEqual(bodies(server)[0]?.["messages"][0].role, "developer")
          assert.isUndefined(bodies(server)[0]?.["stream_options"])
        }),
      { profile: { ...Profile.compatible, name: "mine", systemRole: "developer", streamUsage: false } }
    )
  )
})

describe("the profiles", () => {
  it("9.2 match the documentation of the servers", () => {
    const all = ["auto", "none", "required", "named"]
    const never = { send: "never" }
    const withCalls = (field: string) => ({ send: "with calls", field })
    assert.deepStrictEqual<ReadonlyArray<ReadonlyArray<unknown>>>(
      Profile.names.map((name) => {
        const { maxTokens, parallelToolCalls, reasoning, structured, toolChoice } = Profile.profiles[name]
        return [name, toolChoice, parallelToolCalls, maxTokens, structured, reasoning]
      }),
      [
        ["openai", all, true, "max_completion_tokens", "json_schema", never],
        ["compatible", all, true, "given", "json_schema", never],
        ["qwen", ["auto", "none"], true, "max_tokens", "json_object", never],
        ["vllm", all, true, "max_completion_tokens", "json_schema", withCalls("reasoning")],
        ["ollama", [], false, "max_tokens", "json_schema", withCalls("reasoning")],
        ["deepseek", [], false, "max_tokens", "json_object", withCalls("reasoning_content")]
      ]
    )
  })
})
