/**
 * Tests OpenAPI with programs of other projects: our documents satisfy the official schema of OpenAPI 3.1, GitHub's
 * published document becomes tools, and an independent validator accepts their requests. The tests are `it.live`, because they
 * use real sockets.
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
import { box, type ReceivedRequest, upstream } from "../openapi/support.ts"
import { needs } from "../support/prerequisites.ts"
import { installed, packages } from "./packages.ts"

const published = join(installed, "@octokit/openapi/generated/api.github.com.json")
const required = packages("@octokit/openapi", "@seriousme/openapi-schema-validator", "openapi-backend")
const require = createRequire(import.meta.url)

/** Validates a document with the official schema. */
const validated = async (document: unknown): Promise<{ readonly valid: boolean; readonly errors?: unknown }> => {
  // the package has no types
  const { Validator } = (await import(String(require.resolve("@seriousme/openapi-schema-validator")))) as {
    readonly Validator: new () => { validate(document: unknown): Promise<{ valid: boolean; errors?: unknown }> }
  }
  return new Validator().validate(JSON.parse(JSON.stringify(document)))
}

const github = (): any => JSON.parse(readFileSync(published, "utf8"))

/** Generates arguments that a tool's contract accepts, as JSON. */
const sampleArguments = (
  tool: Import.ImportedTool,
  seed: string
): Effect.Effect<ReadonlyArray<Record<string, unknown>>> =>
  Effect.map(
    Arbitrary.sampleEffect(Arbitrary.schema(Schema.toType(tool.parameters)), { count: 6, size: 2, seed }).pipe(
      Effect.catchCause(() => Effect.succeed<ReadonlyArray<unknown>>([]))
    ),
    (values) =>
      values
        .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>)
        .filter((value) => compiledOf(tool).contract.decode(value)._tag === "Success")
  )

describe("OpenAPI", needs(required), () => {
  it("our documents satisfy the official schema of OpenAPI 3.1", async () => {
    for (const toolbox of [backend({}).tools, box(toolsOf(60)), box([])]) {
      // the list mixes toolboxes of different tools, so a cast is needed
      const { errors, valid } = await validated(ToolApi.document(toolbox as never))
      assert.isTrue(valid, JSON.stringify(errors)?.slice(0, 2_000))
    }
  })

  it("GitHub's document becomes tools, and each refused operation is reported with its reason", () => {
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
      // a JSON schema is untyped
      assert.strictEqual((tool.jsonSchema as any).type, "object")
      assert.isFalse(
        tool.unchecked.some(({ pointer }) => pointer === ""),
        `${tool.toolName} is not checked at all`
      )
    }
  })

  it.live(
    "another validator accepts the requests of a sample of the tools of GitHub's document",
    () =>
      Effect.gen(function* () {
        const document = github()
        const { received, url } = yield* upstream(() => ({ status: 404, body: "{}" }))
        // there is no person to approve each DELETE
        const { imported } = Import.toolsUnsafe(document, { baseUrl: url, access: () => "read" })
        const api = yield* makeValidator(document)
        const counts = { tools: 0, sent: 0, refused: 0, ambiguous: 0 }
        for (const { operation, tool } of imported.filter((_, index) => index % every === 0)) {
          let isSent = false
          for (const args of yield* sampleArguments(tool, operation.path)) {
            received.length = 0
            const envelope = yield* answer(tool, args)
            const [request] = received
            if (request === undefined) {
              // a path segment or a header that no request can contain
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
            const verdict = validateRequest(api, request)
            if (verdict.operationId !== operation.operationId) {
              // two paths of the document match the URL: `{base}...{head}` and `{basehead}`
              assert.match(request.url.split("?")[0] ?? "", patternOf(operation.path))
              counts.ambiguous += 1
              continue
            }
            // constraints in `unchecked` may be violated
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

/** Returns a pattern for the URLs that match a path of the document. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll(/\{[^{}]*\}/g, "[^/]+")}$`)

/** Every nth tool is called, because calling all tools takes minutes. */
const every = Number(process.env["OPENAPI_EVERY"] ?? 15)

interface RequestValidator {
  matchOperation(request: object): { readonly operationId?: string } | undefined
  validateRequest(request: object, operation?: unknown): { readonly errors?: unknown }
}

/**
 * Rewrites what the validator cannot read: `nullable` without `type`, and parameters that are either a number or a string,
 * because the validator reads every parameter as a string.
 */
const normalised = (node: any): any => {
  if (Array.isArray(node)) return node.map(normalised)
  if (typeof node !== "object" || node === null) return node
  if (typeof node.in === "string" && Array.isArray(node.schema?.oneOf)) return { ...node, schema: {} }
  const { nullable, ...rest } = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, normalised(value)]))
  if (nullable === undefined || rest["type"] !== undefined) return nullable === undefined ? rest : { ...rest, nullable }
  return typeof nullable === "boolean" ? { anyOf: [rest, { enum: [null] }] } : { ...rest, nullable }
}

const makeValidator = (document: any): Effect.Effect<RequestValidator> =>
  Effect.promise(async () => {
    const { OpenAPIBackend } = require("openapi-backend") as { readonly OpenAPIBackend: new (options: object) => any }
    const api = new OpenAPIBackend({
      definition: normalised(document),
      quick: true,
      validate: true,
      strict: false,
      ajvOpts: { strict: false, validateFormats: false, logger: false },
      coerceTypes: true
    })
    await api.init()
    // the package has no types
    return api as RequestValidator
  })

const validateRequest = (api: RequestValidator, { body, headers, method, url }: ReceivedRequest) => {
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
