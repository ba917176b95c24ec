/**
 * Property: a conversation has the same answers and the same end, whether it stays in one process or moves to a new process
 * after each round.
 *
 * The test compares what the model reads and which handlers run. This covers budgets, loops, recalled failures, denials,
 * idempotency keys, stored results and polls.
 */
import { Transient } from "#domain/failure/Failure"
import * as EscalationScripted from "#layers/EscalationScripted"
import * as TurnMemoryMemory from "#layers/TurnMemoryMemory"
import type { AgentEnd } from "#src/agent/AgentEnd"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Schema } from "effect"
import { tool } from "../pipeline/support.ts"
import { assertSame, begin, byPlace, onStores, resume, stores, type World } from "./processes.ts"
import { call, codes, finish } from "./support.ts"

const names = ["read_it", "growing", "failing", "flaky", "garbage", "write_it", "keyed", "shell", "drop_it", "unknown"]
const Calls = Schema.Array(
  Schema.Struct({ name: Schema.Literals(names), q: Schema.Literals(["a", "a", "b"]), isOdd: Schema.Boolean })
).check(Schema.isMinLength(1), Schema.isMaxLength(3))
const Conversation = Schema.Struct({
  rounds: Schema.Array(Calls).check(Schema.isMinLength(2), Schema.isMaxLength(9)),
  person: Schema.Array(Schema.Literals(["approve", "deny", "pending"])).check(Schema.isMaxLength(6)),
  /** Whether the run is resumed in the same process, which still has its turn in memory. */
  isInProcess: Schema.Boolean
})
type Conversation = typeof Conversation.Type

/** Creates tools, a model and a person whose answers depend on how often they were called in all processes together. */
const world = ({
  person,
  rounds
}: Conversation): Effect.Effect<World & { readonly executed: ReadonlyArray<string> }, any, any> =>
  Effect.gen(function* () {
    const executed: Array<string> = []
    const counts = new Map<string, number>()
    const make = (name: string, definition: object, answer: (count: number) => unknown) =>
      tool(name, { retry: { attempts: 1 }, ...definition }, ({ q }: { readonly q: string }) =>
        Effect.suspend(() => {
          const count = (counts.get(`${name} ${q}`) ?? 0) + 1
          counts.set(`${name} ${q}`, count)
          executed.push(`${name} ${q}`)
          const result = answer(count)
          return result instanceof Error ? Effect.fail(result) : Effect.succeed(result)
        })
      )
    const write = { access: "write" }
    const tools = [
      make("read_it", {}, () => ({ n: 1 })),
      make("growing", {}, (n) => ({ n })),
      make("failing", {}, () => Object.assign(new Error("not found"), { status: 404 })),
      make("flaky", { budget: 4 }, (n) =>
        n % 2 === 1
          ? new Transient({
              tool: "",
              code: "unavailable",
              detail: "unavailable",
              hint: "",
              sideEffect: "none",
              // longer than a call waits: the order in which calls of a round end would otherwise depend on jitter
              retryAfter: Duration.seconds(60),
              traceId: ""
            })
          : { n }
      ),
      make("garbage", {}, () => ({ n: "many" })),
      make("write_it", { ...write, idempotency: "derived" }, (n) => ({ n })),
      make("keyed", { ...write, idempotency: "key" }, (n) => ({ n })),
      make("shell", write, (n) => ({ n })),
      make("drop_it", { access: "destructive", approval: "confirm" }, (n) => ({ n }))
    ]
    // fixed, because trace ids have different lengths and would change estimated tokens
    const tokens = { input: 10, output: 5 }
    const answers = rounds.map((calls, round) => [
      ...calls.map(({ isOdd, name, q }, place) => {
        const args = isOdd && name === "read_it" ? { wrong: q } : { q }
        return call(name, args, `call_${round}_${place}`)
      }),
      finish("tool-calls", tokens)
    ])
    const model = byPlace([...answers, ["done", finish("stop", tokens)]])
    const people = yield* Layer.build(Layer.fresh(EscalationScripted.layer(person)))
    return { tools, model, executed, person: Layer.succeedContext(people) }
  })

interface CompletedRun {
  readonly end: AgentEnd
  readonly executed: ReadonlyArray<string>
}

const inOneProcess = (conversation: Conversation): Effect.Effect<CompletedRun, any> =>
  Effect.gen(function* () {
    const program = yield* world(conversation)
    const { end } = yield* begin(program)
    return { end, executed: program.executed }
  }).pipe(onStores())

/** Resumes the run in a new process after each round, until it ends for a reason other than its limit. */
const inManyProcesses = (
  conversation: Conversation
): Effect.Effect<CompletedRun & { readonly processes: number }, any> =>
  Effect.gen(function* () {
    const program = yield* world(conversation)
    let processes = 1
    let { end } = yield* begin(program, { maxRounds: 1 })
    while (end._tag === "LimitReached") {
      processes += 1
      end = (yield* resume(program, { maxRounds: processes })).end
    }
    return { end, executed: program.executed, processes }
  }).pipe(onStores(conversation.isInProcess ? Layer.merge(stores, TurnMemoryMemory.layer) : stores))

describe("any conversation", () => {
  let maxProcesses = 0
  const seen = new Set<string>()
  it.effect.prop(
    "12.2 has the same transcript, handler executions and end with a new process after each round",
    [Conversation],
    ([conversation]) =>
      Effect.gen(function* () {
        const one = yield* inOneProcess(conversation)
        const many = yield* inManyProcesses(conversation)
        assertSame(many.end, one.end)
        assert.deepStrictEqual(many.executed, one.executed)
        maxProcesses = Math.max(maxProcesses, many.processes)
        seen.add(one.end._tag)
        for (const code of codes(one.end.transcript)) seen.add(code)
      }),
    { arbitrary: { runs: 300 } }
  )

  it("12.2 the generated conversations cover the kinds of ends and outcomes", () => {
    assert.isAtLeast(maxProcesses, 6)
    const expected = ["Answered", "LoopDetected", "NeedsPerson", "success", "success unchanged", "not_found"]
    for (const name of [...expected, "approval_denied", "unknown_tool", "invalid_arguments", "no_person"]) {
      assert.include([...seen], name)
    }
  })
})
