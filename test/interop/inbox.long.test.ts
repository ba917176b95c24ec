/**
 * Tests the inbox in headless Chromium: with and without JavaScript, by keyboard, in light and dark mode, and on a phone.
 * The tests are `it.live`, because they use real sockets.
 *
 * `SCREENSHOTS=FOLDER` stores a screenshot of each page in the folder.
 */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Logger } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import * as ApprovalsMemory from "../../layers/ApprovalsMemory.ts"
import { Approvals, type ApprovalQuestion } from "../../services/Approvals.ts"
import { opening } from "../contracts/Approvals.ts"
import { turn } from "../contracts/values.ts"
import { ana, ben, serving } from "../inbox/support.ts"
import { browser, lowContrast, launched } from "./chromium.ts"

interface Visit {
  readonly url: string
  readonly browser: Browser
  /** Opens a page in a new browser context. Its errors and violations of the security policy are added to `problems`. */
  readonly page: (options?: BrowserContextOptions) => Effect.Effect<Page>
  readonly problems: Array<string>
  readonly open: (over?: Partial<ApprovalQuestion>) => Effect.Effect<string>
}

const visiting = (use: (visit: Visit) => Effect.Effect<void, unknown, Approvals>) =>
  serving((url) =>
    Effect.scoped(
      Effect.gen(function* () {
        const browser = yield* launched
        const approvals = yield* Approvals
        const problems: Array<string> = []
        let opened = 0
        const visit: Visit = {
          url,
          browser,
          problems,
          open: (over = {}) => {
            opened += 1
            return Effect.map(
              Effect.orDie(approvals.open(opening(`request ${opened}`, over))),
              ({ request }) => request.id
            )
          },
          page: (options = {}) =>
            Effect.promise(async () => {
              const page = await (await browser.newContext(options)).newPage()
              page.on("pageerror", (error) => problems.push(error.message))
              page.on("console", (message) => {
                if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
                  problems.push(message.text())
              })
              return page
            })
        }
        yield* use(visit)
      })
    )
  ).pipe(Effect.provide([ApprovalsMemory.layer, Logger.layer([])]))

const test = (what: string, use: (visit: Visit) => Effect.Effect<void, unknown, Approvals>) =>
  it.live(what, () => visiting(use))

const signIn = (page: Page, url: string, token: string, path = "/approvals") =>
  Effect.promise(async () => {
    await page.goto(url + path)
    await page.getByLabel("Your approver token").fill(token)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.waitForURL(url + path)
  })

const found = (id: string) => Effect.flatMap(Approvals, (approvals) => approvals.find(id))

const card = (page: Page, id: string) => page.locator(`[data-id="${id}"]`)

const screenshot = (page: Page, name: string) =>
  Effect.promise(async () => {
    const folder = process.env["SCREENSHOTS"]
    if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
  })

/** Opens three realistic requests. */
const openRealistic = (open: Visit["open"]) =>
  Effect.all([
    open({ sentence: "Refund 20,000 cents to customer C-9921 for order O-1043", traceId: "8f3a6c2d9b1e4f70" }),
    open({
      level: "block",
      tool: "delete_customer",
      sentence: "Delete customer C-9921 and 47 orders; this cannot be undone",
      arguments: {
        customer_id: "C-9921",
        environment: "production",
        reason: "The customer asked for it in ticket T-18, and again by phone on Tuesday. All orders are paid.",
        orders: Array.from({ length: 8 }, (_, n) => `O-${1_043 + n}`)
      },
      turn: { ...turn, tenant: "acme", principal: "support agent" },
      lifetime: Duration.minutes(12)
    }),
    open({
      reason: "loop_detected",
      sentence: "search_orders gives the same answer for the third time. Continue?",
      tool: "search_orders",
      arguments: undefined
    })
  ])

describe("the inbox in Chromium", browser, () => {
  for (const javaScriptEnabled of [true, false]) {
    test(`10.3 a person can approve, deny and answer, ${javaScriptEnabled ? "with" : "without"} JavaScript`, (visit) =>
      Effect.gen(function* () {
        const ids = [yield* visit.open(), yield* visit.open(), yield* visit.open()] as const
        const page = yield* visit.page({ javaScriptEnabled })
        yield* signIn(page, visit.url, ben)
        yield* Effect.promise(async () => {
          await card(page, ids[0])
            .getByRole("button", { name: /^Approve/ })
            .click()
          await page.getByText("Ben approved refund_order.").waitFor()
          await card(page, ids[1])
            .getByLabel(/^Reason or answer/)
            .fill("too much")
          await card(page, ids[1]).getByRole("button", { name: /^Deny/ }).click()
          await page.getByText("Ben denied refund_order.").waitFor()
          await card(page, ids[2])
            .getByLabel(/^Reason or answer/)
            .fill("Use O-2.")
          await card(page, ids[2])
            .getByRole("button", { name: /^Answer instead/ })
            .click()
          await page.getByText("No pending requests.").waitFor()
        })
        const decisions = yield* Effect.forEach(ids, (id) =>
          Effect.map(found(id), (it) => [it?.decision?.verdict, it?.decision?.reason])
        )
        assert.deepStrictEqual(decisions, [
          ["approve", ""],
          ["deny", "too much"],
          ["answer", "Use O-2."]
        ])
        assert.deepStrictEqual(visit.problems, [])
      }))
  }

  test("10.3 updates itself and keeps what a person is typing", (visit) =>
    Effect.gen(function* () {
      const approvals = yield* Approvals
      const [first, second] = [yield* visit.open(), yield* visit.open()]
      const page = yield* visit.page()
      yield* signIn(page, visit.url, ben)
      yield* Effect.promise(() => card(page, first).getByRole("textbox").fill("I am still writing"))
      const third = yield* visit.open({ sentence: "A third request" })
      yield* Effect.promise(() => page.getByRole("status").getByText("One new request.").waitFor())
      yield* Effect.promise(() => card(page, third).getByText("A third request").waitFor())
      yield* approvals.decide(second, { verdict: "deny", by: "Ana", reason: "" })
      yield* Effect.promise(() => card(page, second).waitFor({ state: "detached" }))
      yield* approvals.decide(first, { verdict: "deny", by: "Ana", reason: "" })
      yield* Effect.promise(() => card(page, first).getByText("decided elsewhere").waitFor())
      const left = yield* Effect.promise(async () => [
        await card(page, first).getByRole("textbox").inputValue(),
        await card(page, first)
          .getByRole("button", { name: /^Approve/ })
          .isDisabled(),
        await page.title()
      ])
      assert.deepStrictEqual(left, ["I am still writing", true, "(1) Approvals"])
      assert.deepStrictEqual(visit.problems, [])
    }))

  test("10.3 if two people decide a request, the second person sees who decided it first", (visit) =>
    Effect.gen(function* () {
      const id = yield* visit.open()
      const [one, two] = [yield* visit.page(), yield* visit.page({ javaScriptEnabled: false })]
      yield* signIn(one, visit.url, ana, `/approvals/${id}`)
      yield* signIn(two, visit.url, ben, `/approvals/${id}`)
      yield* Effect.promise(async () => {
        await one.getByRole("button", { name: /^Approve/ }).click()
        await one.getByText("Ana approved refund_order.").waitFor()
        await two.getByRole("button", { name: /^Deny/ }).click()
        await two
          .getByRole("alert")
          .getByText(/Ana already approved the request/)
          .waitFor()
      })
      assert.strictEqual((yield* found(id))?.state, "approved")
      yield* screenshot(two, "late")
    }))

  test("10.3 can be used with the keyboard only", (visit) =>
    Effect.gen(function* () {
      const id = yield* visit.open()
      const page = yield* visit.page()
      yield* Effect.promise(async () => {
        await page.goto(`${visit.url}/approvals`)
        await page.locator("input:focus").waitFor() // the token field has the focus
        await page.keyboard.type(ben)
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { name: "Pending approvals" }).waitFor()
        await page.keyboard.press("Tab")
        const skip = await page.evaluate(() => document.activeElement?.textContent)
        assert.strictEqual(skip, "Skip to the content")
        await page.keyboard.press("Enter")
        const visited: Array<string> = []
        for (let n = 0; n < 6; n++) {
          await page.keyboard.press("Tab")
          const name = await page.evaluate(() => document.activeElement?.textContent?.trim() ?? "")
          visited.push(name)
          if (name === "Approve") break
        }
        assert.strictEqual(visited.at(-1), "Approve", visited.join(" | "))
        await page.keyboard.press("Enter")
        await page.getByText("Ben approved refund_order.").waitFor()
      })
      assert.strictEqual((yield* found(id))?.decision?.by, "Ben")
    }))

  test("10.3 has labels, landmarks and sufficient contrast in light and dark mode", (visit) =>
    Effect.gen(function* () {
      const [first] = yield* openRealistic(visit.open)
      for (const colorScheme of ["light", "dark"] as const) {
        const page = yield* visit.page({ colorScheme, viewport: { width: 1_000, height: 900 } })
        yield* Effect.promise(() => page.goto(`${visit.url}/approvals`))
        yield* screenshot(page, `entry-${colorScheme}`)
        assert.deepStrictEqual(yield* Effect.promise(() => lowContrast(page)), [])
        yield* signIn(page, visit.url, ben)
        const counts = yield* Effect.promise(async () => [
          await page.getByRole("main").count(),
          await page.getByRole("banner").count(),
          await page.getByRole("heading", { level: 1 }).count(),
          await page.getByRole("article").count(),
          await page.getByRole("button", { name: /^Approve Refund 20,000 cents to customer/ }).count(),
          await page.getByRole("textbox", { name: /^Reason or answer/ }).count(),
          await page.locator("html[lang=en]").count()
        ])
        assert.deepStrictEqual(counts, [1, 1, 1, 3, 1, 3, 1])
        assert.deepStrictEqual(yield* Effect.promise(() => lowContrast(page)), [])
        yield* screenshot(page, `list-${colorScheme}`)
        yield* Effect.promise(() => page.goto(`${visit.url}/approvals/${first}`))
        assert.deepStrictEqual(yield* Effect.promise(() => lowContrast(page)), [])
        yield* screenshot(page, `single-${colorScheme}`)
      }
      assert.deepStrictEqual(visit.problems, [])
    }))

  test("10.3 fits on a phone, even with long words and hidden characters", (visit) =>
    Effect.gen(function* () {
      yield* openRealistic(visit.open)
      yield* visit.open({
        tool: "x".repeat(120),
        sentence: `Pay ${"9".repeat(200)} to \u202eevil\u202c <script>alert(1)</script>`,
        arguments: { note: `${"very-long-".repeat(60)}\u200b`, html: "<img src=x onerror=alert(1)>" }
      })
      const page = yield* visit.page({
        viewport: { width: 360, height: 740 },
        deviceScaleFactor: 2,
        colorScheme: "dark"
      })
      yield* signIn(page, visit.url, ben)
      const wide = yield* Effect.promise(() => page.evaluate(() => document.documentElement.scrollWidth))
      assert.isAtMost(wide, 360)
      const small = yield* Effect.promise(() =>
        page
          .getByRole("button")
          .evaluateAll((buttons) =>
            buttons.filter((button) => button.getBoundingClientRect().height < 24).map(({ textContent }) => textContent)
          )
      )
      assert.deepStrictEqual(small, [])
      assert.strictEqual(yield* Effect.promise(() => page.getByText("U+202E").count()), 1)
      yield* screenshot(page, "phone-dark")
      yield* Effect.promise(() => page.emulateMedia({ colorScheme: "light" }))
      yield* screenshot(page, "phone-light")
      assert.deepStrictEqual(visit.problems, [])
    }))

  test("10.3 another site cannot decide for a person, but can link to a request", (visit) =>
    Effect.gen(function* () {
      const id = yield* visit.open()
      const page = yield* visit.page()
      yield* signIn(page, visit.url, ben)
      const action = `${visit.url}/approvals/${id}/decision`
      const evil = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const server = createServer((_, response) => {
            response.setHeader("content-type", "text/html")
            response.end(`<a href="${visit.url}/approvals/${id}">look</a><iframe src="${visit.url}/approvals"></iframe>
              <form method="post" action="${action}"><input name="verdict" value="approve"><button>Win</button></form>
              <script>fetch("${action}", { method: "POST", credentials: "include", mode: "no-cors", body: new URLSearchParams({ verdict: "approve" }) })
              fetch("${visit.url}/api/approvals/${id}/approve", { method: "POST", credentials: "include", mode: "no-cors", body: "{}" })</script>`)
          })
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      const { port } = evil.address() as AddressInfo
      yield* Effect.promise(async () => {
        await page.goto(`http://localhost:${port}/`) // a different site than 127.0.0.1
        await page.getByRole("button", { name: "Win" }).click()
        await page.getByText("The inbox accepts forms only from").or(page.getByText("Your approver token")).waitFor()
        await page.goto(`http://localhost:${port}/`)
        await page.getByRole("link", { name: "look" }).click()
        await page.getByRole("button", { name: /^Approve/ }).waitFor() // the person is still signed in
      })
      assert.strictEqual((yield* found(id))?.state, "pending")
    }).pipe(Effect.scoped))
})
