/** Tests which records explain a live call. */
import { explain } from "#kit/explain/TracedCall"
import { assert, describe, it } from "@effect/vitest"
import { recordOf } from "../../contracts/CallLog.ts"

const victim = { tenant: "acme", principal: "ana", conversation: "c", turn: "1" }

describe("the explanation of a live call", () => {
  it("13.1, 8.3 names the earlier identical calls of its turn, and none of another tenant, principal or turn", () => {
    const record = (traceId: string, turn: object) => ({ ...recordOf("call"), ...victim, ...turn, traceId })
    const { principal: _, ...anonymous } = record("anonymous", {})
    const records = [
      record("tenant", { tenant: "evil" }),
      record("principal", { principal: "eve" }),
      anonymous,
      record("conversation", { conversation: "d" }),
      record("turn", { turn: "2" }),
      { ...record("arguments", {}), keyDigest: "another" },
      record("earlier", {}),
      record("this", {}),
      record("later", {})
    ]
    const found = explain("this", records)
    assert.deepStrictEqual(
      found?.earlier.map(({ call }) => call),
      ["earlier"]
    )
    assert.isUndefined(explain("no such trace", records))
  })
})
