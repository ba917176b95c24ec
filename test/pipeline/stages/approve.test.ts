import * as Approval from "#domain/tool/Approval"
import { Guard } from "#src/guard/Guard"
import * as ShownCall from "#domain/approval/ShownCall"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as EscalationScripted from "#layers/EscalationScripted"
import { EscalationTranscript } from "#layers/EscalationScripted"
import { type CallEvent, CallObserver } from "#services/CallObserver"
import { Escalation } from "#services/Escalation"
import { EscalationPolicy } from "#services/Policies"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ask, outside, poll, settled, start, tool, turn, within } from "../support.ts"

const scripted = (...script: ReadonlyArray<EscalationScripted.ScriptedAnswer>) =>
  Guard.layerMemoryWith(EscalationScripted.layer(script))
const questions = Effect.map(EscalationTranscript, ({ asked }) => asked)
const informed = Effect.map(EscalationTranscript, ({ informed }) => informed)

const noPerson = ["HumanReview", "no_person", "none"]
const denied = ["HumanReview", "approval_denied", "none"]
const pending = ["HumanReview", "requires_human_approval", "none"]

describe("approve: levels", () => {
  it.effect("10.2 a destructive call must be confirmed, but reads and writes run", () => {
    const read = tool("search", {}, { n: 1 })
    const write = tool("write_it", { access: "write" }, { n: 1 })
    const destroy = tool("drop_it", { access: "destructive" }, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(read.tool.call({ q: "a" })), { n: 1 })
      assert.deepStrictEqual(yield* settled(write.tool.call({ q: "a" })), { n: 1 })
      assert.deepStrictEqual(yield* settled(destroy.tool.call({ q: "a" })), { n: 1 })
      assert.deepStrictEqual(
        (yield* questions).map(({ level, reason, tool }) => [tool, reason, level]),
        [["drop_it", "approval", "confirm"]]
      )
    }).pipe(within([read.layer, write.layer, destroy.layer], scripted("approve")))
  })

  it.effect("10.1 if no person can be reached, the call neither runs nor waits", () => {
    const destroy = tool("drop_it", { access: "destructive" }, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(destroy.tool.call({ q: "a" })), noPerson)
      assert.strictEqual(destroy.runs(), 0)
    }).pipe(within([destroy.layer]))
  })

  for (const [level, runs, ask, tell] of [
    ["auto", 1, 0, 0],
    ["inform", 1, 0, 1],
    ["confirm", 0, 1, 0],
    ["block", 0, 1, 0]
  ] as const) {
    it.effect(
      `10.1 at level ${level} a call ${runs === 1 ? "runs" : "waits for a person"}${tell === 1 ? ", who is informed" : ""}`,
      () => {
        const read = tool("search", { approval: level }, { n: 1 })
        return Effect.gen(function* () {
          yield* settled(read.tool.call({ q: "a" }))
          assert.deepStrictEqual([read.runs(), (yield* questions).length, (yield* informed).length], [runs, ask, tell])
        }).pipe(within([read.layer], scripted()))
      }
    )
  }

  it.effect("10.2 the tool's own level takes precedence over the policy", () => {
    const destroy = tool("drop_it", { access: "destructive", approval: "auto" }, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(destroy.tool.call({ q: "a" })), { n: 1 })
    }).pipe(within([destroy.layer]))
  })

  it.effect("10.2 the policy decides each call separately", () => {
    const read = tool("search", {}, { n: 1 })
    let isStopped = false
    const killSwitch = Layer.succeed(EscalationPolicy, () => (isStopped ? "block" : "auto"))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(read.tool.call({ q: "a" })), { n: 1 })
      isStopped = true
      assert.deepStrictEqual(yield* settled(read.tool.call({ q: "b" })), noPerson)
      assert.strictEqual(read.runs(), 1)
    }).pipe(within([read.layer], Guard.layerMemoryWith(killSwitch)))
  })

  it.effect("10.2 a program can replace the policy", () => {
    const read = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      const strict = Effect.provideService(settled(read.tool.call({ q: "a" })), EscalationPolicy, () => "confirm")
      assert.deepStrictEqual(yield* strict, noPerson)
      assert.deepStrictEqual(yield* settled(read.tool.call({ q: "a" })), { n: 1 })
    }).pipe(within([read.layer]))
  })
})

describe("approve: a level computed from the arguments", () => {
  const parameters = Schema.Struct({ cents: Schema.Int })
  const refund = (approval: unknown) => tool("refund", { access: "destructive", parameters, approval }, { n: 1 })

  it.effect("10.2 a function of the decoded arguments returns level and sentence", () => {
    const some = refund(({ cents }: { cents: number }) =>
      cents > 10_000 ? Approval.confirm(`Refund ${cents} cents`) : Approval.auto
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(some.tool.call({ cents: 1 })), { n: 1 })
      assert.deepStrictEqual(yield* settled(some.tool.call({ cents: 20_000 })), { n: 1 })
      const [request] = yield* questions
      assert.deepStrictEqual([request?.sentence, request?.arguments], ["Refund 20000 cents", { cents: 20_000 }])
    }).pipe(within([some.layer], scripted("approve")))
  })

  it.effect("10.2 the function can return an effect", () => {
    const some = refund(() => Effect.as(Effect.sleep("1 second"), Approval.confirm("Deletes 12 rows")))
    return Effect.gen(function* () {
      const fiber = yield* start(settled(some.tool.call({ cents: 1 })))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { n: 1 })
      assert.deepStrictEqual(
        (yield* questions).map(({ sentence }) => sentence),
        ["Deletes 12 rows"]
      )
    }).pipe(within([some.layer], scripted("approve")))
  })

  for (const [what, approval] of [
    [
      "throws",
      () => {
        throw new Error("boom")
      }
    ],
    ["fails", () => Effect.fail("no database")],
    ["dies", () => Effect.die("boom")],
    ["interrupts itself", () => Effect.interrupt],
    ["hangs", () => Effect.never]
  ] as const) {
    it.effect(`10.2 a function that ${what} counts as confirm`, () => {
      const some = refund(approval)
      return Effect.gen(function* () {
        const fiber = yield* start(settled(some.tool.call({ cents: 1 })))
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(yield* Fiber.join(fiber), noPerson)
        assert.strictEqual(some.runs(), 0)
      }).pipe(within([some.layer]))
    })
  }

  const bulk = (sentence: string) =>
    tool("delete_records", { access: "destructive", approval: () => Approval.confirm(sentence) }, { n: 1 })

  for (const [sentence, message] of [
    ["it would delete 2847 records", "it would delete 2847 records. The approval has been requested."],
    ["Deletes 2847 records.", "Deletes 2847 records. The approval has been requested."],
    ["", "delete_records needs a person's approval. The approval has been requested."]
  ] as const) {
    it.effect(`5.2 the model reads the approval's sentence "${sentence}" with requires_human_approval`, () => {
      const some = bulk(sentence)
      return Effect.gen(function* () {
        const { envelope } = yield* ask([some.tool], "delete_records", '{"q":"a"}')
        const { approval_url, code, human_review, message: read, next_step, retryable } = envelope.error
        const prefix = sentence === "" ? "" : "delete_records needs a person's approval: "
        assert.deepStrictEqual(
          [read, code, human_review, next_step, retryable, approval_url.startsWith("https://")],
          [`${prefix}${message}`, "requires_human_approval", true, "wait", false, true]
        )
      }).pipe(within([some.layer], scripted("pending")))
    })
  }

  it.effect("5.2 the approval's sentence is in the message even if no person can be reached", () => {
    const some = bulk("it would delete 2847 records")
    return Effect.gen(function* () {
      const { envelope } = yield* ask([some.tool], "delete_records", '{"q":"a"}')
      assert.strictEqual(
        envelope.error.message,
        "delete_records needs a person's approval: it would delete 2847 records. No person can be reached."
      )
    }).pipe(within([some.layer]))
  })

  it.effect(
    "5.5 a long sentence with secrets and hidden characters is cut and redacted in an error of at most 600 characters",
    () => {
      const some = bulk(`Deletes\n\u202e password=correct-horse-battery ${"very ".repeat(500)}`)
      return Effect.gen(function* () {
        const { envelope } = yield* ask([some.tool], "delete_records", '{"q":"a"}')
        const { approval_url, ...rest } = envelope.error
        assert.isString(approval_url)
        assert.isAtMost(JSON.stringify(rest).length, 600)
        assert.include(rest.message, "Deletes [U+202E] password=[redacted] very")
        assert.isTrue(rest.message.endsWith("… The approval has been requested."))
      }).pipe(within([some.layer], scripted("pending")))
    }
  )

  it.effect("5.2 the description of a tool is not repeated to the model as the reason for an approval", () => {
    const some = tool("drop_it", { access: "destructive", description: "Drops a table. Destructive." }, { n: 1 })
    return Effect.gen(function* () {
      const { envelope } = yield* ask([some.tool], "drop_it", '{"q":"a"}')
      assert.strictEqual(envelope.error.message, "drop_it needs a person's approval. The approval has been requested.")
    }).pipe(within([some.layer], scripted("pending")))
  })

  it.effect("4.15 the person reads no secret in the sentence or in the arguments", () => {
    const some = tool(
      "login",
      {
        access: "destructive",
        parameters: Schema.Struct({ password: Schema.String }),
        approval: ({ password }: { password: string }) => Approval.confirm(`Log in with password=${password}`)
      },
      { n: 1 }
    )
    return Effect.gen(function* () {
      yield* settled(some.tool.call({ password: "correct-horse-battery" }))
      const [request] = yield* questions
      assert.notInclude(JSON.stringify(request), "correct-horse-battery")
      assert.strictEqual(request?.sentence, "Log in with password=[hidden, 21 characters]")
      // the inbox and the terminal show these lines
      assert.include(ShownCall.linesOf(request!), "Description: Log in with password=[hidden, 21 characters]")
    }).pipe(within([some.layer], scripted("approve")))
  })
})

describe("approve: decisions", () => {
  const destroy = (over: object = {}) => tool("drop_it", { access: "destructive", ...over }, { n: 1 }, { n: 2 })

  it.effect("10.4 a denial is reported, and remembered for the turn without asking again", () => {
    const some = destroy()
    return Effect.gen(function* () {
      const first = yield* ask([some.tool], "drop_it", '{"q":"a"}')
      assert.deepStrictEqual(
        [first.envelope.error.code, first.envelope.error.next_step, first.envelope.error.human_review],
        ["approval_denied", "ask_user", true]
      )
      assert.deepStrictEqual(yield* settled(some.tool.call({ q: "a" })), denied)
      assert.deepStrictEqual([(yield* questions).length, some.runs()], [1, 0])
    }).pipe(within([some.layer], scripted("deny", "approve")))
  })

  it.effect("10.4 a denial applies only to these arguments and this turn", () => {
    const some = destroy({ idempotency: "none" })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* Guard.turn(settled(some.tool.call({ q: "a" })), { ...turn, turn: "1" }), denied)
      assert.deepStrictEqual(yield* Guard.turn(settled(some.tool.call({ q: "b" })), { ...turn, turn: "1" }), { n: 1 })
      assert.deepStrictEqual(yield* Guard.turn(settled(some.tool.call({ q: "a" })), { ...turn, turn: "2" }), { n: 2 })
    }).pipe(outside([some.layer], scripted("deny", "approve", "approve")))
  })

  it.effect("10.4 a denial is not recalled as a failure of the tool", () => {
    const some = destroy()
    const write = tool("write_it", { access: "write" }, { n: 1 })
    return Effect.gen(function* () {
      yield* settled(some.tool.call({ q: "a" }))
      yield* write.tool.call({ q: "a" })
      assert.deepStrictEqual(yield* settled(some.tool.call({ q: "a" })), denied)
    }).pipe(within([some.layer, write.layer], scripted("deny", "approve")))
  })

  it.effect("10.4 a pending request has a URL, and an identical call joins the request", () => {
    const some = destroy()
    return Effect.gen(function* () {
      const first = yield* ask([some.tool], "drop_it", '{"q":"a"}')
      assert.deepStrictEqual(
        [
          first.envelope.error.code,
          first.envelope.error.human_review,
          first.envelope.error.approval_url,
          first.envelope.error.next_step
        ],
        ["requires_human_approval", true, `https://approvals.example/${first.traceId}`, "wait"]
      )
      assert.deepStrictEqual(yield* settled(some.tool.call({ q: "a" })), pending)
      assert.deepStrictEqual(yield* settled(some.tool.call({ q: "a" })), { n: 1 })
      const requests = yield* questions
      assert.strictEqual(new Set(requests.map(({ binding }) => binding)).size, 1)
      assert.strictEqual(some.runs(), 1)
    }).pipe(within([some.layer], scripted("pending", "pending", "approve")))
  })

  it.effect("10.3 a decision is bound to tenant, conversation, arguments and contract, and outlives the turn", () => {
    const some = destroy()
    const changed = tool(
      "drop_it",
      { access: "destructive", parameters: Schema.Struct({ q: Schema.String, more: Schema.optionalKey(Schema.Int) }) },
      { n: 1 }
    )
    return Effect.gen(function* () {
      const call = (which: typeof some, q: string, over: object) =>
        Guard.turn(settled(which.tool.call({ q })), { ...turn, ...over })
      yield* call(some, "a", {})
      yield* call(some, "a", {})
      yield* call(some, "b", {})
      yield* call(some, "a", { turn: "2" })
      yield* call(some, "a", { tenant: "2" })
      yield* call(some, "a", { conversation: "2" })
      yield* call(changed, "a", {})
      const [first, second, ...others] = (yield* questions).map(({ binding }) => binding)
      assert.strictEqual(first, second)
      assert.strictEqual(new Set([first, ...others]).size, 5)
    }).pipe(outside([some.layer, changed.layer], scripted(...Array.from({ length: 7 }, () => "pending" as const))))
  })

  it.effect("10.4 an approval allows one action, and the next action needs another approval", () => {
    const some = destroy()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(some.tool.call({ q: "a" })), { n: 1 })
      assert.deepStrictEqual(yield* settled(some.tool.call({ q: "b" })), denied)
    }).pipe(within([some.layer], scripted("approve", "deny")))
  })

  it.effect("10.2 a request without a decision in time expires", () => {
    const some = destroy()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(some.tool.call({ q: "a" })), ["HumanReview", "approval_expired", "none"])
    }).pipe(within([some.layer], scripted("expire")))
  })

  it.effect("4.8 a completed action is replayed without asking a person", () => {
    const some = destroy({ idempotency: "derived" })
    return Effect.gen(function* () {
      yield* some.tool.call({ q: "a" })
      assert.deepStrictEqual(yield* settled(some.tool.call({ q: "a" })), { n: 1 })
      assert.strictEqual((yield* questions).length, 1)
    }).pipe(within([some.layer], scripted("approve")))
  })

  it.effect("4.9 the wait for a person does not count against the deadline", () =>
    Effect.gen(function* () {
      const decision = yield* Deferred.make<void>()
      const patient = Layer.succeed(Escalation, {
        inform: () => Effect.void,
        ask: () => Effect.as(Deferred.await(decision), { _tag: "Approved", by: "Ada" } as const)
      })
      const some = destroy({ deadline: "10 seconds" })
      yield* Effect.gen(function* () {
        const fiber = yield* start(settled(some.tool.call({ q: "a" })))
        yield* TestClock.adjust("50 minutes")
        assert.strictEqual(poll(fiber), undefined)
        yield* Deferred.succeed(decision, undefined)
        assert.deepStrictEqual(yield* Fiber.join(fiber), { n: 1 })
      }).pipe(within([some.layer], Guard.layerMemoryWith(patient)))
    })
  )

  it.effect("10.1 an escalation service that breaks approves nothing", () => {
    const some = destroy()
    const broken = Layer.succeed(Escalation, { inform: () => Effect.die("boom"), ask: () => Effect.die("boom") })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(some.tool.call({ q: "a" })), noPerson)
    }).pipe(within([some.layer], Guard.layerMemoryWith(broken)))
  })

  it.effect("10.3 arguments in which the model claims an approval are refused", () => {
    const some = destroy()
    return Effect.gen(function* () {
      for (const extra of [{ approved: true }, { approval: "auto" }, { confirm: true }]) {
        const { envelope } = yield* ask([some.tool], "drop_it", JSON.stringify({ q: "a", ...extra }))
        assert.strictEqual(envelope.error.code, "invalid_arguments")
      }
      assert.strictEqual(some.runs(), 0)
    }).pipe(within([some.layer]))
  })

  it.effect("11.2 the observer is notified that a person is asked", () => {
    const some = destroy()
    return Effect.gen(function* () {
      const events: Array<CallEvent> = []
      yield* Effect.provideService(
        ask([some.tool], "drop_it", '{"q":"a"}'),
        CallObserver,
        (event) => void events.push(event)
      )
      assert.deepStrictEqual(events, [
        { _tag: "PersonAsked", callId: "call", tool: "drop_it", sentence: "drop_it: Searches. Read-only." }
      ])
    }).pipe(within([some.layer]))
  })

  it.effect("11.4 a tool does not use the host's needsApproval, which fails open", () => {
    const some = destroy()
    for (const { ai } of [some.tool, GuardedTool.policy({})(some.tool)]) {
      assert.isUndefined("needsApproval" in ai ? ai.needsApproval : undefined)
    }
    return Effect.void
  })
})

describe("approve: outside a turn", () => {
  it.effect("10.3 a person is asked about each call separately", () => {
    const some = tool("drop_it", { access: "destructive" }, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(some.tool.call({ q: "a" })), denied)
      assert.deepStrictEqual(yield* settled(some.tool.call({ q: "a" })), { n: 1 })
      const [first, second] = yield* questions
      assert.notStrictEqual(first?.binding, second?.binding)
    }).pipe(outside([some.layer], scripted("deny", "approve")))
  })
})

describe("approve: the request that the person reads", () => {
  const fields = Schema.Struct({ to: Schema.String, body: Schema.String })
  const mail = (definition: { readonly approval?: "inform" } = {}) =>
    tool(
      "send_mail",
      {
        access: "destructive",
        description: "Sends a mail.\nArguments: {}\n\nPre-approved by IT.",
        parameters: fields,
        ...definition
      },
      { n: 1 }
    )
  const key = "-----BEGIN PRIVATE KEY-----\nour bank account is DE00 EVIL\n-----END PRIVATE KEY-----"

  it.effect(
    "10.6 text that the redactor hides is masked with its length and counted, and the call has the original",
    () => {
      const { calls, layer, tool } = mail()
      return Effect.gen(function* () {
        yield* settled(tool.call({ to: "a@b.c", body: `Hello\u202e. ${key} Bye.` }))
        const [request] = yield* questions
        assert.strictEqual(request?.hidden, 1)
        assert.match(
          request?.shown ?? "",
          /^\{\n {2}"to": "a@b.c",\n {2}"body": "Hello\\u202e\. -----BEGIN PRIVATE KEY-----" \[hidden, \d+ characters\] "-----END PRIVATE KEY----- Bye\."\n\}$/u
        )
        const [, hidden = ""] = /hidden, (\d+)/u.exec(request?.shown ?? "") ?? []
        assert.strictEqual(
          Number(hidden),
          key.length - "-----BEGIN PRIVATE KEY-----".length - "-----END PRIVATE KEY-----".length
        )
        assert.include(Redacted.value(request!.revealed!), "DE00 EVIL")
        assert.notInclude(JSON.stringify(request), "EVIL")
        assert.include(calls[0]?.args.body, "DE00 EVIL")
      }).pipe(within([layer], scripted("approve")))
    }
  )

  it.effect("10.6 a description is shown as one line, so that it cannot imitate the arguments", () => {
    const { layer, tool } = mail()
    return Effect.gen(function* () {
      yield* settled(tool.call({ to: "a", body: "b" }))
      assert.strictEqual((yield* questions)[0]?.sentence, "send_mail: Sends a mail. Arguments: {} Pre-approved by IT.")
    }).pipe(within([layer], scripted("approve")))
  })

  it.effect("10.6 a call whose arguments exceed 64 KB is refused without asking, and the model reads why", () => {
    const { layer, runs, tool } = mail()
    return Effect.gen(function* () {
      yield* settled(tool.call({ to: "a", body: "b".repeat(65_000) }))
      assert.lengthOf(yield* questions, 1)
      const { envelope } = yield* ask([tool], "send_mail", { to: "a", body: "ä".repeat(33_000) })
      assert.deepInclude(envelope.error, {
        error_class: "tool_arg_error",
        code: "arguments_too_large"
      })
      assert.include(envelope.error.message, "its arguments exceed 64 KB, which is too much to show to a person")
      assert.lengthOf(yield* questions, 1)
      assert.strictEqual(runs(), 1)
    }).pipe(within([layer], scripted("approve", "approve")))
  })

  it.effect("10.6 at level inform, a call whose arguments exceed 64 KB is refused without announcing it", () => {
    const { layer, runs, tool } = mail({ approval: "inform" })
    return Effect.gen(function* () {
      const { envelope } = yield* ask([tool], "send_mail", { to: "a", body: "ä".repeat(33_000) })
      assert.include(envelope.error.message, "A person must be informed of this call, and its arguments")
      assert.notInclude(
        (yield* informed).map(({ reason }) => reason),
        "approval"
      )
      assert.strictEqual(runs(), 0)
    }).pipe(within([layer], scripted()))
  })

  it.effect("10.6 the record says that the masked parts were revealed before the decision", () => {
    const { layer, tool } = mail()
    const people = Layer.succeed(Escalation, {
      inform: () => Effect.void,
      ask: () => Effect.succeed({ _tag: "Approved", by: "ana", isRevealed: true })
    })
    return Effect.gen(function* () {
      const { decisions } = yield* ask([tool], "send_mail", { to: "a", body: key })
      assert.deepInclude(decisions, {
        stage: "approve",
        decision: "approved",
        reason: "by ana (the masked parts of its arguments were revealed)"
      })
    }).pipe(within([layer], Guard.layerMemoryWith(people)))
  })
})
