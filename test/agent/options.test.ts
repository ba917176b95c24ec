/** Tests of the options of a run: invalid options, contradictory options, and options that only JavaScript can pass. */
import * as ScriptedModel from "#layers/ScriptedModel"
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as Agent from "#src/agent/Agent"
import * as DurableAgent from "#src/durable/DurableAgent"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { toolbox } from "./support.ts"

const services = Layer.mergeAll(Guard.layerMemory, ScriptedModel.layer(["Done."]), CheckpointsMemory.layer)

/** Executes an effect, and returns the message of its error, or "no failure". */
const messageOf = (run: Effect.Effect<unknown, any, any>) =>
  Effect.map(Effect.exit(Effect.provide(run, services) as Effect.Effect<unknown, unknown>), (exit) =>
    Exit.isFailure(exit) ? Cause.prettyErrors(exit.cause)[0]?.message : "no failure"
  )

describe("a run with options from JavaScript", () => {
  for (const [name, tools] of [
    ["a list", []],
    ["nothing", undefined],
    ["null", null],
    ["a record", { search: {} }]
  ] as const) {
    it.effect(`2.11 with ${name} in place of a toolbox, it fails with a sentence that names \`Toolbox.make\``, () =>
      Effect.gen(function* () {
        const options = { run: "run", prompt: "Go.", tools } as never
        for (const run of [Agent.run(options), Agent.checkpointed(options)]) {
          assert.include(yield* messageOf(run), "`tools` of a run must be a toolbox: `tools: Toolbox.make(")
        }
      })
    )
  }

  it.effect("12.1 without an id, a run with a journal is refused, and the refusal states the rule for ids", () =>
    Effect.gen(function* () {
      const options = { prompt: "Go.", tools: toolbox([]) } as never
      assert.include(yield* messageOf(Agent.checkpointed(options)), "A run id must be a string of 1 to 200 characters.")
    })
  )
})

describe("the options of a run", () => {
  const price = { inputPerMillion: 2, outputPerMillion: 8 }
  const noPrice =
    "`maxCost` limits the cost, but `price` has no price, or an amount that is missing, negative or not a number; correct `price`, or remove `maxCost`."

  for (const [options, fault] of [
    [
      { maxCost: 9 },
      "`maxCost` limits the cost, but no `price` is set, so the cost is not known; set `price`, or remove `maxCost`."
    ],
    [{ maxCost: 9, price: {} }, noPrice],
    [{ maxCost: 9, price: { ...price, inputPerMillion: -2 } }, noPrice],
    [{ maxCost: 9, price: { "*": { ...price, cachedInputPerMillion: NaN } } }, noPrice],
    [
      { maxTokens: 5_000, compaction: { maxTokens: 5_000 } },
      "`compaction.maxTokens` is 5000, not below `maxTokens`, which is 5000, so the run would end before a result is shortened; set a smaller `compaction.maxTokens` or a larger `maxTokens`."
    ],
    [
      { compaction: { maxTokens: 0 } },
      "`compaction.maxTokens` must be above 0, got 0; write the number of tokens above which old results are shortened."
    ],
    [
      { compaction: { maxTokens: 9, keepRounds: -1 } },
      "`compaction.keepRounds` must be a whole number of at least 0, got -1."
    ],
    [{ parallelCalls: 0 }, "`parallelCalls` must be a whole number of at least 1, got 0."],
    [{ maxTime: "soon" }, '`maxTime` must be a duration, got "soon"; write a time such as "30 seconds".'],
    [{ maxRounds: "5" }, '`maxRounds` must be a number, got "5"; write a number, or leave it out.']
  ] as const) {
    it.effect(`2.12 with ${JSON.stringify(options)}, no run starts, and the error names the fault`, () =>
      Effect.gen(function* () {
        const all = { ...options, run: "run", prompt: "Go.", tools: toolbox([]) } as never
        for (const run of [Agent.run(all), Agent.checkpointed(all)])
          assert.strictEqual(yield* messageOf(run), `A run: ${fault}`)
        assert.throws(() => DurableAgent.make("Agent", all), RangeError, `A run: ${fault}`)
      })
    )
  }

  it.effect("2.12 refuse a lease or a retention of zero", () =>
    Effect.gen(function* () {
      const options = { run: "run", prompt: "Go.", tools: toolbox([]), lease: 0 }
      const rule = 'must be longer than zero, got 0; write a time such as "30 seconds".'
      assert.strictEqual(yield* messageOf(Agent.checkpointed(options)), `A run: \`lease\` ${rule}`)
      const durable = () => DurableAgent.make("Agent", { tools: toolbox([]), retention: 0 })
      assert.throws(durable, RangeError, `A run: \`retention\` ${rule}`)
    })
  )

  it.effect("2.12 start a run if they are valid", () =>
    Effect.gen(function* () {
      const options = {
        maxCost: 9,
        price,
        maxTokens: 5_000,
        compaction: { maxTokens: 4_999, keepRounds: 0 },
        parallelCalls: Infinity,
        maxTime: "1 hour"
      } as const
      const run = Agent.run({ prompt: "Go.", tools: toolbox([]), ...options })
      assert.strictEqual(yield* messageOf(run), "no failure")
    })
  )
})
