/**
 * Tests the example that shows a run live, in headless Chromium. The tests are `it.live`, because they use real sockets.
 *
 * `SCREENSHOTS=FOLDER` stores a screenshot of each page in the folder.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { HttpRouter } from "effect/http"
import { createServer, type Server } from "node:http"
import type { Socket } from "node:net"
import { join } from "node:path"
import type { BrowserContextOptions, Page } from "playwright-core"
import * as Model from "../../examples/live/Model.ts"
import { routes, token } from "../../examples/live/Server.ts"
import { api, freePort } from "../inbox/support.ts"
import { browser, lowContrast, launched } from "./chromium.ts"

interface Visit {
  readonly url: string
  readonly page: Page
  /** Errors of the page, and violations of its security policy. */
  readonly problems: ReadonlyArray<string>
  /** Breaks every connection, as a network failure does. */
  readonly cut: () => void
}

const visiting = (
  use: (visit: Visit) => Promise<void>,
  { pace = 5, ...options }: BrowserContextOptions & { readonly pace?: number } = {}
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const port = yield* freePort
      const url = `http://127.0.0.1:${port}`
      const sockets = new Set<Socket>()
      const listening = (): Server =>
        createServer().on("connection", (socket: Socket) => {
          sockets.add(socket)
          socket.on("close", () => sockets.delete(socket))
        })
      yield* Layer.build(
        HttpRouter.serve(routes({ url, model: Model.layer(pace) }), {
          disableListenLog: true,
          disableLogger: true
        }).pipe(
          Layer.provide(
            NodeHttpServer.layer(listening, { host: "127.0.0.1", port, gracefulShutdownTimeout: "100 millis" })
          )
        )
      )
      const browser = yield* launched
      const problems: Array<string> = []
      yield* Effect.promise(async () => {
        const page = await (await browser.newContext(options)).newPage()
        page.on("pageerror", (error) => problems.push(error.message))
        page.on("console", (message) => {
          if (message.type() === "error" && !/Failed to load resource|ERR_/u.test(message.text()))
            problems.push(message.text())
        })
        await page.goto(url)
        await use({ url, page, problems, cut: () => sockets.forEach((socket) => socket.destroy()) })
        assert.deepStrictEqual(problems, [])
      })
    })
  ).pipe(Effect.orDie)

const screenshot = async (page: Page, name: string): Promise<void> => {
  const folder = process.env["SCREENSHOTS"]
  if (folder !== undefined) await page.screenshot({ path: join(folder, `live-${name}.png`), fullPage: true })
}

const startRun = (page: Page) => page.getByRole("button", { name: "Run", exact: true }).click()

/** Decides the pending request as a person. */
const decide = (url: string, verdict: "approve" | "deny") =>
  Effect.runPromise(
    Effect.gen(function* () {
      const secret = Redacted.value(token)
      const { text } = yield* api(url, secret, "GET", "")
      const [request] = (JSON.parse(text) as { readonly requests: ReadonlyArray<{ readonly id: string }> }).requests
      const { status } = yield* api(url, secret, "POST", `/${request?.id}/${verdict}`, { reason: "" })
      assert.strictEqual(status, 200)
    })
  )

const call = (page: Page, name: string) => page.locator(".call", { has: page.getByRole("heading", { name }) })

const test = (what: string, use: (visit: Visit) => Promise<void>, options: Parameters<typeof visiting>[1] = {}) =>
  it.live(what, () => visiting(use, options))

describe("a run, live in Chromium", browser, () => {
  test("11.2 shows text, calls with attempts and retries, an approval request, an image and the end", async ({
    page,
    url
  }) => {
    await screenshot(page, "before")
    await startRun(page)
    const stock = call(page, "check_stock")
    await stock.getByText(/^Attempt 1 failed after .*: Transient/u).waitFor()
    await stock.getByText(/^Retry in/u).waitFor()
    await stock.getByText(/^Attempt 2 answered/u).waitFor()
    await stock.getByText("success · 2 attempts").waitFor()
    const keep = call(page, "keep_plants")
    await keep.getByText("Keep 2 × fern for a customer until the evening?").waitFor()
    assert.isTrue(
      await page
        .getByRole("img", { name: "fern.png" })
        .evaluate((image) => (image as HTMLImageElement).naturalWidth === 64)
    )
    assert.strictEqual(await page.getByRole("status").textContent(), "live")
    await screenshot(page, "person")
    await decide(url, "approve")
    await page.getByRole("heading", { name: "Answered" }).waitFor()
    const end = await page.locator("#end").innerText()
    assert.match(end, /two of them are kept for you until the evening, as K-427\./u)
    assert.match(end, /rounds\s+3\s+calls\s+3\s+attempts\s+4/u)
    assert.include(end, "plants-1")
    assert.strictEqual(await page.getByRole("status").textContent(), "ended")
    assert.isTrue(await page.getByRole("button", { name: "Stop" }).isDisabled())
    assert.strictEqual(await keep.locator(".person").count(), 0)
    await keep.getByText("What the model reads").click()
    assert.include(await keep.locator("pre").innerText(), '"status": "success"')
    await screenshot(page, "end")
  })

  test("11.2 shows a denial and the model's reaction", async ({ page, url }) => {
    await startRun(page)
    await call(page, "keep_plants").getByText("waits for a person").waitFor()
    await decide(url, "deny")
    await page
      .getByText(/Keeping two for you was not approved/u)
      .first()
      .waitFor()
    await call(page, "keep_plants")
      .getByText(/^approval_denied · 0 attempts$/u)
      .waitFor()
  })

  test("11.2 Stop interrupts the run", async ({ page }) => {
    await startRun(page)
    await call(page, "keep_plants").getByText("waits for a person").waitFor()
    await page.getByRole("button", { name: "Stop" }).click()
    await page.getByRole("heading", { name: "Ended: Interrupted" }).waitFor()
    await screenshot(page, "stopped")
  })

  test(
    "11.2 a broken connection is restored, and every text is shown once",
    async ({ cut, page, url }) => {
      await startRun(page)
      await page.getByText("Let me look").waitFor()
      cut()
      await page.getByText("reconnecting").waitFor()
      await screenshot(page, "away")
      await call(page, "keep_plants").getByText("waits for a person").waitFor()
      await decide(url, "approve")
      await page.getByRole("heading", { name: "Answered" }).waitFor()
      assert.deepStrictEqual(await page.locator(".said").allTextContents(), [
        "Let me look at the shelf for a fern.",
        "There are 5 left. I will fetch a picture, and ask whether two may be kept for you.",
        "The fern is in the picture above, and two of them are kept for you until the evening, as K-427."
      ])
    },
    { pace: 60 }
  )

  test("11.2 a reload shows the same run", async ({ page, url }) => {
    await startRun(page)
    await call(page, "keep_plants").getByText("waits for a person").waitFor()
    await page.reload()
    await call(page, "keep_plants").getByText("waits for a person").waitFor()
    assert.strictEqual(await page.locator(".call").count(), 3)
    await decide(url, "approve")
    await page.getByRole("heading", { name: "Answered" }).waitFor()
  })

  test("11.2 shows why the server refuses a request", async ({ page, url }) => {
    await page.getByLabel("What should the shop do?").evaluate((area) => area.removeAttribute("maxlength"))
    await page.getByLabel("What should the shop do?").fill("x".repeat(2001))
    await startRun(page)
    await page.getByRole("alert").getByText("The body cannot be decoded.").waitFor()
    await page.goto(`${url}/#${"0".repeat(32)}`)
    await page.reload()
    await page.getByRole("alert").getByText("The server no longer has this run.").waitFor()
  })

  test(
    "11.2 hostile texts of models and tools are shown as text, and fit the page",
    async ({ page }) => {
      const hostile = `<img src=x onerror="window.pwned=1"><script>window.pwned=2</script>\n\u2028${"word".repeat(90)}`
      const call = { callId: "__proto__", tool: hostile }
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="parent.pwned=3"><script>parent.pwned=4</script></svg>`
      const parts = [
        { type: "file", mediaType: "image/svg+xml", fileName: hostile, data: Buffer.from(svg).toString("base64") },
        { type: "file", mediaType: "image/png", fileName: "remote.png", data: "https://images.invalid/remote.png" },
        { type: "file", mediaType: "application/pdf", fileName: "a.pdf", data: "JVBERi0=" },
        { type: "text", text: hostile }
      ]
      const text = JSON.stringify({ status: "error", error: { code: hostile, message: hostile } })
      const events = [
        { _tag: "Text", round: 1, delta: hostile },
        { _tag: "CallStarted", round: 1, ...call, arguments: { q: hostile } },
        { _tag: "AttemptEnded", ...call, attempt: 1, outcome: "Transient", code: hostile, durationMillis: 1 },
        { _tag: "PersonAsked", ...call, sentence: hostile },
        { _tag: "CallEnded", round: 1, callId: "b", tool: "constructor", text, isFailure: true, attempts: 1, parts },
        { _tag: "__proto__" },
        { _tag: "constructor" },
        { _tag: "Escalated", round: 1, detail: hostile, isApproved: false },
        { _tag: "End", end: { _tag: "ModelFailed", text: hostile, usage: { byModel: [{ model: hostile }] } } }
      ]
      const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
      await page.route("**/runs/*/events", (route) => route.fulfill({ contentType: "text/event-stream", body }))
      await startRun(page)
      await page.getByRole("heading", { name: "Ended: ModelFailed" }).waitFor()
      await page.getByText("What the model reads").click()
      await page.getByRole("link", { name: "remote.png" }).waitFor()
      await page.getByText("A file: a.pdf").waitFor()
      const found = await page.evaluate(() => [
        (globalThis as { readonly pwned?: number }).pwned,
        document.querySelectorAll("main script, main img").length,
        document.documentElement.scrollWidth <= innerWidth
      ])
      assert.deepStrictEqual(found, [undefined, 1, true])
      assert.deepStrictEqual(await lowContrast(page), [])
      await screenshot(page, "hostile")
    },
    { colorScheme: "dark", viewport: { width: 375, height: 740 } }
  )

  for (const colorScheme of ["light", "dark"] as const) {
    test(
      `11.2 is readable on a phone in ${colorScheme} mode`,
      async ({ page, url }) => {
        await startRun(page)
        await call(page, "keep_plants").getByText("waits for a person").waitFor()
        assert.deepStrictEqual(await lowContrast(page), [])
        await screenshot(page, `phone-${colorScheme}-person`)
        await decide(url, "approve")
        await page.getByRole("heading", { name: "Answered" }).waitFor()
        const [needed, available] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
        assert.isAtMost(needed, available)
        assert.deepStrictEqual(await lowContrast(page), [])
        await screenshot(page, `phone-${colorScheme}-end`)
      },
      { colorScheme, viewport: { width: 360, height: 740 } }
    )
  }
})
