/** Reads, repairs and writes conversations of OpenAI's Responses API. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import {
  assistant,
  call,
  conversation,
  Damage,
  damage,
  fromPlan,
  Plan,
  result,
  system,
  text,
  tool,
  user
} from "../../support/conversation.ts"
import { check, contentsOf, protocols, responsesError } from "./exportChecks.ts"

const { fromResponses, repairForResponses, toResponses } = Transcript

const reasoning = (n: number | string) => ({
  type: "reasoning",
  id: `rs_${n}`,
  summary: [{ type: "summary_text", text: `thought ${n}` }],
  encrypted_content: `secret ${n}`
})
const functionCall = (n: number | string) => ({
  type: "function_call",
  id: `fc_${n}`,
  call_id: `call_${n}`,
  name: "search",
  arguments: `{"q": "${n}"}`
})
const output = (n: number | string) => ({ type: "function_call_output", call_id: `call_${n}`, output: `${n} rows` })
const message = (n: number | string, phase?: string) => ({
  type: "message",
  id: `msg_${n}`,
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: `answer ${n}`, annotations: [] }],
  ...(phase === undefined ? {} : { phase })
})
const question = { type: "message", role: "user", content: "Where?" }

/** Returns the reasoning of an item, as the layer reads it. */
const thought = (item: object | undefined, options: Prompt.ProviderOptions = {}) =>
  Prompt.reasoningPart({
    text: "hm",
    options: item === undefined ? options : { openai: { item: item as Schema.JsonObject } }
  })

/** Writes a conversation with the repairs that the API needs, and asserts that the API accepts it. */
const sent = (prompt: Prompt.Prompt) => {
  const repaired = repairForResponses(prompt)
  const items = toResponses(repaired.prompt)
  assert.strictEqual(responsesError(items), undefined)
  assert.strictEqual(repairForResponses(repaired.prompt).prompt, repaired.prompt)
  return { items, changes: repaired.changes }
}

const typesOf = (items: ReadonlyArray<Transcript.ResponsesItem>) => items.map(({ type }) => type)

describe("a log of the Responses API", () => {
  it("9.2 is written back item by item as the API returned it", () => {
    const log = [
      { type: "message", role: "system", content: "be brief" },
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "Where?" },
          { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo", detail: "low" },
          { type: "input_image", image_url: "https://example.com/a.png", detail: "auto" },
          { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
          { type: "input_file", file_url: "https://example.com/b.pdf" },
          { type: "input_file", file_id: "file_1" }
        ]
      },
      reasoning(1),
      message(1, "commentary"),
      { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } },
      functionCall(1),
      { ...functionCall(2), namespace: "shop", caller: { type: "program", caller_id: "p" } },
      { type: "custom_tool_call", id: "ctc_3", call_id: "call_3", name: "shell", input: "ls -l" },
      output(1),
      {
        ...output(2),
        output: [
          { type: "input_text", text: "a" },
          { type: "input_file", file_id: "file_2" }
        ]
      },
      { type: "custom_tool_call_output", call_id: "call_3", output: "a b" },
      { ...reasoning(2), content: [{ type: "reasoning_text", text: "hm" }] },
      {
        ...message(2, "final_answer"),
        content: [
          { type: "output_text", text: "one", annotations: [{ type: "url_citation", url: "https://example.com" }] },
          { type: "refusal", refusal: "not two" }
        ]
      },
      { ...message(3), status: "incomplete" }
    ]
    const prompt = fromResponses(log)
    assert.deepStrictEqual<ReadonlyArray<unknown>>(toResponses(prompt), log)
    assert.strictEqual(repairForResponses(prompt).prompt, prompt)
    assert.strictEqual(responsesError(toResponses(prompt)), undefined)
    const stored = Schema.decodeUnknownSync(Schema.fromJsonString(Prompt.Prompt))(
      Schema.encodeSync(Schema.fromJsonString(Prompt.Prompt))(prompt)
    )
    assert.deepStrictEqual<ReadonlyArray<unknown>>(toResponses(stored), log)
  })

  it("9.2 may be a request, a response, or both, with texts in short form", () => {
    const request = { instructions: "be brief", input: "Where?" }
    const roles = (prompt: Prompt.Prompt) => prompt.content.map(({ role }) => role)
    assert.deepStrictEqual(roles(fromResponses(request)), ["system", "user"])
    assert.deepStrictEqual(roles(fromResponses({ output: [message(1)] })), ["assistant"])
    assert.deepStrictEqual(
      fromResponses({ ...request, output: [message(1)] }),
      fromResponses([{ role: "system", content: "be brief" }, "Where?", message(1)])
    )
    assert.deepStrictEqual(
      contentsOf(
        fromResponses([
          { role: "user", content: "a" },
          { role: "assistant", content: "b" }
        ])
      ),
      [
        ["user", "a"],
        ["assistant", "b"]
      ]
    )
  })

  it("9.2 may contain chat messages", () => {
    const calls = [{ id: "c1", type: "function", function: { name: "search", arguments: "{}" } }]
    const chat = [
      { role: "user", content: "Where?" },
      { role: "assistant", content: null, tool_calls: calls },
      { role: "tool", tool_call_id: "c1", content: "there" }
    ]
    assert.deepStrictEqual(fromResponses(chat), Transcript.fromOpenAi(chat))
  })

  it("9.2 shows the summary of reasoning, and the texts of a conversation, to every reader", () => {
    const prompt = fromResponses([question, reasoning(1), message(1)])
    const [, answer] = prompt.content
    assert.deepStrictEqual(
      answer?.role === "assistant"
        ? answer.content.map((part) => (part.type === "reasoning" ? part.text : part.type))
        : [],
      ["thought 1", "text"]
    )
  })

  for (const [what, log] of [
    ["no list", { input: 7 }],
    ["a list of anything", [null, 7, "x", [], {}, { type: 7 }, { type: "message" }, { type: "function_call" }]],
    ["damaged items", [{ ...message(1), content: [null, 7, {}] }, { ...reasoning(1), summary: 7 }, { type: "x" }]],
    ["outputs without calls", [output(1), { type: "function_call_output" }, { type: "custom_tool_call_output" }]],
    ["only reasoning", [question, reasoning(1)]]
  ] as const) {
    it(`9.4 is read and repaired, whatever it contains: ${what}`, () => {
      const { prompt } = repairForResponses(fromResponses(log as never))
      if (prompt.content.length > 0) sent(prompt)
      assert.deepStrictEqual(Transcript.validate(prompt), [])
    })
  }

  it("9.2 a value that is nested too deeply to be written again is left out", () => {
    let deep: unknown = 0
    for (let level = 0; level < 20_000; level++) deep = [deep]
    const { items } = sent(fromResponses([question, { ...reasoning(1), deep }, message(1)]))
    assert.deepStrictEqual(typesOf(items), ["message", "message"])
  })
})

describe("a repair for the Responses API", () => {
  const answers = (...content: ReadonlyArray<Prompt.AssistantMessagePart>) =>
    sent(conversation(user("hi"), assistant(...content)))
  const said = (id: string, words = "so") => Prompt.textPart({ text: words, options: { openai: { id } } })

  it("9.4 keeps reasoning with its items", () => {
    assert.deepStrictEqual(answers(thought(reasoning(1)), said("msg_1")).changes, [])
  })

  const left = { _tag: "PartLeftOut", message: 1, part: "reasoning" }
  for (const [what, part] of [
    ["without an item", thought(undefined)],
    ["of another provider", thought(undefined, { anthropic: { signature: "x", type: "thinking" } })],
    ["without its content", thought({ ...reasoning(1), encrypted_content: null })],
    ["with an id that the API does not issue", thought({ ...reasoning(1), id: "reasoning_1" })]
  ] as const) {
    it(`9.4 removes reasoning ${what}, and the id of the item after it`, () => {
      const { changes, items } = answers(part, said("msg_1"))
      assert.deepStrictEqual<unknown>(changes, [left, { _tag: "ItemIdLeftOut", message: 1, id: "msg_1" }])
      assert.deepStrictEqual<unknown>(items[1], { type: "message", role: "assistant", content: "so" })
    })
  }

  it("9.4 removes reasoning that no item of its answer follows", () => {
    const { changes, items } = answers(said("msg_1"), thought(reasoning(1)))
    assert.deepStrictEqual<unknown>(changes, [left])
    assert.deepStrictEqual(typesOf(items), ["message", "message"])
  })

  it("9.4 removes repeated items and repeated ids", () => {
    const again = [thought(reasoning(1)), said("msg_1")]
    const { changes, items } = sent(conversation(user("hi"), assistant(...again), user("and?"), assistant(...again)))
    assert.deepStrictEqual<unknown>(changes, [
      { ...left, message: 3 },
      { _tag: "ItemIdLeftOut", message: 3, id: "msg_1" }
    ])
    assert.deepStrictEqual(typesOf(items), ["message", "reasoning", "message", "message", "message"])
  })

  it("9.4 texts of one item are written as one item, and an id in two places as one id", () => {
    const { changes, items } = answers(said("msg_1", "a"), said("msg_1", "b"), call("c1"), said("msg_1", "c"))
    assert.deepStrictEqual<unknown>(
      changes.map(({ _tag }) => _tag),
      ["ItemIdLeftOut", "OrphanCallAnswered"]
    )
    assert.deepInclude(items[1], { id: "msg_1" })
    assert.deepStrictEqual(
      (items[1] as Extract<Transcript.ResponsesItem, { readonly status: string }>)["content"],
      ["a", "b"].map((text) => ({ type: "output_text", text, annotations: [] }))
    )
  })

  it("9.4 replaces names and ids of calls that the API does not accept, and removes ids of other providers", () => {
    const id = "x".repeat(70)
    const foreign = { ...call(id, "my tool"), options: { openai: { id: "toolu_1", arguments: '{"q":"x"}' } } }
    const { changes, items } = sent(conversation(user("hi"), assistant(foreign), tool(result(id, "r", "my tool"))))
    assert.deepStrictEqual<unknown>(
      changes.map(({ _tag }) => _tag),
      ["ToolNameReplaced", "CallIdReplaced", "ItemIdLeftOut"]
    )
    assert.deepInclude(items[1], { name: "my_tool", call_id: "call_2" })
    assert.deepInclude(items[2], { call_id: "call_2", output: "r" })
  })

  it("9.4 removes calls that another provider ran, and calls of the API's tools that have no output", () => {
    const ran = Prompt.toolCallPart({ id: "s1", name: "web_search", params: {}, providerExecuted: true })
    const found = Prompt.toolResultPart({
      id: "s1",
      name: "web_search",
      isFailure: false,
      result: [],
      providerExecuted: true
    })
    const shell = { type: "local_shell_call", id: "lsh_1", call_id: "c7", action: {}, status: "completed" }
    const { changes, items } = answers(ran, found, thought(shell), text("so"))
    const part = "provider call"
    assert.deepStrictEqual<unknown>(changes, [
      { ...left, part },
      { ...left, part }
    ])
    assert.deepStrictEqual(typesOf(items), ["message", "message"])
    const withOutput = answers(
      thought(shell),
      thought({ type: "local_shell_call_output", call_id: "c7", output: "" }),
      text("so")
    )
    assert.deepStrictEqual(withOutput.changes, [])
  })

  it("9.4 removes names of authors", () => {
    const named = Prompt.userMessage({ content: [text("hi")], options: { openai: { name: "ada" } } })
    assert.deepStrictEqual<unknown>(sent(conversation(system("x"), named)).changes, [
      { _tag: "NameLeftOut", message: 1, name: "ada" }
    ])
  })

  /** Adds reasoning and ids to the answers of a plan. */
  const withItems = (prompt: Prompt.Prompt): Prompt.Prompt =>
    Prompt.fromMessages(
      prompt.content.map((each, index) => {
        if (each.role !== "assistant") return each
        const content = each.content.map((part, place) => {
          const id = `${part.type === "text" ? "msg" : "fc"}_${index}_${place}`
          return part.type === "text" || part.type === "tool-call" ? { ...part, options: { openai: { id } } } : part
        })
        return assistant(thought(reasoning(index)), ...content)
      })
    )

  for (const protocol of protocols) {
    it.prop(
      `9.4 random conversations with reasoning and ids, after random damage, are valid for ${protocol.name}`,
      [Plan, Schema.Array(Damage).check(Schema.isMaxLength(10))],
      ([plan, damages]) => check(protocol, damages.reduce(damage, withItems(fromPlan(plan))), "random"),
      { arbitrary: { runs: 200 } }
    )
  }

  it.prop(
    "9.2 an export and its import preserve the contents and all items",
    [Plan, Schema.Array(Damage).check(Schema.isMaxLength(6))],
    ([plan, damages]) => {
      const { prompt } = repairForResponses(damages.reduce(damage, withItems(fromPlan(plan))))
      const again = fromResponses(toResponses(prompt))
      assert.deepStrictEqual(toResponses(again), toResponses(prompt))
      const flat = (one: Prompt.Prompt) =>
        contentsOf(one).map((part) => (part as Array<unknown>).filter((x) => x !== true))
      assert.deepStrictEqual(
        flat(again).filter((part) => part[0] !== "result"),
        flat(prompt).filter((part) => part[0] !== "result")
      )
    },
    { arbitrary: { runs: 200 } }
  )
})

describe("a conversation of the Responses API at another provider", () => {
  it("9.2 loses only its reasoning, and keeps it for the way back", () => {
    const log = [question, reasoning(1), functionCall(1), output(1), reasoning(2), message(2)]
    const prompt = fromResponses(log)
    const anthropic = Transcript.repairForAnthropic(prompt)
    assert.deepStrictEqual(
      Transcript.toAnthropic(anthropic.prompt).messages.map(({ content }) =>
        typeof content === "string" ? content : content.map(({ type }) => type)
      ),
      ["Where?", ["tool_use"], ["tool_result"], "answer 2"]
    )
    assert.deepStrictEqual(
      Transcript.toOpenAi(prompt).map(({ role }) => role),
      ["user", "assistant", "tool", "assistant"]
    )
    assert.deepStrictEqual<ReadonlyArray<unknown>>(toResponses(prompt), log)
  })
})
