import { Guard } from "#src/guard/Guard"
import * as CallLogMemory from "#layers/CallLogMemory"
import * as AuthorizerMemory from "#layers/AuthorizerMemory"
import * as IdempotencyKeysMemory from "#layers/IdempotencyKeysMemory"
import * as EscalationScripted from "#layers/EscalationScripted"
import { deny, allow } from "#services/Authorizer"
import { CallLog } from "#services/CallLog"
import { IdempotencyKeys, IdempotencyKeysUnavailable } from "#services/IdempotencyKeys"
import * as Verdict from "#domain/tool/Verdict"
import * as GuardedTool from "#src/tool/GuardedTool"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ask, asked, complete, response, settled, start, tool, within } from "../support.ts"

type Fixture = ReturnType<typeof tool>
const coded = (code: string) => Effect.fail(Object.assign(new Error(code), { code }))
const to = ({ tool }: Fixture) => ({ tool, arguments: ({ q }: { q: string }) => ({ q: `${q}!` }) })

/** Creates a search tool with a cache as its fallback. */
const pair = (answer: unknown, definition: object = {}, ...cached: ReadonlyArray<unknown>) => {
  const cache = tool("cache", { retry: { attempts: 1 } }, ...(cached.length === 0 ? [{ n: 9 }] : cached))
  const search = tool("search", { retry: { attempts: 1 }, fallbacks: [to(cache)], ...definition }, answer)
  return { cache, search, run: within([cache.layer, search.layer]) }
}

describe("fallback: a write", () => {
  it.effect("4.6, 4.12 that a fallback has done is not repeated by the tool itself for the same arguments", () => {
    const other = tool("close_elsewhere", { access: "write" }, { n: 9 })
    const close = tool(
      "close_ticket",
      { access: "write", fallbacks: [to(other)] },
      response(503, "", { "retry-after": "120" }),
      { n: 1 }
    )
    return Effect.gen(function* () {
      const first = yield* ask([close.tool], "close_ticket", { q: "a" })
      const second = yield* ask([close.tool], "close_ticket", { q: "a" }, { callId: "second" })
      assert.strictEqual(first.envelope.used_fallback, "close_elsewhere")
      assert.deepInclude(second.envelope, { status: "success", data: { n: 9 }, executed: false })
      assert.strictEqual(
        second.envelope.notice,
        "close_elsewhere was done before, in place of close_ticket with these arguments, in this turn. It was not done again; this is its first result."
      )
      assert.deepStrictEqual([close.runs(), other.runs()], [1, 1])
    }).pipe(within([close.layer, other.layer]))
  })
})

describe("fallback: when", () => {
  for (const [what, answer, replaced, definition] of [
    ["a permanent failure", coded("ENOENT"), true, {}],
    ["a defect", Effect.die("boom"), true, {}],
    ["an answer that violates the contract", '{"n":"x"}', true, {}],
    ["a transient failure after all attempts", coded("ECONNREFUSED"), true, { retry: { attempts: 3 } }],
    ["a timeout", Effect.never, true, {}],
    ["a mistake in the arguments", response(422, ""), false, {}],
    ["an exhausted resource", coded("ENOSPC"), false, {}],
    ["a missing authorization", response(401, ""), false, {}],
    ["garbage", { n: 1 }, false, { checks: { no: () => Verdict.garbage({ code: "no", detail: "no" }) } }],
    ["a partial result", { n: 1 }, false, { checks: { more: () => Verdict.partial({ narrow: "less" }) } }],
    ["a success", { n: 1 }, false, {}]
  ] as const) {
    it.effect(`4.12 ${what} ${replaced ? "leads" : "does not lead"} to the fallback`, () => {
      const { cache, run, search } = pair(answer, definition)
      return Effect.gen(function* () {
        const outcome = yield* complete(settled(search.tool.call({ q: "a" })))
        if (replaced) assert.deepStrictEqual(outcome, { n: 9 })
        assert.strictEqual(cache.runs(), replaced ? 1 : 0)
      }).pipe(run)
    })
  }

  it.effect("4.12 an open circuit leads to the fallback", () => {
    const { cache, run, search } = pair(coded("ECONNREFUSED"), { circuit: { minimum: 1 } })
    return Effect.gen(function* () {
      yield* settled(search.tool.call({ q: "a" }))
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "b" })), { n: 9 })
      assert.deepStrictEqual([search.runs(), cache.runs()], [1, 2])
    }).pipe(run)
  })

  for (const [what, answer, access] of [
    ["committed", '{"n":"x"}', "write"],
    ["unknown", coded("ECONNRESET"), "write"]
  ] as const) {
    it.effect(`4.12 no fallback is tried if the side effect is ${what}`, () => {
      const { cache, run, search } = pair(answer, { access })
      return Effect.gen(function* () {
        assert.strictEqual(((yield* settled(search.tool.call({ q: "a" }))) as ReadonlyArray<string>)[2], what)
        assert.strictEqual(cache.runs(), 0)
      }).pipe(run)
    })
  }

  it.effect("4.12 a write that did nothing leads to the fallback", () => {
    const { run, search } = pair(coded("ECONNREFUSED"), { access: "write" })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), { n: 9 })
    }).pipe(run)
  })

  it.effect("4.12 no fallback is tried after a denial, a pending approval, no_person or unauthorized", () => {
    const confirm = { approval: "confirm" }
    const outcomes = (definition: object, guard: any) => {
      const { cache, search } = pair({ n: 1 }, definition)
      return Effect.map(settled(search.tool.call({ q: "a" })), (outcome) => [
        (outcome as ReadonlyArray<string>)[1],
        cache.runs()
      ]).pipe(within([cache.layer, search.layer], guard))
    }
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* outcomes(confirm, Guard.layerMemoryWith(EscalationScripted.layer(["deny"]))), [
        "approval_denied",
        0
      ])
      assert.deepStrictEqual(yield* outcomes(confirm, Guard.layerMemoryWith(EscalationScripted.layer(["pending"]))), [
        "requires_human_approval",
        0
      ])
      assert.deepStrictEqual(yield* outcomes(confirm, Guard.layerMemory), ["no_person", 0])
      const rules = AuthorizerMemory.layerWith({ authorize: ({ tool }) => (tool === "search" ? deny("no") : allow) })
      assert.deepStrictEqual(yield* outcomes({}, Guard.layerMemoryWith(rules)), ["unauthorized", 0])
    })
  })
})

describe("fallback: on", () => {
  const missing = coded("ENOENT")
  const named = (on: ReadonlyArray<string>, answer: unknown, definition: object = {}) => {
    const cache = tool("cache", {}, { n: 9 })
    const fallbacks = [{ ...to(cache), on }]
    const search = tool("search", { retry: { attempts: 1 }, fallbacks, ...definition }, answer)
    return { cache, search, run: within([cache.layer, search.layer]) }
  }

  for (const [what, on, answer, replaced, definition] of [
    ["not_found runs after not_found", ["not_found"], missing, true, {}],
    ["not_found does not run after another permanent failure", ["not_found"], response(405, ""), false, {}],
    ["not_found does not run after a transient failure", ["not_found"], coded("ECONNREFUSED"), false, {}],
    ["two codes runs after the second", ["timeout", "not_found"], missing, true, {}],
    ["unknown_reference does not run after not_found", ["unknown_reference"], missing, false, {}],
    ["a code of wrong arguments runs after it", ["invalid_request"], response(422, ""), true, {}],
    ["a code of an exhausted resource runs after it", ["disk_full"], coded("ENOSPC"), true, {}],
    [
      "the code of a check runs after it",
      ["no_rows"],
      { n: 1 },
      true,
      { checks: { no: () => Verdict.garbage({ code: "no_rows", detail: "no" }) } }
    ]
  ] as const) {
    it.effect(`4.12 a fallback that names ${what}`, () => {
      const { cache, run, search } = named(on, answer, definition)
      return Effect.gen(function* () {
        const { envelope, outcome } = yield* complete(ask([search.tool], "search", '{"q":"a"}'))
        assert.deepStrictEqual([envelope.used_fallback, cache.runs()], replaced ? ["cache", 1] : [undefined, 0])
        if (!replaced) assert.notProperty(outcome, "tried")
      }).pipe(run)
    })
  }

  for (const [what, on, replaced] of [
    ["permission_denied is named, so the fallback answers", ["not_found", "permission_denied"], true],
    ["permission_denied is not named, so the fallback does not run", ["not_found"], false],
    ["no code is named, so the fallback does not run", undefined, false]
  ] as const) {
    it.effect(`4.12 a file that the arguments name is not permitted, and ${what}`, () => {
      const path = "/srv/private.txt"
      const denied = Object.assign(new Error(`EACCES: permission denied, open '${path}'`), { code: "EACCES", path })
      const cache = tool("cache", {}, { n: 9 })
      const fallbacks = [{ ...to(cache), ...(on === undefined ? {} : { on }) }]
      const search = tool("search", { fallbacks }, Effect.fail(denied))
      return Effect.gen(function* () {
        const { envelope } = yield* complete(ask([search.tool], "search", JSON.stringify({ q: path })))
        assert.deepStrictEqual([envelope.used_fallback, cache.runs()], replaced ? ["cache", 1] : [undefined, 0])
        if (!replaced) assert.deepInclude(envelope.error, { code: "permission_denied", next_step: "ask_user" })
      }).pipe(within([cache.layer, search.layer]))
    })
  }

  it.effect("4.12 a file that the arguments name is missing, and a fallback that names not_found answers", () => {
    const path = "/srv/orders.csv"
    const absent = Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), {
      code: "ENOENT",
      path
    })
    const { cache, run, search } = named(["not_found", "permission_denied"], Effect.fail(absent))
    const other = tool("other", {}, Effect.fail(absent))
    return Effect.gen(function* () {
      const plain = yield* ask([other.tool], "other", JSON.stringify({ q: path }))
      assert.strictEqual(plain.envelope.error.code, "unknown_reference")
      const { envelope } = yield* ask([search.tool], "search", JSON.stringify({ q: path }))
      assert.deepStrictEqual([envelope.used_fallback, cache.runs()], ["cache", 1])
    }).pipe(Effect.provide(other.layer), run)
  })

  it.effect("4.12 a fallback that names a code does not run after a side effect with that code", () => {
    const { cache, run, search } = named(["unavailable"], response(503, ""), { access: "write" })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), [
        "HumanReview",
        "outcome_unknown",
        "unknown"
      ])
      assert.strictEqual(cache.runs(), 0)
    }).pipe(run)
  })

  it.effect("4.12 a fallback that names codes does not run after a denial of a person", () => {
    const { cache, search } = named(["not_found"], { n: 1 }, { approval: "confirm" })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), ["HumanReview", "approval_denied", "none"])
      assert.strictEqual(cache.runs(), 0)
    }).pipe(within([cache.layer, search.layer], Guard.layerMemoryWith(EscalationScripted.layer(["deny"]))))
  })

  it.effect("4.12 of several fallbacks only those that apply to the failure are tried, and named", () => {
    const one = tool("one", {}, { n: 1 })
    const two = tool("two", {}, missing)
    const search = tool("search", { fallbacks: [{ ...to(one), on: ["timeout"] }, to(two)] }, missing)
    return Effect.gen(function* () {
      const { outcome } = yield* ask([search.tool], "search", '{"q":"a"}')
      assert.deepStrictEqual(outcome._tag === "Failure" && outcome.tried, ["two"])
      assert.deepStrictEqual([one.runs(), two.runs()], [0, 1])
    }).pipe(within([one.layer, two.layer, search.layer]))
  })

  it.effect("4.12 a fallback that is piped to a tool runs only after the codes that it names", () => {
    const cache = tool("cache", {}, { n: 9 })
    const search = tool("search", { retry: { attempts: 1 } }, missing, coded("ECONNREFUSED"))
    const piped = (GuardedTool.fallback as any)(cache.tool, () => ({ q: "x" }), { on: ["not_found"] })(search.tool)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(piped.call({ q: "a" })), { n: 9 })
      assert.deepStrictEqual(yield* settled(piped.call({ q: "b" })), ["Transient", "connection_failed", "none"])
    }).pipe(within([cache.layer, search.layer]))
  })

  for (const [what, on, definition, expected] of [
    ["a misspelt code", ["not_fond"], {}, 'names "not_fond", which is not a code; did you mean "not_found"?'],
    ["an unknown code", ["xyz"], {}, 'names "xyz", which is not a code; docs/failures.md lists the codes.'],
    [
      "a code after which no fallback runs",
      ["unauthorized"],
      {},
      'names "unauthorized", but no fallback runs after that code, because access was denied. Remove the code.'
    ],
    [
      "a misspelt code of a tool with checks",
      ["not_fond"],
      { checks: { whole: () => Verdict.ok } },
      'names "not_fond", which is not a code; did you mean "not_found"?'
    ],
    ["no code", [], {}, "is empty, so the fallback would never run; name codes, or remove `on`."],
    ["a text", "not_found", {}, 'is not a list; write `on: ["not_found"]`.'],
    ["a number", [404], {}, 'has 404, which is not a code; write `on: ["not_found"]`.']
  ] as const) {
    it(`4.12 a fallback that names ${what} is refused when the tool is defined`, () => {
      assert.throws(
        () => named(on as never, { n: 1 }, definition),
        RangeError,
        `search: \`on\` of the fallback cache ${expected}`
      )
    })
  }

  it("4.12 a fallback with a higher access than its tool is refused when the tool is defined", () => {
    const shell = tool("run_shell", { access: "write" }, { n: 1 })
    assert.throws(
      () => tool("read_file", { fallbacks: [{ ...to(shell), on: ["not_found"] }] }),
      RangeError,
      "read_file: a fallback's access must not be higher than its tool's; name a tool with at most that access."
    )
  })
})

describe("fallback: how", () => {
  it.effect("4.12 the fallback receives mapped arguments, and the envelope names the fallback", () => {
    const { cache, run, search } = pair(coded("ENOENT"))
    return Effect.gen(function* () {
      const { envelope } = yield* ask([search.tool], "search", '{"q":"a"}')
      assert.deepStrictEqual(envelope, { status: "success", data: { n: 9 }, used_fallback: "cache" })
      assert.deepStrictEqual(cache.calls[0]?.args, { q: "a!" })
    }).pipe(run)
  })

  it.effect("4.12, 5.1 a partial result of a fallback names the fallback", () => {
    const cache = tool("cache", { checks: { more: () => ({ _tag: "Partial", next: { q: "b" } }) } }, { n: 9 })
    const search = tool("search", { fallbacks: [to(cache)] }, coded("ENOENT"))
    return Effect.gen(function* () {
      const { envelope } = yield* ask([search.tool], "search", '{"q":"a"}')
      assert.deepStrictEqual(Object.keys(envelope), ["status", "data", "error", "used_fallback"])
      assert.deepStrictEqual(
        [envelope.status, envelope.data, envelope.error.next, envelope.used_fallback],
        ["partial", { n: 9 }, { q: "b" }, "cache"]
      )
    }).pipe(within([cache.layer, search.layer]))
  })

  it.effect("4.12 fallbacks are tried in order, until one answers", () => {
    const one = tool("one", {}, coded("ENOENT"))
    const two = tool("two", {}, { n: 2 })
    const three = tool("three", {}, { n: 3 })
    const search = tool("search", { fallbacks: [to(one), to(two), to(three)] }, coded("ENOENT"))
    return Effect.gen(function* () {
      const { envelope } = yield* ask([search.tool], "search", '{"q":"a"}')
      assert.strictEqual(envelope.used_fallback, "two")
      assert.deepStrictEqual([one.runs(), two.runs(), three.runs()], [1, 1, 0])
    }).pipe(within([one.layer, two.layer, three.layer, search.layer]))
  })

  it.effect("4.12 if all fallbacks fail, the tool's own failure is returned and names them", () => {
    const one = tool("one", {}, coded("ENOENT"))
    const two = tool("two", {}, '{"n":"x"}')
    const search = tool(
      "search",
      { fallbacks: [to(one), to(two)] },
      Effect.fail(Object.assign(new Error("no index"), { code: "ENOENT" }))
    )
    return Effect.gen(function* () {
      const { envelope, outcome } = yield* ask([search.tool], "search", '{"q":"a"}')
      assert.deepStrictEqual(outcome._tag === "Failure" && outcome.tried, ["one", "two"])
      assert.include(envelope.error.message, "no index")
      assert.include(envelope.error.message, "one, two")
    }).pipe(within([one.layer, two.layer, search.layer]))
  })

  it.effect("4.12 recall and records treat each fallback as a separate tool", () => {
    const { cache, search } = pair(coded("ENOENT"), {}, '{"n":"x"}')
    return Effect.gen(function* () {
      for (const q of ["a", "a"]) yield* asked(search.tool, { q })
      assert.deepStrictEqual([search.runs(), cache.runs()], [1, 1])
      const records = yield* (yield* CallLog).records
      assert.deepStrictEqual(
        records.map(({ attempts, tool }) => [tool, attempts.length]),
        [
          ["cache", 1],
          ["search", 1],
          ["cache", 0],
          ["search", 0]
        ]
      )
    }).pipe(within([cache.layer, search.layer], Guard.layerMemoryWith(CallLogMemory.layer)))
  })

  it.effect("4.12 a fallback is approved separately, and a person's denial ends the call", () => {
    const risky = tool("risky", { access: "write", approval: "confirm" }, { n: 9 })
    const last = tool("last", { access: "write" }, { n: 1 })
    const search = tool("search", { access: "write", fallbacks: [to(risky), to(last)] }, response(405, ""))
    const outcome = (script: ReadonlyArray<EscalationScripted.ScriptedAnswer>) =>
      Effect.map(settled(search.tool.call({ q: "a" })), (it) => (Array.isArray(it) ? it[1] : it)).pipe(
        within([risky.layer, last.layer, search.layer], Guard.layerMemoryWith(EscalationScripted.layer(script)))
      )
    return Effect.gen(function* () {
      assert.strictEqual(yield* outcome(["deny"]), "approval_denied")
      assert.strictEqual(yield* outcome(["pending"]), "requires_human_approval")
      assert.deepStrictEqual([risky.runs(), last.runs()], [0, 0])
      assert.deepStrictEqual(yield* outcome(["approve"]), { n: 9 })
      // if no person can be reached, the next fallback is tried
      assert.deepStrictEqual(yield* outcome([]), { n: 1 })
    })
  })

  for (const [what, answer, expected] of [
    ["may have been done", coded("ECONNRESET"), ["HumanReview", "outcome_unknown", "unknown"]],
    ["was done", '{"n":"x"}', ["SchemaMismatch", "done_unreadable", "committed"]]
  ] as const) {
    it.effect(`4.12 no other fallback is tried after a fallback that ${what}`, () => {
      const first = tool("first", { access: "write" }, answer)
      const second = tool("second", { access: "write" }, { n: 2 })
      const search = tool("search", { access: "write", fallbacks: [to(first), to(second)] }, response(405, ""))
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), expected)
        assert.strictEqual(second.runs(), 0)
      }).pipe(within([first.layer, second.layer, search.layer]))
    })
  }

  it.effect("4.12 a partial result of a fallback is an answer, and names the tool that continues it", () => {
    const cache = tool("cache", { checks: { more: () => Verdict.partial({ next: { q: "2" } }) } }, { n: 9 })
    const search = tool("search", { fallbacks: [to(cache)] }, coded("ENOENT"))
    return Effect.gen(function* () {
      const failure = yield* Effect.flip(search.tool.call({ q: "a" }))
      assert.deepStrictEqual([failure._tag, failure.tool, failure.next], ["PartialData", "cache", { q: "2" }])
    }).pipe(within([cache.layer, search.layer]))
  })

  it.effect("4.12 a fallback that fails is answered by its own fallback", () => {
    const last = tool("last", {}, { n: 3 })
    const middle = tool("middle", { fallbacks: [to(last)] }, coded("ENOENT"))
    const search = tool("search", { fallbacks: [to(middle)] }, coded("ENOENT"))
    return Effect.gen(function* () {
      const { envelope } = yield* ask([search.tool], "search", '{"q":"a"}')
      assert.deepStrictEqual([envelope.data, envelope.used_fallback], [{ n: 3 }, "last"])
      assert.deepStrictEqual(last.calls[0]?.args, { q: "a!!" })
    }).pipe(within([last.layer, middle.layer, search.layer]))
  })

  it.effect("4.12 a fallback whose mapping throws or returns invalid arguments counts as failed", () => {
    const one = tool("one", {}, { n: 1 })
    const two = tool("two", {}, { n: 2 })
    const three = tool("three", {}, { n: 3 })
    const search = tool(
      "search",
      {
        fallbacks: [
          {
            tool: one.tool,
            arguments: () => {
              throw new Error("boom")
            }
          },
          { tool: two.tool, arguments: () => ({ wrong: 1 }) },
          to(three)
        ]
      },
      coded("ENOENT")
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), { n: 3 })
      assert.deepStrictEqual([one.runs(), two.runs()], [0, 0])
    }).pipe(within([one.layer, two.layer, three.layer, search.layer]))
  })

  it.effect("4.12, 11.1 the attempts of all fallbacks count as attempts of the call", () => {
    const refused = coded("ECONNREFUSED")
    const last = tool("last", { retry: { attempts: 1 } }, { n: 3 })
    const middle = tool("middle", { retry: { attempts: 2, jitter: "none" }, fallbacks: [to(last)] }, refused)
    const search = tool("search", { retry: { attempts: 3, jitter: "none" }, fallbacks: [to(middle)] }, refused)
    return Effect.gen(function* () {
      const { attempts, envelope } = yield* complete(ask([search.tool], "search", '{"q":"a"}'))
      assert.deepStrictEqual([search.runs(), middle.runs(), last.runs()], [3, 2, 1])
      assert.deepStrictEqual([envelope.status, attempts], ["success", 6])
    }).pipe(within([last.layer, middle.layer, search.layer]))
  })

  it.effect("4.12 the mapping sees decoded arguments", () => {
    const at: Array<unknown> = []
    const cache = tool("cache", {}, { n: 1 })
    const search = tool(
      "search",
      {
        parameters: Schema.Struct({
          at: Schema.Int.annotate({ default: 7 }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(7)))
        }),
        fallbacks: [{ tool: cache.tool, arguments: (args: unknown) => (at.push(args), { q: "x" }) }]
      },
      coded("ENOENT")
    )
    return Effect.gen(function* () {
      yield* search.tool.call({})
      assert.deepStrictEqual(at, [{ at: 7 }])
    }).pipe(within([cache.layer, search.layer]))
  })

  it.effect("4.12 the program receives the fallback's value", () => {
    const { run, search } = pair(coded("ENOENT"))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* search.tool.call({ q: "a" }), { n: 9 })
    }).pipe(run)
  })
})

describe("fallback: in a resumed run", () => {
  const refused = response(405, "")
  /** Creates a tool that sends a mail, with a fallback that sends a text message. */
  const pair = (mails: ReadonlyArray<unknown>, texts: ReadonlyArray<unknown>) => {
    const text = tool("send_text", { access: "write" }, ...texts)
    const mail = tool("send_mail", { access: "write", fallbacks: [to(text)], circuit: false, budget: 9 }, ...mails)
    const call = (journal: "new" | "resumed") => ask([mail.tool], "send_mail", { q: "a" }, { journal })
    return { mail, text, call, run: within([mail.layer, text.layer]) }
  }

  for (const [what, mails] of [
    ["is not repeated", [refused]],
    ["is not repeated by the tool itself, even if the tool would succeed", [refused, { n: 1 }]]
  ] as const) {
    it.effect(`8.4 a fallback that was started ${what}`, () => {
      const { call, run, text } = pair(mails, [Effect.never])
      return Effect.gen(function* () {
        const dying = yield* start(call("new"))
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(dying)
        const { envelope } = yield* call("resumed")
        assert.deepStrictEqual([envelope.error?.code, envelope.error?.side_effect], ["outcome_unknown", "unknown"])
        assert.strictEqual(text.runs(), 1)
      }).pipe(run)
    })
  }

  it.effect("8.4 the result of a completed fallback is returned again", () => {
    const { call, mail, run, text } = pair([refused, { n: 1 }], [{ n: 9 }])
    return Effect.gen(function* () {
      yield* call("new")
      const { envelope } = yield* call("resumed")
      assert.deepStrictEqual([envelope.data, mail.runs(), text.runs()], [{ n: 9 }, 1, 1])
    }).pipe(run)
  })

  it.effect("8.4 no call is made if the store cannot say whether a fallback was started", () => {
    const { call, mail, text } = pair([{ n: 1 }], [{ n: 9 }])
    let asked = 0
    const away = Effect.fail(new IdempotencyKeysUnavailable({ cause: new Error("away") }))
    const keys = Layer.effect(
      IdempotencyKeys,
      Effect.map(IdempotencyKeys, (keys) => ({
        ...keys,
        find: (claim) => Effect.suspend(() => ((asked += 1) === 1 ? away : keys.find(claim)))
      }))
    ).pipe(Layer.provide(IdempotencyKeysMemory.layer))
    return Effect.gen(function* () {
      const { envelope } = yield* call("resumed")
      assert.deepStrictEqual([envelope.error?.code, mail.runs(), text.runs()], ["outcome_unknown", 0, 0])
    }).pipe(within([mail.layer, text.layer], Guard.layerMemoryWith(keys)))
  })

  it.effect("8.4 the tool itself is called first if no fallback was started", () => {
    const { call, mail, run, text } = pair([{ n: 1 }], [{ n: 9 }])
    return Effect.gen(function* () {
      const { envelope } = yield* call("resumed")
      assert.deepStrictEqual([envelope.data, mail.runs(), text.runs()], [{ n: 1 }, 1, 0])
    }).pipe(run)
  })
})
