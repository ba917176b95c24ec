/**
 * Tests that an answer has the same class and code everywhere: as the result of a tool of `McpTools`, behind the proxy,
 * by the recognisers, and in the replay of a log. The recorded answers and their origins are in `test/data/answers`.
 */
import * as Recognisers from "#src/checks/Recognisers"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as RemoteTool from "#src/mcp/remote/RemoteTool"
import type { JsonObject } from "#domain/json/JsonObject"
import * as Blobs from "#kit/proxy/Blobs"
import * as PausableTimeout from "#kit/proxy/PausableTimeout"
import * as ProxyTool from "#kit/proxy/ProxyTool"
import { classify } from "#kit/replay/RecordedAnswer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import recorded from "../../data/answers/results.json" with { type: "json" }

interface Answer {
  readonly origin: string
  readonly tool: string
  readonly arguments: object
  readonly result: JsonObject
}

const text = (value: string, more: object = {}) => ({ content: [{ type: "text", text: value }], ...more })
const invented = (origin: string, result: JsonObject): Answer => ({
  origin,
  tool: "do_it",
  arguments: { id: "a-1" },
  result
})

const answers: ReadonlyArray<Answer> = [
  ...recorded,
  invented("an error without content", { content: [], isError: true }),
  invented("an error without any field", { isError: true }),
  invented("an error of white space", text(" \n", { isError: true })),
  invented("structured content alone", {
    content: [],
    structuredContent: { error: "disk full on node 3", code: "ENOSPC" },
    isError: true
  }),
  invented("a text that contradicts its flag", text("All 3 rows were read.", { isError: true })),
  invented(
    "a structured failure alongside a good text",
    text("Saved.", { structuredContent: { ok: false, error: "rate limit exceeded", retry_after: 3 } })
  ),
  invented(
    "a failed text alongside structured data",
    text("Error: 503 Service Unavailable", { structuredContent: { n: 3 } })
  ),
  invented("two texts", {
    content: [...text("Cannot save.").content, ...text("Disk is full.").content],
    isError: true
  }),
  invented("another language", text("错误：找不到文件 a-1", { isError: true })),
  invented(
    "an envelope",
    text(`{"status":"error","error":{"error_class":"transient","code":"timeout","message":"ok"}}`)
  ),
  invented(
    "a page",
    text("<!doctype html><html><head><title>502 Bad Gateway</title></head></html>", { isError: true })
  ),
  invented("Slack", text(`{"ok":false,"error":"channel_not_found"}`)),
  invented("GraphQL", text(`{"errors":[{"message":"Cannot query field \\"x\\" on type \\"Y\\"."}],"data":null}`))
]

const listed = ({ tool }: Answer) => ({
  name: tool,
  description: "Does it.",
  inputSchema: {},
  outputSchema: undefined,
  annotations: { readOnlyHint: true },
  raw: {}
})

const once = { retry: { attempts: 1 } } as const

/** Returns the class and code of a call, or `Success`. */
const ended = <R>(tool: GuardedTool.DynamicTool<string, R>, args: object) =>
  Effect.match(tool.call(args), {
    onFailure: ({ _tag, code }) => `${_tag} ${code}`,
    onSuccess: () => "Success"
  })

const live = (answer: Answer) =>
  ended(
    RemoteTool.make(answer.tool, listed(answer), once, () => Effect.succeed(answer.result)),
    answer.arguments
  )

const proxied = (answer: Answer) =>
  ended(
    ProxyTool.make(listed(answer), {
      policy: once,
      confirm: "hinted",
      timeout: PausableTimeout.make(),
      timeoutMillis: 5_000,
      blobs: Blobs.make((text) => text),
      call: () => Effect.succeed(answer.result)
    }),
    answer.arguments
  )

const recognised = (answer: Answer) =>
  ended(
    GuardedTool.dynamic(answer.tool, {
      ...once,
      access: "read",
      success: Schema.Json,
      checks: { hiddenFailure: Recognisers.hiddenFailure },
      handler: () => Effect.succeed(answer.result)
    }),
    answer.arguments
  )

/** Returns the class and code in the replay of a log that holds the whole result, or its texts and its flag. */
const replayed = ({ arguments: args, result, tool }: Answer, isWhole: boolean) => {
  const { content, isError } = result as {
    readonly content?: ReadonlyArray<{ text: string }>
    readonly isError?: boolean
  }
  const classified = classify({
    tool,
    arguments: args,
    text: isWhole ? JSON.stringify(result) : (content ?? []).map((block) => block.text).join("\n"),
    isError: !isWhole && isError === true
  })
  return classified._tag === "Failure" ? `${classified.class} ${classified.code}` : classified._tag
}

describe("an answer", () => {
  it("3.4 has enough recorded examples, of several classes", () => {
    assert.isAtLeast(recorded.length, 30)
    assert.isAtLeast(new Set(answers.map((answer) => replayed(answer, true))).size, 12)
  })

  for (const [index, answer] of answers.entries()) {
    it.effect(`3.4 has the same class and code live, recognised and replayed: ${index} ${answer.origin}`, () =>
      Effect.gen(function* () {
        const expected = yield* live(answer)
        const isStructured = answer.result["structuredContent"] !== undefined
        assert.deepStrictEqual(
          {
            proxied: yield* proxied(answer),
            recognised: yield* recognised(answer),
            whole: replayed(answer, true),
            // a log of texts lacks the structured content
            texts: isStructured ? expected : replayed(answer, false)
          },
          { proxied: expected, recognised: expected, whole: expected, texts: expected }
        )
      }).pipe(Effect.provide(Guard.layerMemory))
    )
  }
})
