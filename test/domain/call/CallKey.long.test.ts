/** Compares canonical numbers with the test data published for RFC 8785. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as CallKey from "#domain/call/CallKey"
import { data, recordedData } from "../../support/data.ts"
import { needs } from "../../support/prerequisites.ts"

describe("CallKey", needs(recordedData), () => {
  it("4.7 writes ten thousand numbers as ECMAScript does", () => {
    const view = new DataView(new ArrayBuffer(8))
    const lines = readFileSync(join(data, "specs/rfc8785/es6-numbers-10000.txt"), "utf8").trimEnd().split("\n")
    assert.strictEqual(lines.length, 10_000)
    for (const line of lines) {
      const [bits, expected] = line.split(",")
      view.setBigUint64(0, BigInt(`0x${bits}`))
      assert.strictEqual(CallKey.canonical(view.getFloat64(0)), expected, bits)
    }
  })
})
