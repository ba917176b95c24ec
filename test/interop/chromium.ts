/** Starts headless Chromium for tests, and checks the contrast of pages. */
import { Effect } from "effect"
import { existsSync } from "node:fs"
import type { Page } from "playwright-core"
import type { TestOptions } from "vitest"
import { isSet, needs, type Prerequisite } from "../support/prerequisites.ts"
import { packages } from "./packages.ts"

const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync)

const program: Prerequisite = {
  absent: chromium === undefined ? "Chromium is not installed: apt-get install chromium" : undefined,
  isRequired: isSet("REQUIRE_SERVERS")
}

/** Options of a suite that runs Chromium. */
export const browser: TestOptions = needs(program, packages("playwright-core"))

/** Launches a browser that closes with its scope. */
export const launched = Effect.acquireRelease(
  Effect.promise(async () => {
    const { chromium: driver } = await import("playwright-core")
    return driver.launch({ executablePath: chromium ?? "chromium", args: ["--no-sandbox"] })
  }),
  (browser) => Effect.promise(() => browser.close())
)

/** Returns a description of each element whose text has a contrast below 4.5:1 by WCAG's formula, or below 3:1 if the text is large. */
export const lowContrast = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => {
    const rgb = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number)
    const luminance = (color: string) => {
      const [r = 0, g = 0, b = 0] = rgb(color).map((value) => {
        const part = value / 255
        return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    const backgroundOf = (element: Element | null): string => {
      if (element === null) return "rgb(255, 255, 255)"
      const { backgroundColor } = getComputedStyle(element)
      return rgb(backgroundColor)[3] === 0 ? backgroundOf(element.parentElement) : backgroundColor
    }
    const found: Array<string> = []
    for (const element of document.querySelectorAll("body *")) {
      const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== "")
      if (!hasText || element.closest(".skip") !== null) continue
      const { color, fontSize } = getComputedStyle(element)
      const [a, b] = [luminance(color), luminance(backgroundOf(element))]
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
      if (ratio < (Number.parseFloat(fontSize) >= 24 ? 3 : 4.5))
        found.push(`${element.tagName} ${ratio.toFixed(2)} ${color}`)
    }
    return found
  })
