/** Tests MCP messages as text: they are read with their position, split into lines, and relayed with another id. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Lines from "#src/mcp/wire/LineReader"
import { McpError } from "#src/mcp/wire/McpError"
import * as Message from "#src/mcp/wire/Message"
import * as Peer from "#src/mcp/wire/Peer"
import * as MessageId from "#src/mcp/wire/MessageId"
import type { IncomingMessage, OutgoingMessage, Transport } from "#src/mcp/wire/Transport"
import * as Relay from "#kit/proxy/Relay"
import * as PausableTimeout from "#kit/proxy/PausableTimeout"

/** Returns the tag or the error of each message in a text. */
const read = (text: string): ReadonlyArray<string> =>
  Message.read(text, "line 7").map((one) => (Result.isFailure(one) ? one.failure.message : one.success._tag))

describe("a message", () => {
  it("13.7 is read as a request, a notification or an answer, alone or in a list", () => {
    assert.deepStrictEqual(read('{"jsonrpc":"2.0","id":"a","method":"ping"}'), ["Request"])
    assert.deepStrictEqual(read('{"jsonrpc":"2.0","method":"notifications/x","params":{}}'), ["Notification"])
    assert.deepStrictEqual(read('{"jsonrpc":"2.0","id":1,"result":null}'), ["Response"])
    assert.deepStrictEqual(read('{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"m"}}'), ["Response"])
    assert.deepStrictEqual(read('[{"jsonrpc":"2.0","id":1,"method":"ping"},{"id":2}]'), [
      "Request",
      'line 7, message 2: not a JSON-RPC message, "jsonrpc" is not "2.0": {"id":2}'
    ])
  })

  it("13.7 is reported with its position and its first characters if it is invalid", () => {
    assert.deepStrictEqual(read("[]"), ["line 7: an empty list of messages: []"])
    assert.deepStrictEqual(read("17"), ["line 7: not a message, expected an object: 17"])
    assert.deepStrictEqual(read('{"jsonrpc":"2.0","id":true,"method":"m"}'), [
      'line 7: its `id` is neither a string nor a number: {"jsonrpc":"2.0","id":true,"method":"m"}'
    ])
    assert.deepStrictEqual(read('{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}'), [
      'line 7: its `params` is not an object: {"jsonrpc":"2.0","id":1,"method":"m","params":[1]}'
    ])
    assert.deepStrictEqual(read('{"jsonrpc":"2.0","id":1,"error":"e"}'), [
      'line 7: its `error` has no `code` and `message`: {"jsonrpc":"2.0","id":1,"error":"e"}'
    ])
    assert.match(read("{".repeat(300))[0] ?? "", /^line 7: not valid JSON/)
    assert.isAtMost((read("x".repeat(10_000))[0] ?? "").length, 250)
  })

  it("13.7 receives another id without any other change", () => {
    const cases: ReadonlyArray<readonly [text: string, expected: string | undefined]> = [
      ['{"jsonrpc":"2.0","id":1,"method":"m"}', '{"jsonrpc":"2.0","id":99,"method":"m"}'],
      ['{ "id" : "a\\"b" , "n": 12345678901234567890.0 }', '{ "id" : 99 , "n": 12345678901234567890.0 }'],
      ['{"params":{"id":1,"x":[{"id":2}]},"id":3}', '{"params":{"id":1,"x":[{"id":2}]},"id":99}'],
      ['{"x":"\\"id\\":5","id":6}', '{"x":"\\"id\\":5","id":99}'],
      ['{"x":"\\\\","id":6}', '{"x":"\\\\","id":99}'],
      ['{"\\u0069d":6}', '{"\\u0069d":99}'],
      ['{"id":1,"id":2}', undefined],
      ['{"result":{"id":1}}', undefined]
    ]
    for (const [text, expected] of cases) assert.strictEqual(MessageId.withId(text, 99), expected, text)
  })

  it.prop("13.7 receives another id, whatever its other fields are", [Schema.Json, Schema.String], ([json, id]) => {
    const text = JSON.stringify({ a: json, id, b: json })
    assert.strictEqual(MessageId.withId(text, "new"), JSON.stringify({ a: json, id: "new", b: json }))
  })

  it("13.7 is split from chunks of any size, up to a maximum length", () => {
    const bytes = new TextEncoder().encode('{"a":"ü€😀"}\r\n\n{"b":2}\nrest')
    for (let size = 1; size <= bytes.length; size++) {
      const lines = Lines.make(100)
      const found: Array<readonly [string, number]> = []
      const add = (text: string, ordinal: number) => void found.push([text, ordinal])
      for (let at = 0; at < bytes.length; at += size) assert.isTrue(lines.feed(bytes.slice(at, at + size), add))
      lines.rest(add)
      assert.deepStrictEqual(found, [
        ['{"a":"ü€😀"}', 1],
        ['{"b":2}', 3],
        ["rest", 4]
      ])
    }
    assert.isFalse(Lines.make(10).feed(new TextEncoder().encode("x".repeat(11)), () => {}))
    assert.isFalse(Lines.make(10).feed(new TextEncoder().encode(`${"x".repeat(11)}\n`), () => {}))
  })
})

/** Creates a transport that records posted messages, and receives the messages of the test. */
const makeTransport = () => {
  const posted: Array<OutgoingMessage> = []
  let receive: (incoming: IncomingMessage) => Effect.Effect<void> = () => Effect.void
  let fail: (error: McpError) => void = () => {}
  const transport: Transport = {
    post: (message) => void posted.push(message),
    listen: (receiver) =>
      Effect.sync(() => {
        receive = receiver
      }),
    abandon: () => {},
    room: Effect.void,
    ended: Effect.callback((resume) => {
      fail = (error) => resume(Effect.fail(error))
    }),
    end: (error) => fail(error)
  }
  return {
    posted,
    transport,
    receives: (text: string) =>
      Effect.forEach(Message.read(text, `line ${posted.length}`), (one) => receive(one), { discard: true })
  }
}

const relayedFor = Effect.fnUntraced(function* (hasCapability: boolean) {
  const [client, server] = [makeTransport(), makeTransport()]
  const timeout = PausableTimeout.make()
  yield* Relay.make(client.transport, server.transport, {
    timeout,
    answer: () => undefined,
    isAnswering: () => false,
    hasCapability: () => hasCapability,
    cancelled: () => false,
    notified: () => Effect.succeed(true),
    answered: () => {},
    broken: () => {},
    initializeMillis: 1_000
  })
  return { client, server, timeout }
})

const relayed = relayedFor(true)

/** Returns the text with the id 0. */
const withoutId = (text: string | undefined): string | undefined => MessageId.withId(text ?? "", 0)

describe("a relayed message", () => {
  it.effect.prop(
    "13.7 is unchanged except for its id, in both directions",
    [Schema.Record(Schema.String, Schema.Json), Schema.Json, Schema.Union([Schema.Int, Schema.NonEmptyString])],
    ([params, result, id]) =>
      Effect.gen(function* () {
        const { client, server } = yield* relayed
        const request = JSON.stringify({ jsonrpc: "2.0", method: "prompts/get", params, id, _x: result })
        for (const [from, to] of [
          [client, server],
          [server, client]
        ] as const) {
          yield* from.receives(request)
          const sent = to.posted.at(-1)
          assert.strictEqual(withoutId(sent?.text), withoutId(request))
          const answer = JSON.stringify({ result, id: sent?.id, jsonrpc: "2.0", more: params })
          yield* to.receives(answer)
          assert.strictEqual(from.posted.at(-1)?.text, MessageId.withId(answer, id))
          const notification = JSON.stringify({ jsonrpc: "2.0", method: "notifications/any", params, more: result })
          yield* from.receives(notification)
          assert.strictEqual(to.posted.at(-1)?.text, notification)
        }
      })
  )

  it.effect("13.7 keeps numbers and repeated fields that JavaScript would change", () =>
    Effect.gen(function* () {
      const { client, server } = yield* relayed
      yield* client.receives(
        '{"jsonrpc":"2.0", "id":7, "method":"x/y", "params":{"n":12345678901234567890, "m":1.0, "a":1, "a":2}}'
      )
      assert.strictEqual(
        server.posted[0]?.text,
        '{"jsonrpc":"2.0", "id":1, "method":"x/y", "params":{"n":12345678901234567890, "m":1.0, "a":1, "a":2}}'
      )
    })
  )

  it.effect("13.7 is cancelled with its id on the other side, and its late answer is dropped", () =>
    Effect.gen(function* () {
      const { client, server } = yield* relayed
      yield* client.receives('{"jsonrpc":"2.0","id":"mine","method":"prompts/list"}')
      yield* client.receives(
        '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"mine","reason":"r"}}'
      )
      assert.deepStrictEqual(JSON.parse(server.posted[1]?.text ?? ""), {
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: server.posted[0]?.id, reason: "r" }
      })
      yield* server.receives(`{"jsonrpc":"2.0","id":${String(server.posted[0]?.id)},"result":{}}`)
      yield* client.receives('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"unknown"}}')
      assert.deepStrictEqual(client.posted, [])
      assert.strictEqual(server.posted.length, 2)
    })
  )
})

describe("a question of a server", () => {
  it.effect.each([
    ["a client that supports it", true],
    ["any other client", false]
  ] as const)("13.7 to %s pauses the timeout only if the client supports it", ([, isSupported]) =>
    Effect.gen(function* () {
      const { server, timeout } = yield* relayedFor(isSupported)
      const late = new McpError({ reason: "no_answer", message: "late" })
      const call = yield* Effect.forkChild(
        timeout.within(Effect.never, 1_000, () => late),
        { startImmediately: true }
      )
      yield* server.receives('{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}')
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(call.pollUnsafe() === undefined, isSupported)
    })
  )
})

describe("a peer", () => {
  const receiver = { request: () => Effect.void, notification: () => Effect.void, broken: () => {} }

  it.effect("13.7 fails every pending and later request when the connection ends", () =>
    Effect.gen(function* () {
      const { transport } = makeTransport()
      const peer = yield* Peer.make(transport, receiver)
      const waiting = yield* Effect.forkChild(
        Effect.forEach(["a", "b"], (method) => Effect.flip(peer.request(method, {}, {})), { concurrency: 2 }),
        { startImmediately: true }
      )
      yield* Effect.yieldNow
      transport.end(new McpError({ reason: "gone", message: "It is over." }))
      assert.deepStrictEqual(
        (yield* Fiber.join(waiting)).map(({ message }) => message),
        ["It is over.", "It is over."]
      )
      for (const method of ["c", "d"])
        assert.strictEqual((yield* Effect.flip(peer.request(method, {}, {}))).reason, "ended")
    })
  )
})
