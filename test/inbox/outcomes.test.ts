/** Tests unknown outcomes in the inbox, with browsers and programs. Each test is `it.live`, because it uses real HTTP. */
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as EscalationHttp from "#layers/EscalationHttp"
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import { type NewUnknownOutcome, UnknownOutcomes, UnknownOutcomesUnavailable } from "#services/UnknownOutcomes"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { ask, response, tool } from "../pipeline/support.ts"
import { ana, approversLayer, ben, browser, cleo, type HttpResponse, send, serving, signedIn } from "./support.ts"

const add = (over: Partial<NewUnknownOutcome> = {}) =>
  Effect.flatMap(UnknownOutcomes, (outcomes) =>
    outcomes.add({
      binding: "refund A-1",
      isAnswered: false,
      tool: "refund_order",
      code: "outcome_unknown",
      sentence: "It is not known whether <b>refund_order</b> was done.\u202e",
      arguments: { order: "A-1" },
      idempotencyKey: "idem_1",
      turn: { tenant: "tenant", conversation: "c", turn: "t" },
      traceId: "tr_1",
      ...over
    })
  )

const live = (what: string, use: (url: string) => Effect.Effect<void, unknown, UnknownOutcomes>) =>
  it.live(what, () =>
    Effect.flatMap(UnknownOutcomes, (outcomes) =>
      serving(
        (url) => Effect.provideService(use(url), UnknownOutcomes, outcomes),
        approversLayer,
        Layer.succeed(UnknownOutcomes, outcomes)
      )
    ).pipe(Effect.provide([ApprovalsMemory.layer, Layer.fresh(UnknownOutcomesMemory.layer), Logger.layer([])]))
  )

const settlementOf = (id: string) =>
  Effect.flatMap(UnknownOutcomes, (outcomes) => Effect.map(outcomes.find(id), (found) => found?.settlement))

const fieldsOf = (text: string, id: string): Readonly<Record<string, string>> => {
  const at = text.indexOf(`/approvals/outcomes/${id}/settlement"`)
  const hidden = text
    .slice(at, text.indexOf("</form>", at))
    .matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/gu)
  return Object.fromEntries([...hidden].map(([, name = "", value = ""]) => [name, value]))
}

const api = (url: string, token: string, method: string, path: string, body?: unknown): Effect.Effect<HttpResponse> =>
  send(`${url}/api/outcomes${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

describe("the inbox: unknown outcomes", () => {
  live("10.5 a page lists the unknown outcomes, and a form settles an outcome with its result", (url) =>
    Effect.gen(function* () {
      const { id } = yield* add()
      const page = yield* signedIn(url, ben)
      const { text } = yield* page.get("/approvals")
      for (const part of ["Unknown outcomes", "&lt;b&gt;refund_order", "U+202E", "A-1", "idem_1"]) {
        assert.include(text, part)
      }
      const fields = { ...fieldsOf(text, id), finding: "done", reason: "looked it up" }
      const faulty = yield* page.post(`/approvals/outcomes/${id}/settlement`, { ...fields, result: "R-1" })
      assert.deepStrictEqual([faulty.status, faulty.text.includes("The result is not JSON.")], [400, true])
      assert.isUndefined(yield* settlementOf(id))
      const sent = yield* page.post(`/approvals/outcomes/${id}/settlement`, { ...fields, result: '{"n":7}' })
      assert.deepStrictEqual([sent.status, sent.headers.get("location")], [303, `/approvals?settled=${id}`])
      const { at: _, ...settlement } = (yield* settlementOf(id))!
      assert.deepStrictEqual(settlement, { finding: "done", result: { n: 7 }, by: "Ben", reason: "looked it up" })
      const after = yield* page.get(`/approvals?settled=${id}`)
      assert.include(after.text, "Ben found that refund_order was done.")
      assert.notInclude(after.text, "idem_1")
      const late = yield* page.post(`/approvals/outcomes/${id}/settlement`, { ...fields, finding: "not_done" })
      assert.deepStrictEqual([late.status, late.text.includes("Your settlement does not count")], [409, true])
      assert.include((yield* page.get(`/approvals/outcomes/${id}`)).text, "It was done")
    })
  )

  live(
    "10.5 an outcome is seen and settled only by approvers of its tool and tenant, with the form of their session",
    (url) =>
      Effect.gen(function* () {
        const { id } = yield* add()
        const other = yield* signedIn(url, cleo)
        assert.notInclude((yield* other.get("/approvals")).text, "idem_1")
        const hidden = yield* other.get(`/approvals/outcomes/${id}`)
        assert.strictEqual(hidden.status, 404)
        assert.include(hidden.text, "This outcome does not exist, or you may not settle it.")
        assert.strictEqual((yield* browser(url).get(`/approvals/outcomes/${id}`)).status, 401)
        const page = yield* signedIn(url, ana)
        const fields = fieldsOf((yield* page.get(`/approvals/outcomes/${id}`)).text, id)
        const path = `/approvals/outcomes/${id}/settlement`
        for (const [who, form] of [
          [other, { ...fields, finding: "done" }],
          [browser(url), { ...fields, finding: "done" }],
          [page, { ...fields, form: "f".repeat(64), finding: "done" }],
          [page, { ...fields, finding: "perhaps" }]
        ] as const) {
          assert.isAtLeast((yield* who.post(path, form)).status, 400)
        }
        assert.strictEqual(
          (yield* page.post(path, { ...fields, finding: "done" }, { origin: "https://evil.example" })).status,
          403
        )
        assert.isUndefined(yield* settlementOf(id))
        assert.strictEqual((yield* page.post(path, { ...fields, finding: "not_done", result: "{" })).status, 303)
        assert.strictEqual((yield* settlementOf(id))?.finding, "not_done")
      })
  )

  live("10.5 the API lists, shows and settles outcomes, and lists answered errors only on request", (url) =>
    Effect.gen(function* () {
      const { id } = yield* add()
      const answered = yield* add({ isAnswered: true, code: "refused" })
      const idsOf = ({ text }: HttpResponse) =>
        (JSON.parse(text) as { readonly outcomes: ReadonlyArray<{ readonly id: string }> }).outcomes.map((it) => it.id)
      assert.deepStrictEqual(idsOf(yield* api(url, ben, "GET", "/")), [id])
      assert.deepStrictEqual(idsOf(yield* api(url, ben, "GET", "/?answered=true")), [id, answered.id])
      assert.deepStrictEqual(idsOf(yield* api(url, cleo, "GET", "/")), [])
      assert.strictEqual((yield* api(url, "wrong", "GET", "/")).status, 401)
      assert.strictEqual((yield* api(url, cleo, "POST", `/${id}/settle`, { finding: "done" })).status, 404)
      assert.strictEqual((yield* api(url, ben, "POST", `/${id}/settle`, { finding: "maybe" })).status, 400)
      const settled = yield* api(url, ben, "POST", `/${id}/settle`, { finding: "done", result: { n: 7 } })
      assert.deepStrictEqual([settled.status, (yield* settlementOf(id))?.by], [200, "Ben"])
      const late = yield* api(url, ana, "POST", `/${id}/settle`, { finding: "not_done" })
      const { message, ...fields } = JSON.parse(late.text) as { readonly message: string }
      assert.deepStrictEqual([late.status, fields], [409, { _tag: "NotSettled", refusal: "settled", by: "Ben" }])
      assert.include(message, "Ben found that refund_order was done.")
    })
  )

  it.live("10.5 a store that does not respond is reported, by the page and the API", () => {
    const down = () => Effect.fail(new UnknownOutcomesUnavailable({ cause: new Error("down") }))
    const layer = Layer.succeed(UnknownOutcomes, { add: down, settle: down, find: down, latest: down, open: down })
    return serving(
      (url) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* (yield* signedIn(url, ben)).get("/approvals")).status, 503)
          const { status, text } = yield* api(url, ben, "GET", "/")
          assert.strictEqual(status, 503)
          assert.include(text, "The store of unknown outcomes does not respond. Try again soon.")
        }),
      approversLayer,
      layer
    ).pipe(Effect.provide([ApprovalsMemory.layer, Logger.layer([])]))
  })

  it.live("10.5 a call in a backend with the inbox is settled there, and its repeat gets the result", () => {
    const refund = tool("refund_order", { access: "write", idempotency: "derived" }, response(500, "{}"))
    const stores = Layer.merge(ApprovalsMemory.layer, UnknownOutcomesMemory.layer)
    const guard = Guard.layerMemoryWith(
      Layer.provideMerge(EscalationHttp.layer({ publicUrl: "https://inbox.example/x" }), stores)
    )
    return Effect.gen(function* () {
      const outcomes = yield* UnknownOutcomes
      const { envelope } = yield* ask([refund.tool], "refund_order", { q: "a" })
      const [, id = ""] =
        /^https:\/\/inbox\.example\/x\/approvals\/outcomes\/([0-9a-f]{32})$/u.exec(envelope.error.approval_url) ?? []
      yield* serving(
        (url) => api(url, ben, "POST", `/${id}/settle`, { finding: "done", result: { n: 7 } }),
        approversLayer,
        Layer.succeed(UnknownOutcomes, outcomes)
      )
      assert.deepStrictEqual((yield* ask([refund.tool], "refund_order", { q: "a" })).envelope.data, { n: 7 })
    }).pipe(Guard.turn, Effect.provide(Layer.merge(guard, refund.layer)))
  })
})
