/** Tests the webhook with a real receiver: messages, retries and signatures, and no delay of calls. */
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as EscalationWebhook from "#layers/EscalationWebhook"
import { headersOf } from "#layers/internal/inbox/Signature"
import { Approvals } from "#services/Approvals"
import { Escalation } from "#services/Escalation"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted, type Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { escalationContract, request } from "../contracts/Escalation.ts"
import { api, scriptedPerson, ben, serving } from "./support.ts"

const secret = Redacted.make("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
const publicUrl = "https://agents.example.com"

interface Message {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly path: string
}

interface Receiver {
  readonly url: string
  readonly messages: ReadonlyArray<Message>
  /** Waits until the receiver has this many messages. */
  readonly count: (n: number) => Effect.Effect<void>
}

/** Starts a receiver that responds with each status in turn, then always with the last. With the status 0, it does not respond. */
const receiver = (...statuses: ReadonlyArray<number>): Effect.Effect<Receiver, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Receiver & { readonly close: () => void }>((resume) => {
      const messages: Array<Message> = []
      const server = createServer((request, response) => {
        let body = ""
        request.on("data", (chunk: Buffer) => (body += chunk.toString()))
        request.on("end", () => {
          messages.push({ headers: request.headers, body, path: request.url ?? "" })
          const status = statuses[Math.min(messages.length, statuses.length) - 1] ?? 200
          if (status !== 0) response.writeHead(status, { location: "/elsewhere" }).end()
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        const url = `http://127.0.0.1:${port}/hook`
        const count = (n: number): Effect.Effect<void> =>
          Effect.suspend(() =>
            messages.length >= n ? Effect.void : Effect.andThen(Effect.sleep("5 millis"), count(n))
          )
        const close = () => {
          server.closeAllConnections()
          server.close()
        }
        resume(Effect.succeed({ url, messages, count, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const layerOf = (url: string, overrides: Partial<EscalationWebhook.WebhookOptions> = {}) =>
  EscalationWebhook.layer({ url, secret, publicUrl, pause: "5 millis", ...overrides }).pipe(
    Layer.provide(FetchHttpClient.layer)
  )

const using = <A, E>(
  hook: Receiver,
  use: Effect.Effect<A, E, Escalation | Approvals>,
  overrides: Partial<EscalationWebhook.WebhookOptions> = {}
) => use.pipe(Effect.provide(Layer.provideMerge(Layer.orDie(layerOf(hook.url, overrides)), ApprovalsMemory.layer)))

const asking = (overrides: object = {}) => Effect.flatMap(Escalation, ({ ask }) => ask({ ...request, ...overrides }))

const live = (what: string, use: Effect.Effect<void, unknown, Scope.Scope>) =>
  it.live(what, () => use.pipe(Effect.provide(Logger.layer([]))))

escalationContract("webhook", () =>
  scriptedPerson(Layer.orDie(layerOf("http://127.0.0.1:9/unreachable", { wait: "1 hour", attempts: 1 })))
)

describe("the webhook", () => {
  it("10.3 signs according to Standard Webhooks", () => {
    const headers = headersOf(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", '{"test": 2432232314}', 1_614_265_330_999)
    assert.deepStrictEqual(headers, {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    })
    const isSigned = (overrides: object, body = '{"test": 2432232314}', now = 1_614_265_330_000) =>
      EscalationWebhook.isSigned(secret, { ...headers, ...overrides }, body, now)
    assert.isTrue(isSigned({}))
    assert.isTrue(isSigned({ "webhook-signature": `v1,other ${headers["webhook-signature"]}` }))
    assert.isFalse(isSigned({ "webhook-id": "msg_other" }))
    assert.isFalse(isSigned({ "webhook-timestamp": "1614265331" }))
    assert.isFalse(isSigned({ "webhook-timestamp": undefined }))
    assert.isFalse(isSigned({ "webhook-signature": "v1," }))
    assert.isFalse(isSigned({}, '{"test": 2432232315}'))
    assert.deepStrictEqual(
      [1_614_265_630_000, 1_614_265_632_000, 1_614_265_030_000, 1_614_265_029_000].map((now) =>
        isSigned({}, undefined, now)
      ),
      [true, false, true, false]
    )
  })

  live(
    "10.3 posts the request, signed, with its URL and no credential",
    Effect.gen(function* () {
      const hook = yield* receiver(204)
      const answer = yield* using(hook, Effect.tap(asking(), hook.count(1)))
      const [message] = hook.messages
      assert.isDefined(message)
      const { data, type } = JSON.parse(message.body) as {
        readonly type: string
        readonly data: Record<"id" | "tool" | "sentence" | "approval_url", string> & { readonly arguments: unknown }
      }
      assert.strictEqual(type, "approval.requested")
      assert.deepStrictEqual([data.tool, data.sentence], [request.tool, request.sentence])
      assert.deepStrictEqual(data.arguments, request.arguments)
      assert.deepStrictEqual(answer, { _tag: "Pending", approvalUrl: data.approval_url })
      assert.strictEqual(message.headers["webhook-id"], data.id)
      const headers = message.headers as Readonly<Record<string, string>> // the signature headers are single values
      assert.isTrue(EscalationWebhook.isSigned(secret, headers, message.body, Date.now()))
      assert.notInclude(message.body, "whsec_")
    })
  )

  live(
    "10.3 sends a message again with the same id until it is accepted",
    Effect.gen(function* () {
      const hook = yield* receiver(500, 503, 429, 200)
      yield* using(hook, Effect.andThen(asking(), hook.count(4)))
      assert.lengthOf(new Set(hook.messages.map(({ headers }) => headers["webhook-id"])), 1)
      assert.lengthOf(new Set(hook.messages.map(({ body }) => body)), 1)
    })
  )

  live(
    "10.3 stops after a refusal, and does not follow a redirect",
    Effect.gen(function* () {
      for (const status of [400, 401, 410, 302, 307]) {
        const hook = yield* receiver(status)
        // ten questions one after the other: a message that is sent again would appear between them
        const all = Effect.forEach(
          Array.from({ length: 10 }, (_, n) => n),
          (n) => Effect.andThen(asking({ binding: String(n) }), hook.count(n + 1)),
          { discard: true }
        )
        yield* using(hook, all)
        assert.deepStrictEqual(new Set(hook.messages.map(({ headers }) => headers["webhook-id"])).size, 10)
        assert.deepStrictEqual(
          hook.messages.map(({ path }) => path),
          Array.from({ length: 10 }, () => "/hook")
        )
      }
    })
  )

  live(
    "10.3 a receiver that never responds does not delay a call",
    Effect.gen(function* () {
      const hook = yield* receiver(0)
      const answer = yield* using(hook, asking(), { timeout: "1 hour" })
      assert.strictEqual(answer._tag, "Pending")
      const other = yield* receiver(0)
      yield* using(other, Effect.andThen(asking(), other.count(2)), { timeout: "20 millis", attempts: 2 })
    })
  )

  live(
    "10.4 an equal question is posted once, and a notification every time",
    Effect.gen(function* () {
      const hook = yield* receiver(200)
      yield* using(
        hook,
        Effect.gen(function* () {
          const { inform } = yield* Escalation
          yield* asking()
          yield* asking()
          yield* inform({ ...request, level: "inform" })
          yield* inform({ ...request, level: "inform" })
          yield* hook.count(3)
        })
      )
      const types = hook.messages.map(({ body }) => (JSON.parse(body) as { readonly type: string }).type).sort()
      assert.deepStrictEqual(types, ["approval.requested", "notice", "notice"])
    })
  )

  live(
    "10.3 a decision through the API of the inbox resumes the call",
    Effect.gen(function* () {
      const hook = yield* receiver(200)
      const answer = yield* serving((url) =>
        Effect.gen(function* () {
          const approvals = yield* Approvals
          const webhook = Layer.orDie(layerOf(hook.url, { wait: "1 minute" })).pipe(
            Layer.provide(Layer.succeed(Approvals, approvals))
          )
          const decide = Effect.gen(function* () {
            yield* hook.count(1)
            const { data } = JSON.parse(hook.messages[0]?.body ?? "") as {
              readonly data: { readonly id: string; readonly binding: string }
            }
            yield* api(url, ben, "POST", `/${data.id}/deny`, { reason: "too much", binding: data.binding })
          })
          const [answer] = yield* Effect.all([asking().pipe(Effect.provide(webhook)), decide], { concurrency: 2 })
          return answer
        })
      ).pipe(Effect.provide(ApprovalsMemory.layer))
      assert.deepStrictEqual(answer, { _tag: "Denied", by: "Ben", reason: "too much" })
    })
  )

  live(
    "10.3 an address without TLS and an invalid secret are refused when the layer is built",
    Effect.gen(function* () {
      const problem = (overrides: Partial<EscalationWebhook.WebhookOptions>) =>
        Escalation.pipe(
          Effect.provide(Layer.provide(layerOf("https://chat.example/hook", overrides), ApprovalsMemory.layer)),
          Effect.match({ onFailure: ({ message }) => message, onSuccess: () => "fine" })
        )
      assert.strictEqual(yield* problem({}), "fine")
      assert.match(yield* problem({ url: "http://chat.example/hook" }), /^The webhook at chat\.example is not https/)
      assert.match(yield* problem({ url: "chat" }), /is not a URL/)
      // a caller without types may pass a text
      const plain = yield* problem({ secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" as never })
      assert.match(plain, /^The webhook at chat\.example has no secret: `secret` is not a Redacted text: pass/)
      assert.notInclude(plain, "MfKQ")
      const weak = yield* problem({ secret: Redacted.make("whsec_c2hvcnQ=") })
      assert.match(weak, /must be whsec_/)
      assert.notInclude(weak, "c2hvcnQ")
    })
  )
})
