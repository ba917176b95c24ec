/**
 * Tests the page of a replay report in headless Chromium: with and without JavaScript, by keyboard, in light and dark mode, on
 * a phone, and in print. The tests are `it.live`, because a browser uses real time.
 *
 * `SCREENSHOTS=FOLDER` stores a screenshot of each page in the folder.
 */
import type { Report } from "../../kit/report/Report.ts"
import { page as pageOf } from "../../kit/report/html/Page.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { BrowserContextOptions, Page } from "playwright-core"
import { full, hostile, perfect, silent, unreadable } from "../kit/report/reports.ts"
import { browser, lowContrast, launched } from "./chromium.ts"

interface Visit {
  /** Opens the page of a report. */
  readonly open: (report: Report, options?: BrowserContextOptions, anchor?: string) => Promise<Page>
  /** Errors, console messages and network requests of the pages. */
  readonly problems: Array<string>
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "report-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const test = (what: string, use: (visit: Visit) => Promise<void>) =>
  it.live(what, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const browser = yield* launched
        const file = join(yield* folder, "report.html")
        const problems: Array<string> = []
        yield* Effect.promise(() =>
          use({
            problems,
            open: async (report, options = {}, anchor = "") => {
              writeFileSync(file, pageOf(report))
              const page = await (await browser.newContext(options)).newPage()
              page.on("pageerror", (error) => problems.push(error.message))
              page.on("console", (message) => problems.push(message.text()))
              page.on("request", (request) => {
                if (!/^(?:file|data):/.test(request.url())) problems.push(request.url())
              })
              await page.goto(pathToFileURL(file).href + anchor)
              return page
            }
          })
        )
        assert.deepStrictEqual(problems, [])
      })
    )
  )

const screenshot = async (page: Page, name: string) => {
  const folder = process.env["SCREENSHOTS"]
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

const wide = { viewport: { width: 1_280, height: 900 } }
const phone = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 }

const table = (page: Page, section: string, index = 0) => page.locator(`#${section} [data-table]`).nth(index)

/** Returns the texts of one column of a table, for the visible rows. */
const column = (page: Page, section: string, at: number, index = 0) =>
  table(page, section, index)
    .locator("tbody tr:visible")
    .evaluateAll((rows, at) => rows.map((row) => (row as HTMLTableRowElement).cells[at]?.textContent?.trim()), at)

describe("the page of a report in Chromium", browser, () => {
  test("13.1 sorts a table by a column, and marks the order", async ({ open }) => {
    const page = await open(full)
    const rejected = table(page, "rejected")
    const sortOf = (name: string) => rejected.getByRole("columnheader", { name }).getAttribute("aria-sort")
    assert.deepStrictEqual(
      [await sortOf("Calls"), await column(page, "rejected", 1)],
      ["descending", ["cents", "page", "status"]]
    )
    await rejected.getByRole("button", { name: "Calls" }).click()
    assert.deepStrictEqual(
      [await sortOf("Calls"), await column(page, "rejected", 1)],
      ["ascending", ["status", "page", "cents"]]
    )
    await rejected.getByRole("button", { name: "Field" }).click()
    assert.deepStrictEqual(
      [await sortOf("Calls"), await sortOf("Field"), await column(page, "rejected", 1)],
      [null, "ascending", ["cents", "page", "status"]]
    )
    await page.locator("#tools").getByRole("button", { name: "Failed" }).click()
    const counts = (await column(page, "tools", 3)).map(Number)
    assert.deepStrictEqual(
      counts,
      counts.toSorted((a, b) => b - a)
    )
    const shares = page.locator("#repair").getByRole("button", { name: "Repaired" })
    await shares.click()
    assert.deepStrictEqual(await column(page, "repair", 4), ["90 %", "20 %", "0 %"])
  })

  test("13.1 shows the first rows of a long table, all rows, or those that match a filter", async ({ open }) => {
    const page = await open(full)
    const tools = page.locator("#tools")
    assert.lengthOf(await column(page, "tools", 0), 10)
    await tools.getByRole("button", { name: "Show all 18 rows" }).click()
    assert.lengthOf(await column(page, "tools", 0), 18)
    await tools.getByRole("searchbox", { name: "Filter: Calls by tool" }).fill("REFUND")
    assert.deepStrictEqual(await column(page, "tools", 0), ["refund_order"])
    assert.strictEqual(await tools.getByRole("status").textContent(), "1 row of 18 rows")
    await tools.getByRole("searchbox").fill("no such tool")
    assert.deepStrictEqual(await column(page, "tools", 0), [])
    await tools.getByRole("searchbox").fill("")
    await tools.getByRole("button", { name: "Show the first 10" }).click()
    assert.lengthOf(await column(page, "tools", 0), 10)
  })

  for (const javaScriptEnabled of [true, false]) {
    test(`13.1 links to conversations and calls, and back, ${javaScriptEnabled ? "with" : "without"} JavaScript`, async ({
      open
    }) => {
      const page = await open(full, { ...wide, javaScriptEnabled })
      const overview = page.locator("#overview")
      await page.locator("#suspects").getByRole("link", { name: "#50" }).click()
      assert.isFalse(await overview.isVisible())
      assert.isTrue(await page.locator("#c1-50").isVisible())
      assert.strictEqual(await page.locator(".conversation:visible").count(), 1)
      if (javaScriptEnabled) assert.match(await page.title(), /^monday\/1 – Replay report/)
      assert.strictEqual(await page.locator("#c1 .call:visible").count(), 5)
      await page.getByLabel("Only calls with a finding").check()
      assert.strictEqual(await page.locator("#c1 .call:visible").count(), 4)
      await page.getByRole("link", { name: "Next" }).click()
      assert.isTrue(await page.getByRole("heading", { name: "monday/2" }).isVisible())
      await page.getByRole("link", { name: "Overview" }).click()
      assert.isTrue(await overview.isVisible())
      await page.goBack()
      assert.isTrue(await page.locator("#c2").isVisible())
      await page.getByRole("link", { name: "Replay report" }).click()
      assert.isTrue(await page.locator("#summary").isVisible())
      if (!javaScriptEnabled) assert.lengthOf(await column(page, "tools", 0), 18)
    })
  }

  test("13.1 can be used with the keyboard only", async ({ open }) => {
    const page = await open(full, wide)
    await page.keyboard.press("Tab")
    assert.strictEqual(await page.evaluate(() => document.activeElement?.textContent), "Skip to the summary")
    await page.locator("#rejected").getByRole("button", { name: "Field" }).focus()
    await page.keyboard.press("Enter")
    assert.deepStrictEqual(await column(page, "rejected", 1), ["cents", "page", "status"])
    await page.locator("#conversations").getByRole("link", { name: "monday/1" }).first().focus()
    await page.keyboard.press("Enter")
    assert.strictEqual(await page.evaluate(() => document.activeElement?.id), "c1")
    await page.keyboard.press("Tab")
    assert.strictEqual(await page.evaluate(() => document.activeElement?.textContent), "Overview")
    const reachable = await page.evaluate(() =>
      [...document.querySelectorAll("a, button, input")].every((element) => (element as HTMLElement).tabIndex === 0)
    )
    assert.isTrue(reachable)
  })

  for (const colorScheme of ["light", "dark"] as const) {
    test(`13.1 is readable in ${colorScheme} mode, on a desktop and on a phone`, async ({ open }) => {
      for (const [name, size] of [
        ["desktop", wide],
        ["phone", phone]
      ] as const) {
        const page = await open(full, { ...size, colorScheme })
        assert.deepStrictEqual(await lowContrast(page), [])
        assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), size.viewport.width)
        await screenshot(page, `report-${name}-${colorScheme}`)
        await page.goto(`${page.url()}#c1`)
        assert.isTrue(await page.locator("#c1").isVisible())
        assert.deepStrictEqual(await lowContrast(page), [])
        assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), size.viewport.width)
        await screenshot(page, `conversation-${name}-${colorScheme}`)
      }
    })
  }

  test("13.1 fits on a phone with hostile names, which cannot inject content", async ({ open }) => {
    const page = await open(hostile, phone)
    const injected = await page.evaluate(
      () => document.querySelectorAll("img, iframe, object, [onclick], [onmouseover], [style]").length
    )
    assert.strictEqual(injected, 0)
    assert.strictEqual(await page.evaluate(() => document.scripts.length), 1)
    assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), 360)
    await screenshot(page, "hostile-phone")
    await page.goto(`${page.url()}#c3`)
    assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), 360)
    await screenshot(page, "hostile-conversation-phone")
  })

  test("13.1 fits sixteen widths from 320 to 3840 pixels", async ({ open }) => {
    const page = await open(full)
    const overflowing: Array<readonly [width: number, needed: number]> = []
    for (const width of [320, 360, 480, 600, 768, 800, 900, 959, 960, 961, 1_024, 1_183, 1_184, 1_280, 1_920, 3_840]) {
      await page.setViewportSize({ width, height: 800 })
      const needed = await page.evaluate(() => document.documentElement.scrollWidth)
      if (needed > width) overflowing.push([width, needed])
    }
    assert.deepStrictEqual(overflowing, [])
  })

  test("13.1 has controls with a height of at least 24 pixels on a phone", async ({ open }) => {
    const page = await open(full, phone)
    const small = await page
      .locator("button:visible, input:visible")
      .evaluateAll((all) => all.flatMap((one) => (one.getBoundingClientRect().height < 24 ? [one.textContent] : [])))
    assert.deepStrictEqual(small, [])
  })

  test("13.1 shows reports without findings readably on a phone", async ({ open }) => {
    for (const [name, report] of Object.entries({ perfect, silent, unreadable })) {
      const page = await open(report, phone)
      assert.deepStrictEqual(await lowContrast(page), [])
      assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), 360)
      await screenshot(page, name)
    }
  })

  test("13.1 prints all rows in dark text, without controls", async ({ open }) => {
    const page = await open(full, { ...wide, colorScheme: "dark" })
    await page.emulateMedia({ media: "print", colorScheme: "dark" })
    assert.strictEqual(await page.locator("#tools tbody tr:visible").count(), 18)
    assert.strictEqual(await page.locator("button.more:visible, input:visible, nav:visible").count(), 0)
    assert.strictEqual(await page.evaluate(() => getComputedStyle(document.body).color), "rgb(23, 27, 34)")
    await screenshot(page, "print")
  })

  test("13.1 does not animate if reduced motion is preferred", async ({ open }) => {
    const behaviour = async (reducedMotion: "reduce" | "no-preference") =>
      (await open(perfect, { reducedMotion })).evaluate(() => getComputedStyle(document.documentElement).scrollBehavior)
    assert.deepStrictEqual([await behaviour("reduce"), await behaviour("no-preference")], ["auto", "smooth"])
  })
})
