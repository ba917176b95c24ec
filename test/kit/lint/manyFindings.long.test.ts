/** Tests that linting stops at the maximum number of findings, and that the result states it. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Lint from "#kit/lint/Lint"
import * as ListingAnalysis from "#kit/lint/reading/ListingAnalysis"
import * as ListingFormats from "#kit/lint/reading/ListingFormats"
import * as Settings from "#kit/lint/Settings"
import { count, tool } from "./support.ts"

const properties = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`field_${n}`, { type: "string" }]))

/** Lints tools that each have 100 parameters without a description. */
const linted = (tools: number) => {
  const list = { tools: Array.from({ length: tools }, (_, n) => tool(`get_it_${n}`, "Gets it.", properties)) }
  const listing = ListingAnalysis.read(Result.getOrThrow(ListingFormats.read(list)), count)
  return Lint.run([{ listing, suppressions: [] }], Settings.only("parameter-description", {}))
}

describe("the findings of a list", () => {
  it("13.3 are cut after 20,000, and the result says so", () => {
    const { isCut, outcomes } = linted(200)
    assert.deepStrictEqual([isCut, outcomes[0]?.findings.length], [false, Lint.maxFindings])
    assert.isTrue(linted(201).isCut)
  })
})
