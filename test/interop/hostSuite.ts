/**
 * The calls with which every framework is tested: its own loop, with a model that makes scripted calls, and the tools of a
 * guard. The tests are equal for all frameworks; what a framework decides itself is stated by its `own` texts.
 */
import { assert, describe, it } from "@effect/vitest"
import { createGuard, tool } from "effect-toolguard/promise"
import * as z from "zod"
import type { TestOptions } from "vitest"

/** A call of the model: its arguments are the text that the model wrote. */
export interface Call {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** The texts that the model read as results, by the id of the call. */
export type Told = ReadonlyMap<string, string>

/** How a framework runs the tools. */
export interface Driver {
  readonly name: string
  /** The model makes the calls of each response, then answers. `signal` is passed to the framework. */
  readonly run: (guard: DeskGuard, responses: ReadonlyArray<ReadonlyArray<Call>>, signal?: AbortSignal) => Promise<Told>
  /** Words of the framework's own answer to arguments that are not JSON, if nothing else can answer them. */
  readonly ownBrokenJson?: string
}

/** The handlers' runs, and the promise that the slow handler was started and aborted. */
export const makeDesk = () => {
  const runs: Array<string> = []
  const started = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<string>()
  const ran = (name: string, callId: string) => void runs.push(`${name} ${callId}`)
  const parameters = z.object({
    status: z.enum(["placed", "shipped"]),
    limit: z.int().min(1).max(50),
    customer_id: z.string().regex(/^C-\d+$/)
  })
  const guard = createGuard({
    tools: [
      tool({
        name: "search_orders",
        description: "Searches orders. Read-only.",
        access: "read",
        parameters,
        success: z.object({ ids: z.array(z.string()) }),
        execute: async (_args, { callId }) => {
          ran("search_orders", callId)
          return { ids: ["O-1"] }
        }
      }),
      tool({
        name: "read_report",
        description: "Reads the report. Read-only.",
        access: "read",
        parameters: z.object({ page: z.int().optional() }),
        execute: (_args, { callId }) => {
          ran("read_report", callId)
          return '{"rows":[{"id":1},{"id":'
        }
      }),
      tool({
        name: "read_secret",
        description: "Fails. Read-only.",
        access: "read",
        retry: { attempts: 1 },
        execute: async () => {
          throw new Error("login failed for postgres://admin:hunter2secret@db.internal:5432/orders")
        }
      }),
      tool({
        name: "wait",
        description: "Waits. Read-only.",
        access: "read",
        execute: (_args, { signal }) =>
          new Promise<never>((_, reject) => {
            signal.addEventListener("abort", () => {
              aborted.resolve("aborted")
              reject(new Error("aborted"))
            })
            started.resolve()
          })
      })
    ]
  })
  return { guard, runs, started: started.promise, aborted: aborted.promise }
}

/** The guard of the tests. */
export type DeskGuard = ReturnType<typeof makeDesk>["guard"]

export const good = '{"status":"shipped","limit":5,"customer_id":"C-1"}'

/** Reads the envelope, which is all that the model reads. */
export const envelope = (text: string | undefined) => JSON.parse(text ?? "null")

const call = (id: string, name: string, args = "{}"): Call => ({ id, name, arguments: args })

/** Tests a framework. */
export const hostSuite = (driver: Driver, options: TestOptions): void => {
  describe(`guardFor in the loop of ${driver.name}`, options, () => {
    const asked = async (...responses: ReadonlyArray<ReadonlyArray<Call>>) => {
      const desk = makeDesk()
      try {
        return { told: await driver.run(desk.guard, responses), runs: desk.runs }
      } finally {
        await desk.guard.dispose()
      }
    }

    it("11.5 runs seventeen identical failing calls of a turn once", async () => {
      const calls = Array.from({ length: 17 }, (_, number) => [call(`c${number}`, "read_report")])
      const { runs, told } = await asked(...calls)
      assert.deepStrictEqual(runs, ["read_report c0"])
      const codes = calls.map(([{ id } = call("", "")]) => envelope(told.get(id)).error.code)
      assert.deepStrictEqual(codes.slice(0, 3), ["truncated_response", "truncated_response", "loop_detected"])
      assert.deepStrictEqual(new Set(codes.slice(2)), new Set(["loop_detected"]))
    })

    it("11.5 names all wrong fields, and passes the id of a correct call to the handler", async () => {
      const { runs, told } = await asked(
        [call("c1", "search_orders", '{"status":"shiped","limit":500,"customer_id":"9921"}')],
        [call("c2", "search_orders", good)]
      )
      const { error } = envelope(told.get("c1"))
      assert.strictEqual(error.code, "invalid_arguments")
      assert.sameMembers(error.fields, ["status", "limit", "customer_id"])
      assert.include(error.message, "placed, shipped")
      assert.deepStrictEqual(envelope(told.get("c2")), { status: "success", data: { ids: ["O-1"] } })
      assert.deepStrictEqual(runs, ["search_orders c2"])
    })

    it("11.5 answers an unknown tool with the nearest name", async () => {
      const { runs, told } = await asked([call("c1", "search_order", good)])
      assert.strictEqual(envelope(told.get("c1")).error.code, "unknown_tool")
      assert.include(told.get("c1"), "search_orders")
      assert.deepStrictEqual(runs, [])
    })

    it("11.5 answers arguments that are not JSON", async () => {
      const { runs, told } = await asked([
        call("c1", "search_orders", '{"status":"shipped","limit":'),
        call("c2", "search_orders", "{status: shipped}"),
        call("c3", "search_orders", "[1]")
      ])
      if (driver.ownBrokenJson === undefined) {
        assert.strictEqual(envelope(told.get("c1")).error.code, "truncated_arguments")
        assert.strictEqual(envelope(told.get("c2")).error.code, "invalid_json")
        assert.strictEqual(envelope(told.get("c3")).error.code, "invalid_arguments")
      } else assert.include(told.get("c1"), driver.ownBrokenJson)
      assert.deepStrictEqual(runs, [])
    })

    it("11.5 shows no secret of an error", async () => {
      const { told } = await asked([call("c1", "read_secret")])
      assert.strictEqual(envelope(told.get("c1")).status, "error")
      assert.notInclude(told.get("c1"), "hunter2secret")
    })

    it("11.5 answers parallel calls of which one fails", async () => {
      const { told } = await asked([call("c1", "search_orders", good), call("c2", "read_report")])
      assert.strictEqual(envelope(told.get("c1")).status, "success")
      assert.strictEqual(envelope(told.get("c2")).error.code, "truncated_response")
    })

    it("11.5 interrupts the handler if the framework's signal aborts", async () => {
      const { aborted, guard, started } = makeDesk()
      const controller = new AbortController()
      const run = driver.run(guard, [[call("c1", "wait")]], controller.signal).then(
        () => "ended",
        () => "rejected"
      )
      await started
      controller.abort(new Error("stop"))
      assert.strictEqual(await aborted, "aborted")
      await run
      await guard.dispose()
    })
  })
}
