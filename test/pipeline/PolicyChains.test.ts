/** [2.11] Tests which calls of a tool share a chain of stages, and how many chains are kept. */
import * as Approval from "#domain/tool/Approval"
import type { SharedPolicy } from "#domain/tool/PolicyInput"
import { type CompiledTool, compiledOf } from "#pipeline/call/CompiledTool"
import type { Chain } from "#pipeline/call/Stage"
import * as PolicyChains from "#pipeline/PolicyChains"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { define } from "./support.ts"

const write = define("write_it", { access: "write" })

/** Returns the chains of a tool, and the tools for which a chain was built. */
const chains = (tool = write) => {
  const built: Array<CompiledTool> = []
  const of = PolicyChains.make(compiledOf(tool), (changed): Chain => {
    built.push(changed)
    return { tool: changed, acting: [], run: () => Effect.die("not expected") }
  })
  return { built, of }
}

const auto = () => Approval.auto
const block = () => Approval.block("Writes it.")
/** Returns a function whose text does not show what it returns. */
const always = (approval: Approval.Approval) => () => approval

describe("the chains of a tool", () => {
  it("2.11 are its own without a policy, and one with the fields of the policy", () => {
    const { built, of } = chains()
    assert.strictEqual(of(undefined).tool, compiledOf(write))
    assert.strictEqual(of({ concurrency: 3 }).tool.definition.concurrency, 3)
    assert.strictEqual(built.length, 2)
  })

  it("2.11 a policy that contradicts the tool has a chain that refuses the call", () => {
    const { of } = chains(define("write_it", { access: "write", timeout: "10 seconds" }))
    assert.match(String(of({ deadline: "1 second" }).tool.refusal), /^Not called: /)
    assert.match(String(of({ deadline: "2 seconds" }).tool.refusal), /^Not called: /)
  })

  for (const [what, first, second, isShared] of [
    ["equal policies", { concurrency: 3 }, { concurrency: 3 }, true],
    ["policies with other fields", { concurrency: 3 }, { concurrency: 4 }, false],
    ["the same approval function", { approval: auto }, { approval: auto }, true],
    ["two approval functions", { approval: auto }, { approval: block }, false],
    [
      "two approval functions with the same text",
      { approval: always(Approval.auto) },
      { approval: always(Approval.block("Writes it.")) },
      false
    ],
    ["an approval function and a level", { approval: auto }, { approval: "auto" }, false],
    ["the same level", { approval: "confirm" }, { approval: "confirm" }, true],
    ["two levels", { approval: "confirm" }, { approval: "block" }, false],
    ["a level and no level", { approval: "confirm" }, {}, false],
    ["a function and no level", { approval: auto }, {}, false],
    ["a key and no key", { idempotency: "derived" }, {}, false]
  ] as const) {
    it(`2.11 ${isShared ? "one chain serves" : "there is a chain for each of"} ${what}`, () => {
      const { of } = chains()
      const [one, other] = [of(first as SharedPolicy), of(second as SharedPolicy)]
      assert.strictEqual(one === other, isShared)
      assert.deepStrictEqual([of(first as SharedPolicy), of({ ...(first as SharedPolicy) })], [one, one])
    })
  }

  it("2.11 three approval functions have three chains, which their later calls use", () => {
    const { built, of } = chains()
    const third = () => Approval.confirm("Writes it.")
    const made = [auto, block, third, block, auto].map((approval) => of({ approval }))
    assert.deepStrictEqual([new Set(made).size, built.length], [3, 4])
    assert.deepStrictEqual([made[1] === made[3], made[0] === made[4]], [true, true])
  })

  it("2.11 a policy that is not an object is refused at each call, and breaks no other call", () => {
    const { of } = chains()
    for (const policy of ["derived", null]) {
      assert.strictEqual(of(policy as never), of(policy as never))
      assert.match(String(of(policy as never).tool.refusal), /^Not called: /)
    }
    assert.strictEqual(of({ concurrency: 3 }).tool.refusal, undefined)
  })

  it("2.11 the chains of the 32 latest policies are kept, and a chain that is used again becomes the latest", () => {
    const { built, of } = chains()
    const use = (concurrency: number) => of({ concurrency })
    for (let n = 1; n <= 32; n++) use(n)
    assert.strictEqual(built.length, 33)
    use(1)
    assert.strictEqual(built.length, 33)
    use(33)
    assert.strictEqual(built.length, 34)
    for (const n of [1, 3, 32, 33]) use(n)
    assert.strictEqual(built.length, 34)
    use(2)
    assert.strictEqual(built.length, 35)
  })

  it("2.11 a policy object that a caller keeps has its chain, although newer policies replaced its text", () => {
    const { of } = chains()
    const kept = { concurrency: 99 }
    const chain = of(kept)
    for (let n = 1; n <= 40; n++) of({ concurrency: n })
    assert.strictEqual(of(kept), chain)
    assert.notStrictEqual(of({ ...kept }), chain)
  })
})
