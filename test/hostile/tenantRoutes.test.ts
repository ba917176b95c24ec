/**
 * Attacks of callers who know all ids of another owner, on the guard and on the routes over HTTP and MCP [8.3]. For each
 * route, the answer for an id of the victim is the answer for an id that does not exist.
 */
import * as Approval from "#domain/tool/Approval"
import type { Turn } from "#domain/turn/Turn"
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as EscalationHttp from "#layers/EscalationHttp"
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import { Approvals } from "#services/Approvals"
import { CurrentTurn } from "#services/CurrentTurn"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import { unguessableId } from "#services/Unguessable"
import { Guard, GuardedTool, ReadResult, Toolbox } from "#src/index"
import * as McpServe from "#src/mcp/serve/McpServe"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { opening } from "../contracts/Approvals.ts"
import { outcome } from "../contracts/UnknownOutcomes.ts"
import { approversLayer, ben, browser, cleo, fieldsOf, send, serving, signedIn } from "../inbox/support.ts"
import { ask, response, start, tool } from "../pipeline/support.ts"
import { attackers, victim } from "./TenantAttacks.ts"

const nameOf = ({ principal, tenant }: Turn) =>
  JSON.stringify({ tenant, ...(principal === undefined ? {} : { principal }) })

describe("attacks on the calls of another owner through the guard", () => {
  const publicUrl = "https://agents.example.com/toolguard/"
  const guard = () =>
    Guard.layerMemoryWith(
      Layer.provideMerge(
        EscalationHttp.layer({ publicUrl }),
        Layer.merge(Layer.fresh(ApprovalsMemory.layer), Layer.fresh(UnknownOutcomesMemory.layer))
      )
    )
  const on = (layer: Layer.Layer<any>) =>
    Effect.provide(Layer.mergeAll(guard(), layer) as Layer.Layer<any>) as <A, E>(
      effect: Effect.Effect<A, E, any>
    ) => Effect.Effect<A, E>

  for (const turn of attackers) {
    it.effect(`8.3, 10.3 ${nameOf(turn)} neither joins nor consumes an approval of the same call`, () => {
      const refund = tool("refund", { access: "destructive", approval: () => Approval.confirm("Refund") }, { n: 1 })
      const made = (by: Turn) => Guard.turn(ask([refund.tool], "refund", { q: "a" }), by)
      return Effect.gen(function* () {
        const { decide, find, pending } = yield* Approvals
        yield* made(victim)
        const [request] = (yield* pending({ limit: 10 })).requests
        const id = request?.id ?? ""
        const attempt = yield* made(turn)
        assert.notInclude(attempt.text, id)
        yield* decide(id, { verdict: "approve", by: "Ben", reason: "" })
        assert.strictEqual((yield* made(turn)).envelope.error.code, "requires_human_approval")
        assert.deepStrictEqual([refund.runs(), (yield* find(id))?.state], [0, "approved"])
        assert.strictEqual((yield* made(victim)).envelope.status, "success")
      }).pipe(on(refund.layer))
    })

    it.effect(`8.3, 10.5 ${nameOf(turn)} does not get the settled result of another owner's call`, () => {
      const send = tool("send", { access: "write", idempotency: "derived" }, response(500, "{}"), response(500, "{}"), {
        n: 3
      })
      const made = (by: Turn) => Guard.turn(ask([send.tool], "send", { q: "a" }), by)
      return Effect.gen(function* () {
        assert.strictEqual((yield* made(victim)).envelope.error.code, "outcome_unknown")
        const { open, settle } = yield* UnknownOutcomes
        const [found] = yield* open({ limit: 10 })
        yield* settle(found?.id ?? "", { finding: "done", by: "Ben", reason: "", result: { n: 4_711 } })
        const runs = send.runs()
        const attempt = yield* made(turn)
        assert.notInclude(attempt.text, "4711")
        assert.strictEqual(send.runs(), runs + 1)
      }).pipe(on(send.layer))
    })

    it.effect(
      `8.3, 10.5 ${nameOf(turn)} repeats an unknown call, and does not get the later settlement of the victim's`,
      () => {
        const send = tool("send", { access: "write" }, response(500, "{}"))
        // the turns stay open, so that a repetition is not made and the store of outcomes answers it
        const made = (by: Turn) => Effect.provideService(ask([send.tool], "send", { q: "a" }), CurrentTurn, by)
        return Effect.gen(function* () {
          const { open, settle } = yield* UnknownOutcomes
          yield* made(turn)
          yield* made(victim)
          const found = (yield* open({ limit: 10 })).find(({ turn: of }) => of === victim)
          yield* settle(found?.id ?? "", { finding: "done", by: "Ben", reason: "", result: { n: 4_711 } })
          assert.strictEqual((yield* made(victim)).envelope.data.n, 4_711)
          assert.strictEqual((yield* made(turn)).envelope.error.code, "outcome_unknown")
          assert.strictEqual(send.runs(), 2)
        }).pipe(on(send.layer))
      }
    )

    it.effect(
      `8.3, 4.9 1,000 waiting calls of ${nameOf(turn)} delay the victim's call by one call, or by all in the same tenant`,
      () => {
        const gate = Deferred.makeUnsafe<void>()
        const started: Array<string> = []
        const read = tool("search", { concurrency: 1, deadline: "1 hour" }, ({ q }: { readonly q: string }) =>
          Effect.andThen(
            Effect.sync(() => void started.push(q)),
            q === "first" ? Effect.as(Deferred.await(gate), { n: 1 }) : Effect.succeed({ n: 1 })
          )
        )
        const made = (by: Turn, q: string) => start(Guard.turn(ask([read.tool], "search", { q }), by))
        return Effect.gen(function* () {
          const fibers = [yield* made(turn, "first")]
          for (let n = 0; n < 1_000; n += 1) fibers.push(yield* made(turn, `attack ${n}`))
          fibers.push(yield* made(victim, "victim"))
          yield* Deferred.succeed(gate, undefined)
          yield* Fiber.joinAll(fibers)
          // principals of one tenant share its place in the queue
          const place = turn.tenant === victim.tenant ? 1_001 : 2
          assert.strictEqual(started.indexOf("victim"), place)
        }).pipe(on(read.layer))
      }
    )
  }
})

describe("attacks on the inbox of another tenant", () => {
  /** Serves the inbox with a request and an unknown outcome of the victim, and asserts that attacks change neither. */
  const attack = (
    use: (url: string, request: string, outcome: string) => Effect.Effect<void, unknown, Approvals | UnknownOutcomes>
  ) =>
    Effect.gen(function* () {
      const approvals = yield* Approvals
      // an older request of the attacker, which a list after the victim's request would leave out
      yield* approvals.open(opening("own", { turn: { ...victim, tenant: "another" } }))
      const { request } = yield* approvals.open(opening("binding", { turn: victim }))
      const outcomes = yield* UnknownOutcomes
      const unknown = yield* outcomes.add(outcome({ turn: victim }))
      yield* serving(
        (url) => use(url, request.id, unknown.id),
        approversLayer,
        Layer.succeed(UnknownOutcomes, outcomes)
      )
      assert.strictEqual((yield* approvals.find(request.id))?.state, "pending")
      assert.isUndefined((yield* outcomes.find(unknown.id))?.settlement)
    }).pipe(
      Effect.provide([Layer.fresh(ApprovalsMemory.layer), Layer.fresh(UnknownOutcomesMemory.layer), Logger.layer([])]),
      Effect.scoped
    )

  const routes: ReadonlyArray<readonly [method: string, path: string, body?: object]> = [
    ["GET", "/api/approvals/REQUEST"],
    ["POST", "/api/approvals/REQUEST/reveal"],
    ["POST", "/api/approvals/REQUEST/approve", {}],
    ["POST", "/api/approvals/REQUEST/deny", { reason: "no" }],
    ["POST", "/api/approvals/REQUEST/answer", { answer: "no" }],
    ["GET", "/api/outcomes/OUTCOME"],
    ["POST", "/api/outcomes/OUTCOME/settle", { finding: "done", result: { n: 1 } }],
    ["GET", "/api/approvals?after=REQUEST"]
  ]

  it.live("8.3, 10.3 every route of the API answers for the victim's id as for an unknown id", () =>
    attack((url, request, outcome) =>
      Effect.gen(function* () {
        const unknown = yield* unguessableId
        for (const [method, path, body] of routes) {
          const answer = (ids: readonly [request: string, outcome: string]) =>
            Effect.map(
              send(url + path.replace("REQUEST", ids[0]).replace("OUTCOME", ids[1]), {
                method,
                headers: { authorization: `Bearer ${cleo}`, "content-type": "application/json" },
                ...(body === undefined ? {} : { body: JSON.stringify(body) })
              }),
              ({ status, text }) => [status, text]
            )
          const [attempt, expected] = [yield* answer([request, outcome]), yield* answer([unknown, unknown])]
          assert.deepStrictEqual(attempt, expected, `${method} ${path}`)
          if (!path.includes("?")) assert.strictEqual(attempt[0], 404, path)
        }
      })
    )
  )

  it.live("8.3, 10.3 every page and form answers for the victim's id as for an unknown id", () =>
    attack((url, request, outcome) =>
      Effect.gen(function* () {
        const [attacker, owner] = [yield* signedIn(url, cleo), yield* signedIn(url, ben)]
        const page = yield* owner.get(`/approvals/${request}`)
        assert.strictEqual(page.status, 200)
        const fields = fieldsOf(page.text, request)
        const unknown = yield* unguessableId
        /** Returns the status and the text, without the id and without the form tokens, which differ between sessions. */
        const plain = ({ status, text }: { readonly status: number; readonly text: string }, id: string) => [
          status,
          text.replaceAll(id, "ID").replaceAll(/name="token" value="[^"]*"/gu, "")
        ]
        const forms = [
          (id: string) => attacker.get(`/approvals/${id}`),
          (id: string) => attacker.get(`/approvals/outcomes/${id}`),
          (id: string) => attacker.get(`/approvals?done=${id}`),
          (id: string) => attacker.get(`/approvals?after=${id}`),
          (id: string) => attacker.post(`/approvals/${id}/decision`, { ...fields, verdict: "approve" }),
          (id: string) => attacker.post(`/approvals/${id}/reveal`, fields),
          (id: string) => attacker.post(`/approvals/outcomes/${id}/settlement`, { ...fields, finding: "done" }),
          (id: string) => browser(url).get(`/approvals/${id}`),
          (id: string) => browser(url).post(`/approvals/${id}/decision`, { ...fields, verdict: "approve" })
        ]
        for (const [index, form] of forms.entries()) {
          for (const id of [request, outcome])
            assert.deepStrictEqual(plain(yield* form(id), id), plain(yield* form(unknown), unknown), String(index))
        }
      })
    )
  )
})

class Export extends GuardedTool.Service<Export>()("export_rows", {
  description: "Exports rows. Read-only.",
  access: "read",
  parameters: Schema.Struct({}),
  success: Schema.Array(Schema.String)
}) {}

describe("attacks on the sessions and links of another principal over MCP", () => {
  const clientInfo = { name: "wire", version: "1" }
  const served = () =>
    HttpRouter.toWebHandler(
      McpServe.layerHttp(Toolbox.make(Export, ReadResult), {
        name: "rows",
        version: "1",
        authenticate: (token) => {
          const [tenant = "", principal = ""] = token.split(".")
          return Effect.succeed({ tenant, principal })
        }
      }).pipe(
        Layer.provide(
          Layer.merge(
            Export.layerTest(() => Effect.succeed(Array.from({ length: 2_000 }, (_, n) => `secret row ${n}`))),
            ReadResult.layerGuard
          )
        ),
        Layer.provide(Guard.layerMemory),
        Layer.provide(HttpServer.layerServices)
      ) as Layer.Layer<never, never, HttpRouter.HttpRouter>,
      { disableLogger: true }
    )

  it("8.3, 13.7 every request under the victim's session has the answer for an unknown session", async () => {
    const { dispose, handler } = served()
    const post = async (token: string, session: string | undefined, message: object, method = "POST") => {
      const answer = await handler(
        new Request("http://mcp.test/mcp", {
          method,
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            authorization: `Bearer ${token}`,
            ...(session === undefined ? {} : { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" })
          },
          ...(method === "POST" ? { body: JSON.stringify({ jsonrpc: "2.0", ...message }) } : {})
        })
      )
      return { status: answer.status, text: await answer.text(), session: answer.headers.get("mcp-session-id") ?? "" }
    }
    const open = async (token: string) => {
      const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }
      return (await post(token, undefined, { id: 1, method: "initialize", params })).session
    }
    const calling = { id: 2, method: "tools/call", params: { name: "export_rows", arguments: {} } }
    const reading = (uri: string) => ({ id: 3, method: "resources/read", params: { uri } })
    try {
      const session = await open("acme.ana")
      const { text } = await post("acme.ana", session, calling)
      const [, uri = ""] = /"resource_url\\*":\\*"([^"\\]+)/u.exec(text) ?? []
      assert.include((await post("acme.ana", session, reading(uri))).text, "secret row 1999")
      for (const token of ["evil.ana", "acme.eve", "evil.eve", "acme.", "acme.Ana"]) {
        const own = await open(token)
        for (const [message, method] of [
          [calling, "POST"],
          [reading(uri), "POST"],
          [{ id: 4, method: "ping" }, "POST"],
          [{ method: "notifications/cancelled", params: { requestId: 2 } }, "POST"],
          [{ id: 2, result: { action: "accept", content: { approve: true } } }, "POST"],
          [{}, "DELETE"]
        ] as const) {
          const attempt = await post(token, session, message, method)
          assert.deepStrictEqual(attempt, await post(token, "unknown", message, method), JSON.stringify(message))
          assert.strictEqual(attempt.status, 404)
        }
        const paging = {
          id: 5,
          method: "tools/call",
          params: { name: "read_result", arguments: { resource_url: uri } }
        }
        assert.notInclude((await post(token, own, paging)).text, "secret row")
        const absent = uri.replace(/[^/]+$/u, (id) => "0".repeat(id.length))
        const link = await post(token, own, reading(uri))
        const unknown = await post(token, own, reading(absent))
        assert.notInclude(link.text, "secret row")
        assert.strictEqual(link.text.replaceAll(uri, "URI"), unknown.text.replaceAll(absent, "URI"))
      }
      assert.include((await post("acme.ana", session, reading(uri))).text, "secret row 1999")
    } finally {
      await dispose()
    }
  })
})
