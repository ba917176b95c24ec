/** Tests what the bare loop returns to the model, and that it stops after a maximum number of calls. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Schema, Stream } from "effect"
import { Prompt } from "effect/ai"
import { FetchHttpClient, HttpClient } from "effect/http"
import { GuardedTool, Toolbox } from "effect-toolguard"
import * as ScriptedModel from "effect-toolguard/layers/ScriptedModel"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as BareLoop from "#kit/cli/run/BareLoop"

class ReadThing extends GuardedTool.Service<ReadThing>()("read_thing", {
  description: "Reads a thing. Read-only. Not for lists.",
  access: "read",
  parameters: Schema.Struct({ id: Schema.Int }),
  success: Schema.Struct({ id: Schema.Int })
}) {}

const tools = Toolbox.make(ReadThing)

/** Runs the loop with a handler, and returns its end and the text, error flag and attempts of each call. */
const run = <E>(
  handler: GuardedTool.Handler<{ readonly id: number }, { readonly id: number }, E, HttpClient.HttpClient>,
  script: ScriptedModel.Script,
  stopAfter = 17
) => {
  const calls: Array<BareLoop.BareCall> = []
  return BareLoop.run({
    prompt: Prompt.make("?"),
    tools,
    stopAfter,
    maxRounds: 50,
    onCall: (call) => calls.push(call)
  }).pipe(
    Effect.map((end) => ({ end, read: calls.map(({ attempts, isError, text }) => [text, isError, attempts]) })),
    // one cast drops the handler's error type, the other the layer's `HttpClient`, which is provided below
    Effect.provide([ReadThing.layer(handler as never) as Layer.Layer<ReadThing>, ScriptedModel.layer(script)]),
    Effect.provide(FetchHttpClient.layer)
  )
}

const one = ScriptedModel.call("read_thing", { id: 1 })

/** Returns the text, error flag and attempts of one call with a handler. */
const reads = <E>(
  handler: GuardedTool.Handler<{ readonly id: number }, { readonly id: number }, E, HttpClient.HttpClient>
) => Effect.map(run(handler, [one, "done"]), ({ read }) => read[0])

describe("BareLoop", () => {
  it.effect("continues until the model answers without a call", () =>
    Effect.gen(function* () {
      const { end, read } = yield* run(({ id }) => Effect.succeed({ id }), [one, [one, one], "done"])
      assert.deepInclude(end, { _tag: "Answered", text: "done", rounds: 3, calls: 3, attempts: 3 })
      assert.deepStrictEqual(
        read,
        Array.from({ length: 3 }, () => [`{"id":1}`, false, 1])
      )
    })
  )

  it.effect("stops after the maximum number of calls", () =>
    Effect.gen(function* () {
      const handler = () => Effect.fail("no")
      const { end } = yield* run(handler, () => one)
      assert.deepInclude(end, { _tag: "Stopped", text: "", rounds: 17, calls: 17, attempts: 17 })
      const wide = yield* run(handler, () => [one, one, one], 4)
      assert.deepInclude(wide.end, { _tag: "Stopped", rounds: 2, calls: 4, attempts: 4 })
    })
  )

  it.effect("returns to the model the text of a failure, a defect, a result that is not JSON, or bytes", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* reads(() => Effect.fail(new TypeError("broken"))), ["TypeError: broken", true, 1])
      assert.deepStrictEqual(yield* reads(() => Effect.die("crashed")), ["crashed", true, 1])
      assert.deepStrictEqual(yield* reads(() => Effect.succeed(`{"id":`)), [
        "SyntaxError: Unexpected end of JSON input",
        true,
        1
      ])
      assert.deepStrictEqual(yield* reads(() => Effect.die(new Error("boom"))), ["Error: boom", true, 1])
      const bytes = Stream.make(new TextEncoder().encode(`{"id":2}`))
      assert.deepStrictEqual(yield* reads(() => Effect.succeed(bytes)), [`{"id":2}`, false, 1])
    })
  )

  it.effect("reports an unknown tool and invalid arguments without running the handler", () =>
    Effect.gen(function* () {
      const script = [ScriptedModel.call("read_things", {}), ScriptedModel.call("read_thing", { id: "x" }), "done"]
      const { end, read } = yield* run(() => Effect.die("never"), script)
      assert.strictEqual(end.attempts, 0)
      assert.deepStrictEqual(read[0], ["Error: unknown tool 'read_things'. Available tools: read_thing.", true, 0])
      assert.match(String(read[1]?.[0]), /^Error: invalid arguments for 'read_thing': Expected /)
    })
  )

  it.live("checks the status of a response, and parses its body", () =>
    Effect.gen(function* () {
      const server = createServer(({ url }, response) => {
        response.statusCode = Number(url?.slice(1, 4))
        response.end(url === "/200" ? `{"id":3}` : "<html>")
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () =>
          Effect.sync(() => {
            server.closeAllConnections()
            server.close()
          })
      )
      const { port } = server.address() as AddressInfo
      const get = (path: string) => reads(() => HttpClient.get(`http://127.0.0.1:${port}${path}`))
      assert.deepStrictEqual(yield* get("/200"), [`{"id":3}`, false, 1])
      assert.deepStrictEqual(yield* get("/503"), ["Error: HTTP 503: <html>", true, 1])
      assert.match(String((yield* get("/200/html"))?.[0]), /^SyntaxError: /)
    })
  )

  it.effect("adds each result to the conversation under the id of its call", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      yield* run(
        ({ id }) => Effect.succeed({ id }),
        [
          [ScriptedModel.call("read_thing", { id: 1 }, "a"), ScriptedModel.call("read_thing", { id: 2 }, "b")],
          (prompt) => {
            const last = prompt.content.at(-1)
            for (const part of last?.role === "tool" ? last.content : []) {
              if (part.type === "tool-result") seen.push(`${part.id} ${String(part.result)}`)
            }
            return "done"
          }
        ]
      )
      assert.deepStrictEqual(seen, [`a {"id":1}`, `b {"id":2}`])
    })
  )

  it.effect("fails if a request to the model fails", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(run(() => Effect.die("never"), []))
      assert.strictEqual(error._tag, "AiError")
    })
  )
})
