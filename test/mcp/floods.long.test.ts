/** Tests that an MCP server cannot occupy its client with messages that answer nothing, or by never reading its input. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue, Result, Sink, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { McpError } from "#src/mcp/wire/McpError"
import * as Message from "#src/mcp/wire/Message"
import * as Peer from "#src/mcp/wire/Peer"
import * as Pipes from "#src/mcp/wire/Pipes"
import type { IncomingMessage, Transport } from "#src/mcp/wire/Transport"

/** Creates a peer of a scripted server. `ended` contains the error with which the connection ended. */
const connected = (isBounded: boolean) =>
  Effect.gen(function* () {
    let receive: (incoming: IncomingMessage) => Effect.Effect<void> = () => Effect.void
    const ended: Array<McpError> = []
    const transport: Transport = {
      post: () => {},
      listen: (receiver) =>
        Effect.sync(() => {
          receive = receiver
        }),
      abandon: () => {},
      room: Effect.void,
      ended: Effect.never,
      end: (error) => void ended.push(error)
    }
    const peer = yield* Peer.make(transport, {
      request: () => Effect.void,
      notification: () => Effect.void,
      broken: () => {},
      isBounded
    })
    /** Sends the texts in turn, `count` times each. */
    const sends = (texts: string | ReadonlyArray<string>, count: number) => {
      const messages = [texts].flat().map((text) => Message.read(text, "line 1")[0])
      return Effect.gen(function* () {
        for (let n = 0; n < count && ended.length === 0; n++)
          for (const message of messages) if (message !== undefined) yield* receive(message)
      })
    }
    return { ended, peer, sends }
  })

const wrongAnswer = '{"jsonrpc":"2.0","id":4711,"result":{}}'
const notification = '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'

describe("a server that floods", () => {
  it.effect("13.7 after 10,000 answers with unknown ids in a row, the connection ends with a typed error", () =>
    Effect.gen(function* () {
      const { ended, sends } = yield* connected(true)
      yield* sends(wrongAnswer, 9_999)
      assert.deepStrictEqual(ended, [])
      yield* sends(wrongAnswer, 1)
      assert.strictEqual(ended[0]?.reason, "broken_message")
      assert.match(ended[0]?.message ?? "", /^10000 broken messages in a row. line 1: an answer to an unknown request/)
    })
  )

  it.effect("13.7 of the answers with an abandoned id, the first is dropped, and the others are broken messages", () =>
    Effect.gen(function* () {
      const { ended, peer, sends } = yield* connected(true)
      const id = peer.ask(
        () => ({ text: "" }),
        () => {}
      )
      peer.giveUp(id)
      yield* sends(wrongAnswer.replace("4711", String(id)), 10_000)
      assert.deepStrictEqual(ended, [])
      yield* sends(wrongAnswer.replace("4711", String(id)), 1)
      assert.match(ended[0]?.message ?? "", /^10000 broken messages in a row. line 1: a second answer/)
    })
  )

  it.effect.each([
    ["notifications", [notification]],
    ["requests", ['{"jsonrpc":"2.0","id":"a","method":"roots/list"}']],
    ["wrong answers between notifications", [notification, wrongAnswer]],
    ["broken messages between notifications", [notification, "{}"]],
    ["errors without an id", ['{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}']]
  ] as const)("13.7 after more than 50,000 %s, the connection ends with a typed error", ([, texts]) =>
    Effect.gen(function* () {
      const { ended, sends } = yield* connected(true)
      yield* sends(texts, 50_000 / texts.length)
      assert.deepStrictEqual(ended, [])
      yield* sends(texts[0], 1)
      assert.strictEqual(ended[0]?.reason, "too_large")
      assert.match(ended[0]?.message ?? "", /too much that answers no request: more than 50000 messages/)
    })
  )

  it.effect("13.7 after more than 32,000,000 characters of notifications, the connection ends with a typed error", () =>
    Effect.gen(function* () {
      const { ended, sends } = yield* connected(true)
      const large = notification.replace("{}", `{"data":"${"x".repeat(999_900)}"}`)
      yield* sends(large, 32)
      assert.deepStrictEqual(ended, [])
      yield* sends(large, 1)
      assert.strictEqual(ended[0]?.reason, "too_large")
    })
  )

  it.effect("13.7 with 1,000 notifications a second, the connection stays open", () =>
    Effect.gen(function* () {
      const { ended, sends } = yield* connected(true)
      for (let second = 0; second < 100; second++) {
        yield* sends(notification, 1_000)
        yield* TestClock.adjust("1 second")
      }
      assert.deepStrictEqual(ended, [])
    })
  )

  it.effect("13.7 after 60,000 messages of a client, the connection stays open", () =>
    Effect.gen(function* () {
      const { ended, sends } = yield* connected(false)
      yield* sends(notification, 60_000)
      assert.deepStrictEqual(ended, [])
    })
  )

  it("13.7 a list of more than 1,000 messages is one broken message", () => {
    const list = (count: number) =>
      Message.read(`[${Array.from({ length: count }, () => notification).join()}]`, "line 1")
    assert.isTrue(list(1_000).every(Result.isSuccess))
    const [only, ...more] = list(1_001)
    assert.isTrue(only !== undefined && Result.isFailure(only))
    assert.deepStrictEqual(more, [])
  })
})

/** Creates pipes to a scripted process that never reads its input. */
const piped = (chunks: Stream.Stream<Uint8Array>) =>
  Pipes.make({
    input: chunks,
    output: Sink.forEach(() => Effect.never),
    who: "The server",
    exhausted: Effect.void
  })

describe("pipes to a server", () => {
  it.effect.each([
    ["10,000 messages", 10, 10_000],
    ["100,000,000 characters", 1_000_000, 100]
  ] as const)(
    "13.7 after %s that the server does not read, the connection ends with a typed error",
    ([, length, count]) =>
      Effect.gen(function* () {
        const pipes = yield* piped(Stream.never)
        const lost: Array<string> = []
        // the writer takes a part of the messages before it waits for the server
        for (let n = 0; n < 2 * count && lost.length === 0; n++) {
          pipes.post({ text: "x".repeat(length) }, ({ message }) => void lost.push(message))
        }
        const error = yield* Effect.flip(pipes.ended)
        assert.strictEqual(error.reason, "gone")
        assert.match(error.message, /^The server does not read its input: \d+ messages wait for it\.$/)
        assert.deepStrictEqual(lost, [error.message])
      }).pipe(Effect.scoped)
  )

  it.effect("13.7 after more than 64,000,000 characters of empty lines, the connection ends with a typed error", () =>
    Effect.gen(function* () {
      const chunks = yield* Queue.unbounded<Uint8Array>()
      const pipes = yield* piped(Stream.fromQueue(chunks))
      yield* pipes.listen(() => Effect.void)
      const blank = new TextEncoder().encode(`\n${" ".repeat(999_998)}\n`)
      for (let n = 0; n < 65; n++) yield* Queue.offer(chunks, blank)
      const error = yield* Effect.flip(pipes.ended)
      assert.strictEqual(error.reason, "too_large")
      assert.match(error.message, /too many empty or broken lines/)
    }).pipe(Effect.scoped)
  )
})
