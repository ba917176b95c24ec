/** Tests answers of reads whose data describes the failure of something else, and failures that resemble such answers. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Recognisers from "#src/checks/Recognisers"
import * as GuardedTool from "#src/tool/GuardedTool"
import { ask, type Tool, within } from "./support.ts"

/** Creates a dynamic read that returns this answer. */
const dynamic = (answer: unknown): Tool =>
  // the types of a dynamic tool are known only at run time
  GuardedTool.dynamic("look_it_up", {
    access: "read",
    description: "Looks up one thing.",
    retry: { attempts: 1 },
    handler: () => Effect.succeed(answer)
  } as never) as unknown as Tool

const observations: ReadonlyArray<readonly [what: string, answer: object]> = [
  ["a broken link", { url: "https://shop.example/a", statusCode: 404 }],
  ["a broken link with its phrase", { url: "https://shop.example/a", status: 404, statusText: "Not Found" }],
  ["a broken link with a reason", { url: "https://shop.example/a", status: 503, reason: "Service Unavailable" }],
  ["a link that is not ok", { url: "https://shop.example/a", ok: false, status: 500 }],
  ["a fetched response", { statusCode: 404, headers: { server: "nginx" }, body: "We have moved" }],
  ["a status with a latency", { status: 502, latency: 41 }],
  ["a ping", { ok: false, latency: 12 }],
  ["a ping of a host", { host: "db.example", success: false }],
  ["a probe", { ok: false, durationMs: 30_000, attempts: 3 }],
  ["a build", { result: "failure", duration: 7 }],
  ["a build that does not run", { result: "FAILURE", building: false }],
  ["the status of a job", { status: "failed" }],
  ["a pipeline", { status: "failed", branch: "main" }],
  ["the fault of a car", { fault: { code: "P0420" } }],
  ["the described fault of a car", { fault: { code: "P0420", description: "Catalyst below threshold" } }],
  ["the fault of a device", { fault: { code: "E-17", reason: "Door open" } }],
  ["findings of a linter", { errors: ["Missing semicolon"], warnings: [] }],
  ["findings alongside a number of warnings", { errors: ["Missing semicolon"], warnings: 2 }],
  ["counted findings", { errors: ["teh"], count: 1 }],
  ["an entry of a linter", { code: "NO_RETURN", message: "The function has no return" }],
  ["an entry of a type checker", { code: "TS2322", message: "Type string is not assignable" }],
  ["a code for a success", { code: 1, message: "添加成功" }],
  ["a code for a success in English", { ret: 1, message: "row inserted" }],
  ["a code for a success in German", { code: 1, message: "Erfolgreich gespeichert" }],
  ["a code for a success in Spanish", { code: 7, message: "Guardado correctamente" }],
  ["a code for a success in Japanese", { code: 1, message: "登録しました" }],
  ["a code for a success in Korean", { code: 1, message: "등록되었습니다" }],
  ["a neutral message of code 1", { code: 1, msg: "订单 7" }]
]

const failures: ReadonlyArray<readonly [what: string, answer: object]> = [
  ["a status with a message", { statusCode: 404, message: "Order not found", path: "/orders/7" }],
  ["a status with a message and a URL", { url: "https://api.example/o", status: 404, message: "Order not found" }],
  ["a status alongside a path", { status: 404, url: "/orders/7" }],
  ["a status alone", { status: 503 }],
  ["a response with a message", { statusCode: 500, headers: {}, body: '{"message":"Internal server error"}' }],
  ["a refusal with a latency", { ok: false, latency: 12, error: "quota exceeded" }],
  ["a refusal with a request id", { ok: false, request_id: "r-1" }],
  ["a refusal without data", { success: false, data: null }],
  ["a result with a message", { result: "fail", message: "locked", duration: 3 }],
  ["a status with a reason", { status: "failed", reason: "The row is locked" }],
  ["a fault of SOAP", { Fault: { faultcode: "soap:Server", faultstring: "Out of stock" } }],
  ["a fault of SOAP 1.2", { Fault: { Code: { Value: "env:Sender" }, Reason: { Text: "Out of stock" } } }],
  ["a fault of a gateway", { fault: { code: 900_901, message: "Invalid credentials" } }],
  ["a fault of another gateway", { fault: { faultstring: "Invalid ApiKey", detail: { errorcode: "oauth.v2" } } }],
  ["errors without warnings", { errors: ["permission denied"], warnings: null }],
  ["errors of GraphQL with warnings", { data: null, errors: [{ message: "Not authorized" }], warnings: [] }],
  ["code 1 with a failure", { code: 1, message: "添加失败" }],
  ["code 1 with a denial", { code: 1, message: "未登录" }],
  ["code 1 with a denial in English", { ret: 1, message: "row not inserted" }],
  ["code 1 with a denial in German", { code: 1, message: "nicht erfolgreich" }],
  ["a code for a failure", { code: "NO_PERMISSION", message: "You are not allowed to read this order" }]
]

describe("an answer of a read whose data describes a failure", () => {
  for (const [what, answer] of observations) {
    it.effect(`3.4 ${what} ${JSON.stringify(answer)} is data`, () =>
      Effect.gen(function* () {
        const { envelope } = yield* ask([dynamic(answer)], "look_it_up", "{}")
        assert.deepStrictEqual(envelope, { status: "success", data: answer })
        assert.strictEqual(Recognisers.hiddenFailure(JSON.stringify(answer))._tag, "Ok")
      }).pipe(within([]))
    )
  }

  for (const [what, answer] of failures) {
    it.effect(`3.4 ${what} ${JSON.stringify(answer)} is a failure`, () =>
      Effect.gen(function* () {
        const { envelope } = yield* ask([dynamic(answer)], "look_it_up", "{}")
        assert.strictEqual(envelope.status, "error")
      }).pipe(within([]))
    )
  }
})
