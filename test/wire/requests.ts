/** Attacks with requests: foreign hosts, origins and types, compressed or large bodies, and missing tokens. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { gzipSync } from "node:zlib"
import * as RawHttp from "../support/RawHttp.ts"
import * as Surfaces from "./surfaces.ts"

/** An attack on a default and, if a setting opens what is closed by default, the same request with the setting. */
export interface Attack {
  readonly closed: () => Promise<void>
  readonly opened?: () => Promise<void>
}

type Surface = readonly [running: Promise<Surfaces.RunningServer>, accepted: Surfaces.AcceptedRequest]

const { accepted } = Surfaces

/** Starts the commands that serve HTTP, with these flags. */
const commands = (flags: ReadonlyArray<string> = []): ReadonlyArray<Surface> => [
  [Surfaces.command([...Surfaces.mcpServe, ...flags]), accepted.mcp],
  [Surfaces.command(Surfaces.mcpProxy(flags)), accepted.mcp],
  [Surfaces.command([...Surfaces.openapiServe, ...flags]), accepted.openapi]
]

const libraries = (): ReadonlyArray<Surface> => [
  [Surfaces.openApiLayer(), accepted.tool],
  [Surfaces.mcpLayer(), accepted.mcp],
  [Surfaces.liveRoutes(), accepted.live]
]

interface ChangedRequest {
  readonly headers?: RawHttp.Headers
  readonly body?: string | Buffer
}

/** Sends the request that each surface accepts, with changes, and checks the answers. */
const send = async (
  surfaces: ReadonlyArray<Surface>,
  changes: ReadonlyArray<ChangedRequest>,
  expected: number | "accepted",
  sentence: RegExp = /./u
): Promise<void> => {
  const attack = async ([running, { body, headers, path, status }]: Surface): Promise<void> => {
    const { port } = await running
    for (const change of changes) {
      const sent = { body: change.body ?? body, headers: { ...headers, ...change.headers } }
      const answer = await RawHttp.send(port, "POST", path, sent)
      const about = `${path} ${JSON.stringify(change).slice(0, 100)}: ${answer.text.slice(0, 200)}`
      assert.strictEqual(answer.status, expected === "accepted" ? status : expected, about)
      assert.match(answer.text, sentence, about)
    }
  }
  await Promise.all(surfaces.map(attack))
}

const hosts = ["evil.example", "127.0.0.1.evil.example", "localhost.", "", undefined].map((host) => ({
  headers: { host }
}))
const origins = ["http://evil.example", "http://localhost:3000", "null"].map((origin) => ({ headers: { origin } }))
const types = ["text/plain", "text/plain;application/json", "application/x-www-form-urlencoded", undefined].map(
  (type) => ({
    headers: { "content-type": type }
  })
)

const gzip = (body: string): ChangedRequest => ({ headers: { "content-encoding": "gzip" }, body: gzipSync(body) })

/** Returns three changes that make a body too large: announced, sent, or in chunks without a length. */
const oversized = (bytes: number): ReadonlyArray<ChangedRequest> => {
  const piece = " ".repeat(1_000_000)
  return [
    { headers: { "content-length": String(bytes) }, body: " " },
    { body: " ".repeat(bytes) },
    {
      headers: { "transfer-encoding": "chunked" },
      body: RawHttp.chunked(Array.from({ length: Math.ceil(bytes / piece.length) }, () => piece))
    }
  ]
}

export const foreignHost: Attack = {
  closed: async () => {
    await send(commands(), hosts, 403, /This host is not served/u)
    await send(
      [
        [Surfaces.mcpLayer(), accepted.mcp],
        [Surfaces.liveRoutes(), accepted.live]
      ],
      hosts.slice(0, -1),
      403,
      /does not answer to that host name/u
    )
    await send([[Surfaces.inbox(), accepted.inbox]], hosts.slice(0, -1), 403, /Set publicUrl/u)
  },
  opened: async () => {
    const named = [{ headers: { host: "Tools.example:443" } }]
    await send(commands(["--allow-host", "tools.example"]), named, "accepted")
    const options = { hosts: ["tools.example"] }
    await send(
      [
        [Surfaces.mcpLayer(options), accepted.mcp],
        [Surfaces.liveRoutes(options), accepted.live]
      ],
      named,
      "accepted"
    )
    await send([[Surfaces.inbox({ publicUrl: "https://tools.example" }), accepted.inbox]], named, "accepted")
  }
}

export const foreignOrigin: Attack = {
  closed: () => send([...commands(), [Surfaces.mcpLayer(), accepted.mcp]], origins, 403, /This origin is not allowed/u),
  opened: () => {
    const allowed = "https://app.example"
    const mcp = Surfaces.mcpLayer({ allowedOrigins: [allowed] })
    return send(
      [...commands(["--allow-origin", allowed]), [mcp, accepted.mcp]],
      [{ headers: { origin: allowed } }],
      "accepted"
    )
  }
}

export const otherType: Attack = {
  closed: () => send([...commands(), ...libraries()], types, 415, /application\/json/u)
}

export const compressedBody: Attack = {
  closed: async () => {
    for (const surface of [
      ...commands(),
      [Surfaces.openApiLayer(), accepted.tool],
      [Surfaces.mcpLayer(), accepted.mcp]
    ] satisfies ReadonlyArray<Surface>)
      await send([surface], [gzip(surface[1].body), gzip(" ".repeat(50_000_000))], 415, /The body is compressed/u)
  }
}

export const withoutToken: Attack = {
  closed: async () => {
    const env = { TOOLGUARD_MCP_TOKEN: "t-1", TOOLGUARD_OPENAPI_TOKEN: "t-1" }
    const surfaces: ReadonlyArray<Surface> = [
      [Surfaces.command(Surfaces.mcpServe, env), accepted.mcp],
      [Surfaces.command(Surfaces.mcpProxy(), env), accepted.mcp],
      [Surfaces.command(Surfaces.openapiServe, env), accepted.openapi]
    ]
    for (const path of [undefined, "/none", "/openapi.json"])
      for (const [running, accepted] of surfaces)
        await send(
          [[running, { ...accepted, path: path ?? accepted.path }]],
          [undefined, "Bearer t-2", "Bearer ", "t-1"].map((authorization) => ({ headers: { authorization } })),
          401,
          /A bearer token is required/u
        )
    await send(surfaces, [{ headers: { authorization: "Bearer t-1" } }], "accepted")
  },
  opened: () => send(commands(), [{}], "accepted")
}

const statusOfDocument = async (running: Promise<Surfaces.RunningServer>): Promise<number | undefined> =>
  (await RawHttp.send((await running).port, "GET", "/openapi.json")).status

export const document: Attack = {
  closed: async () =>
    assert.strictEqual(await statusOfDocument(Surfaces.openApiLayer({ identify: () => Effect.undefined })), 401),
  opened: async () =>
    assert.strictEqual(
      await statusOfDocument(Surfaces.openApiLayer({ identify: () => Effect.undefined, openDocument: true })),
      200
    )
}

export const largeBody: Attack = {
  closed: async () => {
    await send(
      [
        [Surfaces.command(Surfaces.openapiServe), accepted.openapi],
        [Surfaces.openApiLayer(), accepted.tool]
      ],
      oversized(1_000_001),
      413,
      /larger than 1000000 bytes/u
    )
    await send([[Surfaces.liveRoutes(), accepted.live]], oversized(1_048_577), 413, /too large/u)
    const large = 16 * 1024 * 1024 + 1
    const mcp: ReadonlyArray<Surface> = [
      [Surfaces.command(Surfaces.mcpServe), accepted.mcp],
      [Surfaces.command(Surfaces.mcpProxy()), accepted.mcp],
      [Surfaces.mcpLayer(), accepted.mcp]
    ]
    await send(mcp, oversized(large), 413, /larger than 16 MiB|too long/u)
  },
  opened: async () => {
    const padded = (body: string) => [{ body: body + " ".repeat(2_000_000) }]
    await send(
      [[Surfaces.openApiLayer({ maxBodyBytes: 3_000_000 }), accepted.tool]],
      padded(accepted.tool.body),
      "accepted"
    )
    await send(
      [[Surfaces.liveRoutes({ maxBodyBytes: 3_000_000 }), accepted.live]],
      padded(accepted.live.body),
      "accepted"
    )
  }
}

const many = (count: number): ChangedRequest => ({
  headers: Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, "1"]))
})

export const largeHeaders: Attack = {
  closed: () =>
    send(
      [...commands(), ...libraries()],
      [{ headers: { "x-big": "a".repeat(20_000) } }, many(3_000)],
      431,
      /^(?:$|.*The headers are larger than 16 KiB)/u
    )
}
