/** Reading and writing Anthropic's messages, block by block. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import { assistant, call, conversation, result, system, text, tool, user } from "../../support/conversation.ts"

const cached = { cache_control: { type: "ephemeral" } } as const
const cachedOptions = { options: { anthropic: cached } }

/** Reads messages, stores and loads the conversation, and writes it again. */
const again = (log: Transcript.AnthropicLog): Transcript.AnthropicHistory => {
  const stored = JSON.stringify(Schema.encodeSync(Prompt.Prompt)(Transcript.fromAnthropic(log)))
  return Transcript.toAnthropic(Schema.decodeSync(Prompt.Prompt)(JSON.parse(stored)))
}

describe("fromAnthropic", () => {
  it("9.2 reads system text, calls, results with their failure, and the text after them", () => {
    assert.deepStrictEqual(
      Transcript.fromAnthropic({
        system: "be brief",
        messages: [
          { role: "user", content: "hi" },
          {
            role: "assistant",
            content: [
              { type: "text", text: "Let me look." },
              { type: "tool_use", id: "a", name: "search", input: { q: 1 }, caller: { type: "direct" } },
              { type: "tool_use", id: "b", name: "read", input: {} }
            ]
          },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "a", content: "one" },
              { type: "text", text: "and?" },
              { type: "tool_result", tool_use_id: "b", content: "gone", is_error: true }
            ]
          },
          { role: "assistant", content: "done" }
        ]
      }).content,
      [
        system("be brief"),
        user("hi"),
        assistant(text("Let me look."), call("a", "search", { q: 1 }), call("b", "read", {})),
        tool(result("a", "one"), { ...result("b", "gone", "read"), isFailure: true }),
        user("and?"),
        assistant(text("done"))
      ]
    )
  })

  it("9.2 reads legacy results: other roles, tool_calls, function_call, plain text in user messages", () => {
    const prompt = Transcript.fromAnthropic([
      { role: "system", content: "be brief" },
      { role: "user", content: "hi" },
      { role: "assistant", content: null, function_call: { name: "search", arguments: '{"q":1}' } },
      { role: "function", name: "search", content: "one" },
      { role: "assistant", tool_calls: [{ id: "b", type: "function", function: { name: "read", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "b", content: "two" },
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "read", input: { p: 3 } }] },
      { role: "user", content: "Tool result for c: three" }
    ])
    assert.deepStrictEqual(Transcript.repair(prompt).prompt.content, [
      system("be brief"),
      user("hi"),
      assistant(call("call_3", "search", { q: 1 })),
      tool(result("call_3", "one")),
      assistant(call("b", "read", {})),
      tool(result("b", "two", "read")),
      assistant(call("c", "read", { p: 3 })),
      tool(result("c", "three", "read"))
    ])
  })

  it("9.2 reads the turns of a text completion", () => {
    const prompt = "You are kind.\n\nHuman: hi\nthere\n\nAssistant: Hello!\n\nHuman: how are you?\n\nAssistant:"
    const expected = [system("You are kind."), user("hi\nthere"), assistant(text("Hello!")), user("how are you?")]
    assert.deepStrictEqual(Transcript.fromAnthropic({ prompt }).content, expected)
    assert.deepStrictEqual(Transcript.fromAnthropic({ prompt, completion: " Fine." }).content, [
      ...expected,
      assistant(text("Fine."))
    ])
  })

  const invoke = (name: string, params: string) =>
    `<invoke>\n<tool_name>${name}</tool_name>\n<parameters>\n${params}\n</parameters>\n</invoke>`
  const given = (name: string, text: string) =>
    `<result>\n<tool_name>${name}</tool_name>\n<stdout>\n${text}\n</stdout>\n</result>`

  it("9.2 reads calls and results that are XML in texts", () => {
    const prompt = [
      "\n\nHuman: Where are they?",
      "\n\nAssistant: Let me see.\n<function_calls>",
      invoke("search", "<q>a <b></q>\n<page>2</page>"),
      invoke("read", ""),
      "</function_calls>",
      "\n\nHuman: <function_results>",
      given("search", "one\ntwo"),
      given("read", "3"),
      "</function_results>",
      '\n\nAssistant: <function_calls><invoke name="read"><parameter name="p">1</parameter></invoke>',
      "\n\nHuman: <function_results><error>\ngone\n</error></function_results>",
      "\n\nAssistant: Done."
    ].join("")
    assert.deepStrictEqual(Transcript.repair(Transcript.fromAnthropic({ prompt })).prompt.content, [
      user("Where are they?"),
      assistant(text("Let me see."), call("call_1", "search", { q: "a <b>", page: "2" }), call("call_2", "read", {})),
      tool(result("call_1", "one\ntwo"), result("call_2", "3", "read")),
      assistant(call("call_3", "read", { p: "1" })),
      tool({ ...result("call_3", "gone", "read"), isFailure: true }),
      assistant(text("Done."))
    ])
  })

  it("9.2 keeps texts that only mention such calls", () => {
    const calls = `<function_calls>${invoke("search", "<q>a</q>")}</function_calls>`
    const spoken: ReadonlyArray<ReadonlyArray<Prompt.Message>> = [
      [user("How?"), assistant(text(calls)), user("Thanks")],
      [user("How?"), assistant(text(calls))],
      [assistant(text(`${calls} is how`)), user(`<function_results>${given("search", "1")}</function_results>`)],
      [assistant(text("<function_calls>")), user(`<function_results>${given("search", "1")}</function_results>`)],
      [assistant(text(calls)), user(`<function_results>${given("a", "1")}${given("b", "2")}</function_results>`)],
      [assistant(text(calls)), user("<function_results></function_results>")]
    ]
    for (const messages of spoken) {
      const history = Transcript.toAnthropic(conversation(...messages))
      assert.deepStrictEqual(Transcript.fromAnthropic(history).content, messages)
    }
  })

  it("9.4 reads texts with many such tags, closed or not", () => {
    const many = (text: string) => text.repeat(Math.ceil(200_000 / text.length))
    for (const end of ["", "</function_calls>", "x", " "]) {
      for (const text of [
        "<function_calls>",
        "<invoke>",
        "<invoke ",
        "<a><b>",
        " ",
        "\n\nHuman:",
        "<invoke><parameters><a>"
      ]) {
        const said = `<function_calls><invoke>${many(text)}</invoke>${end}`
        const results = `<function_results>${many(text)}<result>1</result></function_results>`
        const log = [
          { role: "assistant", content: said },
          { role: "user", content: results }
        ]
        const read = Transcript.fromAnthropic(log).content.map(({ role }) => role)
        assert.deepStrictEqual(read, ["assistant", end === "x" || text === "<function_calls>" ? "user" : "tool"])
        assert.isNotEmpty(Transcript.fromAnthropic({ prompt: said }).content)
      }
    }
  })

  it("9.4 reads any input without failing, and the result can be repaired", () => {
    const junk = [null, 7, "x", [], {}, { role: "user" }, { role: "assistant", content: [null, 3, { type: 4 }, "x"] }]
    const more = [
      { role: "assistant", content: [{ type: "tool_use" }, { type: "thinking" }, { type: "redacted_thinking" }] },
      {
        role: "user",
        content: [{ type: "tool_result", content: [null, { type: "image", source: 3 }] }, { type: "image" }]
      },
      { role: "user", content: { a: 1 } }
    ]
    const { prompt } = Transcript.repairForAnthropic(Transcript.fromAnthropic([...junk, ...more]))
    assert.deepStrictEqual(Transcript.validate(prompt), [])
    for (const odd of [null, 3, {}, { messages: 3 }, { system: 3, messages: [] }]) {
      assert.isArray(Transcript.fromAnthropic(odd as never).content) // invalid on purpose
    }
  })
})

describe("toAnthropic", () => {
  it("9.2 puts the results first in the next user message, with is_error, and merges neighbours of one role", () => {
    assert.deepStrictEqual(
      Transcript.toAnthropic(
        conversation(
          system("be brief"),
          user("hi"),
          user("there"),
          assistant(text("Let me see.")),
          assistant(call("a"), call("b", "read", '{"cut')),
          tool(result("a", { rows: [1] })),
          tool({ ...result("b", "no"), isFailure: true }),
          user("go on"),
          system("in French")
        )
      ),
      {
        system: [
          { type: "text", text: "be brief" },
          { type: "text", text: "in French" }
        ],
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "hi" },
              { type: "text", text: "there" }
            ]
          },
          {
            role: "assistant",
            content: [
              { type: "text", text: "Let me see." },
              { type: "tool_use", id: "a", name: "search", input: { q: "a" } },
              { type: "tool_use", id: "b", name: "read", input: { malformed_arguments: '{"cut' } }
            ]
          },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "a", content: '{"rows":[1]}' },
              { type: "tool_result", tool_use_id: "b", content: "no", is_error: true },
              { type: "text", text: "go on" }
            ]
          }
        ]
      }
    )
  })

  it("9.2 puts the results first if the user wrote before them", () => {
    const { messages } = Transcript.toAnthropic(conversation(assistant(call("a")), user("wait"), tool(result("a"))))
    assert.deepStrictEqual(messages[1], {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: "result of a" },
        { type: "text", text: "wait" }
      ]
    })
  })

  it("9.2 omits the citations of a user's text, and keeps those of the model's", () => {
    const cited = Prompt.textPart({ text: "x", options: { anthropic: { citations: [{ type: "char_location" }] } } })
    assert.deepStrictEqual(
      Transcript.toAnthropic(conversation(Prompt.userMessage({ content: [cited] }), assistant(cited))).messages,
      [
        { role: "user", content: "x" },
        { role: "assistant", content: [{ type: "text", text: "x", citations: [{ type: "char_location" }] }] }
      ]
    )
  })

  it("9.2 restores malformed arguments to their original text", () => {
    const prompt = conversation(
      assistant(call("a", "search", '{"q":'), call("b", "search", { malformed_arguments: "{}" }))
    )
    assert.deepStrictEqual(Transcript.fromAnthropic(Transcript.toAnthropic(prompt)), prompt)
  })

  it("9.2 sends images and documents of supported types, and names other files", () => {
    const file = (mediaType: string, data: Prompt.FilePart["data"], fileName?: string) =>
      Prompt.filePart({ mediaType, data, ...(fileName === undefined ? {} : { fileName }) })
    const [message] = Transcript.toAnthropic(
      conversation(
        Prompt.userMessage({
          content: [
            file("image/png", new Uint8Array([1, 2, 3])),
            file("image/*", "/9j/AQID"),
            file("image/*", "data:image/gif;base64,R0lGODlh"),
            file("image/png", new URL("https://example.com/a.png")),
            file("image/svg+xml", "AQID", "a.svg"),
            file("application/pdf", "AQID", "a.pdf"),
            file("application/pdf", "https://example.com/a.pdf"),
            file("text/csv", new TextEncoder().encode("é;1"), "a.csv"),
            file("audio/wav", "AQID"),
            file("application/zip", new URL("https://example.com/a.zip"))
          ]
        })
      )
    ).messages
    const image = (media_type: string, data: string) => ({
      type: "image",
      source: { type: "base64", media_type, data }
    })
    assert.deepStrictEqual(message as unknown, {
      role: "user",
      content: [
        image("image/png", "AQID"),
        image("image/jpeg", "/9j/AQID"),
        image("image/gif", "R0lGODlh"),
        { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
        { type: "text", text: "[image/svg+xml a.svg omitted]" },
        {
          type: "document",
          source: { type: "base64", media_type: "application/pdf", data: "AQID" },
          title: "a.pdf"
        },
        { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
        { type: "document", source: { type: "text", media_type: "text/plain", data: "é;1" }, title: "a.csv" },
        { type: "text", text: "[audio/wav omitted]" },
        { type: "text", text: "[application/zip https://example.com/a.zip]" }
      ]
    })
  })

  it("5.6 writes further parts of a result as blocks in it", () => {
    const image = Prompt.filePart({ mediaType: "image/png", data: "AQID" })
    const part = { ...result("a", { w: 1 }), modelOutput: [text("320px"), image] }
    assert.deepStrictEqual(
      Transcript.toAnthropic(conversation(assistant(call("a")), tool(part))).messages[1]?.content,
      [
        {
          type: "tool_result",
          tool_use_id: "a",
          content: [
            { type: "text", text: "320px" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AQID" } }
          ]
        }
      ]
    )
  })

  it("9.2 writes cache_control of parts and messages, also under the name of @effect/ai-anthropic", () => {
    const theirs = { anthropic: { cacheControl: { type: "ephemeral", ttl: "1h" } } } as const
    const history = Transcript.toAnthropic(
      conversation(
        Prompt.systemMessage({ content: "s", ...cachedOptions }),
        Prompt.userMessage({ content: [text("a"), text("b")], options: theirs }),
        assistant({ ...call("c"), ...cachedOptions }, Prompt.reasoningPart({ text: "hm" })),
        tool({ ...result("c"), ...cachedOptions })
      )
    )
    assert.deepStrictEqual(history as unknown, {
      system: [{ type: "text", text: "s", ...cached }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b", cache_control: { type: "ephemeral", ttl: "1h" } }
          ]
        },
        { role: "assistant", content: [{ type: "tool_use", id: "c", name: "search", input: { q: "c" }, ...cached }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "result of c", ...cached }] }
      ]
    })
    const info = { type: "thinking", signature: "sig" } as const
    const signed = Prompt.reasoningPart({ text: "hm", options: { anthropic: { info } } })
    assert.deepStrictEqual(Transcript.toAnthropic(conversation(assistant(signed))).messages[0]?.content, [
      { type: "thinking", thinking: "hm", signature: "sig" }
    ])
  })

  it("9.2 preserves signatures, citations, blocks of unknown types and calls of the provider", () => {
    const log: Transcript.AnthropicLog = {
      system: [{ type: "text", text: "be brief", ...cached }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "look", ...cached },
            { type: "image", source: { type: "url", url: "https://example.com/a.png" }, ...cached },
            {
              type: "document",
              source: { type: "text", media_type: "text/plain", data: "Grüße" },
              title: "a",
              context: "b",
              citations: { enabled: true }
            },
            { type: "document", source: { type: "file", file_id: "file_1" } },
            { type: "search_result", source: "x", title: "t", content: [{ type: "text", text: "found" }] },
            { type: "container_upload", file_id: "file_2" }
          ]
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: "sig-1" },
            { type: "redacted_thinking", data: "hidden" },
            { type: "thinking", thinking: "", signature: "sig-2" },
            { type: "text", text: "I see", citations: [{ type: "char_location", cited_text: "G" }] },
            { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
            {
              type: "web_search_tool_result",
              tool_use_id: "srvtoolu_1",
              content: { type: "web_search_tool_result_error", error_code: "unavailable" }
            },
            { type: "mcp_tool_use", id: "mcptoolu_1", name: "echo", server_name: "s", input: {} },
            {
              type: "mcp_tool_result",
              tool_use_id: "mcptoolu_1",
              is_error: false,
              content: [{ type: "text", text: "hi" }]
            },
            { type: "tool_use", id: "a", name: "search", input: { q: 1 }, ...cached }
          ]
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "a",
              content: [
                { type: "text", text: "one", ...cached },
                { type: "image", source: { type: "base64", media_type: "image/png", data: "AQID" } },
                { type: "tool_reference", tool_name: "x" }
              ],
              is_error: true,
              ...cached
            }
          ]
        }
      ]
    }
    assert.deepStrictEqual(again(log) as unknown, log)
    const { changes } = Transcript.repairForAnthropic(Transcript.fromAnthropic(log))
    // the only changes are to the cache_control marks: the log has more than the API accepts
    assert.deepStrictEqual(
      changes.map(({ _tag }) => _tag),
      ["MarksLeftOut"]
    )
  })

  it("9.2 writes the text of a block of an unknown type to other formats", () => {
    const prompt = Transcript.fromAnthropic([
      {
        role: "user",
        content: [
          { type: "search_result", source: "x", title: "t", content: [{ type: "text", text: "found" }] },
          { type: "container_upload", file_id: "file_2" }
        ]
      }
    ])
    assert.deepStrictEqual(Transcript.toOpenAi(prompt), [
      { role: "user", content: "found\n[container_upload omitted]" }
    ])
  })

  it("9.2 sends the text instead of the block if the text was changed", () => {
    const prompt = Transcript.fromAnthropic([{ role: "user", content: [{ type: "odd", text: "my secret" }] }])
    const redacted = Prompt.fromMessages(
      prompt.content.map((message) =>
        message.role === "user"
          ? Prompt.userMessage({
              content: message.content.map((part) => (part.type === "text" ? { ...part, text: "my ***" } : part))
            })
          : message
      )
    )
    assert.deepStrictEqual(Transcript.toAnthropic(redacted).messages, [{ role: "user", content: "my ***" }])
  })
})

describe("repairForAnthropic", () => {
  const repairs = (
    damaged: Prompt.Prompt,
    expected: ReadonlyArray<Prompt.Message>,
    changes: ReadonlyArray<Transcript.Change>
  ) => {
    const repaired = Transcript.repairForAnthropic(damaged)
    assert.deepStrictEqual(repaired.prompt.content, expected)
    assert.deepStrictEqual(repaired.changes, changes)
  }

  it("9.4 returns a valid conversation as the same object", () => {
    const fine = conversation(system("s"), user("u"), assistant(text("hm "), call("a")), tool(result("a")))
    assert.strictEqual(Transcript.repairForAnthropic(fine).prompt, fine)
  })

  it("9.4 removes texts of only white space, and white space at the end", () => {
    repairs(
      conversation(
        user("u"),
        assistant(text("\n\n"), call("a")),
        tool(result("a")),
        assistant(text(" \n")),
        user("  "),
        assistant(text("so \n"))
      ),
      [user("u"), assistant(call("a")), tool(result("a")), user("(empty message)"), assistant(text("so"))],
      [
        { _tag: "EmptyContentRemoved", message: 1 },
        { _tag: "EmptyContentRemoved", message: 3 },
        { _tag: "EmptyContentRemoved", message: 4 },
        { _tag: "TrailingSpaceRemoved", message: 5 }
      ]
    )
  })

  it("9.4 replaces ids and tool names that the API rejects, in call and result", () => {
    repairs(
      conversation(
        user("u"),
        assistant(call("functions.a:0", "my search!")),
        tool(result("functions.a:0", "x", "my search!"))
      ),
      [
        user("u"),
        assistant(call("call_2", "my_search_", { q: "functions.a:0" })),
        tool(result("call_2", "x", "my_search_"))
      ],
      [
        { _tag: "ToolNameReplaced", message: 1, name: "my_search_", was: "my search!" },
        { _tag: "CallIdReplaced", message: 1, callId: "call_2", was: "functions.a:0" }
      ]
    )
  })

  it("9.4 removes reasoning without a signature and calls that another provider ran, and reports it", () => {
    const own = Prompt.toolCallPart({ id: "p", name: "web", params: {}, providerExecuted: true })
    const ownResult = { ...result("p", "found", "web"), providerExecuted: true }
    repairs(
      conversation(user("u"), assistant(Prompt.reasoningPart({ text: "hm" }), own, ownResult, text("ok"))),
      [user("u"), assistant(text("ok"))],
      [
        { _tag: "PartLeftOut", message: 1, part: "reasoning" },
        { _tag: "PartLeftOut", message: 1, part: "provider call" }
      ]
    )
  })

  it("9.4 puts the system messages first, then a user message", () => {
    repairs(
      conversation(assistant(text("Hello")), user("u"), system("s"), system(" ")),
      [system("s"), user("(the conversation begins)"), assistant(text("Hello")), user("u")],
      [
        { _tag: "FirstMessageAdded", message: 0 },
        { _tag: "SystemMoved", message: 2 },
        { _tag: "EmptyContentRemoved", message: 3 }
      ]
    )
    repairs(
      conversation(system("s")),
      [system("s"), user("(the conversation begins)")],
      [{ _tag: "FirstMessageAdded", message: 0 }]
    )
  })

  it("9.4 adds a text to an empty failed result", () => {
    const failed = { ...result("a", ""), isFailure: true }
    const blank = { ...result("b", "x"), isFailure: true, modelOutput: [text(" ")] }
    const { modelOutput: _, ...said } = { ...blank, result: "(no message)" }
    repairs(
      conversation(user("u"), assistant(call("a"), call("b")), tool(failed, blank)),
      [user("u"), assistant(call("a"), call("b")), tool({ ...failed, result: "(no message)" }, said)],
      [
        { _tag: "EmptyContentRemoved", message: 2 },
        { _tag: "EmptyContentRemoved", message: 2 }
      ]
    )
  })
})
