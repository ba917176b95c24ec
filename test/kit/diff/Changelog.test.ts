/** Tests that the changelog accepts breaking changes, each once and with a reason. */
import { assert, describe, it } from "@effect/vitest"
import * as Changelog from "#kit/diff/Changelog"
import { make } from "#kit/diff/Change"

const removal = make({ tool: "get_it", subject: "tool", weight: "breaking", text: "was removed" })
const narrowed = make({
  tool: "a",
  subject: "parameters",
  path: ["b"],
  weight: "breaking",
  text: "no longer accepts null"
})
const other = make({ tool: "a", subject: "description", weight: "behavioural", text: "has a different description" })
const all = [removal, narrowed, other]

describe("the changelog", () => {
  it("13.4 accepts the changes of its entries with a reason", () => {
    const text = Changelog.accept("", [removal], "  No caller\n uses it. ")
    assert.strictEqual(
      text,
      `# Tool changes

Accepted breaking changes, read by \`toolguard diff\`. Each entry has an id and a reason.

- \`${removal.id}\` **get_it**: was removed.
  Reason: No caller uses it.
`
    )
    assert.deepStrictEqual(Changelog.read(text), [{ id: removal.id, line: 5, reason: "No caller uses it." }])
    assert.deepStrictEqual(Changelog.partition(all, Changelog.read(text)), { accepted: [removal], open: [narrowed] })
  })

  it("13.4 keeps its text when new entries are appended", () => {
    const text = Changelog.accept("# Changes\n\nText.\n\n", [narrowed], "Fine.")
    assert.strictEqual(
      text,
      `# Changes\n\nText.\n\n- \`${narrowed.id}\` **a**: parameters.b no longer accepts null.\n  Reason: Fine.\n`
    )
  })

  it("13.4 accepts no change without a reason, and none whose id is outside an entry", () => {
    const open = (text: string) => Changelog.partition([removal], Changelog.read(text)).open.length
    assert.strictEqual(open(`- \`${removal.id}\` **get_it**: was removed.\n`), 1)
    assert.strictEqual(open(`- \`${removal.id}\` **get_it**: was removed.\n  Reason:\n`), 1)
    assert.strictEqual(open(`- \`${removal.id}\` was removed.\n\nReason: in another paragraph\n`), 1)
    assert.strictEqual(open(`Text about \`${removal.id}\`. Reason: x\n`), 1)
    assert.strictEqual(open(`* \`${removal.id}\` was removed. Reason: on the same line\r\n`), 0)
  })

  it("13.4 ignores an entry that is marked as locked", () => {
    const text = Changelog.locked(Changelog.accept("", [removal, narrowed], "Fine."), [removal])
    assert.include(text, `- locked \`${removal.id}\` **get_it**`)
    assert.deepStrictEqual(Changelog.partition(all, Changelog.read(text)), { accepted: [narrowed], open: [removal] })
  })
})
