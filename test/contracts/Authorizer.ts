/** Tests that every layer of Authorizer must pass [4.3]. */
import { allow, Authorizer, deny } from "#services/Authorizer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { turn } from "./values.ts"

const request = { tool: "search_it", access: "read", turn } as const

/** Defines the tests. `all` allows every call; `some` denies the tool `secret_it` and the arguments `{ q: "secret" }`. */
export const authorizerContract = (
  name: string,
  layers: { readonly all: Layer.Layer<Authorizer>; readonly some: Layer.Layer<Authorizer> }
): void => {
  describe(`Authorizer (${name})`, () => {
    it.effect("4.3 `allowsAll` is true only if every decision is `allow`", () =>
      Effect.gen(function* () {
        const all = yield* Effect.provide(Authorizer, layers.all)
        assert.isTrue(all.allowsAll)
        for (const each of [request, { ...request, tool: "secret_it", turn: undefined }]) {
          assert.deepStrictEqual(yield* all.authorize(each), allow)
          assert.deepStrictEqual(yield* all.authorizeArguments(each, { q: "secret" }), allow)
        }
        assert.isFalse((yield* Effect.provide(Authorizer, layers.some)).allowsAll)
      })
    )

    it.effect("4.3 denies with a reason that the model may read, and allows the rest", () =>
      Effect.gen(function* () {
        const { authorize, authorizeArguments } = yield* Authorizer
        assert.deepStrictEqual(yield* authorize(request), allow)
        assert.deepStrictEqual(yield* authorizeArguments(request, { q: "a" }), allow)
        for (const decision of [
          yield* authorize({ ...request, tool: "secret_it" }),
          yield* authorizeArguments(request, { q: "secret" })
        ]) {
          assert.deepStrictEqual(decision, deny("Not for you."))
        }
      }).pipe(Effect.provide(layers.some))
    )

    it.effect("4.3 the same request gets the same decision", () =>
      Effect.gen(function* () {
        const { authorize } = yield* Authorizer
        const asked = [request, { ...request, tool: "secret_it" }].map((each) =>
          Effect.map(Effect.all([authorize(each), authorize(each)]), ([first, second]) =>
            assert.deepStrictEqual(first, second)
          )
        )
        yield* Effect.all(asked)
      }).pipe(Effect.provide(layers.some))
    )
  })
}
