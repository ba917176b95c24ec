/**
 * Tests recorded lists of tools: each agrees with its own lock, and another validator confirms the witnesses of
 * changes.
 */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { wellFormed } from "#domain/schema/foreign/WellFormedSchema"
import { changes } from "#kit/diff/Changes"
import * as Lock from "#kit/diff/Lock"
import { ofListing, type Snapshot } from "#kit/diff/Snapshot"
import * as ListingFormats from "#kit/lint/reading/ListingFormats"
import { compilers } from "../../support/ajv.ts"
import { random } from "../../support/JsonSchemaValues.ts"
import { data, recordedData } from "../../support/data.ts"
import { needs } from "../../support/prerequisites.ts"
import { mutated } from "../containment/schemas.ts"

const folder = join(data, "catalogues")

const snapshots = (): ReadonlyArray<readonly [name: string, snapshot: Snapshot]> =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => {
      const document: unknown = JSON.parse(readFileSync(join(folder, name), "utf8"))
      return [name, ofListing(Result.getOrThrow(ListingFormats.read(document)), document)]
    })

const { draft2020 } = compilers({ strict: false, validateFormats: false, logger: false })

const validatorOf = (schema: unknown) => {
  try {
    return draft2020(wellFormed(schema, () => {}) as object)
  } catch {
    return undefined
  }
}

describe("recorded lists of tools", needs(recordedData), () => {
  it("13.4 have not changed compared with their own lock", () => {
    for (const [name, snapshot] of snapshots()) {
      const lock = Result.getOrThrow(Lock.read(Lock.write(snapshot)))
      assert.deepStrictEqual(changes(lock, snapshot), [], name)
    }
  })

  it("13.4 have a confirmed witness for at least 90 % of the breaking changes of mutated parameters", () => {
    const found = { breaking: 0, proven: 0, tools: 0 }
    for (const [name, snapshot] of snapshots()) {
      const next = random(name.length)
      const tools = [...snapshot].slice(0, 25)
      const after = new Map(
        tools.map(([tool, promise]) => {
          let parameters: unknown = promise.parameters
          for (let times = 0; times < 4; times++) parameters = mutated(parameters, next)
          // a mutated schema may have keywords that the type does not allow
          return [tool, { ...promise, parameters: parameters as never }]
        })
      )
      found.tools += tools.length
      for (const { subject, tool, weight, witness } of changes(new Map(tools), after)) {
        if (weight !== "breaking" || subject !== "parameters") continue
        found.breaking += 1
        const [acceptedBefore, acceptsNow] = [
          validatorOf(snapshot.get(tool)?.parameters),
          validatorOf(after.get(tool)?.parameters)
        ]
        if (witness === undefined || acceptedBefore === undefined || acceptsNow === undefined) continue
        found.proven += 1
        assert.deepStrictEqual(
          [acceptedBefore(witness.value), acceptsNow(witness.value)],
          [true, false],
          `${name} ${tool}`
        )
      }
    }
    assert.isAbove(found.tools, 300)
    assert.isAbove(found.breaking, 100)
    assert.isAbove(found.proven, 0.9 * found.breaking)
  })
})
