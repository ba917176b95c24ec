/** Tests of the requests that a provider's layer sends. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, Layer, Queue, Redacted, Stream } from "effect"
import { LanguageModel, Prompt } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import * as ModelFailure from "#domain/classification/ModelFailure"
import { assistant, call, conversation, result, system, tool, user } from "../../support/conversation.ts"
import { ask, requestsTo } from "../../support/modelRequests.ts"
import { hang, raw, streamed } from "../../support/ScriptedServer.ts"
import { eventsOf, type Subject } from "./Subject.ts"

export const requestContract = <Body>(subject: Subject<Body>): void => {
  const { answer, serve } = subject
  const { both, modelAt, served } = requestsTo(serve, subject.layer)

  describe(`${subject.name}: requests`, () => {
    both(
      "9.2 sends a conversation with calls, results and parts in a form that the server accepts",
      [answer({ text: "x" })],
      (streaming, { requests }) =>
        Effect.gen(function* () {
          const picture = Prompt.filePart({ mediaType: "image/png", data: new Uint8Array([1, 2, 3, 4, 5, 6]) })
          yield* ask(
            streaming,
            conversation(
              system("be brief"),
              Prompt.userMessage({ content: [Prompt.textPart({ text: "what is this?" }), picture] }),
              assistant(call("a", "search", { q: "x" }), call("b", "search", '{"q":')),
              tool(result("a", { rows: [] }), { ...result("b", "not JSON"), isFailure: true }),
              user("and?")
            )
          )
          assert.strictEqual(requests[0]?.refused, undefined)
          const sent = JSON.stringify(requests[0]?.body)
          for (const text of ["be brief", "what is this?", "AQIDBAUG", "rows", "not JSON", "and?"])
            assert.include(sent, text)
        })
    )

    it.live("9.2 settings of an effect override those of the layer, and inner settings override outer ones", () =>
      served(
        [answer({ text: "1" }), answer({ text: "2" })],
        ({ requests }) =>
          Effect.gen(function* () {
            const inner = LanguageModel.generateText({ prompt: "hi" }).pipe(subject.withSettings({ temperature: 1 }))
            yield* inner.pipe(subject.withSettings({ ...subject.furtherSetting, temperature: 0.5, model: "other" }))
            yield* LanguageModel.generateText({ prompt: "hi" })
            const fields = [subject.modelField, "temperature", subject.furtherField, subject.limitField]
            assert.deepStrictEqual(
              requests.map(({ body }) => fields.map((field) => body[field])),
              [
                ["other", 1, 7, 50],
                ["test-model", 0, undefined, 50]
              ]
            )
          }),
        { settings: { ...subject.limitSetting, temperature: 0 } }
      )
    )

    it.live("9.2 reads key, address and model from the environment", () =>
      Effect.gen(function* () {
        const { baseUrl, requests } = yield* serve([answer({ text: "1" }), answer({ text: "2" })])
        const askWith = (variables: { readonly [name: string]: string }) => {
          const named = Object.entries(variables).map(([name, value]) => [`${subject.prefix}_${name}`, value])
          return LanguageModel.generateText({ prompt: "hi" }).pipe(
            Effect.provide(Layer.provide(subject.layerConfig, FetchHttpClient.layer)),
            Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(Object.fromEntries(named)))
          )
        }
        yield* askWith({ BASE_URL: `${baseUrl}/`, API_KEY: "sk-env", MODEL: "env-model" })
        yield* askWith({ BASE_URL: baseUrl, API_KEY: "" })
        assert.deepStrictEqual(
          requests.map(({ body, headers }) => [body[subject.modelField], subject.keyOf(headers)]),
          [
            ["env-model", "sk-env"],
            [subject.defaultModel, undefined]
          ]
        )
      })
    )

    for (const status of [302, 307, 308]) {
      it.live(`4.15 does not follow a redirect (${status}): it is an error with the target address`, () =>
        Effect.gen(function* () {
          const other = yield* serve([answer({ text: "stolen" })])
          const redirect = raw(status, "", { location: `${other.baseUrl}/elsewhere?key=1` })
          yield* served(
            [redirect, redirect],
            () =>
              Effect.forEach([false, true], (streaming) =>
                Effect.gen(function* () {
                  const error = yield* Effect.flip(ask(streaming))
                  assert.strictEqual(error.reason._tag, "InvalidResponseError")
                  assert.include(
                    error.message,
                    `HTTP ${status}: a redirect to ${other.baseUrl}/elsewhere, which is not`
                  )
                })
              ),
            { apiKey: Redacted.make("sk-secret-1234") }
          )
          assert.deepStrictEqual(other.requests, [])
        })
      )
    }

    it.live("4.15 the address of a redirect without a scheme is named without user, password and query", () =>
      served([raw(302, "", { location: "//user:secret@elsewhere.invalid/x?key=1" })], () =>
        Effect.map(Effect.flip(ask(false)), ({ message }) => {
          assert.include(message, "a redirect to //elsewhere.invalid/x, which is not followed")
          assert.notInclude(message, "secret")
        })
      )
    )

    it.live("9.2 an unreachable server is a transient network error", () =>
      Effect.gen(function* () {
        const { baseUrl } = yield* Effect.scoped(serve([]))
        const error = yield* Effect.flip(ask(false).pipe(Effect.provide(modelAt(baseUrl))))
        assert.strictEqual(error.reason._tag, "NetworkError")
        assert.include(error.message, "ECONNREFUSED")
        assert.isTrue(ModelFailure.isTransient(error))
      })
    )

    it.live.each([false, true])("11.3 an interrupted request closes its connection, streamed: %s", (streaming) => {
      const requested = Promise.withResolvers<void>()
      const closed = Promise.withResolvers<void>()
      const hanging = () => {
        requested.resolve()
        return { ...hang({}), onClose: closed.resolve }
      }
      return served([hanging], () =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(ask(streaming))
          yield* Effect.promise(() => requested.promise)
          yield* Fiber.interrupt(fiber)
          yield* Effect.promise(() => closed.promise)
        })
      )
    })

    it.live("11.3 a reader that stops a stream closes its connection", () => {
      const closed = Promise.withResolvers<void>()
      const pieces = [...eventsOf(subject, { text: "hello" }).slice(0, -subject.closingEvents - 1), silence]
      return served([() => ({ ...streamed(pieces)({}), onClose: closed.resolve })], () =>
        Effect.gen(function* () {
          const parts = yield* LanguageModel.streamText({ prompt: "hi" }).pipe(
            Stream.takeUntil(({ type }) => type === "text-delta"),
            Stream.runCollect
          )
          assert.strictEqual(parts.at(-1)?.type, "text-delta")
          yield* Effect.promise(() => closed.promise)
        })
      )
    })

    it.live("11.2 emits parts before the response is complete", () => {
      const more = Promise.withResolvers<void>()
      const events = eventsOf(subject, { text: "hello" })
      const middle = events.findIndex((event) => event.includes('"hel"')) + 1
      const pieces = [...events.slice(0, middle), { until: more.promise }, ...events.slice(middle)]
      return served([streamed(pieces)], () =>
        Effect.gen(function* () {
          const seen = yield* Queue.unbounded<string>()
          const fiber = yield* LanguageModel.streamText({ prompt: "hi" }).pipe(
            Stream.runForEach(({ type }) => Queue.offer(seen, type)),
            Effect.forkChild
          )
          assert.deepStrictEqual(yield* Queue.takeN(seen, 3), ["response-metadata", "text-start", "text-delta"])
          more.resolve()
          yield* Fiber.join(fiber)
          assert.deepStrictEqual(yield* Queue.takeN(seen, 3), ["text-delta", "text-end", "finish"])
        })
      )
    })
  })
}

const silence = { until: new Promise(() => {}) }
