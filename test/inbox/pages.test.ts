/** Tests the pages of the inbox with browsers and attackers. Each test is `it.live`, because it uses real HTTP. */
import type { Approver } from "#domain/approval/ApprovalRequest"
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as ApprovalsSql from "#layers/ApprovalsSql"
import * as ApproversList from "#layers/ApproversList"
import * as EscalationHttp from "#layers/EscalationHttp"
import * as SqliteNode from "#layers/SqliteNode"
import { Approvals, ApprovalsUnavailable, type ApprovalQuestion } from "#services/Approvals"
import { Approvers } from "#services/Approvers"
import { Escalation } from "#services/Escalation"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Layer, Logger, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { hash } from "node:crypto"
import { opening } from "../contracts/Approvals.ts"
import { request } from "../contracts/Escalation.ts"
import { turn } from "../contracts/values.ts"
import { jumpingClock } from "../support/jumpingClock.ts"
import { ana, api, ben, browser, cleo, fieldsOf, send, serving, signedIn } from "./support.ts"

const open = (overrides: Partial<ApprovalQuestion> = {}) =>
  Effect.flatMap(Approvals, (approvals) =>
    Effect.map(approvals.open(opening(overrides.binding ?? "one", overrides)), ({ request }) => request)
  )
const stateOf = (id: string) =>
  Effect.flatMap(Approvals, (approvals) =>
    Effect.map(approvals.find(id), (found) => [found?.state, found?.decision?.by])
  )
const pending = ["pending", undefined]

const live = (
  what: string,
  use: (url: string) => Effect.Effect<void, unknown, Approvals>,
  layer: Layer.Layer<Approvals> = ApprovalsMemory.layer
) => it.live(what, () => serving(use).pipe(Effect.provide([layer, Logger.layer([])])))

const inDatabase = Layer.provideMerge(
  Layer.orDie(ApprovalsSql.layer),
  Layer.orDie(SqliteNode.layer({ filename: ":memory:" }))
)

const masked = {
  shown: '{\n  "token": [hidden, 9 characters]\n}',
  hidden: 1,
  revealed: Redacted.make('{\n  "token": "ghp_12345"\n}')
}

describe("the inbox: hidden parts", () => {
  live("10.6 are masked and counted, and shown only by a form, which records the approver", (url) =>
    Effect.gen(function* () {
      const { id } = yield* open(masked)
      const page = yield* signedIn(url, ben)
      const { text } = yield* page.get(`/approvals/${id}`)
      assert.include(text, "Arguments, except 1 hidden part, which is sent too")
      assert.include(text, "[hidden, 9 characters]")
      assert.notInclude(text, "ghp_12345")
      const path = `/approvals/${id}/reveal`
      const at = text.indexOf(`action="${path}"`)
      const [, form = ""] = /name="form" value="([0-9a-f]+)"/u.exec(text.slice(at)) ?? []
      assert.strictEqual((yield* page.post(path, { form: fieldsOf(text, id)["form"] ?? "" })).status, 403)
      assert.strictEqual((yield* (yield* signedIn(url, cleo)).post(path, { form })).status, 404)
      assert.strictEqual((yield* browser(url).post(path, { form })).status, 401)
      assert.isUndefined((yield* (yield* Approvals).find(id))?.reveals)
      const revealed = yield* page.post(path, { form })
      assert.include(revealed.text, "ghp_12345")
      assert.include(revealed.text, `/approvals/${id}/decision`)
      assert.deepStrictEqual(
        (yield* (yield* Approvals).find(id))?.reveals?.map(({ by }) => by),
        ["Ben"]
      )
      assert.include((yield* page.get(`/approvals/${id}`)).text, "Revealed to")
    })
  )

  live("10.6 are in no response of the API except that of `reveal`", (url) =>
    Effect.gen(function* () {
      const { id } = yield* open(masked)
      for (const path of ["", `/${id}`]) assert.notInclude((yield* api(url, ben, "GET", path)).text, "ghp_12345")
      assert.strictEqual((yield* api(url, cleo, "POST", `/${id}/reveal`)).status, 404)
      const { text } = yield* api(url, ben, "POST", `/${id}/reveal`)
      assert.deepStrictEqual(JSON.parse(text), { arguments: Redacted.value(masked.revealed) })
      const other = yield* open({ binding: "two" })
      assert.strictEqual((yield* api(url, ben, "POST", `/${other.id}/reveal`)).status, 404)
    })
  )
})

describe("the inbox", () => {
  it.live("10.3 names a request whose row was damaged, and shows the others", () =>
    serving((url) =>
      Effect.gen(function* () {
        const [damaged, whole] = [yield* open(), yield* open({ binding: "two" })]
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE toolguard_approvals SET request = '{}' WHERE id = ${damaged.id}`
        const { text } = yield* (yield* signedIn(url, ben)).get("/approvals")
        assert.include(text, `One pending request cannot be read, and nobody can decide it: ${damaged.id}.`)
        assert.include(text, `data-id="${whole.id}"`)
        assert.include(text, "2 requests are pending.")
        const listed = JSON.parse((yield* api(url, ben, "GET", "")).text)
        assert.deepStrictEqual(listed.unreadable, [damaged.id])
      })
    ).pipe(Effect.provide([inDatabase, Logger.layer([])]))
  )

  live("10.3 reveals nothing about a request without a session", (url) =>
    Effect.gen(function* () {
      const { id } = yield* open()
      for (const path of ["/approvals", `/approvals/${id}`, `/approvals/${"0".repeat(32)}`]) {
        const { status, text } = yield* browser(url).get(path)
        assert.strictEqual(status, 401)
        assert.include(text, "Your approver token")
        assert.notInclude(text, "refund_order")
      }
      assert.strictEqual((yield* browser(url).get("/approvals/events")).status, 401)
      const decided = yield* browser(url).post(`/approvals/${id}/decision`, { verdict: "approve" })
      assert.deepStrictEqual([decided.status, yield* stateOf(id)], [401, pending])
    })
  )

  live("10.3 an approver signs in, sees the request, and decides it", (url) =>
    Effect.gen(function* () {
      const { id } = yield* open()
      const session = yield* signedIn(url, ana)
      const { text } = yield* session.get("/approvals")
      for (const shown of ["Refund 20000 cents", "refund_order", "&quot;cents&quot;: 20000", "tenant", "trace", "Ana"])
        assert.include(text, shown)
      assert.match(text, /in (?:1 h|59 min \d+ s),/)
      const { headers, status } = yield* session.post(`/approvals/${id}/decision`, {
        ...fieldsOf(text, id),
        verdict: "approve"
      })
      assert.deepStrictEqual([status, headers.get("location")], [303, `/approvals?done=${id}`])
      assert.deepStrictEqual(yield* stateOf(id), ["approved", "Ana"])
      const after = yield* session.get(`/approvals?done=${id}`)
      assert.include(after.text, "Ana approved refund_order.")
      assert.include(after.text, "No pending requests.")
      assert.include((yield* session.get(`/approvals/${id}`)).text, "Approved by <bdi>Ana</bdi>")
    })
  )

  live("10.2 shows what was done, what can be done and what happens otherwise until the decision", (url) =>
    Effect.gen(function* () {
      const guidance = { did: "It is <b>held</b>.", choices: "Approve it.\u202e", otherwise: "It waits." }
      const { id } = yield* open({ guidance, reason: "disk_full" })
      const session = yield* signedIn(url, ana)
      const { text } = yield* session.get("/approvals")
      for (const shown of ["It is &lt;b&gt;held&lt;/b&gt;.", "Approve it.", "U+202E", "It waits."])
        assert.include(text, shown)
      assert.notInclude(text, "\u202e")
      yield* session.post(`/approvals/${id}/decision`, { ...fieldsOf(text, id), verdict: "answer", reason: "Use O-2." })
      const after = (yield* session.get(`/approvals/${id}`)).text
      assert.include(after, "Answered by <bdi>Ana</bdi>")
      assert.notInclude(after, "It waits.")
    })
  )

  it.live("10.2 a notice names its conversation and run, and its tool once", () => {
    const guidance = { did: "It was returned.", choices: "No answer is needed.", otherwise: "Work continues." }
    const notice = { ...request, turn, run: "job 17", level: "inform", reason: "timeout", guidance } as const
    return Effect.gen(function* () {
      const { inform } = yield* Escalation
      yield* inform({ ...notice, tool: "search", sentence: "search failed." })
      yield* serving((url) =>
        Effect.gen(function* () {
          const { text } = yield* (yield* signedIn(url, ben)).get("/approvals")
          for (const shown of [`Conversation: ${turn.conversation}`, "Run: job 17", "It was returned."])
            assert.include(text, shown)
          assert.lengthOf(text.match(/\bsearch\b/gu) ?? [], 1)
        })
      )
    }).pipe(
      Effect.provide([
        Layer.provideMerge(EscalationHttp.layer({ publicUrl: "https://agents.example" }), ApprovalsMemory.layer),
        Logger.layer([])
      ])
    )
  })

  live("10.3 a denial can have a reason, and an answer needs text", (url) =>
    Effect.gen(function* () {
      const [first, second] = [yield* open({ binding: "1" }), yield* open({ binding: "2" })]
      const session = yield* signedIn(url, ben)
      const { text } = yield* session.get("/approvals")
      const decide = (id: string, fields: Readonly<Record<string, string>>) =>
        session.post(`/approvals/${id}/decision`, { ...fieldsOf(text, id), ...fields })
      assert.strictEqual((yield* decide(first.id, { verdict: "deny", reason: "too much" })).status, 303)
      const empty = yield* decide(second.id, { verdict: "answer", reason: "  " })
      assert.strictEqual(empty.status, 409)
      assert.include(empty.text, "An answer needs text")
      assert.strictEqual((yield* decide(second.id, { verdict: "answer", reason: "Use O-2." })).status, 303)
      assert.strictEqual((yield* decide(second.id, { verdict: "unknown" })).status, 400)
      const approvals = yield* Approvals
      assert.deepStrictEqual(
        [(yield* approvals.find(first.id))?.decision?.reason, (yield* approvals.find(second.id))?.decision?.verdict],
        ["too much", "answer"]
      )
    })
  )

  live("10.3 one of two concurrent decisions counts, and the other approver sees who decided first", (url) =>
    Effect.gen(function* () {
      const { id } = yield* open()
      const people = [yield* signedIn(url, ana), yield* signedIn(url, ben)]
      const answers = yield* Effect.forEach(
        people,
        (person) =>
          Effect.flatMap(person.get("/approvals"), ({ text }) =>
            person.post(`/approvals/${id}/decision`, { ...fieldsOf(text, id), verdict: "approve" })
          ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [303, 409])
      const [, winner] = yield* stateOf(id)
      assert.match(
        answers.find(({ status }) => status === 409)?.text ?? "",
        new RegExp(`${winner} already approved the request`)
      )
    })
  )

  live("10.3 GET changes nothing, even with the fields of a form in the query", (url) =>
    Effect.gen(function* () {
      const { binding, id } = yield* open()
      const session = yield* signedIn(url, ben)
      const { form = "" } = fieldsOf((yield* session.get("/approvals")).text, id)
      const query = `?verdict=approve&form=${form}&binding=${binding}`
      for (const path of [
        `/approvals/${id}${query}`,
        `/approvals/${id}/decision${query}`,
        `/approvals${query}`,
        `/approvals/logout?form=${form}`
      ])
        yield* session.get(path)
      assert.deepStrictEqual(yield* stateOf(id), pending)
      assert.strictEqual((yield* session.get("/approvals")).status, 200)
    })
  )

  live("10.3 a form of another site is refused", (url) =>
    Effect.gen(function* () {
      const [first, second] = [yield* open({ binding: "1" }), yield* open({ binding: "2" })]
      const [mine, other] = [yield* signedIn(url, ben), yield* signedIn(url, ben)]
      const { text } = yield* mine.get("/approvals")
      const good = { ...fieldsOf(text, first.id), verdict: "approve" }
      const foreignHeaders = [
        { origin: "https://evil.example" },
        { origin: "null" },
        { origin: url, "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
        { origin: url.replace("127.0.0.1", "localhost") }
      ]
      const path = `/approvals/${first.id}/decision`
      for (const headers of foreignHeaders) assert.strictEqual((yield* mine.post(path, good, headers)).status, 403)
      const foreignForms = [
        {},
        { form: "" },
        { form: "0".repeat(64) },
        { form: fieldsOf(text, second.id)["form"] ?? "" },
        { form: fieldsOf((yield* other.get("/approvals")).text, first.id)["form"] ?? "" }
      ]
      for (const fields of foreignForms)
        assert.strictEqual(
          (yield* mine.post(path, { verdict: "approve", binding: first.binding, ...fields })).status,
          403
        )
      assert.deepStrictEqual(yield* stateOf(first.id), pending)
      const login = yield* browser(url).post("/approvals/login", { token: ben }, { origin: "https://evil.example" })
      assert.deepStrictEqual([login.status, login.headers.get("set-cookie")], [403, null])
      // an old browser does not send the origin of a form, but the token in the form protects it
      assert.strictEqual((yield* mine.post(path, good, {})).status, 303)
    })
  )

  live("10.3 a tampered binding is refused, and sending a form again changes nothing", (url) =>
    Effect.gen(function* () {
      const { id } = yield* open()
      const session = yield* signedIn(url, ben)
      const fields = fieldsOf((yield* session.get("/approvals")).text, id)
      const post = (overrides: object) =>
        session.post(`/approvals/${id}/decision`, { ...fields, verdict: "approve", ...overrides })
      const tampered = yield* post({ binding: "f".repeat(64) })
      assert.deepStrictEqual([tampered.status, yield* stateOf(id)], [409, pending])
      assert.include(tampered.text, "for a different call")
      assert.strictEqual((yield* post({ verdict: "deny" })).status, 303)
      assert.strictEqual((yield* post({})).status, 409)
      assert.deepStrictEqual(yield* stateOf(id), ["denied", "Ben"])
    })
  )

  it.live("10.3 a decision after the expiry is refused", () =>
    Effect.flatMap(jumpingClock, ({ clock, jump }) =>
      serving((url) =>
        Effect.gen(function* () {
          const { id } = yield* open({ lifetime: Duration.hours(1) })
          const session = yield* signedIn(url, ben)
          const fields = fieldsOf((yield* session.get(`/approvals/${id}`)).text, id)
          jump(3_600_001)
          const late = yield* session.post(`/approvals/${id}/decision`, { ...fields, verdict: "approve" })
          assert.strictEqual(late.status, 409)
          assert.include(late.text, "the request has expired")
          assert.include(late.text, "No decision was made in time.")
        })
      ).pipe(Effect.provide([ApprovalsMemory.layer, Logger.layer([])]), Effect.provideService(Clock.Clock, clock))
    )
  )

  live("10.5 a withdrawn request has no form, and a decision is refused with the reason", (url) =>
    Effect.gen(function* () {
      const { id, turn } = yield* open()
      const session = yield* signedIn(url, ben)
      const fields = fieldsOf((yield* session.get(`/approvals/${id}`)).text, id)
      const { find, withdraw } = yield* Approvals
      yield* withdraw(turn!)
      const late = yield* session.post(`/approvals/${id}/decision`, { ...fields, verdict: "approve" })
      assert.strictEqual(late.status, 409)
      for (const text of ["Your decision does not count", "Withdrawn without a decision"])
        assert.include(late.text, text)
      const shown = (yield* session.get(`/approvals/${id}`)).text
      assert.include(shown, "Withdrawn without a decision")
      assert.notInclude(shown, "/decision")
      assert.notInclude((yield* session.get("/approvals")).text, id)
      assert.include((yield* session.get(`/approvals?done=${id}`)).text, "was withdrawn: its run has ended")
      assert.strictEqual((yield* find(id))?.state, "withdrawn")
    })
  )

  live("10.3 an approver sees and decides only requests within the approver's limits", (url) =>
    Effect.gen(function* () {
      const { id } = yield* open({ tool: "other_tool" })
      const insider = fieldsOf((yield* (yield* signedIn(url, ben)).get("/approvals")).text, id)
      for (const token of [ana, cleo]) {
        const session = yield* signedIn(url, token)
        assert.notInclude((yield* session.get("/approvals")).text, "other_tool")
        assert.strictEqual((yield* session.get(`/approvals/${id}`)).status, 404)
        const posted = yield* session.post(`/approvals/${id}/decision`, { ...insider, verdict: "approve" })
        assert.strictEqual(posted.status, 404)
      }
      assert.deepStrictEqual(yield* stateOf(id), pending)
    })
  )

  live("10.3 the session is a cookie hidden from scripts and other sites, and it ends at sign-out", (url) =>
    Effect.gen(function* () {
      const { headers, status } = yield* browser(url).post("/approvals/login", {
        token: ` ${ben}\n`,
        next: "/approvals"
      })
      assert.deepStrictEqual([status, headers.get("location")], [303, "/approvals"])
      assert.match(
        headers.get("set-cookie") ?? "",
        /^toolguard_session=[0-9a-f]{32}; Path=\/approvals; HttpOnly; SameSite=Strict$/
      )
      const session = yield* signedIn(url, ben)
      const { text } = yield* session.get("/approvals")
      const form = /name="form" value="(\w+)"/.exec(text)?.[1] ?? ""
      assert.strictEqual((yield* session.post("/approvals/logout", {})).status, 403)
      assert.strictEqual((yield* session.post("/approvals/logout", { form })).status, 303)
      assert.strictEqual((yield* session.get("/approvals")).status, 401)
    })
  )

  live("10.3 a wrong token is refused, even if it is similar to a valid one", (url) =>
    Effect.gen(function* () {
      const wrong = [
        "",
        "tga_",
        `${ben.slice(0, -1)}x`,
        ben.slice(0, -1),
        `${ben}0`,
        ben.toUpperCase(),
        ben.replace("tga_", ""),
        "' OR 1=1",
        "\u0000"
      ]
      for (const token of wrong) {
        const { headers, status } = yield* browser(url).post("/approvals/login", { token })
        assert.deepStrictEqual([status, headers.get("set-cookie")], [401, null])
      }
      const replayed = browser(url, `toolguard_session=${"0".repeat(32)}`)
      assert.strictEqual((yield* replayed.get("/approvals")).status, 401)
    })
  )

  it.effect("10.3 a text that is not a token is refused, even if its digest is in the list", () =>
    Effect.gen(function* () {
      const { verify } = yield* Approvers
      assert.isUndefined(yield* verify(Redacted.make("password")))
    }).pipe(Effect.provide(ApproversList.layer([{ name: "Eve", token_sha256: hash("sha256", "password", "hex") }])))
  )

  it.live("10.3 removing or limiting an approver takes effect while they are signed in", () => {
    let dan: Approver | undefined = { name: "Dan" }
    const token = `tga_${"d".repeat(32)}`
    const changing = Layer.succeed(Approvers, { verify: () => Effect.sync(() => dan) })
    return serving(
      (url) =>
        Effect.gen(function* () {
          const { id } = yield* open()
          const session = yield* signedIn(url, token)
          const { text } = yield* session.get("/approvals")
          const approve = session.post(`/approvals/${id}/decision`, { ...fieldsOf(text, id), verdict: "approve" })
          dan = { name: "Dan", tools: ["another"] }
          assert.notInclude((yield* session.get("/approvals")).text, id)
          assert.deepStrictEqual([(yield* approve).status, yield* stateOf(id)], [404, pending])
          dan = undefined
          assert.strictEqual((yield* session.get("/approvals")).status, 401)
          assert.strictEqual((yield* session.get("/approvals/events")).status, 401)
          assert.deepStrictEqual([(yield* approve).status, yield* stateOf(id)], [401, pending])
        }),
      changing
    ).pipe(Effect.provide([ApprovalsMemory.layer, Logger.layer([])]))
  })

  live("10.3 signing in redirects only to pages of the inbox", (url) =>
    Effect.gen(function* () {
      const { id } = yield* open()
      const to = (next: string) =>
        Effect.map(browser(url).post("/approvals/login", { token: ben, next }), ({ headers }) =>
          headers.get("location")
        )
      assert.strictEqual(yield* to(`/approvals/${id}`), `/approvals/${id}`)
      for (const next of [
        "https://evil.example",
        "//evil.example",
        "/approvals/../x",
        "/approvals/login",
        "javascript:1",
        ""
      ])
        assert.strictEqual(yield* to(next), "/approvals")
    })
  )

  live("10.3 a link from another site shows a page that reloads itself", (url) =>
    Effect.gen(function* () {
      const { id } = yield* open()
      const { status, text } = yield* send(`${url}/approvals/${id}`, { headers: { "sec-fetch-site": "cross-site" } })
      assert.strictEqual(status, 200)
      assert.include(text, `content="0; url=/approvals/${id}"`)
      assert.notInclude(text, "refund_order")
    })
  )

  live("10.3 texts are never interpreted as markup, and hidden characters are shown", (url) =>
    Effect.gen(function* () {
      const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'\`&lt;\u202eevil\u200b\u0000\u{e0041}`
      const { id } = yield* open({
        tool: hostile,
        sentence: hostile,
        reason: hostile,
        traceId: hostile,
        arguments: { [hostile]: hostile, "</pre><script>": "</bdi>" },
        turn: { ...turn, tenant: hostile, conversation: hostile, principal: hostile }
      })
      const session = yield* signedIn(url, ben)
      const fields = fieldsOf((yield* session.get(`/approvals/${id}`)).text, id)
      const pages = [
        yield* session.get("/approvals"),
        yield* session.get(`/approvals/${id}`),
        yield* session.post(`/approvals/${id}/decision`, { ...fields, verdict: "deny", reason: hostile }),
        yield* session.get(`/approvals?done=${id}&after=${encodeURIComponent(hostile)}`),
        yield* session.get(`/approvals/${id}`),
        yield* session.post(`/approvals/${id}/decision`, { ...fields, verdict: "deny" }),
        yield* session.get(`/approvals/${encodeURIComponent(hostile)}`),
        yield* browser(url).post("/approvals/login", { token: hostile, next: hostile })
      ]
      for (const { text } of pages) {
        const scripts = [...text.matchAll(/<(script|img|iframe|object|svg)\b[^>]*>/giu)].map(([tag]) => tag)
        assert.isTrue(
          scripts.every((tag) => tag === `<script src="/approvals/inbox.js" defer>`),
          scripts.join()
        )
        assert.notMatch(text, /<[^>]*\son\w+=/u)
        assert.notMatch(text, /[\u0000\u200b\u202e]/u)
      }
      assert.include(
        pages[0]?.text,
        `<span class="hidden-character" title="a character that cannot be seen">U+202E</span>evil`
      )
      assert.include(pages[0]?.text, "U+E0041")
    })
  )

  live("10.3 pages, files and responses of the API forbid foreign scripts, frames and caching", (url) =>
    Effect.gen(function* () {
      const session = yield* signedIn(url, ben)
      const all = [
        yield* session.get("/approvals"),
        yield* browser(url).get("/approvals"),
        yield* session.get("/approvals/inbox.js"),
        yield* session.get("/approvals/style.css"),
        yield* session.get("/approvals/nothing"),
        yield* send(`${url}/api/approvals`)
      ]
      for (const { headers } of all) {
        assert.match(
          headers.get("content-security-policy") ?? "",
          /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'/
        )
        assert.notMatch(headers.get("content-security-policy") ?? "", /unsafe|\*|https?:/)
        assert.deepStrictEqual(
          [headers.get("cache-control"), headers.get("x-content-type-options"), headers.get("x-frame-options")],
          ["no-store", "nosniff", "DENY"]
        )
      }
      const { text } = yield* session.get("/approvals")
      assert.notMatch(text, /\sstyle=|<style|javascript:|https?:\/\//)
    })
  )

  live("10.3 a form that is too large is refused", (url) =>
    Effect.gen(function* () {
      const { id } = yield* open()
      const session = yield* signedIn(url, ben)
      const fields = fieldsOf((yield* session.get("/approvals")).text, id)
      const { status } = yield* session.post(`/approvals/${id}/decision`, {
        ...fields,
        verdict: "deny",
        reason: "x".repeat(200_000)
      })
      assert.deepStrictEqual([status, yield* stateOf(id)], [400, pending])
    })
  )

  it.live("10.1 the page shows the notifications of this process to approvers who may see them", () => {
    const people = Layer.provideMerge(EscalationHttp.layer({ publicUrl: "https://x.example" }), ApprovalsMemory.layer)
    return serving((url) =>
      Effect.gen(function* () {
        const { inform } = yield* Escalation
        const notice = { ...request, level: "inform", arguments: undefined } as const
        yield* inform({ ...notice, sentence: "The refund <b>failed</b> three times." })
        yield* inform({ ...notice, tool: "other_tool", sentence: "Not for Ana." })
        const [anaSession, benSession] = [yield* signedIn(url, ana), yield* signedIn(url, ben)]
        const { text } = yield* anaSession.get("/approvals")
        assert.include(text, "The refund &lt;b&gt;failed&lt;/b&gt; three times.")
        assert.notInclude(text, "Not for Ana.")
        assert.include((yield* benSession.get("/approvals")).text, "Not for Ana.")
      })
    ).pipe(Effect.provide(people))
  })

  live("10.3 a thousand pending requests are listed page by page", (url) =>
    Effect.gen(function* () {
      const ids = new Set<string>()
      for (let n = 0; n < 1_000; n++) ids.add((yield* open({ binding: String(n) })).id)
      const session = yield* signedIn(url, ben)
      const seen = new Set<string>()
      let next: string | undefined = "/approvals"
      let pages = 0
      while (next !== undefined) {
        const { text }: { readonly text: string } = yield* session.get(next)
        assert.include(text, "1000 requests are pending.")
        for (const [, id = ""] of text.matchAll(/data-id="(\w+)"/gu)) seen.add(id)
        next = /href="(\/approvals\?after=\w+)"/u.exec(text)?.[1]
        pages += 1
      }
      assert.deepStrictEqual(seen, ids)
      assert.isAtMost(pages, 21)
    })
  )

  live("10.3 an open page receives an event about a change, and its stream ends with the session", (url) =>
    Effect.gen(function* () {
      const session = yield* signedIn(url, ben)
      const cookie = (yield* browser(url).post("/approvals/login", { token: ben })).headers.get("set-cookie") ?? ""
      const response = yield* Effect.promise(() => fetch(`${url}/approvals/events`, { headers: { cookie } }))
      assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      assert.isDefined(reader)
      const until = (text: string) =>
        Effect.promise(async () => {
          let all = ""
          for (;;) {
            const { done, value = "" } = await reader.read()
            all += value
            if (done || all.includes(text)) return all
          }
        })
      yield* until("keep-alive")
      yield* open()
      assert.include(yield* until("event: changed"), "event: changed\ndata: list\n\n")
      assert.strictEqual((yield* session.get("/approvals")).status, 200)
      const form =
        /name="form" value="(\w+)"/.exec((yield* browser(url, cookie.split(";")[0]).get("/approvals")).text)?.[1] ?? ""
      yield* browser(url, cookie.split(";")[0]).post("/approvals/logout", { form })
      assert.notInclude(yield* until("never sent"), "event: changed")
    })
  )

  live(
    "10.3 more event streams than an approver may have get 503 until one is closed; other approvers can open streams",
    (url) =>
      Effect.gen(function* () {
        const cookieOf = (token: string) =>
          Effect.map(
            browser(url).post("/approvals/login", { token }),
            ({ headers }) => (headers.get("set-cookie") ?? "").split(";")[0] ?? ""
          )
        const connect = (cookie: string) => {
          const abort = new AbortController()
          const init = { headers: { cookie }, signal: abort.signal }
          return Effect.promise(async () => {
            const response = await fetch(`${url}/approvals/events`, init)
            // the server counts the stream before it sends the first bytes
            if (response.status === 200) await response.body?.getReader().read()
            return { status: response.status, abort }
          })
        }
        const bens = yield* cookieOf(ben)
        const connections = yield* Effect.all([connect(bens), connect(bens), connect(bens)])
        const statuses = [...connections, yield* connect(bens), yield* connect(yield* cookieOf(ben))]
        assert.deepStrictEqual(
          statuses.map(({ status }) => status),
          [200, 200, 200, 503, 503]
        )
        const another = yield* connect(yield* cookieOf(ana))
        assert.strictEqual(another.status, 200)
        connections[0].abort.abort()
        // the server notices the closed connection later
        const admitted = yield* connect(bens).pipe(
          Effect.repeat({ until: ({ status }) => status === 200, schedule: Schedule.spaced("20 millis") })
        )
        for (const { abort } of [...connections, another, admitted]) abort.abort()
      })
  )

  it.live("10.3 tokens and cookies appear in no log and no page", () => {
    const logged: Array<string> = []
    const logs = Logger.layer([Logger.make((entry) => void logged.push(Logger.formatJson.log(entry)))])
    return serving((url) =>
      Effect.gen(function* () {
        const { id } = yield* open()
        const wrong = `${ben.slice(0, -1)}${ben.endsWith("0") ? "1" : "0"}`
        const texts = [(yield* browser(url).post("/approvals/login", { token: wrong })).text]
        const login = yield* browser(url).post("/approvals/login", { token: ben })
        const cookie = (login.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
        const session = browser(url, cookie)
        texts.push((yield* session.get("/approvals")).text, (yield* session.get(`/approvals/${id}`)).text)
        yield* send(`${url}/api/approvals`, { headers: { authorization: `Bearer ${wrong}` } })
        const secrets = [ben, wrong, cookie.split("=")[1] ?? ""]
        assert.isAbove(logged.length, 0)
        for (const text of [...texts, ...logged]) for (const secret of secrets) assert.notInclude(text, secret)
      })
    ).pipe(Effect.provide([ApprovalsMemory.layer, logs]))
  })

  const broken = Effect.fail(new ApprovalsUnavailable({ cause: new Error("password=hunter2") }))
  const unavailable = Layer.succeed(Approvals, {
    open: () => broken,
    decide: () => broken,
    reveal: () => broken,
    consume: () => broken,
    tell: () => broken,
    find: () => broken,
    withdraw: () => broken,
    pending: () => broken,
    expire: broken,
    changes: Effect.die(new Error("not requested"))
  })
  it.live("10.3 a store that does not respond is reported without its cause", () =>
    serving((url) =>
      Effect.gen(function* () {
        const session = yield* signedIn(url, ben)
        const { status, text } = yield* session.get("/approvals")
        assert.strictEqual(status, 503)
        assert.include(text, "does not respond")
        assert.notInclude(text, "hunter2")
      })
    ).pipe(Effect.provide([unavailable, Logger.layer([])]))
  )
})
