/** Tests texts that are only the notice of an outage, and texts about outages. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Recognisers from "#src/checks/Recognisers"
import { asked, brief, failureOf, response, settled, start, tool, within } from "./support.ts"

const nginx = (phrase: string): string =>
  `<html>\r\n<head><title>${phrase}</title></head>\r\n<body>\r\n<center><h1>${phrase}</h1></center>\r\n<hr><center>nginx/1.18.0</center>\r\n</body>\r\n</html>`

const titled = (title: string, body = ""): string =>
  `<!DOCTYPE html><html><head><title>${title}</title></head><body>${body}</body></html>`

const pages: ReadonlyArray<readonly [server: string, page: string]> = [
  ["nginx 503", nginx("503 Service Temporarily Unavailable")],
  ["nginx 502", nginx("502 Bad Gateway")],
  ["nginx 504", nginx("504 Gateway Time-out")],
  ["nginx 429", nginx("429 Too Many Requests")],
  [
    "Cloudflare 502",
    titled("example.com | 502: Bad gateway", "<h1><span>Bad gateway</span> <span>Error code 502</span></h1>")
  ],
  ["Cloudflare 521", titled("shop.example | 521: Web server is down")],
  ["Cloudflare 522", titled("shop.example | 522: Connection timed out")],
  [
    "a load balancer",
    "<html>\r\n<head><title>503 Service Temporarily Unavailable</title></head>\r\n<body></body>\r\n</html>"
  ],
  ["Google", titled("Error 503 (Server Error)!!1")],
  ["Google Cloud", titled("502 Server Error", "<h1>Error: Server Error</h1>")],
  ["CloudFront", titled("ERROR: The request could not be satisfied", "<h1>504 ERROR</h1>")],
  [
    "IIS",
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN""http://www.w3.org/TR/html4/strict.dtd">\r\n<HTML><HEAD><TITLE>Service Unavailable</TITLE></HEAD><BODY><h2>Service Unavailable</h2><hr><p>HTTP Error 503. The service is unavailable.</p></BODY></HTML>'
  ],
  ["IIS in detail", titled("IIS 10.0 Detailed Error - 503.0 - Service Unavailable")],
  [
    "a gateway of IIS",
    titled("502 - Web server received an invalid response while acting as a gateway or proxy server.")
  ],
  [
    "Apache",
    '<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">\n<html><head>\n<title>503 Service Unavailable</title>\n</head><body>\n<h1>Service Unavailable</h1></body></html>'
  ],
  ["a proxy of Apache", titled("502 Proxy Error")],
  [
    "HAProxy",
    "<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n</body></html>"
  ],
  ["Varnish", titled("503 Backend fetch failed")],
  ["Tomcat", titled("HTTP Status 503 – Service Unavailable")],
  ["a page in Chinese", titled("502 错误")]
]

const notices: ReadonlyArray<string> = [
  "503 Service Unavailable",
  "Error: 503 Service Unavailable",
  "HTTP/1.1 504 Gateway Timeout",
  "error code: 502",
  "no healthy upstream",
  "Service temporarily unavailable, please try again later.",
  "系统繁忙\uFF0C请稍后再试",
  "系统繁忙,请稍后再试!",
  "服务暂时不可用",
  "网络超时",
  "请求过于频繁",
  "网络异常\uFF0C请稍后重试",
  "服务器开小差了\uFF0C请稍后再试",
  "抱歉\uFF0C服务器繁忙",
  "操作太频繁\uFF0C请稍后再试",
  "請求逾時",
  "當前系統繁忙\uFF0C請稍後再試",
  "访问人数过多\uFF0C请稍后再试",
  "接口调用超时"
]

/** Texts about outages, and texts with the same words. */
const data: ReadonlyArray<string> = [
  titled("503 Service Unavailable: what it means and how to fix it"),
  titled("HTTP 503", "<h1>HTTP 503</h1>"),
  titled("Runbook", "<h1>503 Service Unavailable</h1><p>Restart the pool.</p>"),
  titled("503 Service Unavailable", "The status means that a service cannot answer. ".repeat(100)),
  titled("Status page", "<h2>Outage history</h2>"),
  "系统繁忙的原因分析",
  "关于网络超时的故障复盘报告",
  "服务暂时不可用时的处理办法",
  "昨天系统繁忙\uFF0C我们处理了三百个订单",
  "没有网络超时",
  "超时设置为30秒",
  "The outage of 3 May: a report",
  "12:00 Error: 503 Service Unavailable",
  "Error: 503 Service Unavailable\n12:01 INFO retried",
  "Order 503 was sent",
  "503",
  "Timeout"
]

const read = (text: string, success: unknown = Schema.String) =>
  tool("read_it", { success, retry: { attempts: 1 } }, () => Effect.succeed(response(200, text)))

describe("the notice of an outage in place of a result", () => {
  for (const [server, page] of pages) {
    it.effect(
      `3.4 (mission 000.28) the error page of ${server} is Transient, for text, JSON and the recogniser`,
      () => {
        const text = read(page)
        const json = tool("read_json", { retry: { attempts: 1 } }, page)
        return Effect.gen(function* () {
          for (const one of [text, json]) {
            assert.strictEqual((yield* failureOf(one.tool.call({ q: "a" })))._tag, "Transient")
          }
          assert.strictEqual(Recognisers.errorPage(page)._tag, "Garbage")
        }).pipe(within([text.layer, json.layer]))
      }
    )
  }

  for (const notice of notices) {
    it.effect(`3.4 (mission 000.28) ${notice} is Transient, for text and JSON, with its message`, () => {
      const text = read(notice)
      const json = tool("read_json", { retry: { attempts: 1 } }, notice)
      return Effect.gen(function* () {
        for (const one of [text, json]) {
          const failure = yield* failureOf(one.tool.call({ q: "a" }))
          assert.deepStrictEqual([failure._tag, failure.detail], ["Transient", notice])
        }
      }).pipe(within([text.layer, json.layer]))
    })
  }

  for (const [words, tag] of [
    ["内存不足", "Resource"],
    ["磁盘满", "Resource"],
    ["Token 预算超限", "Resource"],
    ["no space left", "Resource"],
    ["out of memory", "Resource"],
    ["temporary outage", "Transient"],
    ["连接被重置", "Transient"],
    ["权限不足", "Permanent"],
    ["order 7 is ready", "SchemaMismatch"],
    ["id,state\n7,out of memory", "SchemaMismatch"],
    ["The job was created although the disk is full", "SchemaMismatch"]
  ] as const) {
    it.effect(`3.4 (mission 000.28) ${JSON.stringify(words)} in place of JSON is ${tag}, and is data as text`, () => {
      const text = read(words)
      const json = tool("read_json", { retry: { attempts: 1 } }, words)
      return Effect.gen(function* () {
        const failure = yield* failureOf(json.tool.call({ q: "a" }))
        assert.strictEqual(failure._tag, tag)
        assert.strictEqual(failure.detail === words, tag !== "SchemaMismatch")
        assert.strictEqual(yield* settled(text.tool.call({ q: "a" })), words)
      }).pipe(within([text.layer, json.layer]))
    })
  }

  for (const text of data) {
    it.effect(`3.4 ${JSON.stringify(text.slice(0, 80))} is the result of a tool whose result is text`, () => {
      const one = read(text)
      return Effect.gen(function* () {
        assert.strictEqual(yield* settled(one.tool.call({ q: "a" })), text)
      }).pipe(within([one.layer]))
    })
  }

  it.effect("4.11 (mission 000.28) a read whose first answer is an error page is repeated and succeeds", () => {
    const retry = { attempts: 2, base: "1 millis", jitter: "none" }
    const flaky = tool("flaky", { success: Schema.String, retry }, nginx("502 Bad Gateway"), "3 orders")
    return Effect.gen(function* () {
      const fiber = yield* start(asked(flaky.tool, { q: "a" }))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(fiber), "3 orders")
      assert.strictEqual(flaky.runs(), 2)
    }).pipe(within([flaky.layer]))
  })

  it.effect("3.3 an error page in place of the JSON of a write means an unknown effect, and no repetition", () => {
    const write = tool("write_it", { access: "write" }, nginx("503 Service Temporarily Unavailable"))
    return Effect.gen(function* () {
      const failure = yield* failureOf(write.tool.call({ q: "a" }))
      assert.deepStrictEqual(brief(failure), ["Transient", "unavailable", "unknown"])
      assert.strictEqual(write.runs(), 1)
    }).pipe(within([write.layer]))
  })
})
