/** Tests the API of the inbox, over HTTP and with the typed client. */
import { ApprovalRequest } from "#domain/approval/ApprovalRequest"
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import { InboxApi } from "#layers/EscalationHttp"
import { Authorization } from "#layers/internal/inbox/Api"
import { Approvals } from "#services/Approvals"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { opening } from "../contracts/Approvals.ts"
import { ana, api, ben, browser, cleo, send, serving } from "./support.ts"

const live = (what: string, use: (url: string) => Effect.Effect<void, unknown, Approvals>) =>
  it.live(what, () => serving(use).pipe(Effect.provide([ApprovalsMemory.layer, Logger.layer([])])))

const open = (binding: string, overrides = {}) =>
  Effect.flatMap(Approvals, (approvals) =>
    Effect.map(approvals.open(opening(binding, overrides)), ({ request }) => request)
  )

const decoded = Schema.decodeUnknownSync(Schema.fromJsonString(ApprovalRequest))

describe("the inbox's API", () => {
  live(
    "10.3 lists and shows requests, accepts one decision, and refuses a second decision with the name of the first approver",
    (url) =>
      Effect.gen(function* () {
        const request = yield* open("1")
        const listed = yield* api(url, ana, "GET", "?limit=10")
        assert.deepStrictEqual(JSON.parse(listed.text), { requests: [JSON.parse(JSON.stringify(request))], total: 1 })
        assert.deepStrictEqual(decoded((yield* api(url, ana, "GET", `/${request.id}`)).text), request)
        const denied = yield* api(url, ben, "POST", `/${request.id}/deny`, {
          reason: "too much",
          binding: request.binding
        })
        assert.strictEqual(denied.status, 200)
        const { decision, state } = decoded(denied.text)
        assert.deepStrictEqual([state, decision?.by, decision?.reason], ["denied", "Ben", "too much"])
        const late = yield* api(url, ana, "POST", `/${request.id}/approve`, {})
        assert.strictEqual(late.status, 409)
        const { message, ...fields } = JSON.parse(late.text) as { readonly message: string }
        assert.deepStrictEqual(fields, { _tag: "NotTaken", refusal: "decided", state: "denied", by: "Ben" })
        assert.match(message, /Ben already denied the request/)
      })
  )

  live("10.5 the API reports a withdrawn request as withdrawn, and refuses decisions on it", (url) =>
    Effect.gen(function* () {
      const { id, turn } = yield* open("1")
      const { withdraw } = yield* Approvals
      assert.strictEqual(yield* withdraw(turn!), 1)
      assert.strictEqual(decoded((yield* api(url, ben, "GET", `/${id}`)).text).state, "withdrawn")
      for (const [path, body] of [
        ["approve", {}],
        ["deny", {}],
        ["answer", { answer: "Use O-2." }]
      ] as const) {
        const { status, text } = yield* api(url, ben, "POST", `/${id}/${path}`, body)
        const { message, ...fields } = JSON.parse(text) as { readonly message: string }
        assert.deepStrictEqual([status, fields], [409, { _tag: "NotTaken", refusal: "withdrawn", state: "withdrawn" }])
        assert.include(message, "the run that made the request has ended")
      }
      const after = decoded((yield* api(url, ben, "GET", `/${id}`)).text)
      assert.deepStrictEqual([after.state, after.decision], ["withdrawn", undefined])
    })
  )

  live("10.3 an answer needs text, and a decision with another request's binding is refused", (url) =>
    Effect.gen(function* () {
      const { id } = yield* open("1")
      const refusal = (path: string, body: object) =>
        Effect.map(api(url, ben, "POST", `/${id}/${path}`, body), ({ status, text }) => [
          status,
          text === "" ? "" : (JSON.parse(text) as { readonly refusal?: string }).refusal
        ])
      assert.deepStrictEqual(yield* refusal("answer", { answer: " " }), [409, "empty_answer"])
      assert.deepStrictEqual(yield* refusal("approve", { binding: "other" }), [409, "other_binding"])
      assert.deepStrictEqual(yield* refusal("answer", { answer: "x".repeat(2_001) }), [400, ""])
      assert.deepStrictEqual(yield* refusal("answer", {}), [400, ""])
      assert.strictEqual((yield* api(url, ben, "POST", `/${id}/answer`, { answer: "Use O-2." })).status, 200)
    })
  )

  live("10.3 only an approver's bearer token is accepted, and only for requests that the approver may decide", (url) =>
    Effect.gen(function* () {
      const { id } = yield* open("1")
      const path = `/${id}/approve`
      for (const token of ["", "tga_", `${ben}0`, ben.toUpperCase()])
        assert.strictEqual((yield* api(url, token, "POST", path, {})).status, 401)
      const login = yield* browser(url).post("/approvals/login", { token: ben })
      const cookie = (login.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
      const headers = { cookie, "content-type": "application/json" }
      const byCookie = yield* send(`${url}/api/approvals${path}`, { method: "POST", headers, body: "{}" })
      assert.strictEqual(byCookie.status, 401)
      assert.strictEqual((yield* send(`${url}/api/approvals?token=${ben}`)).status, 401)
      assert.strictEqual((yield* api(url, cleo, "POST", path, {})).status, 404)
      assert.deepStrictEqual(JSON.parse((yield* api(url, cleo, "GET", "")).text), { requests: [], total: 0 })
      for (const method of ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]) yield* api(url, ben, method, path)
      const approvals = yield* Approvals
      assert.strictEqual((yield* approvals.find(id))?.state, "pending")
    })
  )

  live("10.3 has an OpenAPI document and a typed client", (url) =>
    Effect.gen(function* () {
      const described = JSON.parse((yield* send(`${url}/api/openapi.json`)).text) as { readonly paths: object }
      assert.deepStrictEqual(Object.keys(described.paths).sort(), [
        "/api/approvals",
        "/api/approvals/{id}",
        "/api/approvals/{id}/answer",
        "/api/approvals/{id}/approve",
        "/api/approvals/{id}/deny",
        "/api/approvals/{id}/reveal",
        "/api/outcomes",
        "/api/outcomes/{id}",
        "/api/outcomes/{id}/settle"
      ])
      const { id } = yield* open("1")
      const client = yield* HttpApiClient.make(InboxApi, {
        transformClient: HttpClient.mapRequest(HttpClientRequest.prependUrl(url))
      })
      const approved = yield* client.approvals.approve({ params: { id }, payload: {} })
      assert.deepStrictEqual([approved.state, approved.decision?.by], ["approved", "Ben"])
      const again = yield* Effect.flip(client.approvals.deny({ params: { id }, payload: {} }))
      assert.strictEqual(again._tag, "NotTaken")
    }).pipe(
      Effect.provide(
        HttpApiMiddleware.layerClient(Authorization, ({ next, request }) =>
          next(HttpClientRequest.bearerToken(request, ben))
        ).pipe(Layer.merge(FetchHttpClient.layer))
      )
    )
  )
})
