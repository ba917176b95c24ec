/** Tests guarded tools and turns for programs without Effect. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as z from "zod"
import { type Failure, ToolArgError, Transient } from "effect-toolguard"
import { Approval, createGuard, done, nothingDone, readResult, tool, Verdict } from "effect-toolguard/promise"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"

/** Returns the envelope of an answer. */
const read = ({ text }: { readonly text: string }) => JSON.parse(text)

const serve = async (listener: RequestListener) => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

const searchOf = (calls: Array<unknown>) =>
  tool({
    name: "search_orders",
    description: "Searches orders. Read-only.",
    access: "read",
    parameters: z.object({
      status: z.enum(["placed", "shipped"]),
      since: z.iso
        .date()
        .transform((text) => new Date(text))
        .optional(),
      limit: z.int().min(1).max(50).default(10)
    }),
    success: z.object({ ids: z.array(z.string()) }),
    execute: async (args) => {
      calls.push(args)
      return { ids: ["O-1"], internal: true }
    }
  })

describe("effect-toolguard/promise", () => {
  it("11.5 calls a tool with a schema of zod: the handler reads its output, and the model its problems", async () => {
    const calls: Array<unknown> = []
    const search = searchOf(calls)
    await using guard = createGuard({ tools: [search] })
    assert.deepStrictEqual(guard.tools, [
      {
        name: "search_orders",
        description: "Searches orders. Read-only.",
        parameters: guard.tools[0]?.parameters ?? {}
      }
    ])
    assert.strictEqual(guard.tools[0]?.parameters["additionalProperties"], false)
    const answer = (args: unknown) => guard.turn((turn) => turn.answer({ name: "search_orders", arguments: args }))
    assert.deepStrictEqual(read(await answer('{"status":"shipped","since":"2026-01-02"}')), {
      status: "success",
      data: { ids: ["O-1"] }
    })
    assert.deepStrictEqual(calls, [{ status: "shipped", since: new Date("2026-01-02"), limit: 10 }])
    const wrong = read(await answer('{"status":"shiped","limit":500,"page":1}'))
    assert.deepStrictEqual([wrong.status, wrong.error.code], ["error", "invalid_arguments"])
    for (const part of ["status: expected one of placed, shipped", "limit", "page"])
      assert.include(wrong.error.detail ?? wrong.error.message, part)
    assert.strictEqual(calls.length, 1)
    // a rule that JSON Schema does not have
    const rule = tool({
      name: "transfer",
      description: "Moves money. Writes.",
      access: "write",
      parameters: z
        .object({ from: z.string(), to: z.string() })
        .refine(({ from, to }) => from !== to, { path: ["to"], error: "must be another account" }),
      execute: async () => ({ done: true })
    })
    await using second = createGuard({ tools: [rule] })
    const refused = await second.turn((turn) => turn.answer({ name: "transfer", arguments: { from: "A", to: "A" } }))
    assert.include(refused.text, "to: must be another account")
    assert.strictEqual(refused.attempts, 0)
  })

  it("11.5 a program's call has the types of the schemas, and rejects with a typed failure", async () => {
    const search = searchOf([])
    await using guard = createGuard({ tools: [search] })
    const { ids }: { readonly ids: ReadonlyArray<string> } = await guard.call(search, { status: "placed" })
    assert.deepStrictEqual(ids, ["O-1"])
    const failure = await guard.call(search, { status: "lost" as "placed" }).catch((error: unknown) => error)
    assert.instanceOf(failure, ToolArgError)
  })

  it("11.5 the identical call that fails is made once in a turn, and a new turn may make it again", async () => {
    let attempts = 0
    const find = tool({
      name: "find_order",
      description: "Finds an order. Read-only.",
      access: "read",
      parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
      execute: async () => {
        attempts += 1
        return '{"status":'
      }
    })
    await using guard = createGuard({ tools: [find] })
    const seventeen = () =>
      guard.turn(async (turn) => {
        const codes: Array<string> = []
        for (let i = 0; i < 17; i++)
          codes.push(read(await turn.answer({ name: "find_order", arguments: '{"id":"O-1"}' })).error.code)
        return codes
      })
    assert.deepStrictEqual((await seventeen()).slice(0, 3), [
      "truncated_response",
      "truncated_response",
      "loop_detected"
    ])
    assert.strictEqual(attempts, 1)
    await seventeen()
    assert.strictEqual(attempts, 2)
  })

  it("11.5 a Response of fetch is read with its status, and its body is limited", async () => {
    const { close, url } = await serve((request, response) => {
      if (request.url === "/missing") response.writeHead(404).end('{"error":"no order O-9"}')
      else response.writeHead(200, { "content-type": "application/json" }).end('{"id":"O-1"}')
    })
    const find = tool({
      name: "find_order",
      description: "Finds an order. Read-only.",
      access: "read",
      parameters: z.object({ path: z.string() }),
      execute: ({ path }, { signal }) => fetch(url + path, { signal })
    })
    await using guard = createGuard({ tools: [find] })
    assert.deepStrictEqual(await guard.call(find, { path: "/" }), { id: "O-1" })
    const missing = await guard.turn((turn) => turn.answer({ name: "find_order", arguments: { path: "/missing" } }))
    assert.strictEqual(read(missing).error.code, "not_found")
    close()
  })

  it("11.5 what execute throws is classified, and its statement decides the side effect", async () => {
    const pay = tool({
      name: "pay",
      description: "Pays an invoice. Writes.",
      access: "write",
      deadline: "1 second",
      parameters: z.object({ how: z.string() }),
      execute: ({ how }) => {
        if (how === "nothing") throw nothingDone(new Error("the invoice is closed"))
        if (how === "done") throw done(new Error("the receipt could not be printed"))
        throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" })
      }
    })
    await using guard = createGuard({ tools: [pay] })
    const effect = async (how: string) =>
      ((await guard.call(pay, { how }).catch((error: unknown) => error)) as Failure).sideEffect
    assert.deepStrictEqual(await Promise.all(["nothing", "done"].map(effect)), ["none", "committed"])
    const failure = await guard.call(pay, { how: "refused" }).catch((error) => error)
    assert.instanceOf(failure, Transient)
    assert.strictEqual(failure.sideEffect, "none")
  })

  it("10.3 asks the program's function before a destructive call, and only a decision to approve runs it", async () => {
    const deleted: Array<string> = []
    const remove = tool({
      name: "delete_order",
      description: "Deletes an order. Destructive.",
      access: "destructive",
      parameters: z.object({ id: z.string() }),
      approval: async ({ id }) => Approval.confirm(`it would delete ${id}`),
      execute: async ({ id }) => {
        deleted.push(id)
        return { deleted: true }
      }
    })
    const asked: Array<string> = []
    await using guard = createGuard({
      tools: [remove],
      approve: async ({ sentence }) => {
        asked.push(sentence)
        if (sentence.includes("O-1")) return true
        if (sentence.includes("O-2")) return { approved: false, by: "Kim", reason: "it is still needed" }
        if (sentence.includes("O-3")) return { answer: "Archive it instead." }
        throw new Error("the phone is off")
      }
    })
    const answers = await guard.turn((turn) =>
      turn.answerAll(["O-1", "O-2", "O-3", "O-4"].map((id) => ({ name: "delete_order", arguments: { id } })))
    )
    assert.deepStrictEqual(deleted, ["O-1"])
    assert.deepStrictEqual(
      asked.sort(),
      ["O-1", "O-2", "O-3", "O-4"].map((id) => `it would delete ${id}`)
    )
    assert.deepStrictEqual(
      answers.map((answer) => read(answer).error?.code),
      [undefined, "approval_denied", "answered_by_person", "no_person"]
    )
    assert.include(answers[1]?.text ?? "", "it is still needed")
    assert.include(answers[2]?.text ?? "", "Archive it instead.")
  })

  it("4.14 a model reads the rest of a large result with readResult", async () => {
    const list = tool({
      name: "list_rows",
      description: "Lists rows. Read-only.",
      access: "read",
      execute: async () => Array.from({ length: 5_000 }, (_, n) => ({ n, text: "a row" }))
    })
    await using guard = createGuard({ tools: [list, readResult] })
    const page = await guard.turn(async (turn) => {
      const whole = await turn.answer({ name: "list_rows", arguments: {} })
      const resource_url = /artifact:[^"]+/.exec(whole.text)?.[0]
      return turn.answer({ name: "read_result", arguments: { resource_url, offset: 4_999, limit: 1 } })
    })
    assert.include(page.text, '"n":4999')
  })

  it("11.5 a turn rejects with what its function throws, its signal interrupts calls, and nested calls share it", async () => {
    const aborted: Array<boolean> = []
    const wait = tool({
      name: "wait",
      description: "Waits. Read-only.",
      access: "read",
      execute: (_, { signal }) =>
        new Promise<number>((resolve) => signal.addEventListener("abort", () => resolve(aborted.push(signal.aborted))))
    })
    await using guard = createGuard({ tools: [wait] })
    const thrown = new Error("of the host")
    assert.strictEqual(await guard.turn(() => Promise.reject(thrown)).catch((error: unknown) => error), thrown)
    const controller = new AbortController()
    const running = guard
      .turn((turn) => turn.answer({ name: "wait", arguments: {} }), { signal: controller.signal })
      .catch(() => "interrupted")
    setTimeout(() => controller.abort(), 20)
    assert.strictEqual(await running, "interrupted")
    assert.deepStrictEqual(aborted, [])
  })

  it("11.5 a check, a policy and a schema of Effect work like those of a tool class", async () => {
    const find = tool({
      name: "find",
      description: "Finds a name. Read-only.",
      access: "read",
      parameters: Schema.toStandardSchemaV1(Schema.Struct({ id: Schema.NumberFromString })),
      jsonSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
      success: z.object({ name: z.string() }),
      checks: {
        named: ({ name }) =>
          name === "" ? Verdict.garbage({ code: "empty_name", detail: "The name is empty." }) : Verdict.ok
      },
      timeout: "1 second",
      execute: ({ id }) => ({ name: id === 7 ? "Kim" : "" })
    })
    await using guard = createGuard({ tools: [find] })
    assert.deepStrictEqual(await guard.call(find, { id: "7" }), { name: "Kim" })
    const failure = await guard.call(find, { id: "8" }).catch((error) => error)
    assert.strictEqual(failure.code, "empty_name")
  })

  it("11.5 a wrong definition names the tool, the field and the remedy", () => {
    const make = (fields: object) => () =>
      tool({ name: "a", description: "Reads.", access: "read", execute: () => 1, ...fields })
    assert.throws(make({ execute: 1 }), RangeError, "a: `execute`")
    assert.throws(make({ parameter: z.object({}) }), RangeError, "did you mean `parameters`?")
    assert.throws(make({ parameters: 1 }), RangeError, "a: `parameters` is 1; write a schema such as z.object")
    assert.throws(
      make({ parameters: z.object({ at: z.date() }) }),
      RangeError,
      "`parameters` cannot be advertised: zod"
    )
    assert.throws(make({ access: "writes" }), RangeError, "a: `access`")
    assert.throws(make({ access: "write", retry: { attempts: 3 } }), RangeError, "idempotency")
  })

  it.effect("11.5 an asynchronous schema refuses every value", () =>
    Effect.promise(async () => {
      const find = tool({
        name: "find",
        description: "Finds. Read-only.",
        access: "read",
        parameters: z.object({ id: z.string().refine(async () => true) }),
        execute: () => 1
      })
      await using guard = createGuard({ tools: [find] })
      const answer = await guard.turn((turn) => turn.answer({ name: "find", arguments: { id: "a" } }))
      assert.include(answer.text, "asynchronous")
    })
  )
})
