/** Tests which changes of a schema explain the faults of a value, for changes that cannot be tested alone. */
import { assert, describe, it } from "@effect/vitest"
import type { Fault } from "#domain/faults/Fault"
import type { Path, Reason } from "#kit/containment/Gap"
import { type Change, make } from "#kit/diff/Change"
import * as FaultCause from "#kit/diff/FaultCause"

const change = (text: string, path: Path, reason: Reason): Change =>
  make({ tool: "get_it", subject: "parameters", weight: "breaking", text, path, reason, consequence: "refused" })

const fault = (kind: Fault["kind"], path: string): Fault => ({ kind, path, problem: "wrong" })

const closed = change("closed", ["opts"], { _tag: "Closed" })
const constraint = change("constraint", ["opts"], { _tag: "Constraint", text: "not" })
const unknown = change("unknown", [], { _tag: "Unknown", because: "it is large" })
const alternatives = change("alternatives", ["shape"], { _tag: "Alternatives" })
const page = change("page", ["page"], { _tag: "Bound", keyword: "maximum", from: 20, to: 10 })

const causes = (changes: ReadonlyArray<Change>, value: unknown, ...faults: ReadonlyArray<Fault>) =>
  FaultCause.of(changes, value, faults).map(({ text }) => text)

describe("13.4 FaultCause", () => {
  it("blames a closed object only for an undeclared field in it", () => {
    const both = [closed, constraint]
    assert.deepStrictEqual(causes(both, { opts: { a: 1 } }, fault("rule", "opts")), ["constraint"])
    assert.deepStrictEqual(causes(both, { opts: { x: 1 } }, fault("excess", "opts.x")), ["closed", "constraint"])
    assert.deepStrictEqual(causes([closed, unknown], { x: 1 }, fault("excess", "x")), ["unknown"])
  })

  it("prefers what a value certainly violates, then the change at the deepest place", () => {
    const all = [unknown, alternatives, page]
    assert.deepStrictEqual(causes(all, { page: 11 }, fault("rule", "page")), ["page"])
    assert.deepStrictEqual(causes(all, { shape: { w: 1 } }, fault("excess", "shape.w")), ["alternatives"])
    assert.deepStrictEqual(causes(all, { other: 1 }, fault("type", "other")), ["unknown"])
    assert.deepStrictEqual(causes(all, { shape: 1, page: 11 }, fault("type", "shape"), fault("rule", "page")), ["page"])
  })

  it("blames no change for a fault at another place, unless there is only one change", () => {
    assert.deepStrictEqual(causes([alternatives, page], { other: 1 }, fault("type", "other")), [])
    assert.deepStrictEqual(causes([page], { other: 1 }, fault("type", "other")), ["page"])
    assert.deepStrictEqual(causes([], { other: 1 }, fault("type", "other")), [])
    assert.deepStrictEqual(causes([alternatives, page], { pages: 11 }, fault("type", "pages")), [])
  })
})
