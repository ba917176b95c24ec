/**
 * Tests what happens to foreign patterns without the package that runs them in linear time. Runs in a separate process,
 * because the package is looked up only once.
 */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"

const program = `
const load = process.getBuiltinModule
process.getBuiltinModule = (name) => ({ ...load(name), createRequire: () => () => { throw new Error("not found") } })
const LinearEngine = await import("#domain/schema/pattern/LinearEngine")
const ForeignContract = await import("#domain/schema/foreign/ForeignContract")
const before = LinearEngine.isMissingUnreported()
const contract = ForeignContract.make({
  type: "object",
  properties: { a: { type: "string", pattern: "^(a+)+$" }, b: { type: "string", pattern: "^b$" } },
  patternProperties: { "^x": { type: "string" } },
  additionalProperties: false
})
console.log(JSON.stringify({
  unchecked: contract.unchecked,
  isAccepted: contract.decode({ a: "a".repeat(50) + "b", b: "c", x: 1, y: 1 })._tag,
  reports: [before, LinearEngine.isMissingUnreported(), LinearEngine.isMissingUnreported()]
}))`

describe("LinearEngine", () => {
  it("13.1 if the package is not installed, no foreign pattern runs, and each schema says so in one line", () => {
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
      encoding: "utf8",
      timeout: 60_000
    })
    assert.deepStrictEqual(JSON.parse(output), {
      unchecked: [{ pointer: "", reason: "foreign patterns run only with the package re2js, which is not installed" }],
      isAccepted: "Success",
      reports: [false, true, false]
    })
  })
})
