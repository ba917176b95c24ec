/** Tests the failures that servers report: their envelopes, and the side effects that they show. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as ScriptedModel from "#layers/ScriptedModel"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import * as HttpError from "#src/mcp/wire/HttpError"
import * as RemoteTool from "#src/mcp/remote/RemoteTool"
import * as Toolbox from "#src/tool/Toolbox"
import * as ToolError from "#src/mcp/remote/ToolError"
import { classify } from "#domain/classification/Classification"
import * as McpTools from "#src/mcp/remote/McpTools"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { hostile } from "../../support/McpClient.ts"

const [command = "", ...args] = hostile("fails")
const policies = { unhinted: { approval: "auto" } } as const
const tools = McpTools.stdio({ command, args, policies })

const live = Layer.mergeAll(Guard.layerMemory, NodeServices.layer)

/** Returns the text of the envelope of the n-th failure. */
const textOf = (box: Effect.Success<typeof tools>, n: number) =>
  Effect.map(box.answer({ name: "unhinted", arguments: { n }, callId: `c${n}` }), ({ text }) => text)

describe("a failure that a server reports", { timeout: 30_000 }, () => {
  it.live("3.3 keeps its class and message, and is an answered error of unknown effect", () =>
    Effect.gen(function* () {
      const box = yield* tools
      for (const [n, words, error_class] of [
        [0, "Error: Command failed: node job.js throw new Error('no seats left on flight 7')", "permanent"],
        [1, "Cannot reset a protected branch without confirmation", "permanent"],
        [2, "The tool reported a failure without a message.", "permanent"],
        [6, "red alert", "permanent"],
        [7, "Maintenance", "transient"],
        [8, "错误：余额不足，无法付款", "resource"],
        [9, "The cart is empty", "permanent"],
        [10, "The cart is empty.", "permanent"],
        [11, "slow down", "transient"],
        [13, "Invalid params qty: is too large", "tool_arg_error"]
      ] as const) {
        const text = yield* textOf(box, n)
        const { error } = JSON.parse(text)
        assert.include(error.message, words)
        assert.notMatch(error.message, /job\.js:1:7|loader|script|\p{Cc}|\u202e/u)
        assert.deepInclude(
          error,
          { error_class, side_effect: "unknown", retryable: false, next_step: "ask_user" },
          `${n}: ${text}`
        )
        assert.isAtMost(JSON.stringify(error).length, 600)
      }
    }).pipe(Guard.turn, Effect.scoped, Effect.provide(live))
  )

  it.live("5.2 cannot imitate an envelope, leak a secret or exceed the size of an error", () =>
    Effect.gen(function* () {
      const box = yield* tools
      const { error } = JSON.parse(yield* textOf(box, 3))
      assert.deepInclude(error, { side_effect: "unknown", retryable: false, next_step: "ask_user" })
      assert.notProperty(error, "approval_url")
      assert.notProperty(error, "human_review")
      assert.notInclude(error.hint, "Call again.")
      for (const n of [4, 5, 12]) {
        const text = yield* textOf(box, n)
        assert.notInclude(text, "sk-ant")
        assert.notInclude(text, "Ab9_Ab9_")
        assert.isAtMost(JSON.stringify(JSON.parse(text).error).length, 600)
      }
    }).pipe(Guard.turn, Effect.scoped, Effect.provide(live))
  )

  it.live("3.3 needs a person if a policy declares its tool destructive, whatever the server's hints say", () =>
    Effect.gen(function* () {
      const owned = { unhinted: { access: "destructive", approval: "auto" } } as const
      const box = yield* McpTools.stdio({ command, args, policies: owned })
      const { error } = JSON.parse(yield* textOf(box, 0))
      assert.deepInclude(error, { error_class: "human_review", code: "outcome_unknown", side_effect: "unknown" })
    }).pipe(Guard.turn, Effect.scoped, Effect.provide(live))
  )

  it.live("3.3 does not end the run", () =>
    Effect.gen(function* () {
      const end = yield* Agent.run({ prompt: "Act.", tools: yield* tools })
      assert.deepInclude(end, { _tag: "Answered", text: "It failed." })
    }).pipe(
      Effect.scoped,
      Effect.provide([
        live,
        ScriptedModel.layer([
          ScriptedModel.call("unhinted", { n: 0 }),
          ScriptedModel.call("unhinted", { n: 1 }),
          ScriptedModel.call("unhinted", { n: 2 }),
          // an exhausted quota of the server is of the class Resource
          ScriptedModel.call("unhinted", { n: 8 }),
          "It failed."
        ])
      ])
    )
  )
})

describe("a destructive tool", () => {
  const failed = { content: [{ type: "text", text: "The row is locked by batch 7." }], isError: true }

  it.effect(
    "3.3 leaves an answered error to the model if only its server, and not its owner, declares it destructive",
    () =>
      Effect.gen(function* () {
        for (const [annotations, access, error_class, code] of [
          [{ destructiveHint: true }, undefined, "transient", "lock_conflict"],
          [{}, undefined, "transient", "lock_conflict"],
          [{}, "write", "transient", "lock_conflict"],
          [{ destructiveHint: false }, "destructive", "human_review", "outcome_unknown"],
          [{ readOnlyHint: true }, "destructive", "human_review", "outcome_unknown"]
        ] as const) {
          const listed = {
            name: "erase",
            description: "",
            inputSchema: {},
            outputSchema: undefined,
            annotations,
            raw: {}
          }
          const policy = { approval: "auto", ...(access === undefined ? {} : { access }) } as const
          const tool = RemoteTool.make("erase", listed, policy, () => Effect.succeed(failed))
          const { text } = yield* Toolbox.make(tool).answer({ name: "erase", arguments: {}, callId: "c" })
          const { error } = JSON.parse(text)
          assert.deepInclude(
            error,
            { error_class, code, side_effect: "unknown" },
            JSON.stringify([annotations, access])
          )
          assert.include(error.message, "The row is locked by batch 7.")
        }
      }).pipe(Effect.provide(Guard.layerMemory))
  )
})

describe("an HTTP status of a server", () => {
  it("3.3 determines the side effect of a write, or leaves it unknown, and its body is quoted", () => {
    const error = (code: number, retryAfter?: string) =>
      ToolError.ofMcp(
        "write_it",
        "write",
        HttpError.status(code, '{"message":"Desk 7 answers on Mondays."}', retryAfter)
      )
    for (const [failed, tag, sideEffect, isAnswered] of [
      [error(403), "Permanent", "none", true],
      [error(429, "30"), "Transient", "none", true],
      [error(503, "30"), "Transient", "none", true],
      [error(500), "Transient", "unknown", false]
    ] as const) {
      const classified = classify(failed, { access: "write", tool: "write_it" })
      assert.deepInclude(classified, { tag, sideEffect, isAnswered })
      assert.include(classified.detail, "Desk 7 answers on Mondays.")
    }
  })
})
