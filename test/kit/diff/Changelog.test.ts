/** The changelog that accepts breaking changes, each once and with a reason. */
import { assert, describe, it } from "@effect/vitest"
import * as Changelog from "#kit/diff/Changelog"
import { make } from "#kit/diff/Change"

const gone = make({ tool: "get_it", subject: "tool", weight: "breaking", text: "is gone" })
const narrow = make({ tool: "a", subject: "parameters", path: ["b"], weight: "breaking", text: "no longer takes null" })
const other = make({ tool: "a", subject: "description", weight: "behavioural", text: "has another description" })
const all = [gone, narrow, other]

describe("the changelog", () => {
  it("13.4 accepts the changes of its entries with a reason", () => {
    const text = Changelog.accept("", [gone], "  Nobody\n calls it. ")
    assert.strictEqual(
      text,
      `# Tool changes

Accepted breaking changes, read by \`toolguard diff\`. Each entry has an id and a reason.

- \`${gone.id}\` **get_it**: is gone.
  Reason: Nobody calls it.
`
    )
    assert.deepStrictEqual(Changelog.read(text), [{ id: gone.id, line: 5, reason: "Nobody calls it." }])
    assert.deepStrictEqual(Changelog.judge(all, Changelog.read(text)), { accepted: [gone], open: [narrow] })
  })

  it("13.4 keeps its text, and grows at the end", () => {
    const text = Changelog.accept("# Ours\n\nWords.\n\n", [narrow], "Fine.")
    assert.strictEqual(
      text,
      `# Ours\n\nWords.\n\n- \`${narrow.id}\` **a**: parameters.b no longer takes null.\n  Reason: Fine.\n`
    )
  })

  it("13.4 accepts nothing without a reason, nor by an id outside of an entry", () => {
    const open = (text: string) => Changelog.judge([gone], Changelog.read(text)).open.length
    assert.strictEqual(open(`- \`${gone.id}\` **get_it**: is gone.\n`), 1)
    assert.strictEqual(open(`- \`${gone.id}\` **get_it**: is gone.\n  Reason:\n`), 1)
    assert.strictEqual(open(`- \`${gone.id}\` is gone.\n\nReason: of another paragraph\n`), 1)
    assert.strictEqual(open(`Words of \`${gone.id}\`. Reason: x\n`), 1)
    assert.strictEqual(open(`* \`${gone.id}\` is gone. Reason: one line will do\r\n`), 0)
  })

  it("13.4 accepts nothing by an entry whose change is in the lock", () => {
    const text = Changelog.locked(Changelog.accept("", [gone, narrow], "Fine."), [gone])
    assert.include(text, `- locked \`${gone.id}\` **get_it**`)
    assert.deepStrictEqual(Changelog.judge(all, Changelog.read(text)), { accepted: [narrow], open: [gone] })
  })
})
