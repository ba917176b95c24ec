/**
 * Tests that must pass for labelled answers that state something about themselves, in every channel: from a handler as a
 * value, behind a contract that accepts any fields, as an HTTP response, from tools of `McpTools`, behind the proxy, and
 * in the replay of a log.
 */
import * as RemoteTool from "#src/mcp/remote/RemoteTool"
import * as GuardedTool from "#src/tool/GuardedTool"
import type { Access } from "#domain/tool/Access"
import * as Blobs from "#kit/proxy/Blobs"
import * as PausableTimeout from "#kit/proxy/PausableTimeout"
import * as ProxyTool from "#kit/proxy/ProxyTool"
import { classify } from "#kit/replay/RecordedAnswer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { ask, response, tool, within } from "../../pipeline/support.ts"

/** An answer of a tool, and what is reported about the call. */
export interface Vector {
  readonly tool: string
  readonly access: Access
  readonly answer: unknown
  readonly reported: "success" | "failure" | "not success" | "not failure"
}

const permitted = {
  success: ["success"],
  failure: ["failure"],
  "not success": ["unproven", "failure"],
  "not failure": ["success", "unproven"]
} as const

const policyOf = (access: Access) => ({
  access,
  ...(access === "read" ? { retry: { attempts: 1 } } : {}),
  ...(access === "destructive" ? { approval: "auto" as const } : {})
})

/** Returns what a model reads about a call in a separate guard: a success, an unproven success, or a failure. */
const reported = (tool: unknown, name: string) =>
  // the types of a dynamic tool are known only at run time
  ask([tool as never], name, "{}").pipe(
    Effect.map(({ envelope }) =>
      envelope.status === "error" ? "failure" : envelope.notice === undefined ? "success" : "unproven"
    ),
    within([])
  )

const own = ({ access, tool: name }: Vector, answer: unknown, success: Schema.Top = Schema.Json) =>
  reported(
    GuardedTool.dynamic(name, {
      ...policyOf(access),
      description: "Does one thing.",
      success,
      handler: () => Effect.succeed(answer)
    } as never),
    name
  )

const listed = ({ access, tool: name }: Vector, outputSchema?: object) => ({
  name,
  description: "Does one thing.",
  inputSchema: {},
  outputSchema,
  annotations: { readOnlyHint: access === "read" },
  raw: {}
})

const remote = (vector: Vector, result: object, outputSchema?: object) =>
  reported(
    RemoteTool.make(vector.tool, listed(vector, outputSchema) as never, policyOf(vector.access), () =>
      Effect.succeed(result as never)
    ),
    vector.tool
  )

const proxied = (vector: Vector, result: object) =>
  reported(
    ProxyTool.make(listed(vector) as never, {
      policy: policyOf(vector.access),
      confirm: "none",
      timeout: PausableTimeout.make(),
      timeoutMillis: 5_000,
      blobs: Blobs.make((text) => text),
      call: () => Effect.succeed(result as never)
    }),
    vector.tool
  )

const replayed = ({ access, tool: name }: Vector, text: string): boolean =>
  classify({ tool: name, access, arguments: {}, text, isError: false })._tag === "Failure"

/** Tests the report of each labelled answer in every channel. */
export const statementsContract = (vectors: ReadonlyArray<Vector>): void => {
  describe("an answer that states something about itself", () => {
    for (const vector of vectors) {
      const { access, answer, reported: label, tool: name } = vector
      const isText = typeof answer === "string"
      const isObject = !isText && !Array.isArray(answer)
      const text = isText ? answer : JSON.stringify(answer)
      const result = { content: [{ type: "text", text }] }
      it.effect(`3.3 the answer ${text} of the ${access} ${name} is reported as ${label} in every channel`, () =>
        Effect.gen(function* () {
          const channels = {
            mcp: yield* remote(vector, result),
            proxy: yield* proxied(vector, result),
            ...(isText ? {} : { value: yield* own(vector, answer), http: yield* own(vector, response(200, text)) }),
            ...(isObject
              ? {
                  record: yield* own(vector, answer, Schema.Record(Schema.String, Schema.Json)),
                  structured: yield* remote(vector, { ...result, structuredContent: answer }, { type: "object" })
                }
              : {})
          }
          assert.include(permitted[label], channels.mcp)
          // a log shows an unproven success as a success
          const expected: object = Object.fromEntries(Object.keys(channels).map((channel) => [channel, channels.mcp]))
          assert.deepStrictEqual<object>(channels, expected)
          assert.strictEqual(replayed(vector, text), channels.mcp === "failure", "replay")
        })
      )
    }
  })

  describe("a write whose answer settles nothing", () => {
    const rejected = { status: "rejected", reason: "over budget" }

    it.effect("3.3 a state that the contract declares is data", () => {
      const success = Schema.Struct({ status: Schema.String, reason: Schema.String })
      const approve = tool("approve_po", { access: "write", success }, rejected)
      return Effect.gen(function* () {
        assert.strictEqual((yield* ask([approve.tool], "approve_po", '{"q":"a"}')).envelope.notice, undefined)
      }).pipe(within([approve.layer]))
    })

    it.effect("3.3 a state that an argument requests is a plain success", () => {
      const update = tool("update_po", { access: "write", success: Schema.Json }, rejected)
      return Effect.gen(function* () {
        const requested = yield* ask([update.tool], "update_po", '{"q":"rejected"}')
        assert.deepStrictEqual(requested.envelope, { status: "success", data: rejected })
        const other = yield* ask([update.tool], "update_po", '{"q":"approved"}')
        assert.strictEqual(
          other.envelope.notice,
          'The answer says that "status" is "rejected". It is not known what was done. Do not repeat the call; ask the user.'
        )
      }).pipe(within([update.layer]))
    })

    it.effect("3.3 a message that repeats what was sent is a plain success", () => {
      const sent = { ok: true, message: "Payment failed" }
      const send = tool("send_message", { access: "write", success: Schema.Json }, sent)
      return Effect.gen(function* () {
        const { envelope } = yield* ask([send.tool], "send_message", '{"q":"Payment failed"}')
        assert.deepStrictEqual(envelope, { status: "success", data: sent })
      }).pipe(within([send.layer]))
    })
  })
}
