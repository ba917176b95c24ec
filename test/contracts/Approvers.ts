/** Tests that every layer of Approvers must pass [10.3]. */
import type { Approver } from "#domain/approval/ApprovalRequest"
import { Approvers } from "#services/Approvers"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Redacted } from "effect"

/** The approvers of the tests. Ana has two tokens. */
const ana: Approver = { name: "ana" }
const ben: Approver = { name: "ben", tools: ["refund_order"], tenants: ["acme"] }

/** A layer that accepts the tokens of some approvers, and those tokens. */
export interface IssuedApprovers {
  readonly layer: Layer.Layer<Approvers>
  readonly tokens: ReadonlyArray<Redacted.Redacted>
}

/** Defines the tests. `issue` creates a token for each approver, and a layer that accepts exactly these tokens. */
export const approversContract = (
  name: string,
  issue: (approvers: ReadonlyArray<Approver>) => IssuedApprovers
): void => {
  describe(`Approvers (${name})`, () => {
    const { layer, tokens } = issue([ana, ben, ana])
    const verified = (token: Redacted.Redacted) =>
      Effect.flatMap(Approvers, ({ verify }) => verify(token)).pipe(Effect.provide(layer))

    it.effect("10.3 a token belongs to its approver, with the limits of its entry", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* Effect.forEach(tokens, verified), [ana, ben, ana])
      })
    )

    it.effect("10.3 all tokens differ, including two tokens of one approver", () =>
      Effect.sync(() => {
        assert.strictEqual(new Set(tokens.map(Redacted.value)).size, 3)
      })
    )

    it.effect("10.3 a text that is not exactly a token belongs to no approver", () =>
      Effect.gen(function* () {
        const token = Redacted.value(tokens[0] ?? assert.fail("no token"))
        const others = [
          "",
          " ",
          token.slice(0, -1),
          token.slice(1),
          `${token} `,
          ` ${token}`,
          `${token}a`,
          `${token}\u0000`,
          `Bearer ${token}`,
          token.toUpperCase(),
          "\u0000",
          "\ud800",
          "x".repeat(100_000)
        ]
        for (const other of others) assert.isUndefined(yield* verified(Redacted.make(other)), JSON.stringify(other))
      })
    )

    it.effect("10.3 a token of another list belongs to no approver", () =>
      Effect.gen(function* () {
        for (const token of issue([ana, ben]).tokens) assert.isUndefined(yield* verified(token))
      })
    )

    it.effect("10.3 without entries no token is accepted", () =>
      Effect.gen(function* () {
        const { verify } = yield* Approvers
        for (const token of tokens) assert.isUndefined(yield* verify(token))
      }).pipe(Effect.provide(issue([]).layer))
    )
  })
}
