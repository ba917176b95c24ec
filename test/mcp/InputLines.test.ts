/** Tests which lines of a client reach the server over standard input. */
import * as InputLines from "#src/mcp/serve/InputLines"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Sink, Stdio, Stream } from "effect"

/** Reads messages as lines, and returns the messages that pass and the answers to the other messages. */
const read = Effect.fnUntraced(function* (messages: ReadonlyArray<unknown>) {
  const answers: Array<any> = []
  const text = messages.map((message) => `${JSON.stringify(message)}\n`).join("")
  const stdio = Stdio.layerTest({
    stdin: Stream.make(new TextEncoder().encode(text)),
    stdout: () =>
      Sink.forEach((written: string | Uint8Array) =>
        Effect.sync(() =>
          answers.push(JSON.parse(typeof written === "string" ? written : new TextDecoder().decode(written)))
        )
      )
  })
  const passed = yield* Effect.gen(function* () {
    const { stdin } = yield* Stdio.Stdio
    return yield* Stream.mkString(Stream.decodeText(stdin))
  }).pipe(Effect.provide(Layer.provide(InputLines.layer, stdio)))
  return {
    passed: passed.split("\n").flatMap((line): ReadonlyArray<any> => (line === "" ? [] : [JSON.parse(line)])),
    answers
  }
})

const request = (id: number, method: string, params?: object) => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params === undefined ? {} : { params })
})
const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a", version: "1" } }
const meta = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } }

describe("the lines of a client", () => {
  it.effect("13.7 a request before initialize that states no version gets -32602", () =>
    Effect.gen(function* () {
      const early = [
        request(1, "tools/list"),
        request(2, "tools/call", { name: "a", arguments: {} }),
        request(3, "tools/list", { _meta: {} }),
        request(4, "initialize", { ...hello, clientInfo: {} }),
        request(5, "resources/read", { uri: "a" })
      ]
      const { answers, passed } = yield* read(early)
      // the server itself refuses an incomplete initialize
      assert.deepStrictEqual(
        passed.map(({ id }) => id),
        [4]
      )
      assert.deepStrictEqual(
        answers.map(({ error, id }) => [id, error.code]),
        [
          [1, -32_602],
          [2, -32_602],
          [3, -32_602],
          [5, -32_602]
        ]
      )
      assert.include(answers[0].error.message, "send initialize first")
    })
  )

  it.effect("13.7 a request after initialize, with a version, or of a method that needs neither passes", () =>
    Effect.gen(function* () {
      const lines = [
        request(1, "ping"),
        request(2, "tools/list", meta),
        request(3, "no/such/method"),
        request(4, "initialize", hello),
        request(5, "tools/list")
      ]
      const { answers, passed } = yield* read(lines)
      assert.deepStrictEqual(passed, lines)
      assert.deepStrictEqual(answers, [])
    })
  )

  it.effect("13.7 a request, notification, answer or list whose jsonrpc is not 2.0 gets -32600", () =>
    Effect.gen(function* () {
      const wrong = [
        { jsonrpc: "1.0", id: 1, method: "ping" },
        { id: 2, method: "ping" },
        { jsonrpc: 2, id: "a", method: "ping" },
        { jsonrpc: "1.0", method: "notifications/initialized" },
        { jsonrpc: "1.0", id: 3, result: {} },
        [{ jsonrpc: "1.0", id: 4, method: "ping" }]
      ]
      const { answers, passed } = yield* read(wrong)
      assert.deepStrictEqual(passed, [])
      assert.deepStrictEqual(
        answers.map(({ error, id }) => [id, error.code]),
        [1, 2, "a", null, 3, null].map((id) => [id, -32_600])
      )
    })
  )
})
