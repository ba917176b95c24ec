/** Breaking changes are accepted in a changelog, with a reason, once. */
import { assert, describe, it } from "@effect/vitest"
import * as Accepted from "#kit/diff/Accepted"
import { make } from "#kit/diff/Change"

const gone = make({ tool: "get_it", subject: "tool", weight: "breaking", text: "is gone" })
const narrow = make({ tool: "a", subject: "parameters", path: ["b"], weight: "breaking", text: "no longer takes null" })
const other = make({ tool: "a", subject: "description", weight: "behavioural", text: "has another description" })
const all = [gone, narrow, other]

describe("the changelog", () => {
  it("13.4 accepts the changes that it names with a reason", () => {
    const text = Accepted.accept("", [gone], "  Nobody\n calls it. ")
    assert.strictEqual(
      text,
      `# Changes of tools

Breaking changes that were accepted, for \`toolguard diff\`. Each has its id and a reason.

- \`${gone.id}\` **get_it**: is gone.
  Reason: Nobody calls it.
`
    )
    assert.deepStrictEqual(Accepted.read(text), [{ id: gone.id, line: 5, reason: "Nobody calls it." }])
    assert.deepStrictEqual(Accepted.judge(all, Accepted.read(text)), { accepted: [gone], open: [narrow] })
  })

  it("13.4 keeps what stands in it, and grows at its end", () => {
    const text = Accepted.accept("# Ours\n\nWords.\n\n", [narrow], "Fine.")
    assert.strictEqual(
      text,
      `# Ours\n\nWords.\n\n- \`${narrow.id}\` **a**: parameters.b no longer takes null.\n  Reason: Fine.\n`
    )
  })

  it("13.4 accepts nothing without a reason, nor by a name elsewhere", () => {
    const open = (text: string) => Accepted.judge([gone], Accepted.read(text)).open.length
    assert.strictEqual(open(`- \`${gone.id}\` **get_it**: is gone.\n`), 1)
    assert.strictEqual(open(`- \`${gone.id}\` **get_it**: is gone.\n  Reason:\n`), 1)
    assert.strictEqual(open(`- \`${gone.id}\` is gone.\n\nReason: of another paragraph\n`), 1)
    assert.strictEqual(open(`Words of \`${gone.id}\`. Reason: x\n`), 1)
    assert.strictEqual(open(`* \`${gone.id}\` is gone. Reason: one line will do\r\n`), 0)
  })

  it("13.4 accepts nothing by an entry whose change the lock holds", () => {
    const text = Accepted.locked(Accepted.accept("", [gone, narrow], "Fine."), [gone])
    assert.include(text, `- locked \`${gone.id}\` **get_it**`)
    assert.deepStrictEqual(Accepted.judge(all, Accepted.read(text)), { accepted: [narrow], open: [gone] })
  })
})
