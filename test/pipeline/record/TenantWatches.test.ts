/** Tests that the watches of one tenant are bounded without loss for the others. */
import * as ContractWatch from "#domain/faults/ContractWatch"
import { TenantWatches } from "#pipeline/record/TenantWatches"
import { assert, describe, it } from "@effect/vitest"

const called = ContractWatch.step(ContractWatch.empty, [], () => "")

const counts = (watches: TenantWatches, tenant: string, tools: number): ReadonlyArray<number> =>
  Array.from({ length: tools }, (_, index) => watches.get(tenant, `tool ${index}`).count)

describe("TenantWatches", () => {
  it("15.1 a tenant with more than 1,000 tools forgets its own least recently called ones", () => {
    const watches = new TenantWatches()
    watches.set("red", "tool 0", called)
    for (let index = 0; index < 1_500; index++) watches.set("blue", `tool ${index}`, called)
    assert.deepStrictEqual(counts(watches, "red", 1), [1])
    const kept = counts(watches, "blue", 1_500)
    assert.deepStrictEqual([kept.indexOf(1), kept.lastIndexOf(0)], [501, 500])
  })

  it("15.1 a thousand tenants with one tool each are watched, and one more displaces one of them", () => {
    const watches = new TenantWatches()
    for (let index = 0; index <= 1_000; index++) watches.set(`tenant ${index}`, "tool", called)
    const kept = Array.from({ length: 1_001 }, (_, index) => watches.get(`tenant ${index}`, "tool").count)
    assert.deepStrictEqual([kept[0], kept.filter((count) => count === 1).length], [0, 1_000])
  })

  it("15.1 ten notices an hour belong to each tenant", () => {
    const watches = new TenantWatches()
    for (let notice = 0; notice < 10; notice++) watches.informed("blue", notice)
    assert.deepStrictEqual([watches.mayInform("blue", 10), watches.mayInform("red", 10)], [false, true])
    assert.isTrue(watches.mayInform("blue", 3_600_000))
  })
})
