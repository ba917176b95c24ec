import * as AuthorizerMemory from "#layers/AuthorizerMemory"
import * as Pipeline from "#pipeline/Pipeline"
import { type AccessRequest, allow, Authorizer, deny } from "#services/Authorizer"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { ask, brief, failureOf, outside, settled, tool, turn, within } from "../support.ts"

const guarded = (rules: AuthorizerMemory.Rules) => Guard.layerMemoryWith(AuthorizerMemory.layerWith(rules))

const denied = ["Permanent", "unauthorized", "none"]

describe("authorize", () => {
  it.effect("4.3 a call is allowed by default, even if it is destructive", () => {
    const fixture = tool("purge_it", { access: "destructive", approval: "auto" }, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ q: "a" })), { n: 1 })
    }).pipe(within([fixture.layer]))
  })

  it.effect("4.3 a rule sees tool, access and principal", () => {
    const requests: Array<unknown> = []
    const fixture = tool("write_it", { access: "write" }, { n: 1 })
    const note = (request: AccessRequest, ...more: ReadonlyArray<unknown>) => {
      requests.push([request, ...more])
      return allow
    }
    const principal = { ...turn, principal: "ada" }
    return Effect.gen(function* () {
      yield* fixture.tool.call({ q: "a" })
      const request = { tool: "write_it", access: "write", turn: principal }
      assert.deepStrictEqual(requests, [[request], [request, { q: "a" }]])
    }).pipe(within([fixture.layer], guarded({ authorize: note, authorizeArguments: note }), principal))
  })

  it.effect("4.3 outside a turn a rule sees no principal", () => {
    const requests: Array<AccessRequest> = []
    const fixture = tool("search_it", {}, { n: 1 })
    return Effect.gen(function* () {
      yield* fixture.tool.call({ q: "a" })
      assert.deepStrictEqual(requests, [{ tool: "search_it", access: "read", turn: undefined }])
    }).pipe(
      outside(
        [fixture.layer],
        guarded({
          authorize: (request) => {
            requests.push(request)
            return allow
          }
        })
      )
    )
  })

  it.effect("4.3 an unauthorized caller learns nothing from decoding errors", () => {
    const fixture = tool("search_it", {}, { n: 1 })
    return Effect.gen(function* () {
      for (const args of ['{"q":7}', '{"nothing":"a"}', '{"q":"a"}']) {
        const { decisions, envelope } = yield* ask([fixture.tool], "search_it", args)
        assert.deepStrictEqual(
          [envelope.error.error_class, envelope.error.code, envelope.error.message, envelope.error.fields],
          ["permanent", "unauthorized", "Not for guests.", undefined]
        )
        assert.deepStrictEqual(decisions, [{ stage: "authorize", decision: "denied", reason: "Not for guests." }])
      }
      assert.strictEqual(fixture.runs(), 0)
    }).pipe(within([fixture.layer], guarded({ authorize: () => deny("Not for guests.") })))
  })

  it.effect("4.3 rules see decoded arguments with their defaults", () => {
    const seen: Array<unknown> = []
    const parameters = Schema.Struct({
      q: Schema.String,
      limit: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(500))).annotate({ default: 500 })
    })
    const fixture = tool("search_it", { parameters }, { n: 1 })
    const guard = guarded({
      authorizeArguments: (_, args) => {
        seen.push(args)
        return (args as { readonly limit: number }).limit > 100 ? deny("At most 100 rows.") : allow
      }
    })
    return Effect.gen(function* () {
      const { decisions, envelope } = yield* ask([fixture.tool], "search_it", '{"q":"a"}')
      assert.deepStrictEqual([envelope.error.code, envelope.error.message], ["unauthorized", "At most 100 rows."])
      assert.deepStrictEqual(
        decisions.map(({ stage }) => stage),
        ["authorizeArguments"]
      )
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ q: "a", limit: 10 })), { n: 1 })
      assert.deepStrictEqual(seen, [
        { q: "a", limit: 500 },
        { q: "a", limit: 10 }
      ])
      assert.strictEqual(fixture.runs(), 1)
    }).pipe(within([fixture.layer], guard))
  })

  it.effect("4.3 arguments that do not decode are not shown to a rule", () => {
    let requests = 0
    const fixture = tool("search_it", {}, { n: 1 })
    const guard = guarded({
      authorizeArguments: () => {
        requests += 1
        return allow
      }
    })
    return Effect.gen(function* () {
      const { envelope } = yield* ask([fixture.tool], "search_it", '{"q":7}')
      assert.deepStrictEqual([envelope.error.code, requests], ["invalid_arguments", 0])
    }).pipe(within([fixture.layer], guard))
  })

  for (const rule of ["authorize", "authorizeArguments"] as const) {
    it.effect(`4.3 a denial by ${rule} is neither retried nor sent to a fallback`, () => {
      const requests: Array<string> = []
      const other = tool("search_cache", {}, { n: 2 })
      const fixture = tool(
        "search_it",
        { fallbacks: [{ tool: other.tool, arguments: (args: unknown) => args }], retry: { attempts: 3 } },
        { n: 1 }
      )
      const guard = guarded({
        [rule]: ({ tool }: AccessRequest) => {
          requests.push(tool)
          return deny("No.")
        }
      })
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* settled(fixture.tool.call({ q: "a" })), denied)
        assert.deepStrictEqual([requests, fixture.runs(), other.runs()], [["search_it"], 0, 0])
      }).pipe(within([fixture.layer, other.layer], guard))
    })

    it.effect(`4.3 a denial by ${rule} is not remembered, because access may be granted later`, () => {
      let isAllowed = false
      const fixture = tool("search_it", {}, { n: 1 })
      const guard = guarded({ [rule]: () => (isAllowed ? allow : deny("Not yet.")) })
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* settled(fixture.tool.call({ q: "a" })), denied)
        isAllowed = true
        assert.deepStrictEqual(yield* settled(fixture.tool.call({ q: "a" })), { n: 1 })
      }).pipe(within([fixture.layer], guard))
    })

    it.effect(`4.3 a rule of ${rule} that throws allows nothing, and its error is not shown`, () => {
      const fixture = tool("search_it", {}, { n: 1 })
      const guard = guarded({
        [rule]: () => {
          throw new Error("ldap://internal refused the bind")
        }
      })
      return Effect.gen(function* () {
        const failure = yield* failureOf(fixture.tool.call({ q: "a" }))
        assert.deepStrictEqual([brief(failure), failure.detail], [denied, "Access could not be checked."])
        assert.strictEqual(fixture.runs(), 0)
      }).pipe(within([fixture.layer], guard))
    })
  }

  for (const [what, broken] of [
    [
      "throws before it returns an Effect",
      () => {
        throw new Error("no connection")
      }
    ],
    ["dies", () => Effect.die(new Error("no connection"))],
    ["interrupts itself", () => Effect.interrupt]
  ] as const) {
    it.effect(`4.3 a service that ${what} allows nothing`, () => {
      const fixture = tool("search_it", {}, { n: 1 })
      const guard = (service: Partial<Authorizer["Service"]>) =>
        Guard.layerMemoryWith(
          Layer.succeed(Authorizer, {
            allowsAll: false,
            authorize: () => Effect.succeed(allow),
            authorizeArguments: () => Effect.succeed(allow),
            ...service
          })
        )
      return Effect.gen(function* () {
        for (const service of [{ authorize: broken }, { authorizeArguments: broken }]) {
          assert.deepStrictEqual(
            yield* settled(fixture.tool.call({ q: "a" })).pipe(within([fixture.layer], guard(service))),
            denied
          )
        }
        assert.strictEqual(fixture.runs(), 0)
      })
    })
  }

  it.effect("4.3 a fallback tool is authorized separately", () => {
    const other = tool("search_archive", {}, { n: 2 })
    const fixture = tool(
      "search_it",
      { fallbacks: [{ tool: other.tool, arguments: (args: unknown) => args }] },
      Effect.die(new Error("crashed"))
    )
    const requests: Array<string> = []
    const guard = guarded({
      authorize: ({ tool }) => {
        requests.push(tool)
        return tool === "search_archive" ? deny("No archive.") : allow
      }
    })
    return Effect.gen(function* () {
      assert.deepStrictEqual(brief(yield* failureOf(fixture.tool.call({ q: "a" }))), [
        "Permanent",
        "tool_crashed",
        "none"
      ])
      assert.deepStrictEqual([requests, fixture.runs(), other.runs()], [["search_it", "search_archive"], 1, 0])
    }).pipe(within([fixture.layer, other.layer], guard))
  })

  it.effect("4.16 a pipeline without the stage does not use the rules", () => {
    const fixture = tool("search_it", {}, { n: 1 })
    const stages = Pipeline.remove("authorizeArguments")(Pipeline.remove("authorize")(Pipeline.stages))
    const guard = Guard.layerOf(stages).pipe(
      Layer.provide(AuthorizerMemory.layerWith({ authorize: () => deny("No.") })),
      Layer.provide(Guard.memory)
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ q: "a" })), { n: 1 })
    }).pipe(within([fixture.layer], guard))
  })
})
