/** Tests the elements of the page: colours, bars, calls, limits, and file names. */
import type { Html } from "#domain/text/Html"
import { limited } from "#kit/report/html/elements/Limit"
import * as CallList from "#kit/report/html/elements/CallList"
import { bar, stacked, strip } from "#kit/report/html/elements/Chart"
import { callGroups } from "#kit/report/html/elements/Conversation"
import { colours, pairs } from "#kit/report/html/Palette"
import * as Places from "#kit/report/html/elements/Places"
import { sharedFolder } from "#kit/report/Report"
import { style } from "#kit/report/html/Style"
import { lookOf } from "#kit/report/html/elements/Terms"
import { statusOf } from "#kit/report/Details"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { call, conversationOf } from "../reports.ts"

/** Computes the relative luminance by WCAG 2.2. */
const luminance = (hex: string): number => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

const contrast = (a: string, b: string): number => {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

describe("the colours of the page", () => {
  it("13.1 have the contrast that WCAG requires in every pair, in light and dark", () => {
    const faint = pairs.flatMap(([front, behind, least]) =>
      ([0, 1] as const).flatMap((scheme) => {
        const ratio = contrast(colours[front][scheme], colours[behind][scheme])
        return ratio < least ? [`${front} on ${behind}, ${scheme === 0 ? "light" : "dark"}: ${ratio.toFixed(2)}`] : []
      })
    )
    assert.deepStrictEqual(faint, [])
  })

  it("13.1 are all used by the style, and all compared except the decorative ones", () => {
    const roles = Object.keys(colours).sort()
    const used = new Set([...style.matchAll(/var\(--([A-Za-z0-9]+)\)/g)].map(([, role]) => role ?? ""))
    assert.deepStrictEqual([...used].sort(), roles)
    const compared = new Set<string>(pairs.flatMap(([front, behind]) => [front, behind]))
    assert.deepStrictEqual(
      roles.filter((role) => !compared.has(role)),
      ["line", "track"] // decorative
    )
  })
})

const rectangles = ({ markup }: Html) =>
  [...markup.matchAll(/x="([\d.]+)%" width="([\d.]+)%"/g)].map(([, x, width]) => [Number(x), Number(width)] as const)

describe("the bars of the page", () => {
  it("13.1 are in proportion to their counts", () => {
    assert.deepStrictEqual(rectangles(bar(1, 4, "bad")), [[0, 25]])
    assert.deepStrictEqual(
      rectangles(
        stacked([
          { count: 3, mark: "good" },
          { count: 0, mark: "warn" },
          { count: 1, mark: "bad" }
        ])
      ),
      [
        [0, 75],
        [75, 25]
      ]
    )
    assert.deepStrictEqual(rectangles(bar(0, 0, "bad")), [])
  })

  it.prop(
    "13.1 show every part, and stay inside the chart",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })))],
    ([counts]) => {
      const parts = counts.slice(0, 100).map((count) => ({ count, mark: "good" as const }))
      for (const draw of [stacked, strip]) {
        const drawn = rectangles(draw(parts))
        const end = drawn.at(-1)
        assert.isAtMost(end === undefined ? 0 : end[0] + end[1], 100.1)
      }
      const shown = rectangles(stacked(parts))
      assert.lengthOf(shown, parts.filter(({ count }) => count > 0).length)
      for (const [, width] of shown) assert.isAbove(width, 0)
    }
  )
})

describe("the calls of a conversation", () => {
  it("13.1 are merged if they differ only in their numbers", () => {
    const stopped = (number: number, count: number) =>
      call({ call: number, round: number, verdict: "stopped", detail: `The same result ${count} times.` })
    const calls = [
      call(),
      stopped(2, 2),
      stopped(3, 3),
      stopped(4, 4),
      stopped(6, 5),
      call({ call: 7, turn: 2 }),
      call({ call: 8, turn: 3 })
    ]
    assert.deepStrictEqual(
      callGroups(calls).map(({ count, first, last }) => [first.call, last.call, count]),
      [
        [1, 1, 1],
        [2, 4, 3],
        [6, 6, 1], // call 5 is missing
        [7, 7, 1],
        [8, 8, 1] // another turn
      ]
    )
  })

  it("13.1 are listed in groups, with links to those on the page", () => {
    const detail = conversationOf({ calls: [call({ call: 4 }), call({ call: 5 })], count: 9 })
    const places = Places.make([], [{ id: "c1", detail, calls: new Set([4, 5]) }])
    const row = { file: detail.file, line: detail.line, conversation: detail.conversation }
    assert.strictEqual(
      CallList.list({ ...row, calls: [4, 5, 6, 9], count: 30 }, places).markup,
      `<a href="#c1-4">4</a>–<a href="#c1">6</a>, <a href="#c1">9</a> and 26 more`
    )
    assert.strictEqual(CallList.list({ ...row, line: 2, calls: [4], count: 1 }, places).markup, "4")
  })

  it("13.1 have a badge for each status of a replayed call", () => {
    const outcome = { _tag: "Success" } as const
    const loggedEnd = { _tag: "Success" } as const
    // the status depends only on these fields of a call
    const of = (over: object) => statusOf({ record: { outcome }, loggedEnd, tally: {}, ...over } as never)
    const failed = (tag: string) => ({ record: { outcome: { _tag: "Failure", failure: { _tag: tag } } } })
    const statuses = [
      of({}),
      of(failed("PartialData")),
      of(failed("Transient")),
      of({ tally: { refusal: "unknown_tool" } }),
      of({ tally: { saving: "loop" } }),
      of({ tally: { saving: "recall" } }),
      of({ loggedEnd: undefined })
    ]
    assert.deepStrictEqual(statuses.map(lookOf), ["good", "warn", "bad", "bad", "saved", "saved", "plain"])
  })
})

describe("the limits and file names of the page", () => {
  it("13.1 omit items past a count or a size, but always show one", () => {
    const fit = (most: number, characters: number) =>
      limited(
        ["aaaa", "bb", "c"],
        { items: most, characters },
        (text) => text,
        ({ length }) => length
      )
    assert.deepStrictEqual(fit(9, 9), { shown: ["aaaa", "bb", "c"], omitted: 0 })
    assert.deepStrictEqual(fit(2, 9), { shown: ["aaaa", "bb"], omitted: 1 })
    assert.deepStrictEqual(fit(9, 6), { shown: ["aaaa", "bb"], omitted: 1 })
    assert.deepStrictEqual(fit(9, 1), { shown: ["aaaa"], omitted: 2 })
  })

  it("13.1 omit the folder that all files share", () => {
    const of = (...files: ReadonlyArray<string>) =>
      sharedFolder(files.map((file) => ({ file, conversations: 1, calls: 1 })))
    assert.deepStrictEqual(
      [of("a/b/c.jsonl", "a/b/d.jsonl"), of("a/c.jsonl", "b/c.jsonl"), of("c.jsonl"), of()],
      ["a/b/", "", "", ""]
    )
  })
})
