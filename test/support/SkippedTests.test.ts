/** Tests of prerequisites, and of the summary of skipped tests. */
import { assert, describe, it } from "@effect/vitest"
import type { TestModule } from "vitest/node"
import { needs } from "./prerequisites.ts"
import { summary } from "./SkippedTests.ts"

const module = (relativeModuleId: string, tests: (module: object) => ReadonlyArray<object>): TestModule => {
  const parent = { type: "module", relativeModuleId }
  const children = { allTests: () => tests(parent) }
  return { ...parent, children } as unknown as TestModule // the summary reads only these fields
}

const suite = (parent: object, name: string, mode = "run") => ({ type: "suite", name, parent, options: { mode } })

const test = (module: object, parent: object, name: string, meta: object, note?: string) => ({
  module,
  parent,
  name,
  meta: () => meta,
  result: () => ({ state: "skipped", note })
})

describe("the summary of skipped tests", () => {
  it("lists groups by reason, with the number of tests", () => {
    const absent = { skipped: "TOOLGUARD_REDIS_URL is not set" }
    const modules = [
      module("test/a.long.test.ts", (file) => {
        const outer = suite(file, "on Redis", "skip")
        const inner = suite(outer, "claims", "skip")
        return [test(file, outer, "one", absent), test(file, inner, "two", absent)]
      }),
      module("test/b.test.ts", (file) => [
        test(file, suite(file, "files"), "runs on Linux", { skipped: "it needs Linux, and this is win32" }),
        test(file, file, "alone", {}, "not today"),
        test(file, file, "without", {})
      ])
    ]
    assert.deepStrictEqual(summary(modules), [
      "Skipped: 2 tests, because TOOLGUARD_REDIS_URL is not set",
      "  test/a.long.test.ts: on Redis (2 tests)",
      "Skipped: 1 test, because it needs Linux, and this is win32",
      "  test/b.test.ts: runs on Linux (1 test)",
      "Skipped: 1 test, because not today",
      "  test/b.test.ts: alone (1 test)",
      "Skipped: 1 test, because no reason is given",
      "  test/b.test.ts: without (1 test)"
    ])
  })
})

describe("a prerequisite", () => {
  it("skips its tests with the reason if it is absent, and throws the reason if it is required", () => {
    const absent = "the server is not available"
    assert.deepStrictEqual(needs({ absent: undefined, isRequired: true }), {})
    assert.deepStrictEqual(needs({ absent, isRequired: false }), { skip: true, meta: { skipped: absent } })
    assert.throws(() => needs({ absent, isRequired: true }), absent)
  })
})
