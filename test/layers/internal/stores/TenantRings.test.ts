import * as TenantRings from "#layers/internal/stores/TenantRings"
import { assert, describe, it } from "@effect/vitest"

/** Adds `count` values of a tenant, named by the tenant and a number. */
const fill = (rings: ReturnType<typeof TenantRings.make<string>>, tenant: string, count: number) => {
  for (let n = 1; n <= count; n += 1) rings.push(tenant, `${tenant}${n}`)
}

describe("the latest values of each tenant", () => {
  it("8.3 a tenant with many values drops its own oldest values, and no values of another tenant", () => {
    const rings = TenantRings.make<string>(3)
    fill(rings, "b", 2)
    fill(rings, "a", 10_000)
    assert.deepStrictEqual(rings.of("b"), ["b1", "b2"])
    assert.deepStrictEqual(rings.of("a"), ["a9998", "a9999", "a10000"])
    assert.deepStrictEqual(rings.all(), ["b1", "b2", "a9998", "a9999", "a10000"])
    assert.deepStrictEqual(rings.of("unknown"), [])
  })

  it("8.3 all values are in the order in which they were added", () => {
    const rings = TenantRings.make<string>(3)
    for (const value of ["a1", "b1", "a2", "c1", "b2", "a3", "a4"]) rings.push(value.slice(0, 1), value)
    assert.deepStrictEqual(rings.all(), ["b1", "a2", "c1", "b2", "a3", "a4"])
  })

  it("8.3 all tenants together keep ten times the limit, and small tenants keep their values while a large tenant has twice as many", () => {
    const rings = TenantRings.make<string>(8)
    const small = Array.from({ length: 30 }, (_, n) => `small ${n} `)
    for (const tenant of small) fill(rings, tenant, 1)
    for (const tenant of ["a", "b", "c", "d", "e", "f", "g", "h", "i"]) fill(rings, tenant, 8)
    assert.lengthOf(rings.all(), 80)
    for (const tenant of small) assert.deepStrictEqual(rings.of(tenant), [`${tenant}1`])
  })

  it("8.3 holds one value of each tenant at the limit one, and none at the limit zero", () => {
    const [one, none] = [TenantRings.make<string>(1), TenantRings.make<string>(0)]
    for (const rings of [one, none]) for (const tenant of ["a", "b"]) fill(rings, tenant, 3)
    assert.deepStrictEqual([one.all(), none.all()], [["a3", "b3"], []])
  })
})
