/** Tests that the streams of an HTTP client hold a limited number of characters. */
import * as HttpClientTransport from "#kit/proxy/HttpClientTransport"
import * as Message from "#src/mcp/wire/Message"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"

const request = (id: number): Message.Request => {
  const [read] = Message.read(Message.request(id, "tools/call", { name: "a" }), "test")
  if (read === undefined || Result.isFailure(read) || read.success._tag !== "Request") throw new Error("no request")
  return read.success
}

const transport = Effect.fnUntraced(function* (buffer: number) {
  const lost: Array<string> = []
  let slow = 0
  const client = yield* HttpClientTransport.make({ isShared: false, buffer, onSlow: () => (slow += 1) })
  yield* client.listen(() => Effect.void)
  const tell = (text: string, about?: number) =>
    client.post({ text, method: "notifications/message", ...(about === undefined ? {} : { about }) }, ({ message }) =>
      lost.push(message)
    )
  return { client, lost, slow: () => slow, tell }
})

describe("the stream of an HTTP client", () => {
  it.effect(
    "13.7 a stream that is not read holds at most the limit, the loss is reported once, and the answer arrives",
    () =>
      Effect.gen(function* () {
        const { client, lost, slow, tell } = yield* transport(10_000)
        const answers = yield* client.ask(request(1))
        for (let n = 0; n < 10_000; n++) tell("x".repeat(900), 1)
        assert.strictEqual(answers.waiting, 10_000)
        assert.strictEqual(slow(), 1)
        assert.deepStrictEqual([lost.length, lost[0]], [9_990, "The client reads its stream too slowly."])
        client.post({ text: "answer", about: 1 }, () => {})
        const read = yield* Stream.runCollect(HttpClientTransport.messagesOf(answers))
        assert.deepStrictEqual([read.length, read.at(-1), answers.waiting], [11, "answer", 0])
      })
  )

  it.effect("13.7 a stream that is read loses no message", () =>
    Effect.gen(function* () {
      const { client, lost, tell } = yield* transport(10_000)
      const answers = yield* client.open
      let read = 0
      const reading = yield* Stream.runForEach(HttpClientTransport.messagesOf(answers), () =>
        Effect.sync(() => (read += 1))
      ).pipe(Effect.forkScoped)
      for (let n = 0; n < 1_000; n++) {
        tell("x".repeat(900))
        yield* Effect.yieldNow
      }
      assert.deepStrictEqual([lost, reading.pollUnsafe()], [[], undefined])
      yield* Effect.repeat(Effect.yieldNow, { until: () => read === 1_000 })
    }).pipe(Effect.scoped)
  )

  it.effect("13.7 while no stream is open, the latest messages are kept, up to the limit", () =>
    Effect.gen(function* () {
      const { client, tell } = yield* transport(10_000)
      for (let n = 0; n < 1_000; n++) tell(`${n}`.padEnd(1_900))
      const answers = yield* client.open
      assert.strictEqual(answers.waiting, 10_000)
      const read = yield* Stream.runCollect(Stream.take(HttpClientTransport.messagesOf(answers), 5))
      assert.deepStrictEqual(
        read.map((text) => text.trim()),
        ["995", "996", "997", "998", "999"]
      )
    })
  )
})
