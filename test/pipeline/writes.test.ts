import * as Failure from "#domain/failure/Failure"
import { Guard } from "#src/guard/Guard"
import * as CallLogMemory from "#layers/CallLogMemory"
import { CallLog } from "#services/CallLog"
import { ClassificationRules } from "#services/Policies"
import * as Recognisers from "#src/checks/Recognisers"
import * as Verdict from "#domain/tool/Verdict"
import * as GuardedTool from "#src/tool/GuardedTool"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Fiber, Option, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import {
  ask,
  asked,
  brokenBody,
  complete,
  define,
  failureOf,
  handled,
  poll,
  response,
  settled,
  start,
  tool,
  within
} from "./support.ts"

const unknown = ["HumanReview", "outcome_unknown", "unknown"]
const committed = ["SchemaMismatch", "done_unreadable", "committed"]
const noResult = ["SchemaMismatch", "done_without_result", "committed"]
const failing = (statement: (error: Error) => Error) =>
  Effect.fail(statement(new Error("The ticket is already closed")))
const rejecting = (reason: unknown) => Effect.tryPromise(() => Promise.reject(reason))
const coded = (code: string, message = code) => Effect.fail(Object.assign(new Error(message), { code }))

const refused = failing(GuardedTool.nothingDone)
const afterwards = <A, E>(effect: Effect.Effect<A, E>) => Effect.andThen(Effect.sleep("1 second"), effect)
const together = (...parts: ReadonlyArray<Effect.Effect<unknown, unknown>>) =>
  Effect.all(parts, { concurrency: "unbounded" })

const rows: ReadonlyArray<readonly [what: string, answer: unknown, outcome: unknown]> = [
  ["a value", { n: 1 }, { n: 1 }],
  ["2xx with a body that conforms to the contract", response(201, '{"n":1}'), { n: 1 }],
  ["a value that violates the contract", { n: "one" }, committed],
  ["2xx with JSON that violates only the contract", response(200, '{"n":"one"}'), committed],
  ["JSON text that violates only the contract", '{"m":1}', committed],
  ["no answer in time", Effect.never, unknown],
  ["a crash", Effect.die(new Error("boom")), unknown],
  ["an unknown error", Effect.fail(new Error("hm")), ["Permanent", "tool_failed", "unknown"]],
  [
    "an error whose name looks like a refusal",
    Effect.fail({ _tag: "CustomerNotFound" }),
    ["Permanent", "not_found", "unknown"]
  ],
  ["a unique violation", coded("23505"), ["ToolArgError", "conflicting_value", "unknown"]],
  ["nothingDone around an error", failing(GuardedTool.nothingDone), ["Permanent", "wrong_state", "none"]],
  ["done around an error", failing(GuardedTool.done), ["Permanent", "wrong_state", "committed"]],
  ["unknown around an error", failing(GuardedTool.unknown), ["Permanent", "wrong_state", "unknown"]],
  [
    "nothingDone two causes deep",
    Effect.fail(new Error("x", { cause: new Error("y", { cause: GuardedTool.nothingDone("z") }) })),
    ["Permanent", "tool_failed", "none"]
  ],
  ["nothingDone in a defect", Effect.die(GuardedTool.nothingDone("z")), ["Permanent", "tool_crashed", "none"]],
  ["a status in a defect", Effect.die({ status: 409 }), unknown],
  ["a status that a promise rejects with", rejecting({ status: 409 }), ["ToolArgError", "conflicting_value", "none"]],
  ["a text that a promise rejects with", rejecting("409 Conflict"), ["ToolArgError", "conflicting_value", "unknown"]],
  ["an interruption from within", Effect.interrupt, unknown],
  ["nothingDone, then a crash of a finalizer", Effect.ensuring(refused, Effect.die(new Error("boom"))), unknown],
  ["nothingDone, then an interruption in a finalizer", Effect.ensuring(refused, Effect.interrupt), unknown],
  [
    "nothingDone alongside a part that could not be interrupted and crashed",
    together(afterwards(refused), Effect.uninterruptible(afterwards(Effect.die(new Error("boom"))))),
    unknown
  ],
  [
    "nothingDone alongside a part that could not be interrupted and lost its connection",
    together(afterwards(refused), Effect.uninterruptible(afterwards(coded("ECONNRESET")))),
    unknown
  ],
  [
    "nothingDone alongside a part that could not be interrupted and was done",
    together(afterwards(refused), Effect.uninterruptible(afterwards(failing(GuardedTool.done)))),
    ["Permanent", "wrong_state", "committed"]
  ],
  [
    "nothingDone in each of two parts",
    together(afterwards(refused), Effect.uninterruptible(afterwards(refused))),
    ["Permanent", "wrong_state", "none"]
  ],
  [
    "a 404 and an error without evidence, combined after both have ended",
    Effect.fail(new AggregateError([{ status: 404 }, new Error("hm")], "Two parts failed.")),
    ["Permanent", "not_found", "unknown"]
  ],
  [
    "a crash around nothingDone, and a crash of a finalizer",
    Effect.ensuring(Effect.die(GuardedTool.nothingDone("z")), Effect.die(new Error("boom"))),
    unknown
  ],
  [
    "a failure of another guarded tool that did nothing, as a defect",
    Effect.die(
      Failure.make("Permanent", "wrong_state", { tool: "other", detail: "x", sideEffect: "none", traceId: "t" })
    ),
    unknown
  ],
  ["a lost connection", coded("ECONNRESET"), unknown],
  ["a broken pipe", coded("EPIPE"), unknown],
  ["an answer cut by the transport", response(200, brokenBody('{"n":')), unknown],
  ["an answer that breaks before its first byte", response(200, brokenBody("")), unknown],
  ["an empty answer", response(200, ""), noResult],
  ["an empty answer with 201", response(201, " "), noResult],
  ["an empty answer with 204", response(204), noResult],
  ["an empty text", "", noResult],
  ["an empty answer with 202", response(202), ["SchemaMismatch", "invalid_result_json", "unknown"]],
  [
    "202 with JSON that violates only the contract",
    response(202, '{"n":"one"}'),
    ["SchemaMismatch", "invalid_result", "unknown"]
  ],
  ["202 with a body that conforms to the contract", response(202, '{"n":1}'), { n: 1 }],
  [
    "200 with a stated failure",
    response(200, '{"ok":false,"error":"channel_not_found"}'),
    ["Permanent", "not_found", "unknown"]
  ],
  [
    "200 with errors of GraphQL",
    response(200, '{"errors":[{"message":"Field \\"n\\" is missing"}]}'),
    ["ToolArgError", "invalid_arguments", "unknown"]
  ],
  ["200 that only says that it failed", response(200, '{"ok":false}'), ["Permanent", "tool_failed", "unknown"]],
  [
    "200 with a stated error of the upstream",
    response(200, '{"error":"db down"}'),
    ["Permanent", "tool_failed", "unknown"]
  ],
  [
    "200 with an inner isError",
    response(200, '{"isError":true,"content":[{"type":"text","text":"no"}]}'),
    ["Permanent", "tool_failed", "unknown"]
  ],
  ["a ticket about an error", response(200, '{"id":7,"body":"Error: connection refused","url":"x"}'), committed],
  ["a message about an error", response(200, '{"ok":true,"ts":"1","text":"Error: build failed on main"}'), committed],
  [
    "a text with a stated failure",
    '{"success":false,"message":"card declined"}',
    ["Permanent", "wrong_state", "unknown"]
  ],
  [
    "an HTML page",
    response(200, "<!doctype html><html><body>ok</body></html>"),
    ["SchemaMismatch", "unexpected_content", "unknown"]
  ],
  ["an answer that is not JSON", response(200, "done"), ["SchemaMismatch", "invalid_result_json", "unknown"]],
  ["an answer with truncated JSON", response(200, '{"n":'), ["SchemaMismatch", "truncated_response", "committed"]],
  ["JSON that is too deep", response(200, "[".repeat(300) + "]".repeat(300)), committed],
  [
    "an answer that is too large",
    Stream.forever(Stream.succeed(new Uint8Array(1_000_000))),
    ["Permanent", "response_too_large", "unknown"]
  ],
  ["408", response(408, "slow"), unknown],
  ["500", response(500, "oops"), unknown],
  ["502", response(502, "bad gateway"), unknown],
  ["503 without Retry-After", response(503, "down"), unknown],
  ["503 with Retry-After", response(503, "down", { "retry-after": "120" }), ["Transient", "unavailable", "none"]],
  ["503 with an invalid Retry-After", response(503, "down", { "retry-after": "soon" }), unknown],
  ["503 with a negative Retry-After", response(503, "down", { "retry-after": "-1" }), unknown],
  ["503 with an empty Retry-After", response(503, "down", { "retry-after": "" }), unknown],
  ["504", response(504, ""), unknown],
  ["400", response(400, '{"message":"bad"}'), ["ToolArgError", "invalid_request", "none"]],
  ["401", response(401, ""), ["Permanent", "unauthorized", "none"]],
  ["409", response(409, ""), "none"],
  ["422", response(422, ""), ["ToolArgError", "invalid_request", "none"]],
  ["429", response(429, "", { "retry-after": "120" }), ["Transient", "rate_limited", "none"]],
  ["a refused connection", coded("ECONNREFUSED"), ["Transient", "connection_failed", "none"]],
  ["an unknown host", coded("ENOTFOUND", "getaddrinfo ENOTFOUND upstream.example"), "none"]
]

describe("writes: side effects of failures", () => {
  for (const [what, answer, expected] of rows) {
    it.effect(`3.3 ${what}`, () => {
      const write = tool("write_it", { access: "write" }, answer)
      return Effect.gen(function* () {
        const outcome = yield* complete(settled(write.tool.call({ q: "a" })))
        if (expected === "none") assert.deepStrictEqual((outcome as ReadonlyArray<string>)[2], "none")
        else assert.deepStrictEqual(outcome, expected)
        // only an attempt that did nothing is repeated [2.9]
        if ((outcome as ReadonlyArray<string>)[2] !== "none") assert.strictEqual(write.runs(), 1)
      }).pipe(within([write.layer]))
    })
  }

  it.effect("3.3 an empty answer is a value if the schema accepts null or undefined", () => {
    const write = tool("write_it", { access: "write", success: Schema.Null }, response(204))
    const nothing = tool("write_void", { access: "write", success: Schema.Void }, response(204))
    const perhaps = tool(
      "write_perhaps",
      { access: "write", success: Schema.NullOr(Schema.Struct({ n: Schema.Int })) },
      response(200, "")
    )
    return Effect.gen(function* () {
      assert.strictEqual(yield* write.tool.call({ q: "a" }), null)
      assert.strictEqual(yield* nothing.tool.call({ q: "a" }), undefined)
      assert.strictEqual(yield* perhaps.tool.call({ q: "a" }), null)
    }).pipe(within([write.layer, nothing.layer, perhaps.layer]))
  })

  it.effect(
    "3.3 neither a retry nor a fallback runs if one part of a handler did nothing and another part crashed",
    () => {
      const other = tool("other", { access: "write" }, { n: 2 })
      const write = tool(
        "write_it",
        {
          access: "write",
          fallbacks: [{ tool: other.tool, arguments: () => ({ q: "b" }), on: ["tool_crashed", "unavailable"] }]
        },
        Effect.ensuring(
          Effect.fail(GuardedTool.nothingDone({ status: 503, message: "down" })),
          Effect.die(new Error("boom"))
        )
      )
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* settled(write.tool.call({ q: "a" })), unknown)
        assert.deepStrictEqual([write.runs(), other.runs()], [1, 0])
      }).pipe(within([write.layer, other.layer]))
    }
  )

  it.effect("3.3 a custom rule that says `none` does not outweigh another part of the handler", () => {
    const rule = {
      name: "closed",
      match: ({ text }: { readonly text: string }) =>
        text.includes("closed") ? ({ code: "wrong_state", sideEffect: "none" } as const) : undefined
    }
    const closed = Effect.fail(new Error("The ticket is closed"))
    const made = (answer: unknown) => {
      const write = tool("write_it", { access: "write" }, answer)
      return Effect.provideService(settled(write.tool.call({ q: "a" })), ClassificationRules, [rule]).pipe(
        within([write.layer])
      )
    }
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* made(closed), ["Permanent", "wrong_state", "none"])
      const both = yield* complete(made(together(afterwards(closed), Effect.uninterruptible(afterwards(closed)))))
      assert.deepStrictEqual(both, ["Permanent", "wrong_state", "none"])
      const lost = together(afterwards(closed), Effect.uninterruptible(afterwards(coded("ECONNRESET"))))
      assert.deepStrictEqual(yield* complete(made(lost)), unknown)
    })
  })

  it.effect("3.3 a read never has a side effect", () =>
    Effect.gen(function* () {
      for (const [what, answer] of rows) {
        const read = tool("search", { retry: { attempts: 1 } }, answer)
        const failure = yield* complete(Effect.result(read.tool.call({ q: "a" }))).pipe(within([read.layer]))
        if (failure._tag === "Failure")
          assert.strictEqual((failure.failure as Failure.Failure).sideEffect, "none", what)
      }
    })
  )
})

describe("an answer that states its own failure", () => {
  const said = '{"ok":false,"error":"channel_not_found"}'

  it.effect("3.3 leaves the outcome of a write unknown, and the failure quotes the text", () => {
    const post = tool("post_it", { access: "write" }, response(200, said))
    return Effect.gen(function* () {
      const { envelope } = yield* ask([post.tool], "post_it", '{"q":"a"}')
      assert.deepStrictEqual([envelope.error.code, envelope.error.side_effect], ["not_found", "unknown"])
      assert.strictEqual(envelope.error.message, "channel_not_found")
      assert.include(envelope.error.hint, "it is not known whether anything was done")
    }).pipe(within([post.layer]))
  })

  for (const body of ['{"ok":false}', said, '{"ok":true,"errors":[{"message":"Not allowed"}]}']) {
    it.effect(`3.3 a contract that tolerates ${body} does not make it a success of a write`, () => {
      const success = Schema.Struct({ ok: Schema.Boolean })
      const post = tool("post_it", { access: "write", success }, response(200, body))
      const text = tool("text_it", { access: "write", success }, body)
      const read = tool("read_it", { success }, response(200, body))
      return Effect.gen(function* () {
        for (const { tool } of [post, text]) {
          const outcome = (yield* settled(tool.call({ q: "a" }))) as ReadonlyArray<string>
          assert.strictEqual(outcome[2], "unknown")
        }
        yield* read.tool.call({ q: "a" })
        const { records } = yield* CallLog
        assert.deepStrictEqual(
          (yield* records).map(({ outcome, sideEffect }) => [outcome._tag, sideEffect]),
          [
            ["Failure", "unknown"],
            ["Failure", "unknown"],
            ["Success", "none"]
          ]
        )
      }).pipe(within([post.layer, text.layer, read.layer], Guard.layerMemoryWith(CallLogMemory.layer)))
    })
  }

  it.effect(
    "3.3 a value that the handler returned is the result of the write, even if the value states a failure",
    () => {
      const success = Schema.Struct({ ok: Schema.Boolean })
      const post = tool("post_it", { access: "write", success }, { ok: false })
      const run = tool("run_tests", { access: "write", success }, '{"ok":false,"message":"3 tests failed"}')
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* settled(post.tool.call({ q: "a" })), { ok: false })
        assert.deepStrictEqual(yield* settled(run.tool.call({ q: "a" })), { ok: false })
      }).pipe(within([post.layer, run.layer]))
    }
  )

  it.effect("3.3 a recogniser's verdict on a write does not prove that the write was done", () => {
    const definition = { access: "write", success: Schema.Json, checks: { hiddenFailure: Recognisers.hiddenFailure } }
    const post = tool("post_it", definition, response(200, said))
    const text = tool("text_it", { ...definition, success: Schema.String }, said)
    const wrong = tool(
      "wrong_it",
      { ...definition, checks: { judge: () => Verdict.garbage({ code: "wrong_unit", detail: "Fahrenheit" }) } },
      response(200, '{"unit":"F"}')
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(post.tool.call({ q: "a" })), ["Permanent", "not_found", "unknown"])
      assert.deepStrictEqual(yield* settled(text.tool.call({ q: "a" })), ["Permanent", "not_found", "unknown"])
      assert.deepStrictEqual(yield* settled(wrong.tool.call({ q: "a" })), [
        "SemanticGarbage",
        "wrong_unit",
        "committed"
      ])
    }).pipe(within([post.layer, text.layer, wrong.layer]))
  })

  it.effect("3.1 a read fails with the class of the stated failure, after the delay that the answer asks for", () => {
    const search = tool(
      "search",
      { retry: { attempts: 2, jitter: "none" } },
      response(200, '{"error":"Rate limit exceeded","retry_after":7}'),
      response(200, '{"error":"Project p-1 not found"}')
    )
    return Effect.gen(function* () {
      const fiber = yield* start(Effect.flip(search.tool.call({ q: "p-1" })))
      yield* TestClock.adjust("6900 millis")
      assert.strictEqual(search.runs(), 1)
      const failure = (yield* complete(Fiber.join(fiber))) as Failure.Failure
      assert.deepStrictEqual(
        [failure._tag, failure.code, failure.detail],
        ["ToolArgError", "unknown_reference", "Project p-1 not found"]
      )
    }).pipe(within([search.layer]))
  })
})

describe("writes: committed", () => {
  const write = () => tool("write_it", { access: "write" }, response(200, '{"n":"one"}'), { n: 1 })

  it.effect("3.3 the model reads that the action was done and that it must not call again", () => {
    const done = write()
    return Effect.gen(function* () {
      const { envelope } = yield* ask([done.tool], "write_it", '{"q":"a"}')
      assert.strictEqual(envelope.error.hint, "The action was done; its answer could not be read. Do not call again.")
      assert.deepStrictEqual(
        [envelope.error.side_effect, envelope.error.next_step, envelope.error.retryable],
        ["committed", "stop", false]
      )
    }).pipe(within([done.layer]))
  })

  it.effect("4.6 the same arguments are refused for the whole turn, even after another write", () => {
    const done = write()
    const other = tool("other", { access: "write" }, { n: 1 })
    return Effect.gen(function* () {
      yield* asked(done.tool, { q: "a" })
      yield* other.tool.call({ q: "a" })
      assert.deepStrictEqual(yield* asked(done.tool, { q: "a" }), committed)
      assert.strictEqual(done.runs(), 1)
      assert.deepStrictEqual(yield* asked(done.tool, { q: "b" }), { n: 1 })
    }).pipe(within([done.layer, other.layer]))
  })

  it.effect("4.6 the next turn can make the call again", () => {
    const done = write()
    return Effect.gen(function* () {
      yield* Guard.turn(settled(done.tool.call({ q: "a" })))
      assert.deepStrictEqual(yield* Guard.turn(settled(done.tool.call({ q: "a" }))), { n: 1 })
    }).pipe(within([done.layer]))
  })
})

describe("writes: upstream honours the key", () => {
  const definition = {
    access: "write",
    idempotency: { mode: "derived", upstreamHonoursKey: true },
    retry: { jitter: "none" }
  }

  it.effect("3.3 an unknown outcome is retried under the same key", () => {
    const write = tool("write_it", definition, coded("ECONNRESET"), Effect.never, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(write.tool.call({ q: "a" }))), { n: 1 })
      assert.strictEqual(new Set(write.calls.map(({ context }) => context.idempotencyKey)).size, 1)
      assert.strictEqual(write.runs(), 3)
    }).pipe(within([write.layer]))
  })

  it.effect("3.3 an outcome that stays unknown after all attempts needs a person", () => {
    const write = tool("write_it", definition, coded("ECONNRESET"))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(write.tool.call({ q: "a" }))), unknown)
      assert.strictEqual(write.runs(), 4)
    }).pipe(within([write.layer]))
  })

  it.effect("3.3 an unknown outcome stays unknown if the next attempt did nothing", () => {
    const write = tool("write_it", definition, coded("ECONNRESET"), coded("ECONNREFUSED"))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(write.tool.call({ q: "a" }))), unknown)
      assert.strictEqual(write.runs(), 4)
    }).pipe(within([write.layer]))
  })

  it.effect("3.3 an unknown outcome is not retried if the upstream does not honour keys", () => {
    const write = tool("write_it", { ...definition, idempotency: "derived" }, coded("ECONNRESET"), { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(write.tool.call({ q: "a" }))), unknown)
      assert.strictEqual(write.runs(), 1)
    }).pipe(within([write.layer]))
  })

  it.effect("3.3 only Transient failures are retried, even if the upstream honours keys", () => {
    const write = tool("write_it", definition, response(200, "<html></html>"), { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(write.tool.call({ q: "a" }))), [
        "SchemaMismatch",
        "unexpected_content",
        "unknown"
      ])
      assert.strictEqual(write.runs(), 1)
    }).pipe(within([write.layer]))
  })

  for (const [what, last, expected] of [
    ["reports a conflict, which the first attempt may have caused", response(409, ""), unknown],
    ["refuses the arguments, perhaps because it was done", response(422, ""), unknown],
    ["proves that it was done", response(200, '{"m":1}'), committed]
  ] as const) {
    it.effect(`3.3 after an unknown outcome the upstream ${what}`, () => {
      const write = tool("write_it", definition, coded("ECONNRESET"), last)
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* complete(settled(write.tool.call({ q: "a" }))), expected)
        assert.strictEqual(write.runs(), 2)
      }).pipe(within([write.layer]))
    })
  }

  it.effect("3.3 an answered error after a lost connection needs a person", () => {
    const write = tool("write_it", definition, coded("ECONNRESET"), Effect.fail(new Error("hm")))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(write.tool.call({ q: "a" }))), unknown)
    }).pipe(within([write.layer]))
  })

  it.effect("3.3 a committed write is not repeated, even if the error is transient", () => {
    const write = tool("write_it", definition, Effect.fail(GuardedTool.done(new Error("Rate limit exceeded"))))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* complete(settled(write.tool.call({ q: "a" }))), [
        "Transient",
        "rate_limited",
        "committed"
      ])
      assert.strictEqual(write.runs(), 1)
    }).pipe(within([write.layer]))
  })
})

describe("writes: answered errors", () => {
  const failed = () => Effect.fail(new Error("The printer is on fire"))

  it.effect("3.3 the model reads the error, and that its effect is not known; the call is refused for the turn", () => {
    const write = tool("write_it", { access: "write" }, failed)
    const other = tool("other", { access: "write" }, { n: 1 })
    return Effect.gen(function* () {
      const { envelope } = yield* ask([write.tool], "write_it", '{"q":"a"}')
      const { code, error_class, hint, message, next_step, retryable, side_effect } = envelope.error
      assert.deepStrictEqual(
        { code, error_class, hint, message, next_step, retryable, side_effect },
        {
          code: "tool_failed",
          error_class: "permanent",
          hint: "The tool reported a failure; it is not known whether anything was done. Do not repeat the call; ask the user.",
          message: "The printer is on fire",
          next_step: "ask_user",
          retryable: false,
          side_effect: "unknown"
        }
      )
      yield* other.tool.call({ q: "a" })
      const again = yield* ask([write.tool], "write_it", '{"q":"a"}')
      assert.strictEqual(again.envelope.error.message, "You already made this identical call. The printer is on fire")
      assert.strictEqual(write.runs(), 1)
      yield* ask([write.tool], "write_it", '{"q":"b"}')
      assert.strictEqual(write.runs(), 2)
    }).pipe(within([write.layer, other.layer]))
  })

  it.effect("3.3 a transient error that was answered is neither retried nor forgotten", () => {
    const write = tool("write_it", { access: "write", idempotency: "derived" }, coded("40P01"), { n: 1 })
    return Effect.gen(function* () {
      const first = yield* complete(ask([write.tool], "write_it", '{"q":"a"}'))
      const second = yield* complete(ask([write.tool], "write_it", '{"q":"a"}'))
      assert.deepStrictEqual(
        [first, second].map(({ envelope }) => [envelope.error.code, envelope.error.retryable, write.runs()]),
        [
          ["lock_conflict", false, 1],
          ["lock_conflict", false, 1]
        ]
      )
    }).pipe(within([write.layer]))
  })

  it.effect("3.3 the key keeps the failure beyond the turn", () => {
    const write = tool("write_it", { access: "write", idempotency: "key" }, failed, { n: 1 })
    const call = { q: "a", idempotency_key: "0123456789abcdef" }
    return Effect.gen(function* () {
      const first = yield* Guard.turn(ask([write.tool], "write_it", call))
      const second = yield* Guard.turn(ask([write.tool], "write_it", call))
      assert.deepStrictEqual(
        [first, second].map(({ envelope }) => [envelope.error.code, envelope.error.side_effect]),
        [
          ["tool_failed", "unknown"],
          ["tool_failed", "unknown"]
        ]
      )
      assert.strictEqual(write.runs(), 1)
    }).pipe(within([write.layer]))
  })

  it.effect(
    "3.3 a tool that its owner declared destructive ends the run, and a tool that only its server declares destructive does not",
    () => {
      const definition = { access: "destructive", approval: "auto", handler: failed } as const
      const owned = GuardedTool.dynamic("drop_it", definition)
      const listed = GuardedTool.dynamic("wipe_it", { ...definition, accessBy: "server" })
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* settled(owned.call({})), unknown)
        assert.deepStrictEqual(yield* settled(listed.call({})), ["Permanent", "tool_failed", "unknown"])
      }).pipe(within([]))
    }
  )

  it.effect("3.3 a tool that only its server declares destructive needs approval", () => {
    let runs = 0
    const handler = () => Effect.sync(() => ++runs)
    const listed = GuardedTool.dynamic("wipe_it", { access: "destructive", accessBy: "server", handler })
    return Effect.gen(function* () {
      const outcome = (yield* settled(listed.call({}))) as ReadonlyArray<string>
      assert.strictEqual(outcome[0], "HumanReview")
      assert.strictEqual(runs, 0)
    }).pipe(within([]))
  })

  it.effect("3.3 the record says what proves the side effect", () => {
    const refused = new Error("x", { cause: Object.assign(new Error("y"), { code: "ECONNREFUSED" }) })
    const write = tool(
      "write_it",
      { access: "write" },
      response(404, ""),
      ...Array.from({ length: 4 }, () => Effect.fail(refused)),
      failed
    )
    return Effect.gen(function* () {
      for (const q of ["a", "b", "c"]) yield* complete(settled(write.tool.call({ q })))
      const { records } = yield* CallLog
      assert.deepStrictEqual(
        (yield* records).map(({ decisions }) => decisions.find(({ stage }) => stage === "classify")),
        [
          { stage: "classify", decision: "side effect none", reason: "HTTP 404" },
          { stage: "classify", decision: "side effect none", reason: "ECONNREFUSED" },
          { stage: "classify", decision: "side effect unknown", reason: "no evidence" }
        ]
      )
    }).pipe(within([write.layer], Guard.layerMemoryWith(CallLogMemory.layer)))
  })

  it.effect("3.3 a lookup that fails inside a write does not prove that nothing was done", () => {
    const find = tool("find_it", { retry: { attempts: 1 } }, response(404, ""))
    const write = tool("write_it", { access: "write" }, () => find.tool.call({ q: "a" }))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(find.tool.call({ q: "b" })), ["Permanent", "not_found", "none"])
      assert.deepStrictEqual(yield* settled(write.tool.call({ q: "a" })), ["Permanent", "not_found", "unknown"])
    }).pipe(within([find.layer, write.layer]))
  })

  it.effect("3.3 if several parts fail concurrently, the most severe evidence counts", () => {
    const both = (...errors: ReadonlyArray<unknown>) =>
      Effect.failCause(Cause.fromReasons(errors.map((error) => Cause.makeFailReason(error))))
    const refused = tool("refused", { access: "write" }, both({ status: 404 }, { status: 404 }))
    const mixed = tool("mixed", { access: "write" }, both({ status: 404 }, new Error("hm")))
    const lost = tool("lost", { access: "write" }, both({ status: 404 }, { status: 500 }))
    return Effect.gen(function* () {
      for (const [{ tool }, expected] of [
        [refused, "none"],
        [mixed, "unknown"]
      ] as const) {
        const outcome = (yield* settled(tool.call({ q: "a" }))) as ReadonlyArray<string>
        assert.strictEqual(outcome[2], expected)
      }
      assert.deepStrictEqual(yield* settled(lost.tool.call({ q: "a" })), unknown)
    }).pipe(within([refused.layer, mixed.layer, lost.layer]))
  })
})

describe("writes: accepted by the upstream", () => {
  it.effect("3.3 a 202 that conforms to the contract is recorded as unknown, and remains unknown under its key", () => {
    const write = tool("write_it", { access: "write", idempotency: "key" }, response(202, '{"n":1}'))
    const call = { q: "a", idempotency_key: "0123456789abcdef" }
    return Effect.gen(function* () {
      yield* Guard.turn(ask([write.tool], "write_it", call))
      yield* Guard.turn(ask([write.tool], "write_it", call))
      const { records } = yield* CallLog
      assert.deepStrictEqual(
        (yield* records).map(({ outcome, sideEffect }) => [outcome._tag, sideEffect]),
        [
          ["Success", "unknown"],
          ["Success", "unknown"]
        ]
      )
      assert.strictEqual(write.runs(), 1)
    }).pipe(within([write.layer], Guard.layerMemoryWith(CallLogMemory.layer)))
  })
})

describe("writes: the notice of an accepted write", () => {
  const notice = "Accepted; it is not known whether it is done yet. Do not repeat the call"
  const accepted = () => Effect.succeed(response(202, '{"n":1}'))

  it.effect("3.3 a 202 is a success whose notice says that it is not known whether it is done", () => {
    const write = tool("write_it", { access: "write" }, accepted)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(write.tool.call({ q: "typed" })), { n: 1 })
      const first = yield* ask([write.tool], "write_it", '{"q":"a"}')
      assert.deepStrictEqual(first.envelope, { status: "success", data: { n: 1 }, notice: `${notice}.` })
      const again = yield* ask([write.tool], "write_it", '{"q":"a"}')
      assert.strictEqual(
        again.envelope.notice,
        `write_it was called before with these arguments in this turn. It was not called again; this is its first result. ${notice}.`
      )
      assert.strictEqual(write.runs(), 2)
    }).pipe(within([write.layer]))
  })

  it.effect("3.3 the notice names the lookup that the model has, and the lookup does not run by itself", () => {
    const find = tool("find_it", { success: Schema.Struct({ found: Schema.Array(Schema.Int) }) }, { found: [] })
    const reconcile = {
      tool: find.tool,
      arguments: ({ q }: { readonly q: string }) => ({ q }),
      found: () => Option.none()
    }
    const write = tool("write_it", { access: "write", reconcile }, accepted)
    return Effect.gen(function* () {
      const { envelope } = yield* ask([write.tool, find.tool], "write_it", '{"q":"a"}')
      assert.strictEqual(envelope.notice, `${notice}; check with find_it.`)
      assert.strictEqual(find.runs(), 0)
    }).pipe(within([write.layer, find.layer]))
  })

  it.effect("3.3 a read with 202 has no notice", () => {
    const read = tool("read_it", {}, accepted)
    return Effect.gen(function* () {
      const { envelope } = yield* ask([read.tool], "read_it", '{"q":"a"}')
      assert.deepStrictEqual(envelope, { status: "success", data: { n: 1 } })
    }).pipe(within([read.layer]))
  })
})

describe("writes: unknown", () => {
  it.effect("3.3 an unknown outcome does not lead to a fallback, and the failure says what is unknown", () => {
    const other = tool("other", { access: "write" }, { n: 1 })
    const write = tool(
      "write_it",
      { access: "write", fallbacks: [{ tool: other.tool, arguments: ({ q }: { q: string }) => ({ q }) }] },
      coded("ECONNRESET", "read ECONNRESET")
    )
    return Effect.gen(function* () {
      const failure = yield* failureOf(write.tool.call({ q: "a" }))
      assert.strictEqual(failure.detail, "It is not known whether write_it was done: read ECONNRESET")
      assert.strictEqual(other.runs(), 0)
    }).pipe(within([other.layer, write.layer]))
  })

  it.effect("4.6 an unknown outcome is not recalled, but a second attempt has no budget left", () => {
    const write = tool("write_it", { access: "write" }, coded("ECONNRESET"), { n: 1 })
    return Effect.gen(function* () {
      yield* asked(write.tool, { q: "a" })
      assert.deepStrictEqual(yield* asked(write.tool, { q: "a" }), ["HumanReview", "outcome_unknown", "unknown"])
      assert.strictEqual(write.runs(), 1)
    }).pipe(within([write.layer]))
  })

  it.effect("3.3 an interrupted write has an unknown outcome, and the next call does not repeat it", () => {
    const write = tool("write_it", { access: "write", idempotency: "derived" }, Effect.never, { n: 1 })
    return Effect.gen(function* () {
      const fiber = yield* start(write.tool.call({ q: "a" }))
      yield* Fiber.interrupt(fiber)
      const again = yield* start(settled(write.tool.call({ q: "a" })))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(poll(again), unknown)
      assert.strictEqual(write.runs(), 1)
    }).pipe(within([write.layer]))
  })
})

describe("a write whose handler calls another write", () => {
  it.effect("3.3 is not reported as done if the other write was done and sent no result", () => {
    const reserve = tool("reserve_stock", { access: "write" }, response(204))
    const order = define("place_order", { access: "write" })
    const passing = handled(order, () => Effect.as(reserve.tool.call({ q: "a" }), { n: 1 }))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* asked(order, { q: "a" }), ["Permanent", "tool_failed", "unknown"])
      const { envelope } = yield* ask([order], "place_order", { q: "b" })
      assert.strictEqual(envelope.error.message, "reserve_stock was done; it sent no result.")
      assert.match(envelope.error.hint, /^The tool reported a failure; it is not known whether anything was done/)
    }).pipe(within([passing, reserve.layer]))
  })
})
