/** Tests the HTML page of a replay report: structure, hostile texts, size, and the page without findings. */
import type { Report } from "#kit/report/Report"
import * as Page from "#kit/report/html/Page"
import { script } from "#kit/report/html/Script"
import { style } from "#kit/report/html/Style"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { grouped } from "#kit/text/Numbers"
import { hash } from "node:crypto"
import { bare, visibleTextOf, type Tag, tagsOf, textOf, unbalanced } from "../markup.ts"
import { call, empty, full, hostile, perfect, silent, conversationOf, unreadable } from "../reports.ts"

const { page } = Page

const reports = { empty, silent, unreadable, perfect, full, hostile }
const pages = new Map(Object.entries(reports).map(([name, report]) => [name, page(report)]))

const read = new Map([...pages].map(([name, text]) => [name, tagsOf(text)]))

const each = (what: string, check: (tags: ReadonlyArray<Tag>, page: string) => void) =>
  it(what, () => {
    for (const [name, text] of pages) check(read.get(name) ?? [], text)
  })

/** Returns the visible text of a section. */
const section = (text: string, id: string): string => {
  const from = text.indexOf(`<section id="${id}"`)
  return from < 0 ? "" : visibleTextOf(text.slice(from, text.indexOf("</section>", from)))
}

describe("the page", () => {
  each("13.1 is one document whose tags are balanced", (tags, text) => {
    assert.isTrue(text.startsWith('<!doctype html>\n<html lang="en">'))
    assert.deepStrictEqual(unbalanced(tags), [])
  })

  each("13.1 uses each id once, and links only to ids that exist", (all) => {
    const tags = all.filter(({ isEnd }) => !isEnd)
    const ids = tags.flatMap(({ attributes }) => attributes.get("id") ?? [])
    assert.strictEqual(new Set(ids).size, ids.length)
    const known = new Set(ids)
    const strays = tags.filter(({ attributes, name }) => {
      const href = attributes.get("href") ?? ""
      const labels = (attributes.get("aria-labelledby") ?? "").split(" ").filter(Boolean)
      const isOurs = name === "a" ? href.startsWith("#") && known.has(href.slice(1)) : !/^(?!data:image)./.test(href)
      return !isOurs || attributes.has("src") || !labels.every((label) => known.has(label))
    })
    assert.deepStrictEqual(strays, [])
  })

  each("13.1 has one h1, and skips no level of headings", (tags) => {
    const levels = tags.flatMap(({ isEnd, name }) => (!isEnd && /^h\d$/.test(name) ? Number(name[1]) : []))
    assert.strictEqual(levels[0], 1)
    assert.lengthOf(
      levels.filter((level) => level === 1),
      1
    )
    levels.forEach((level, index) => assert.isAtMost(level, (levels[index - 1] ?? 0) + 1))
  })

  each("13.1 has landmarks, captions for all tables, and a scope for each header cell", (all) => {
    const tags = all.filter(({ isEnd }) => !isEnd)
    const count = (name: string) => tags.filter((tag) => tag.name === name).length
    assert.deepStrictEqual([count("main"), count("header"), count("footer")], [1, 1, 1])
    assert.strictEqual(count("caption"), count("table"))
    for (const { attributes, name } of tags) {
      if (name === "th") assert.match(attributes.get("scope") ?? "", /^(?:row|col)$/)
      if (name === "nav") assert.isNotEmpty(attributes.get("aria-label"))
      if (name === "svg") assert.strictEqual(attributes.get("aria-hidden"), "true")
    }
  })

  it("13.1 allows only its own style and script", () => {
    assert.deepStrictEqual(
      [Page.styleHash, Page.scriptHash],
      [hash("sha256", style, "base64"), hash("sha256", script, "base64")]
    )
    const text = pages.get("full") ?? ""
    assert.include(text, `<style>${style}</style>`)
    assert.include(text, `<script>${script}</script>`)
    assert.include(text, `http-equiv="Content-Security-Policy" content="${Page.policy}"`)
    assert.match(Page.policy, /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; img-src data:/)
  })

  it("13.1 is identical, byte for byte, for the same report", () => {
    for (const [name, report] of Object.entries(reports))
      assert.isTrue(page(structuredClone(report)) === pages.get(name))
  })

  it("13.1 links loops, suspects and rejected fields to the conversation and the call", () => {
    const text = bare(pages.get("full") ?? "")
    for (const call of [1, 2, 3, 4, 7, 12, 50]) assert.include(text, `href="#c1-${call}"`)
    assert.include(text, `href="#c4"`) // a call that the page does not show links to its conversation
    assert.include(visibleTextOf(text), "tuesday.jsonl.gz :7#3") // a conversation that the page does not show appears as its place
  })

  it("13.1 merges consecutive similar calls, and states which calls are not shown", () => {
    const text = bare(pages.get("full") ?? "")
    const visible = visibleTextOf(
      text.slice(text.indexOf('<h2 id="c1-title"'), text.indexOf('<section class="conversation" id="c2"'))
    )
    for (const expected of [
      "#4–12",
      "9 times",
      "round 4–12",
      "same result 10 times",
      "Calls 13 to 49 are not shown.",
      "Calls 51 to 60 are not shown."
    ])
      assert.include(visible, expected)
  })

  it("13.1 answers what people ask first, then shows suspects, and recommends what to do", () => {
    const text = bare(pages.get("full") ?? "")
    const sections = [...text.matchAll(/<section id="([a-z]+)"/g)].map(([, id]) => id)
    assert.deepStrictEqual(sections, [
      "summary",
      "costs",
      "schemas",
      "changes",
      "suspects",
      "spared",
      "time",
      "lengths",
      "failures",
      "results",
      "rejected",
      "loops",
      "repeats",
      "repair",
      "rollout",
      "tools",
      "conversations",
      "skipped",
      "unchecked",
      "files"
    ])
    assert.include(section(text, "summary"), "Review 1 suspect before you enforce the guard")
    assert.include(
      section(text, "summary"),
      "The log has a new, successful answer for 1 call that it would have blocked."
    )
    for (const id of [
      "suspects",
      "spared",
      "results",
      "rejected",
      "loops",
      "repair",
      "rollout",
      "skipped",
      "unchecked"
    ])
      assert.include(section(text, id), "What to do.")
  })

  it("13.1 suggests how to relax a schema, and when to keep it", () => {
    const text = section(pages.get("full") ?? "", "rejected")
    for (const expected of [
      "Relax 2 fields",
      "Allow null",
      "Schema.NullOr(…)",
      "Allow more values",
      "shipping, lost",
      "Keep"
    ])
      assert.include(text, expected)
  })

  it("13.1 shows rejected results with their reasons, and how many calls each change lets pass", () => {
    const text = section(pages.get("full") ?? "", "results")
    for (const expected of [
      "Relax 1 field: 9 rejected calls would pass.",
      "orders[].note",
      "9 of 400 different answers have it.",
      "truncated JSON",
      "The answer is not the JSON that the schema describes.",
      "Changed lines of the schemas",
      "note: Schema.NullOr(",
      "Checked results by tool"
    ])
      assert.include(text, expected)
    assert.notInclude(section(pages.get("full") ?? "", "rejected"), "orders[].note")
  })

  it("13.1 states in the summary how many failures were not enforced, if there are any", () => {
    assert.include(section(pages.get("full") ?? "", "summary"), "Not enforced: 12")
    assert.notInclude(section(pages.get("perfect") ?? "", "summary"), "Not enforced")
  })

  it("13.1 lists the calls at which a person would have been informed, with the proposed line or the advice to keep the schema", () => {
    const [alarm] = full.alarms.shown
    const text = section(pages.get("full") ?? "", "over-strict")
    for (const part of ["search_orders", "40", "6 of the last 40", "orders[].due", "keep the schema"]) {
      assert.include(text, part)
    }
    const proposed = page({ ...full, alarms: { total: 1, shown: [{ ...alarm!, proposed: "due: Schema.NullOr(…)" }] } })
    assert.include(section(proposed, "over-strict"), "due: Schema.NullOr(…)")
    assert.notInclude(section(proposed, "over-strict"), "keep the schema")
    assert.strictEqual(section(pages.get("perfect") ?? "", "over-strict"), "")
  })

  it("13.1 shows money if there are prices, otherwise tokens", () => {
    const priced = section(pages.get("full") ?? "", "summary")
    assert.include(priced, "$7.10")
    assert.include(section(page({ ...full, saved: { ...full.saved, money: null } }), "summary"), "2.3 million")
  })
})

describe("the first sentence of the page", () => {
  const headline = (report: Report) => /<h2 id="summary-title">([^<]*)</.exec(page(report))?.[1]
  const place = { file: "a", line: 1, conversation: "a" }

  it("13.1 names the strongest effect that the guard would have had", () => {
    const asked = [{ tool: "refund_order", count: 2 }]
    const loops = {
      total: 1,
      shown: [{ ...place, tool: "a", pattern: "cycle", turn: 1, calls: [1], count: 1 }]
    } as const
    const refused = [{ code: "unknown_tool", count: 3 }]
    const saved = { ...perfect.saved, calls: 4 }
    const results = [{ tool: "a", checked: 5, rejected: 3, enforced: 3, failed: 2, passes: 0 }]
    assert.strictEqual(
      headline({ ...perfect, loops, results }),
      "The guard would have rejected the results of 2 of 7 calls"
    )
    assert.deepStrictEqual(
      [{}, { asked }, { asked, loops }, { asked, loops, refused }, { asked, loops, refused, saved }].map((over) =>
        headline({ ...perfect, ...over })
      ),
      [
        "The guard would have let every call pass",
        "The guard would have asked a person about 2 calls",
        "The guard would have stopped 1 loop",
        "The guard would have refused 3 of 7 calls",
        "The guard would have saved 4 of 7 calls"
      ]
    )
  })
})

describe("the page of a comparison", () => {
  const compared = { before: "the log", after: "next.ts", calls: 20, changed: 0, answered: 0, broken: 0, causes: [] }
  const example = {
    file: "logs/monday.jsonl",
    line: 1,
    conversation: "monday/1",
    call: 1,
    arguments: "{}",
    before: { verdict: "ran", detail: "" },
    after: { verdict: "refused", detail: "ToolArgError invalid_arguments" }
  }
  const cause = {
    tool: "search_orders",
    cause: "arguments",
    path: "limit",
    rule: "at most 10",
    example
  } as const

  it("13.1 begins with what the new version breaks or changes", () => {
    const causes = [{ ...cause, count: 3, answered: 2, broken: 2 }]
    const broken = page({ ...full, comparison: { ...compared, changed: 3, answered: 2, broken: 2, causes } })
    assert.include(section(broken, "summary"), "2 calls that worked would break with the new version")
    assert.include(
      section(broken, "summary"),
      `With next.ts in place of the log , 3 of ${grouped(full.totals.calls)} calls have another outcome . The log answered 2 of them well.`
    )
    assert.include(section(broken, "summary"), "Of the calls that the guard would have blocked, 1 suspect worked.")
    const [first] = [...bare(broken).matchAll(/<section id="([a-z]+)"/g)].slice(1).map(([, id]) => id)
    assert.strictEqual(first, "versions")
    const changed = page({ ...perfect, comparison: { ...compared, changed: 3, causes } })
    assert.include(
      section(changed, "summary"),
      "3 calls would change with the new version, and none that worked would break"
    )
    assert.notInclude(section(changed, "summary"), "suspect worked")
  })

  it("13.1 states that nothing changes", () => {
    const text = section(page({ ...perfect, comparison: compared }), "summary")
    assert.include(text, "Nothing would change with the new version")
    assert.include(text, "All 20 calls of the compared tools have the same outcome with next.ts and the log .")
  })
})

describe("the page without findings", () => {
  it("13.1 states it in one sentence, and lists what was checked", () => {
    const text = pages.get("perfect") ?? ""
    assert.include(
      section(text, "summary"),
      "The guard would have let every call pass No call was repeated unnecessarily, and none of 7 calls failed."
    )
    for (const expected of ["No suspects", "No failures", "No loops", "No rejected fields", "Nothing was skipped"])
      assert.include(section(text, "clear"), expected)
    assert.notInclude(bare(text), 'id="failures"')
  })

  it("13.1 states that the only call did not fail, and omits lengths that are all equal", () => {
    const totals = { ...perfect.totals, calls: 1 }
    const lengths = { conversations: [{ from: 1, to: 1, count: 3 }], repeats: [] }
    const text = page({ ...perfect, totals, lengths })
    assert.include(section(text, "summary"), "No call was repeated unnecessarily, and none failed.")
    assert.notInclude(bare(text), 'id="lengths"')
    const both = [1, 2].map((length) => ({ from: length, to: length, count: 1 }))
    for (const more of [{ repeats: both }, { conversations: both }])
      assert.include(bare(page({ ...perfect, lengths: { ...lengths, ...more } })), 'id="lengths"')
  })

  it("13.1 states that there are no calls, and what to check in the files", () => {
    const text = section(pages.get("silent") ?? "", "summary")
    assert.include(text, "No tool calls to judge Check that the files contain the model's tool calls")
    assert.notInclude(text, "saved")
  })

  it("13.1 states that nothing could be read, and why", () => {
    const text = pages.get("unreadable") ?? ""
    assert.include(section(text, "summary"), "Nothing could be read")
    assert.include(section(text, "skipped"), "This line is not JSON.")
    assert.notInclude(bare(text), 'id="clear"')
    assert.include(section(pages.get("empty") ?? "", "summary"), "Nothing could be read")
  })
})

describe("the page with hostile texts", () => {
  const ours = new Set(
    "html head meta title link style body a header h1 h2 h3 p div nav ul ol li span section main dl dt dd figure figcaption svg rect b i q code pre br bdi wbr table caption thead tbody tr th td label input footer script".split(
      " "
    )
  )

  each("13.1 turns no text into a tag or an attribute", (tags, text) => {
    assert.notInclude(textOf(text), "<")
    const made = tags.filter(
      ({ attributes, name }) => !ours.has(name) || [...attributes.keys()].some((key) => /^(?:on|style$|src$)/.test(key))
    )
    assert.deepStrictEqual(made, [])
    assert.lengthOf(bare(text).match(/<(?:script|style)\b/g) ?? [], 2)
  })

  each("13.1 shows hidden characters by number", (_, text) => {
    const hidden = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u
    assert.notMatch(bare(text), hidden)
  })

  it("13.1 stays below 12 million characters for thousands of rows, and states what it omits", () => {
    const text = pages.get("hostile") ?? ""
    assert.isBelow(text.length, 12_000_000)
    assert.match(section(text, "conversations"), /[\d,]+ (?:more are|more is) omitted/)
    assert.match(section(text, "tools"), /The first [\d,]+ rows of 5,000 rows\./)
    assert.match(section(text, "loops"), /of 9,999 rows\./)
    assert.match(section(text, "results"), /The first [\d,]+ of 5,000 lines\./)
  })

  const shape = (report: Report) =>
    tagsOf(page(report)).flatMap(({ attributes, isEnd, name }) =>
      name === "wbr" || name === "span" || name === "bdi"
        ? []
        : `${isEnd ? "/" : ""}${name} ${attributes.get("class") ?? ""}`
    )

  /** Creates a report with one text in every place that a log or a model fills. */
  const filledWith = (text: string): Report => {
    const place = { file: text, line: 1, conversation: text, call: 1 }
    return {
      ...full,
      files: [{ file: text, conversations: 1, calls: 1 }],
      failures: [{ tool: text, class: "Permanent", code: text, count: 1, first: place }],
      refused: [{ code: text, count: 1 }],
      loops: { total: 1, shown: [{ ...place, tool: text, pattern: "cycle", turn: 1, calls: [1], count: 1 }] },
      repeats: {
        ...full.repeats,
        groups: { total: 1, shown: [{ ...place, tool: text, calls: [1], count: 2, answers: 1 }] }
      },
      asked: [{ tool: text, count: 1 }],
      rejected: [
        {
          part: "arguments",
          tool: text,
          path: text,
          problem: text,
          count: 1,
          accepted: 1,
          examples: [{ sent: text, at: place }],
          suggestion: { _tag: "wider type", type: text },
          reason: text,
          line: text.replaceAll("\n", " "),
          passes: { alone: 1, together: 1 }
        }
      ],
      suspects: { total: 1, shown: [{ ...place, tool: text, reason: "loop", missed: text, missedAt: 2 }] },
      repair: [{ tool: text, class: "Transient", model: text, failures: 1, repaired: 0 }],
      tools: [{ ...full.tools[0]!, tool: text }],
      unchecked: { total: 1, shown: [{ tool: text, pointer: text, reason: text }] },
      skipped: { total: 1, shown: [{ file: text, line: 1, reason: text }] },
      conversations: {
        total: 1,
        shown: [
          conversationOf({
            ...place,
            model: text,
            calls: [call({ tool: text, arguments: text, detail: text, answer: text })]
          })
        ]
      }
    }
  }

  const plain = shape(filledWith("a"))

  it.prop("13.1 has the same structure for any text in a log", [Schema.String], ([text]) => {
    assert.deepStrictEqual(shape(filledWith(`a${text}`)), plain)
  })

  it("13.1 has the same structure for markup in a log", () => {
    for (const text of [
      `</script><img src=x onerror=alert(1)>`,
      `" onclick="alert(1)`,
      `--><svg/onload=1>`,
      "x".repeat(10_000)
    ])
      assert.deepStrictEqual(shape(filledWith(`a${text}`)), plain)
  })
})
