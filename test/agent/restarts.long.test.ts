/**
 * Any conversation, in one process or in a new one after each round: the same answers, the same end.
 *
 * What is compared is what the model reads, so that budgets, loops, recalled failures, denials, idempotency keys, held
 * results and polls are all of a run that never stopped.
 */
import { Transient } from "#domain/failure/Failure"
import * as EscalationScripted from "#layers/EscalationScripted"
import * as TurnMemoryMemory from "#layers/TurnMemoryMemory"
import type { AgentEnd } from "#src/agent/AgentEnd"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { tool } from "../pipeline/support.ts"
import { assertSame, begin, byPlace, onStores, resume, stores, type World } from "./processes.ts"
import { call, codes, finish } from "./support.ts"

const names = ["read_it", "growing", "failing", "flaky", "garbage", "write_it", "keyed", "shell", "drop_it", "nobody"]
const Calls = Schema.Array(
  Schema.Struct({ name: Schema.Literals(names), q: Schema.Literals(["a", "a", "b"]), isOdd: Schema.Boolean })
).check(Schema.isMinLength(1), Schema.isMaxLength(3))
const Conversation = Schema.Struct({
  rounds: Schema.Array(Calls).check(Schema.isMinLength(2), Schema.isMaxLength(9)),
  person: Schema.Array(Schema.Literals(["approve", "deny", "pending"])).check(Schema.isMaxLength(6)),
  /** It is gone on with in the same process, which remembers it. */
  isInProcess: Schema.Boolean
})
type Conversation = typeof Conversation.Type

/** Tools, a model and a person; what they do goes by how often they were asked, in whatever process. */
const world = ({
  person,
  rounds
}: Conversation): Effect.Effect<World & { readonly did: ReadonlyArray<string> }, any, any> =>
  Effect.gen(function* () {
    const did: Array<string> = []
    const counts = new Map<string, number>()
    const make = (name: string, definition: object, answer: (count: number) => unknown) =>
      tool(name, { retry: { attempts: 1 }, ...definition }, ({ q }: { readonly q: string }) =>
        Effect.suspend(() => {
          const count = (counts.get(`${name} ${q}`) ?? 0) + 1
          counts.set(`${name} ${q}`, count)
          did.push(`${name} ${q}`)
          const given = answer(count)
          return given instanceof Error ? Effect.fail(given) : Effect.succeed(given)
        })
      )
    const write = { access: "write" }
    const tools = [
      make("read_it", {}, () => ({ n: 1 })),
      make("growing", {}, (n) => ({ n })),
      make("failing", {}, () => Object.assign(new Error("not there"), { status: 404 })),
      make("flaky", { budget: 4 }, (n) =>
        n % 2 === 1
          ? new Transient({ tool: "", code: "unavailable", detail: "away", hint: "", sideEffect: "none", traceId: "" })
          : { n }
      ),
      make("garbage", {}, () => ({ n: "many" })),
      make("write_it", { ...write, idempotency: "derived" }, (n) => ({ n })),
      make("keyed", { ...write, idempotency: "key" }, (n) => ({ n })),
      make("shell", write, (n) => ({ n })),
      make("drop_it", { access: "destructive", approval: true }, (n) => ({ n }))
    ]
    // ids of traces are of different lengths: tokens are not counted by them
    const tokens = { input: 10, output: 5 }
    const answers = rounds.map((calls, round) => [
      ...calls.map(({ isOdd, name, q }, place) => {
        const args = isOdd && name === "read_it" ? { wrong: q } : { q }
        return call(name, args, `call_${round}_${place}`)
      }),
      finish("tool-calls", tokens)
    ])
    const model = byPlace([...answers, ["done", finish("stop", tokens)]])
    const asked = yield* Layer.build(Layer.fresh(EscalationScripted.layer(person)))
    return { tools, model, did, person: Layer.succeedContext(asked) }
  })

interface Came {
  readonly end: AgentEnd
  readonly did: ReadonlyArray<string>
}

const inOne = (conversation: Conversation): Effect.Effect<Came, any> =>
  Effect.gen(function* () {
    const it = yield* world(conversation)
    const { end } = yield* begin(it)
    return { end, did: it.did }
  }).pipe(onStores())

/** A new process after each round, for as long as it is the limit that ends it. */
const inMany = (conversation: Conversation): Effect.Effect<Came & { readonly processes: number }, any> =>
  Effect.gen(function* () {
    const it = yield* world(conversation)
    let processes = 1
    let { end } = yield* begin(it, { maxRounds: 1 })
    while (end._tag === "LimitReached") {
      processes += 1
      end = (yield* resume(it, { maxRounds: processes })).end
    }
    return { end, did: it.did, processes }
  }).pipe(onStores(conversation.isInProcess ? Layer.merge(stores, TurnMemoryMemory.layer) : stores))

describe("any conversation", () => {
  let most = 0
  const seen = new Set<string>()
  it.effect.prop(
    "12.2 with a new process after each round: the model reads the same, the same is done, and it ends the same",
    [Conversation],
    ([conversation]) =>
      Effect.gen(function* () {
        const one = yield* inOne(conversation)
        const many = yield* inMany(conversation)
        assertSame(many.end, one.end)
        assert.deepStrictEqual(many.did, one.did)
        most = Math.max(most, many.processes)
        seen.add(one.end._tag)
        for (const code of codes(one.end.transcript)) seen.add(code)
      }),
    { arbitrary: { runs: 300 } }
  )

  it("12.2 the conversations were such that much could differ", () => {
    assert.isAtLeast(most, 6)
    const wanted = ["Answered", "LoopDetected", "NeedsPerson", "success", "success unchanged", "not_found"]
    for (const what of [...wanted, "approval_denied", "unknown_tool", "invalid_arguments", "no_person"]) {
      assert.include([...seen], what)
    }
  })
})
