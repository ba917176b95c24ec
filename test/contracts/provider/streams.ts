/** Tests of how a provider's layer reads complete, truncated and malformed streams. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { assertFailing, type ExpectedFailure, requestsTo, shown, stream } from "../../support/modelRequests.ts"
import { type Piece, type Responder, streamed } from "../../support/ScriptedServer.ts"
import { failing, kinds } from "./failures.ts"
import { eventsOf, neededOf, type Options, type Subject } from "./Subject.ts"

const cut: ExpectedFailure = { reason: "NetworkError", retryable: true }
const invalid: ExpectedFailure = { reason: "InvalidResponseError", retryable: false }

const helloShown = ["text-start", "hel", "lo", "text-end", "stop"]
const callShown = ["tool-params-start", '{"q":', '"x"}', "tool-params-end", ["c1", "search", { q: "x" }], "tool-calls"]
const call = { id: "c1", name: "search", arguments: '{"q":"x"}' }

const silence = { until: new Promise(() => {}) }

const bytesOf = (text: string): ReadonlyArray<Piece> =>
  [...new TextEncoder().encode(text)].map((byte) => ({ bytes: new Uint8Array([byte]) }))

export const streamContract = <Body>(subject: Subject<Body>): void => {
  const { answer, failure, wholeBody } = subject
  const { served } = requestsTo(subject.serve, subject.layer)

  const hello = eventsOf(subject, { text: "hello" })
  const calling = eventsOf(subject, { calls: [call] })
  /** The events that a complete response needs. */
  const needed = neededOf(subject, calling)
  const beginnings = [neededOf(subject, hello), needed].flatMap((events) =>
    events.map((next, length) => ({ before: events.slice(0, length), next }))
  )
  /** The position of the event with the first half of the text, and that event. */
  const middle = hello.findIndex((event) => event.includes('"hel"'))
  const first = hello[middle] ?? ""
  const eventOf = (...[kind, message]: Parameters<typeof failure>) =>
    `data: ${JSON.stringify(failure(kind, message).body)}\n\n`

  const reads = (name: string, streams: ReadonlyArray<Responder<Body>>, expected: ReadonlyArray<unknown>) =>
    it.live(name, () =>
      served(streams, () =>
        Effect.forEach(streams, () =>
          Effect.gen(function* () {
            const { received, error } = yield* stream()
            assert.strictEqual(error, undefined)
            assert.deepStrictEqual(shown(received), expected)
          })
        )
      )
    )

  /** Asserts that each of the streams fails without emitting a call or a finish part. */
  const breaks = (
    name: string,
    streams: ReadonlyArray<Responder<Body>>,
    expected: ExpectedFailure & { readonly says?: string },
    options: Partial<Options> = {}
  ) =>
    it.live(name, () =>
      served(
        streams,
        () =>
          Effect.forEach(streams, () =>
            Effect.gen(function* () {
              const { received, error } = yield* stream()
              if (error === undefined) return assert.fail(`read ${JSON.stringify(shown(received))}`)
              assertFailing(error, expected)
              assert.include(error.message, expected.says ?? "")
              assert.deepStrictEqual(
                received.filter(({ type }) => type === "tool-call" || type === "finish"),
                []
              )
            })
          ),
        options
      )
    )

  describe(`${subject.name}: streams`, () => {
    reads("9.2 emits text in pieces", [streamed(hello)], helloShown)
    reads("9.2 emits the arguments of a call in pieces, and the call at the end", [streamed(calling)], callShown)
    reads(
      "9.2 emits thinking and the parts after it",
      [streamed(eventsOf(subject, { thinking: "hmm!", text: "hello", calls: [call] }))],
      ["reasoning-start", "hm", "m!", "reasoning-end", ...helloShown.slice(0, -1), ...callShown]
    )
    reads(
      "9.2 reads events byte by byte, with other line endings, comments, retry lines, names and split characters",
      [
        streamed(
          bytesOf(
            `: hello\n\nretry: 3000\n\nid: 7\n${eventsOf(subject, { text: "é😀é😀" }).join(": keep-alive\n\n")}`.replaceAll(
              "\n",
              "\r\n"
            )
          )
        )
      ],
      ["text-start", "é😀", "é😀", "text-end", "stop"]
    )
    reads("9.2 reads a last event without its blank line", [streamed([hello.join("").trimEnd()])], helloShown)
    reads(
      "9.2 accepts a response that was complete before the connection broke or ended",
      [streamed(needed), streamed(needed, { cut: true }), streamed(calling, { cut: true })],
      callShown
    )
    reads("9.2 does not read past the last event", [streamed([...hello, silence])], helloShown)
    reads(
      "9.2 reads a whole response to a request for a stream",
      [() => answer({ text: "hello", calls: [call] })(wholeBody)],
      ["text-start", "hello", "text-end", "tool-params-start", '{"q":"x"}', ...callShown.slice(3)]
    )

    breaks(
      "11.3 emits no call of a stream whose connection breaks after any event",
      beginnings.map(({ before }) => streamed(before, { cut: true })),
      cut
    )
    breaks(
      "11.3 emits no call of a stream that ends too early after any event",
      beginnings.map(({ before }) => streamed(before)),
      { ...cut, says: "the stream ended before the answer was complete" }
    )
    breaks(
      "11.3 ignores an incomplete event",
      beginnings.map(({ before, next }) => streamed([...before, next.slice(0, next.length / 2)])),
      cut
    )
    breaks(
      "11.3 stops waiting for a silent stream, even after comments",
      [streamed([...calling.slice(0, 2), ": keep-alive\n\n", silence])],
      { ...cut, says: "no answer in time" },
      { timeout: "60 millis" }
    )
    for (const kind of kinds) {
      breaks(
        `11.3 classifies a failure during a stream: ${kind}`,
        [streamed([...calling.slice(0, 2), eventOf(kind, `The failure is: ${kind}`)])],
        failing[kind]
      )
    }
    breaks(
      "4.15 keeps the API key out of errors during a stream",
      [streamed([...calling.slice(0, 1), eventOf("refused key", "bad key sk-secret-1")])],
      { ...failing["refused key"], says: "bad key [api key]" },
      { apiKey: Redacted.make("sk-secret-1") }
    )
    breaks("9.2 names an event that is not JSON", [streamed([...calling.slice(0, 1), "data: {oops\n\n"])], {
      reason: "InternalProviderError",
      retryable: true,
      says: "event 2 is not JSON"
    })
    breaks(
      "9.2 does not store more than its limit, in large events or in many small ones",
      [
        streamed(eventsOf(subject, { text: "y".repeat(120_000) })),
        streamed([...hello.slice(0, middle), ...Array.from({ length: 5_000 }, () => first), ...hello.slice(middle)])
      ],
      { ...invalid, says: "the answer exceeds 100000 characters" },
      { maxBytes: 100_000 }
    )
    breaks(
      "9.2 does not collect an endless event beyond its limit",
      [streamed([...calling.slice(0, 1), `data: ${"x".repeat(150_000)}`])],
      { ...invalid, says: "an event exceeds 100000 characters" },
      { maxBytes: 100_000 }
    )
  })
}
