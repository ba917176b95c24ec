/** Compares contracts from the JSON Schemas of recorded catalogues with ajv. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as ForeignContract from "#domain/schema/foreign/ForeignContract"
import { compilers } from "../../../support/ajv.ts"
import { data, recordedData } from "../../../support/data.ts"
import { damage, generate, random } from "../../../support/JsonSchemaValues.ts"
import { needs } from "../../../support/prerequisites.ts"

type Json = Readonly<Record<string, unknown>>

interface ListedTool {
  readonly file: string
  readonly name: string
  readonly schema: Json
}

/** Returns every tool of every catalogue. */
const catalogues = (): ReadonlyArray<ListedTool> =>
  readdirSync(join(data, "catalogues"))
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) =>
      (JSON.parse(readFileSync(join(data, "catalogues", file), "utf8")) as ReadonlyArray<any>).map((tool) => ({
        file,
        name: String(tool.name ?? tool.function?.name),
        schema: tool.inputSchema ?? tool.function?.parameters
      }))
    )

const { draft07, draft2020 } = compilers({ strict: false, logger: false })

/** Compiles a schema with ajv; `undefined` if the schema is invalid in both dialects. */
const judgeOf = (schema: Json) => {
  for (const compile of [draft2020, draft07]) {
    try {
      return compile(schema)
    } catch {
      // the schema may be valid in the other dialect
    }
  }
  return undefined
}

/** Replaces integers beyond 2^53, which contracts refuse and on which validators disagree. */
const exact = (_: string, value: unknown) =>
  typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) ? 0.5 : value

describe("a contract from a recorded JSON Schema", needs(recordedData), () => {
  it("4.4 agrees with ajv on every tool of every catalogue whose schema is valid", () => {
    const next = random(7)
    const seen = { tools: 0, judged: 0, accepted: 0, refused: 0 }
    for (const { file, name, schema } of catalogues()) {
      const contract = ForeignContract.make(schema)
      seen.tools++
      const judge = judgeOf(schema)
      if (judge === undefined) continue
      assert.deepStrictEqual(contract.unchecked, [], `${file} ${name}`)
      seen.judged++
      for (let i = 0; i < 4; i++) {
        let value = generate(schema, schema, next)
        for (let damages = next(); damages < 0.5; damages += 0.3) value = damage(value, next)
        value = JSON.parse(JSON.stringify(value, exact))
        const verdict = Result.isSuccess(contract.decode(value))
        assert.strictEqual(verdict, judge(value), `${file} ${name}: ${JSON.stringify(value)} ${JSON.stringify(schema)}`)
        seen[verdict ? "accepted" : "refused"]++
      }
    }
    assert.isAbove(seen.tools, 2_000)
    assert.isAbove(seen.judged, 1_300)
    assert.isAbove(Math.min(seen.accepted, seen.refused), 600)
  })
})
