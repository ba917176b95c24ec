/**
 * OpenAPI and other people's programs: our documents against the official schema of OpenAPI 3.1, GitHub's published document
 * made into tools, and what those send against an independent validator of requests. `it.live`, since it uses real sockets.
 */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import * as Import from "../../src/openapi/Import.ts"
import * as ToolApi from "../../src/openapi/ToolApi.ts"
import { compiledOf } from "#pipeline/call/CompiledTool"
import { backend } from "../../examples/orders/main.ts"
import { answer, live } from "../openapi/importing.ts"
import { toolsOf } from "../openapi/randomTools.ts"
import { box, type Received, upstream } from "../openapi/support.ts"
import { needs } from "../support/prerequisites.ts"
import { installed, packages } from "./packages.ts"

const published = join(installed, "@octokit/openapi/generated/api.github.com.json")
const others = packages("@octokit/openapi", "@seriousme/openapi-schema-validator", "openapi-backend")
const require = createRequire(import.meta.url)

/** What the schema validator says of a document. */
const validated = async (document: unknown): Promise<{ readonly valid: boolean; readonly errors?: unknown }> => {
  const { Validator } = (await import(String(require.resolve("@seriousme/openapi-schema-validator")))) as {
    readonly Validator: new () => { validate(document: unknown): Promise<{ valid: boolean; errors?: unknown }> }
  }
  return new Validator().validate(JSON.parse(JSON.stringify(document)))
}

const github = (): any => JSON.parse(readFileSync(published, "utf8"))

/** Arguments that a tool's contract takes, as JSON. */
const drawn = (tool: Import.ImportedTool, seed: string): Effect.Effect<ReadonlyArray<Record<string, unknown>>> =>
  Effect.map(
    Arbitrary.sampleEffect(Arbitrary.schema(Schema.toType(tool.parameters)), { count: 6, size: 2, seed }).pipe(
      Effect.catchCause(() => Effect.succeed<ReadonlyArray<unknown>>([]))
    ),
    (values) =>
      values
        .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>)
        .filter((value) => compiledOf(tool).contract.decode(value)._tag === "Success")
  )

describe("OpenAPI", needs(others), () => {
  it("our documents keep the official schema of OpenAPI 3.1", async () => {
    for (const toolbox of [backend({}).tools, box(toolsOf(60)), box([])]) {
      const { errors, valid } = await validated(ToolApi.document(toolbox as never))
      assert.isTrue(valid, JSON.stringify(errors)?.slice(0, 2_000))
    }
  })

  it("GitHub's document becomes tools, and the rest is told with its reason", () => {
    const document = github()
    const operations = Object.entries<any>(document.paths).flatMap(([path, item]) =>
      ["get", "put", "post", "delete", "head", "patch"]
        .filter((method) => item[method])
        .map((method) => `${method.toUpperCase()} ${path}`)
    )
    const { imported, refused, tools, unsupported } = Import.toolsUnsafe(document)
    const covered = [...imported, ...refused].map(({ operation: { method, path } }) => `${method} ${path}`)
    assert.deepStrictEqual([...covered].sort(), [...operations].sort())
    assert.deepStrictEqual([operations.length, tools.length, refused.length], [1_223, 1_222, 1])
    assert.isTrue(refused.every(({ pointer, reason }) => pointer.startsWith("/paths/") && reason !== ""))
    assert.isTrue(unsupported.every(({ reason }) => reason !== ""))
    const names = tools.map(({ toolName }) => toolName)
    assert.strictEqual(new Set(names).size, names.length)
    for (const tool of tools) {
      assert.match(tool.toolName, /^[a-z][a-z0-9_]{0,63}$/)
      assert.strictEqual((tool.jsonSchema as any).type, "object")
      assert.isFalse(
        tool.unchecked.some(({ pointer }) => pointer === ""),
        `${tool.toolName} is not checked at all`
      )
    }
  })

  it.live(
    "what GitHub's tools send is what its document describes, as another validator reads it",
    () =>
      Effect.gen(function* () {
        const document = github()
        const { received, url } = yield* upstream(() => ({ status: 404, body: "{}" }))
        // nobody is there to be asked about each DELETE
        const { imported } = Import.toolsUnsafe(document, { baseUrl: url, access: () => "read" })
        const api = yield* judge(document)
        const counts = { tools: 0, sent: 0, refused: 0, ambiguous: 0 }
        for (const { operation, tool } of imported.filter((_, index) => index % every === 0)) {
          let isSent = false
          for (const args of yield* drawn(tool, operation.path)) {
            received.length = 0
            const envelope = yield* answer(tool, args)
            const [request] = received
            if (request === undefined) {
              // a part of the path, or a header, that no request can hold
              assert.strictEqual(
                envelope.error.code,
                "invalid_arguments",
                JSON.stringify([tool.toolName, args, envelope])
              )
              counts.refused += 1
              continue
            }
            isSent = true
            counts.sent += 1
            const verdict = judged(api, request)
            if (verdict.operationId !== operation.operationId) {
              // two paths of the document take it: `{base}...{head}` and `{basehead}`
              assert.match(request.url.split("?")[0] ?? "", patternOf(operation.path))
              counts.ambiguous += 1
              continue
            }
            // what the contract does not check, and says so, may be wrong
            if (tool.unchecked.length === 0) assert.isNull(verdict.errors, JSON.stringify([args, verdict.errors]))
          }
          counts.tools += isSent ? 1 : 0
        }
        assert.isAtLeast(counts.tools, Math.floor((0.9 * imported.length) / every), JSON.stringify(counts))
        assert.isAtMost(counts.ambiguous, counts.sent / 50)
      }).pipe(Effect.scoped, Effect.provide(live)),
    600_000
  )
})

/** The addresses that a path of the document takes. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll(/\{[^{}]*\}/g, "[^/]+")}$`)

/** Every so many tools are called: all of them take minutes. */
const every = Number(process.env["OPENAPI_EVERY"] ?? 15)

interface Judge {
  matchOperation(request: object): { readonly operationId?: string } | undefined
  validateRequest(request: object, operation?: unknown): { readonly errors?: unknown }
}

/**
 * The document as the validator can read it: `nullable` beside no `type`, and parameters that are one of a number or a text,
 * since every parameter is a text to it.
 */
const spelledOut = (node: any): any => {
  if (Array.isArray(node)) return node.map(spelledOut)
  if (typeof node !== "object" || node === null) return node
  if (typeof node.in === "string" && Array.isArray(node.schema?.oneOf)) return { ...node, schema: {} }
  const { nullable, ...rest } = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, spelledOut(value)]))
  if (nullable === undefined || rest["type"] !== undefined) return nullable === undefined ? rest : { ...rest, nullable }
  return typeof nullable === "boolean" ? { anyOf: [rest, { enum: [null] }] } : { ...rest, nullable }
}

const judge = (document: any): Effect.Effect<Judge> =>
  Effect.promise(async () => {
    const { OpenAPIBackend } = require("openapi-backend") as { readonly OpenAPIBackend: new (options: object) => any }
    const api = new OpenAPIBackend({
      definition: spelledOut(document),
      quick: true,
      validate: true,
      strict: false,
      ajvOpts: { strict: false, validateFormats: false, logger: false },
      coerceTypes: true
    })
    await api.init()
    return api as Judge
  })

const judged = (api: Judge, { body, headers, method, url }: Received) => {
  const [path = "", query = ""] = url.split("?")
  const text = body.toString()
  const request = {
    method,
    path,
    query,
    headers,
    ...(text === "" ? {} : { body: /json/.test(headers["content-type"] ?? "") ? JSON.parse(text) : text })
  }
  const operation = api.matchOperation(request)
  return {
    operationId: operation?.operationId,
    errors: operation === undefined ? "no operation" : (api.validateRequest(request, operation).errors ?? null)
  }
}
