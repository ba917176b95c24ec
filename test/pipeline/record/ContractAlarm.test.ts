/** Tests that a person is informed once of a tool whose answers often violate its schema, or whose arguments are often refused. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as EscalationScripted from "#layers/EscalationScripted"
import { Escalation } from "#services/Escalation"
import { EscalationPolicy } from "#services/Policies"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Shadow from "#src/guard/Shadow"
import { ask, outside, response, settled, tool, within } from "../support.ts"

const person = EscalationScripted.layer([])

/** Returns the notices about broken contracts. */
const notices = Effect.map(EscalationScripted.EscalationTranscript, ({ informed }) =>
  informed.filter(({ reason }) => reason === "broken_contract")
)

/** Answers every fifth call, starting with the first, with an answer that violates the schema. */
const fifth = (answer: (at: number) => unknown) => {
  let at = 0
  return () => Effect.succeed((at += 1) % 5 === 1 ? answer(at) : { n: at })
}

const calls = (own: ReturnType<typeof tool>, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    (index) => ask([own.tool], own.tool.toolName, { q: `q${index}` })
  )

const guards: ReadonlyArray<readonly [string, object, Layer.Layer<any>, string]> = [
  ["enforces", {}, Guard.layerMemoryWith(person), "The model read failures instead of these results."],
  [
    "only advises",
    { enforce: "advise" },
    Guard.layerMemoryWith(person),
    "The results reached the model and were recorded."
  ],
  ["is a shadow", {}, Shadow.layerWith(person), "The results reached the model and were recorded."]
]

describe("ContractAlarm", () => {
  for (const [what, definition, guard, did] of guards) {
    it.effect(`15.1 12 of 60 answers that break the schema inform a person once, if the guard ${what}`, () => {
      const own = tool(
        "read_order",
        definition,
        fifth(() => '{"n":null}')
      )
      return Effect.gen(function* () {
        yield* calls(own, 60)
        assert.deepStrictEqual(
          (yield* notices).map(({ guidance, level, sentence, tool }) => [level, tool, sentence, guidance?.did]),
          [
            [
              "inform",
              "read_order",
              'read_order: 3 of the last 11 answers violate its schema, mostly at "n". Proposed: "n: Schema.NullOr(Schema.Int)".',
              did
            ]
          ]
        )
      }).pipe(within([own.layer], guard))
    })
  }

  it.effect("15.1 the proposed line of a dynamic tool is JSON Schema", () => {
    let at = 0
    const remote = GuardedTool.dynamic("read_order", {
      access: "read",
      parameters: { type: "object", properties: { q: { type: "string" } } },
      success: { type: "object", properties: { n: { type: "string" } }, required: ["n"] },
      handler: () => Effect.succeed((at += 1) % 5 === 1 ? { n: null } : { n: String(at) })
    })
    return Effect.gen(function* () {
      for (let index = 0; index < 12; index++) yield* Effect.result(remote.call({ q: `q${index}` }))
      assert.deepStrictEqual(
        (yield* notices).map(({ sentence }) => sentence),
        [
          'read_order: 3 of the last 11 answers violate its schema, mostly at "n". Proposed: \'n: {"type":["string","null"]}\'.'
        ]
      )
    }).pipe(within([], Guard.layerMemoryWith(person)))
  })

  it.effect("15.1 refused calls, wrong arguments, errors and answers that state a failure do not count", () => {
    const answers = [Effect.fail(new Error("it is broken")), response(404, "{}"), '{"error":"not found"}']
    let at = 0
    const own = tool("read_order", { retry: { attempts: 1 } }, () => {
      const answer = answers[(at += 1) % answers.length]
      return Effect.isEffect(answer) ? answer : Effect.succeed(answer)
    })
    return Effect.gen(function* () {
      yield* calls(own, 30)
      for (let call = 0; call < 30; call++) yield* ask([own.tool], "read_order", { wrong: call })
      assert.deepStrictEqual(yield* notices, [])
    }).pipe(within([own.layer], Guard.layerMemoryWith(person)))
  })

  it.effect("15.1 a program's calls count too", () => {
    const own = tool("read_order", {}, '{"n":null}')
    return Effect.gen(function* () {
      for (let call = 0; call < 12; call++) yield* settled(own.tool.call({ q: `q${call}` }))
      assert.lengthOf(yield* notices, 1)
    }).pipe(within([own.layer], Guard.layerMemoryWith(person)))
  })

  it.effect("15.1 a correct schema is kept: the notice describes the answers", () => {
    const own = tool(
      "read_order",
      {},
      fifth(() => "<html>Login</html>")
    )
    return Effect.gen(function* () {
      yield* calls(own, 30)
      assert.deepStrictEqual(
        (yield* notices).map(({ sentence }) => sentence),
        ['read_order: 3 of the last 11 answers violate its schema, mostly at the whole answer ("an HTML or XML page").']
      )
    }).pipe(within([own.layer], Guard.layerMemoryWith(person)))
  })

  it.effect(
    "15.1 equal answers to different calls are evidence against the schema; equal answers to identical calls are not",
    () => {
      const own = () => {
        let at = 0
        return tool("read_order", {}, () => Effect.succeed((at += 1) > 44 ? '{"n":null}' : { n: at }))
      }
      const informed = (argumentsOf: (index: number) => object) => {
        const { layer, tool: read } = own()
        return Effect.gen(function* () {
          for (let index = 0; index < 50; index++) yield* settled(read.call(argumentsOf(index) as never))
          return (yield* notices).map(({ sentence }) => sentence.includes("Proposed"))
        }).pipe(within([layer], Guard.layerMemoryWith(person)))
      }
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* informed((index) => ({ q: `q${index}` })), [true])
        assert.deepStrictEqual(yield* informed((index) => ({ q: index < 44 ? `q${index}` : "same" })), [false])
      })
    }
  )

  it.effect("15.1 a server with 30 broken tools raises 10 notices an hour", () => {
    const owns = Array.from({ length: 30 }, (_, index) => tool(`read_${index}`, {}, '{"n":null}'))
    return Effect.gen(function* () {
      const all = Effect.forEach(owns, (own) => calls(own, 12))
      yield* all
      assert.lengthOf(yield* notices, 10)
      yield* all
      assert.lengthOf(yield* notices, 10)
      yield* TestClock.adjust("61 minutes")
      yield* Effect.forEach(owns, (own) => ask([own.tool], own.tool.toolName, { q: "later" }))
      assert.lengthOf(yield* notices, 20)
    }).pipe(
      within(
        owns.map(({ layer }) => layer),
        Guard.layerMemoryWith(person)
      )
    )
  })

  it.effect("15.1 the calls of each tenant are counted separately, and a notice is for the tenant of its calls", () => {
    const own = tool("read_order", {}, '{"n":null}')
    const as = (tenant: string, count: number) =>
      Guard.turn(
        Effect.forEach(Array.from({ length: count }), (_, index) =>
          Effect.result(own.tool.call({ q: `${tenant} ${index}` }))
        ),
        { tenant, conversation: tenant, turn: tenant }
      )
    return Effect.gen(function* () {
      yield* as("blue", 9)
      yield* as("red", 1)
      assert.deepStrictEqual(yield* notices, [])
      yield* as("blue", 1)
      yield* as("red", 8)
      assert.deepStrictEqual(
        (yield* notices).map(({ turn }) => turn?.tenant),
        ["blue"]
      )
      yield* as("red", 1)
      assert.deepStrictEqual(
        (yield* notices).map(({ turn }) => turn?.tenant),
        ["blue", "red"]
      )
    }).pipe(within([own.layer], Guard.layerMemoryWith(person)))
  })

  it.effect("15.1 a tenant that has used up its notices does not use up the notices of another tenant", () => {
    const owns = Array.from({ length: 12 }, (_, index) => tool(`read_${index}`, {}, '{"n":null}'))
    const as = (tenant: string, some: typeof owns) =>
      Guard.turn(
        Effect.forEach(some, ({ tool: read }) =>
          Effect.forEach(Array.from({ length: 12 }), (_, index) => Effect.result(read.call({ q: `q${index}` })))
        ),
        { tenant, conversation: tenant, turn: tenant }
      )
    return Effect.gen(function* () {
      yield* as("blue", owns)
      assert.lengthOf(yield* notices, 10)
      yield* as("red", owns.slice(0, 1))
      assert.lengthOf(yield* notices, 11)
    }).pipe(
      within(
        owns.map(({ layer }) => layer),
        Guard.layerMemoryWith(person)
      )
    )
  })

  it.effect("15.1 the policy can silence the notice, and the metric counts the finding", () => {
    const own = tool("read_order", {}, '{"n":null}')
    const silent = Layer.succeed(EscalationPolicy, () => "auto" as const)
    return Effect.gen(function* () {
      yield* calls(own, 12)
      assert.deepStrictEqual(yield* notices, [])
      const counted = (yield* Metric.snapshot).flatMap(({ attributes, id, state }) =>
        id === "effect_toolguard.broken_contracts"
          ? [[attributes?.["gen_ai.tool.name"], (state as { readonly count: number }).count]]
          : []
      )
      assert.deepStrictEqual(counted, [["read_order", 1]])
    }).pipe(
      Effect.provideService(Metric.MetricRegistry, new Map()),
      within([own.layer], Guard.layerMemoryWith(person).pipe(Layer.provide(silent)))
    )
  })

  it.effect("15.1 a notice that cannot be sent does not fail the call", () => {
    const own = tool("read_order", { enforce: "advise" }, '{"n":null}')
    const broken = Layer.succeed(Escalation, {
      inform: () => Effect.die(new Error("unreachable")),
      ask: () => Effect.succeed({ _tag: "NoPerson" } as const)
    })
    return Effect.gen(function* () {
      const answers = yield* calls(own, 12)
      assert.isTrue(answers.every(({ isFailure }) => !isFailure))
    }).pipe(within([own.layer], Guard.layerMemoryWith(broken)))
  })
})

describe("ContractAlarm for arguments", () => {
  const parameters = Schema.Struct({ q: Schema.String, labels: Schema.Array(Schema.String) })
  const valid = { q: "a", labels: [] }
  const labelled = (definition: object, answer: unknown = { n: 1 }) =>
    tool("create_issue", { parameters, retry: { attempts: 1 }, ...definition }, answer)

  /** Makes a call in each of some conversations. */
  const inConversations = (
    own: ReturnType<typeof tool>,
    ids: ReadonlyArray<string>,
    args: (index: number) => unknown = (index) => ({ q: "a", labels: `label ${index}` }),
    over: object = {}
  ) =>
    Effect.forEach(ids, (conversation, index) =>
      Guard.turn(ask([own.tool], own.tool.toolName, JSON.stringify(args(index))), { conversation, turn: "t", ...over })
    )

  const ids = (count: number) => Array.from({ length: count }, (_, index) => `c-${index + 1}`)

  const sentences = Effect.map(notices, (all) => all.map(({ sentence }) => sentence))

  it.effect("15.1 ten refusals for one path and rule tell a person which line to loosen", () => {
    const own = labelled({})
    return Effect.gen(function* () {
      yield* inConversations(own, ids(20), () => valid)
      yield* inConversations(own, ids(9))
      assert.deepStrictEqual(yield* sentences, [])
      yield* inConversations(own, ids(30).slice(9))
      assert.deepStrictEqual(yield* sentences, [
        'create_issue: 10 of the last 30 calls were refused at "labels". Proposed: "labels: Schema.Union([Schema.Array(Schema.String), Schema.String])".'
      ])
      const [notice] = yield* notices
      assert.deepStrictEqual([notice?.level, notice?.tool, notice?.arguments], ["inform", "create_issue", undefined])
      assert.strictEqual(notice?.guidance?.did, "The model read how to correct the refused calls.")
      assert.strictEqual(own.runs(), 20)
    }).pipe(outside([own.layer], Guard.layerMemoryWith(person)))
  })

  it.effect("15.1 the proposed line of a dynamic tool is JSON Schema", () => {
    const remote = GuardedTool.dynamic("create_issue", {
      access: "read",
      parameters: { type: "object", properties: { labels: { type: "array", items: { type: "string" } } } },
      handler: () => Effect.succeed({ n: 1 })
    })
    return Effect.gen(function* () {
      for (let n = 0; n < 10; n++) yield* Effect.result(remote.call({ labels: `label ${n}` } as never))
      const [sentence] = yield* sentences
      assert.include(sentence, 'create_issue: 10 of the last 10 calls were refused at "labels". Proposed: \'labels: {"')
    }).pipe(outside([], Guard.layerMemoryWith(person)))
  })

  for (const [what, definition, guard] of [
    ["only advises", { enforce: "advise" }, Guard.layerMemoryWith(person)],
    ["advises in all conversations of a share", { enforce: { share: 0 } }, Guard.layerMemoryWith(person)],
    ["is a shadow", {}, Shadow.layerWith(person)]
  ] as const) {
    it.effect(`15.1 a person is informed of ten calls that ran and worked, if the guard ${what}`, () => {
      const own = labelled(definition)
      return Effect.gen(function* () {
        yield* inConversations(own, ids(9))
        assert.deepStrictEqual(yield* sentences, [])
        yield* inConversations(own, ids(21).slice(9))
        assert.deepStrictEqual(yield* sentences, [
          'create_issue: 10 of the last 10 calls worked although they violate its schema at "labels". Proposed: "labels: Schema.Union([Schema.Array(Schema.String), Schema.String])".'
        ])
        assert.strictEqual((yield* notices)[0]?.guidance?.did, "The calls ran and were recorded.")
        assert.strictEqual(own.runs(), 21)
      }).pipe(outside([own.layer], guard))
    })
  }

  for (const [what, answer] of [
    ["fail with an error of the server", response(422, '{"message":"labels must be a list"}')],
    ["fail with an error in words", { error: "labels must be a list" }],
    ["time out", Effect.fail({ _tag: "TimeoutError" })],
    ["answer with a text in place of a result", "Error: labels must be a list"]
  ] as const) {
    it.effect(`15.1 no person is informed of unenforced calls that ${what}`, () => {
      const own = labelled({ enforce: "advise" }, answer)
      return Effect.gen(function* () {
        yield* inConversations(own, ids(30))
        assert.deepStrictEqual(yield* sentences, [])
        assert.isAbove(own.runs(), 0)
      }).pipe(outside([own.layer], Guard.layerMemoryWith(person)))
    })
  }

  it.effect("15.1 no person is informed if the server denies two of three unenforced calls", () => {
    let at = 0
    const own = tool("create_issue", { parameters, retry: { attempts: 1 }, enforce: "advise" }, () =>
      Effect.succeed((at += 1) % 3 === 0 ? { n: 1 } : response(403, "{}"))
    )
    return Effect.gen(function* () {
      yield* inConversations(own, ids(60))
      assert.deepStrictEqual([yield* sentences, own.runs()], [[], 60])
    }).pipe(outside([own.layer], Guard.layerMemoryWith(person)))
  })

  it.effect("15.1 refusals of enforced conversations and contradictions of advised ones count together", () => {
    const own = labelled({ enforce: { share: 0.5 } })
    return Effect.gen(function* () {
      yield* inConversations(own, ids(10))
      const [sentence] = yield* sentences
      const [, refused = "", worked = ""] =
        /^create_issue: (\d+) of the last 10 calls were refused, and (\d+) ran and worked, at "labels"/u.exec(
          sentence ?? ""
        ) ?? []
      assert.deepStrictEqual([Number(refused) + Number(worked), Number(worked)], [10, own.runs()])
      assert.isTrue(own.runs() > 0 && own.runs() < 10)
      assert.strictEqual((yield* notices).length, 1)
    }).pipe(outside([own.layer], Guard.layerMemoryWith(person)))
  })

  it.effect(
    "15.1 a model that repeats one refused call, misnames a field or sends unreadable JSON is no evidence",
    () => {
      const own = labelled({})
      return Effect.gen(function* () {
        const repeated = Array.from({ length: 30 }, () => "c-1")
        yield* inConversations(own, repeated, () => ({ q: "a", labels: "x" }))
        yield* inConversations(own, ids(30), (index) => ({ q: "a", label: [`${index}`] }))
        yield* Effect.forEach(ids(30), (conversation) =>
          Guard.turn(ask([own.tool], "create_issue", '{"q":'), { conversation, turn: "t" })
        )
        yield* Effect.forEach(ids(30), (conversation) =>
          Guard.turn(ask([own.tool], "create_isue", '{"q":1}'), { conversation, turn: "t" })
        )
        assert.deepStrictEqual(yield* sentences, [])
      }).pipe(outside([own.layer], Guard.layerMemoryWith(person)))
    }
  )

  it.effect("15.1 tenants are counted separately, the policy gets the part, and the texts have no secrets", () => {
    const own = labelled({ parameters: Schema.Struct({ q: Schema.Literals(["a"]) }) })
    const events: Array<unknown> = []
    const policy = Layer.succeed(EscalationPolicy, (event) => {
      if (event._tag === "ContractBroken") events.push(event)
      return "inform" as const
    })
    const secret = (index: number) => ({ q: `sk-ant-api03-${"x".repeat(80)}${index}` })
    return Effect.gen(function* () {
      yield* inConversations(own, ids(6), secret, { tenant: "red" })
      yield* inConversations(own, ids(6), secret, { tenant: "blue" })
      assert.deepStrictEqual(events, [])
      yield* inConversations(own, ids(9).slice(5), secret, { tenant: "blue", turn: "t2" })
      assert.deepStrictEqual(events, [
        { _tag: "ContractBroken", tool: "create_issue", part: "arguments", calls: 10, broken: 10 }
      ])
      const [notice] = yield* notices
      assert.strictEqual(notice?.turn?.tenant, "blue")
      assert.notInclude(JSON.stringify(notice), "sk-ant-api03-x")
    }).pipe(outside([own.layer], Guard.layerMemoryWith(person).pipe(Layer.provide(policy))))
  })

  it.effect("15.1 arguments of a program that are not JSON do not fail the call", () => {
    const own = labelled({})
    const circular: Record<string, unknown> = { q: 7n }
    circular["labels"] = circular
    return Effect.gen(function* () {
      for (let n = 0; n < 12; n++)
        assert.deepStrictEqual(yield* settled(own.tool.call(circular as never)), [
          "ToolArgError",
          "invalid_arguments",
          "none"
        ])
    }).pipe(outside([own.layer], Guard.layerMemoryWith(person)))
  })
})
