/**
 * Runs situations whose tool is on a remote MCP server: a real server on loopback HTTP, called through `McpTools.http`
 * and through `toolguard mcp proxy`.
 *
 * A request names its situation in its path, so that all situations share one server.
 */
import * as McpTools from "#src/mcp/remote/McpTools"
import { Effect, Layer, References } from "effect"
import { FetchHttpClient } from "effect/http"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Answer, NamedFailure } from "./Answer.ts"
import { report } from "./Callers.ts"
import { type Cell, nameOf } from "./Cells.ts"
import { Ledger } from "./Ledger.ts"
import * as RemoteProxy from "./RemoteProxy.ts"
import type { Situation } from "./Situation.ts"

const toolResult = { content: [{ type: "text", text: '{"n":1}' }], structuredContent: { n: 1 } }
const toolError = { content: [{ type: "text", text: "The ticket is already closed" }], isError: true }

/** How the server answers a call of the tool. */
type Reply = "value" | "isError" | "cut" | "reset" | "silence"

const noAnswer = (name: string, reply: Reply, code: string): readonly [Answer, Reply] => [
  {
    name: `MCP: ${name}`,
    given: { http: { status: 200 } },
    depth: 0,
    evidence: "unknown",
    isAnswered: false,
    read: { class: "Transient", code }
  },
  reply
]

const alreadyClosed: NamedFailure = { class: "Permanent", code: "wrong_state" }

const replies: ReadonlyArray<readonly [Answer, Reply]> = [
  [{ name: "MCP: a result", given: { value: { n: 1 } }, depth: 0, evidence: "committed", isAnswered: true }, "value"],
  [
    {
      name: "MCP: a result with isError",
      given: { error: { message: "The ticket is already closed" } },
      depth: 0,
      evidence: "unknown",
      isAnswered: true,
      read: alreadyClosed
    },
    "isError"
  ],
  noAnswer("a result that is cut", "cut", "connection_lost"),
  noAnswer("a connection that is reset", "reset", "connection_lost"),
  noAnswer("nothing, until the timeout", "silence", "timeout")
]

/** The situations with their replies. */
const situations = replies.flatMap(([answer, reply]) =>
  (["read", "write", "destructive", "unstated"] as const).flatMap((access) =>
    (access === "read" ? (["nothing"] as const) : (["nothing", "all", "half"] as const)).flatMap((deed) =>
      (["program", "loop", "proxy"] as const).map((caller) => ({
        situation: { access, answer, caller, deed, policy: "none" } satisfies Situation,
        caller,
        reply
      }))
    )
  )
)

interface HostedSituation {
  readonly reply: Reply
  readonly ledger: Ledger
}

const json = (response: ServerResponse, id: unknown, result: object, cut = 0): void => {
  const text = JSON.stringify({ jsonrpc: "2.0", id, result })
  response.writeHead(200, { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) })
  if (cut === 0) return void response.end(text)
  response.write(text.slice(0, cut), () => setTimeout(() => response.destroy(), 2))
}

const listed = {
  name: "close_ticket",
  description: "Closes one ticket.",
  inputSchema: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
  outputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }
}

/** Answers one message of a client. */
const answer = (
  { ledger, reply }: HostedSituation,
  { id, method, params }: Record<string, any>,
  response: ServerResponse
) => {
  if (id === undefined) return void response.writeHead(202).end()
  if (method === "initialize")
    return json(response, id, {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "desk", version: "1" }
    })
  if (method === "tools/list") return json(response, id, { tools: [listed] })
  ledger.act(undefined)
  switch (reply) {
    case "value":
      return json(response, id, toolResult)
    case "isError":
      return json(response, id, toolError)
    case "cut":
      return json(response, id, toolResult, 20)
    case "reset":
      return void response.destroy()
    case "silence":
      return undefined
  }
}

/** The layers of a remote tool: none, because its handler is its server. The cast is needed because a layer has no subtypes. */
const handlers = Layer.empty as Layer.Layer<any>

/** Starts the server of all situations. */
const start = async (hosted: ReadonlyArray<HostedSituation>) => {
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text
    })
    request.on("end", () => {
      if (request.method !== "POST") return void response.writeHead(405).end()
      const found = hosted[Number(request.url?.slice(1))]
      if (found === undefined) return void response.writeHead(404).end()
      answer(found, JSON.parse(body) as Record<string, any>, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

/** Runs all situations, in their order. */
export const run = async (): Promise<ReadonlyArray<Cell>> => {
  const hosted = situations.map(({ reply, situation }) => ({ reply, ledger: new Ledger(situation.deed) }))
  const { close, url } = await start(hosted)
  try {
    return await Effect.runPromise(
      Effect.forEach(
        situations,
        ({ caller, reply, situation }, index) =>
          Effect.gen(function* () {
            const { ledger } = hosted[index]!
            const { access } = situation
            const policy = {
              // a model may repeat a write of a server, unless the owner of the toolbox says otherwise
              ...(access === "unstated" ? {} : access === "read" ? { access } : { access, repeats: "once" as const }),
              // long enough for the request to arrive before the timeout on a busy machine
              ...(reply === "silence" ? { timeout: "2 seconds" as const } : {})
            }
            const address = `${url}/${index}`
            const reported =
              caller === "proxy"
                ? yield* RemoteProxy.report(address, policy, ledger)
                : yield* McpTools.http({ url: address, policies: { "*": policy } }).pipe(
                    Effect.flatMap((box) => report(caller, { tool: box.get("close_ticket"), layer: handlers, ledger }))
                  )
            return { situation, report: reported, ledger } satisfies Cell
          }).pipe(
            Effect.scoped,
            Effect.catchCause((cause) => Effect.die(new Error(nameOf(situation), { cause })))
          ),
        { concurrency: 24 }
      ).pipe(Effect.provide(FetchHttpClient.layer), Effect.provideService(References.MinimumLogLevel, "None"))
    )
  } finally {
    await close()
  }
}
