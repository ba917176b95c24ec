/** Tests that the watches of one tenant are bounded without loss for the others. */
import * as ContractWatch from "#domain/faults/ContractWatch"
import { TenantWatches } from "#pipeline/record/TenantWatches"
import { assert, describe, it } from "@effect/vitest"

const called = ContractWatch.step(ContractWatch.empty, [], () => "")

const counts = (
  watches: TenantWatches<ContractWatch.ContractWatch>,
  tenant: string,
  tools: number
): ReadonlyArray<number> => Array.from({ length: tools }, (_, index) => watches.get(tenant, `tool ${index}`).count)

describe("TenantWatches", () => {
  it("15.1 of a tenant's more than 1,000 tools, those that were called least recently are forgotten", () => {
    const watches = new TenantWatches(ContractWatch.empty)
    watches.set("red", "tool 0", called)
    for (let index = 0; index < 1_500; index++) watches.set("blue", `tool ${index}`, called)
    assert.deepStrictEqual(counts(watches, "red", 1), [1])
    const kept = counts(watches, "blue", 1_500)
    assert.deepStrictEqual([kept.indexOf(1), kept.lastIndexOf(0)], [501, 500])
  })

  it("15.1 a thousand tenants with one tool each are watched, and another tenant displaces one of them", () => {
    const watches = new TenantWatches(ContractWatch.empty)
    for (let index = 0; index <= 1_000; index++) watches.set(`tenant ${index}`, "tool", called)
    const kept = Array.from({ length: 1_001 }, (_, index) => watches.get(`tenant ${index}`, "tool").count)
    assert.deepStrictEqual([kept[0], kept.filter((count) => count === 1).length], [0, 1_000])
  })

  it("15.1 each tenant causes at most ten notices an hour", () => {
    const watches = new TenantWatches(ContractWatch.empty)
    for (let notice = 0; notice < 10; notice++) watches.informed("blue", notice)
    assert.deepStrictEqual([watches.mayInform("blue", 10), watches.mayInform("red", 10)], [false, true])
    assert.isTrue(watches.mayInform("blue", 3_600_000))
  })

  it("15.1 a notice counts for exactly an hour, and later notices continue to count", () => {
    const watches = new TenantWatches(ContractWatch.empty)
    for (const at of [0, 0, 0, 0, 0, 0, 0, 0, 0, 5]) watches.informed("blue", at)
    assert.deepStrictEqual(
      [3_599_999, 3_600_000].map((now) => watches.mayInform("blue", now)),
      [false, true]
    )
    for (let notice = 0; notice < 9; notice++) watches.informed("blue", 3_600_000)
    assert.deepStrictEqual(
      [3_600_004, 3_600_005].map((now) => watches.mayInform("blue", now)),
      [false, true]
    )
  })

  it("15.1 a tool that is called again is kept, and takes no further room", () => {
    const watches = new TenantWatches(ContractWatch.empty)
    for (let index = 0; index < 1_000; index++) watches.set("blue", `tool ${index}`, called)
    for (let again = 0; again < 10; again++) watches.set("blue", "tool 0", called)
    assert.deepStrictEqual(counts(watches, "blue", 3), [1, 1, 1])
    watches.set("blue", "tool 1000", called)
    assert.deepStrictEqual(counts(watches, "blue", 3), [1, 0, 1])
  })
})
