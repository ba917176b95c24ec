/** Runs `toolguard run` as a process: its output, its counts and its errors. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import * as AnthropicServer from "../../../support/AnthropicServer.ts"
import * as ResponsesServer from "../../../support/ResponsesServer.ts"
import { root } from "../../../support/sources.ts"
import { toolguard } from "../toolguard.ts"

interface Cost {
  readonly rounds: number
  readonly calls: number
  readonly attempts: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly ended: string
  readonly text: string
  readonly money: number
}

interface PrintedBill {
  readonly bare: Cost | null
  readonly guarded: Cost
  readonly decisions: ReadonlyArray<Readonly<Record<"tool" | "stage" | "decision" | "reason", string>>>
}

/** Runs with `--json`. A run that names its model ignores the provider of the environment. */
const json = async (...args: ReadonlyArray<string>): Promise<PrintedBill> => {
  const env = args.includes("--model") ? { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" } : {}
  const { code, stderr, stdout } = await toolguard(["run", "--json", ...args], { env })
  assert.deepStrictEqual(
    { code, stderr, lines: stdout.trimEnd().split("\n").length },
    { code: 0, stderr: "", lines: 1 }
  )
  return JSON.parse(stdout) as PrintedBill
}

const counts = ({ attempts, calls, ended, rounds }: Cost) => ({ rounds, calls, attempts, ended })

/** Serves HTTP on a free port while a function runs. */
const serving = async <A>(listener: RequestListener, use: (url: string) => Promise<A>): Promise<A> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** Writes a backend's module while a function runs, into the project's folder so that the package resolves. */
const withBackend = async <A>(source: string, use: (path: string) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(root, "test/.backend-"))
  try {
    writeFileSync(join(folder, "backend.ts"), source)
    return await use(join(folder, "backend.ts"))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const ownBackend = `
import { Backend, GuardedTool, Toolbox } from "effect-toolguard"
import { Effect, Schema } from "effect"
class WriteNote extends GuardedTool.Service<WriteNote>()("write_note", {
  description: "Writes a note. Writes. Not for reading.",
  access: "write",
  parameters: Schema.Struct({ text: Schema.String }),
  success: Schema.Struct({ written: Schema.Boolean })
}) {}
export const backend = Backend.make({
  name: "notes",
  tools: Toolbox.make(WriteNote),
  layer: WriteNote.layer(() => Effect.succeed({ written: true })),
  prompt: "Write a note."
})
`

describe("toolguard run", () => {
  it("13.8 a stubborn model makes 17 calls in the bare loop, and answers behind the guard", async () => {
    const { bare, decisions, guarded } = await json("--price", "2.5/10")
    assert.isNotNull(bare)
    assert.deepStrictEqual(counts(bare), { rounds: 17, calls: 17, attempts: 17, ended: "Stopped" })
    assert.deepStrictEqual(counts(guarded), { rounds: 6, calls: 5, attempts: 5, ended: "Answered" })
    assert.match(guarded.text, /^All 47 orders were read; 5 have not arrived/)
    assert.isBelow(guarded.inputTokens, bare.inputTokens)
    assert.approximately(bare.money, (bare.inputTokens * 2.5 + bare.outputTokens * 10) / 1_000_000, 1e-6)
    assert.deepStrictEqual(
      decisions.map(({ decision, stage, tool }) => [tool, stage, decision]),
      Array.from({ length: 4 }, () => ["search_orders", "parseResult", "salvaged"])
    )
  })

  it("13.8 a deaf model makes one attempt behind the guard, and the run ends with LoopDetected", async () => {
    const { bare, decisions, guarded } = await json("--model", "deaf", "--price", "0/1000000")
    assert.isNotNull(bare)
    assert.deepStrictEqual(counts(bare), { rounds: 17, calls: 17, attempts: 17, ended: "Stopped" })
    assert.deepStrictEqual(counts(guarded), { rounds: 3, calls: 3, attempts: 1, ended: "LoopDetected" })
    assert.deepStrictEqual([bare.money, guarded.money], [bare.outputTokens, guarded.outputTokens])
    assert.deepStrictEqual(
      decisions.map(({ decision, stage }) => [stage, decision]),
      [
        ["parseResult", "salvaged"],
        ["recall", "recalled"],
        ["loop", "stopped"]
      ]
    )
  })

  it("the model answers in the bare loop too if the gateway truncates nothing", async () => {
    const { bare, guarded } = await json("--gateway-limit", "65536")
    assert.isNotNull(bare)
    assert.deepStrictEqual(counts(bare), { rounds: 3, calls: 2, attempts: 2, ended: "Answered" })
    assert.deepStrictEqual(counts(guarded), { rounds: 3, calls: 2, attempts: 2, ended: "Answered" })
    assert.strictEqual(bare.text, guarded.text)
    assert.isBelow(bare.inputTokens, 15_000)
  })

  it("skips the bare loop with --no-bare, and ends if a refund needs a person but no person can be reached", async () => {
    const { bare, decisions, guarded } = await json("--no-bare", "--prompt", "Refund O-1043, it came damaged")
    assert.isNull(bare)
    assert.deepStrictEqual(counts(guarded), { rounds: 2, calls: 2, attempts: 1, ended: "NeedsPerson" })
    assert.deepStrictEqual(decisions, [
      { tool: "refund_order", stage: "approve", decision: "refused", reason: "no person can be reached" }
    ])
  })

  it("16 the README states the calls and tokens of the bare loop exactly, and the guarded tokens to within 100", async () => {
    const readme = readFileSync(join(root, "README.md"), "utf8")
    for (const model of ["stubborn", "deaf", "obedient"]) {
      const { bare, guarded } = await json("--model", model)
      const [, calls = "", tokens = "", rounded = ""] =
        new RegExp(`^\\| \`${model}\`.* \\| (\\d+) calls?, .* \\| ([\\d,]+) \\| .* \\| ([\\d,]+) \\|$`, "mu").exec(
          readme
        ) ?? []
      const number = (text: string) => Number(text.replaceAll(",", ""))
      assert.deepStrictEqual([number(calls), number(tokens)], [bare?.calls, bare?.inputTokens], model)
      assert.approximately(number(rounded), guarded.inputTokens, 100, model)
    }
  })

  it("13.8 prints each call and the bill of both runs, without colours if the output is not a terminal", async () => {
    const { code, stderr, stdout } = await toolguard(["run", "--model", "obedient"])
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.notInclude(stdout, "\u001b")
    assert.match(
      stdout,
      /\n {2}1 {2}search_orders \{"customer_id":"C-9921"\}\n {5}1 attempt · error {2}reads: SyntaxError: /
    )
    assert.match(
      stdout,
      /\n {5}1 attempt · PartialData salvaged {2}reads: 11 orders · continue \{.*"cursor":"O-1037"\}/
    )
    assert.match(stdout, /\n {2}attempts +1 +5\n/)
    assert.match(stdout, /\n {2}search_orders · parseResult: salvaged × 4 · /)
    for (const line of stdout.split("\n")) assert.isAtMost(line.length, 100)
  })

  it("13.8 prints help in lines of at most 100 characters", async () => {
    const { code, stdout } = await toolguard(["run", "--help"])
    assert.strictEqual(code, 0)
    assert.match(stdout, /USAGE\n {2}toolguard run \[flags\] \[<backend>\]/)
    for (const text of [
      "--gateway-limit",
      "Default: 4096",
      "--price <in/out>",
      "--prices <file>",
      "OPENAI_BASE_URL",
      "ANTHROPIC_",
      "EXAMPLES"
    ])
      assert.include(stdout, text)
    for (const line of stdout.split("\n")) assert.isAtMost(line.length, 100)
  })

  it("reports an invalid command line with the exit code 2", async () => {
    const ended = await toolguard(["run", "--bogus"])
    assert.deepStrictEqual(ended, {
      code: 2,
      stdout: "",
      stderr: "toolguard: Unrecognized flag: --bogus in command toolguard run\nSee toolguard run --help.\n"
    })
  })

  it("reports a missing backend with the exit code 1", async () => {
    const { code, stderr, stdout } = await toolguard(["run", "nowhere.ts"])
    assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
    assert.match(stderr, /^toolguard: There is no file nowhere\.ts\.\nCorrect the path\. A relative path .*\n$/)
  })

  it("reports a port that is in use", () =>
    serving(
      (_, response) => response.end(),
      async (url) => {
        // a cast hides that this layer provides no tool; building the layer fails before the tool is used
        const source = ownBackend
          .replace(
            "import { Effect, Schema }",
            `import { createServer } from "node:http"\nimport { Effect, Layer, Schema }`
          )
          .replace(
            "layer: WriteNote.layer(",
            `layer: Layer.unwrap(Effect.callback((resume) => {
              const server = createServer()
              server.once("error", (cause) => resume(Effect.fail(cause)))
              server.listen(${new URL(url).port}, "127.0.0.1")
            })) as never as Layer.Layer<WriteNote>, other: WriteNote.layer(`
          )
        const { code, stderr } = await withBackend(source, (path) =>
          toolguard(["run", path], { env: { OPENAI_BASE_URL: url } })
        )
        assert.strictEqual(code, 1)
        assert.match(
          stderr,
          /^toolguard: The backend notes does not start: listen EADDRINUSE.*\nAnother program uses this port/
        )
      }
    ))
})

/** Returns a response of the chat completions API. */
const completion = (message: object, reason: string): string =>
  JSON.stringify({
    id: "x",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason: reason }]
  })

describe("toolguard run with a provider of the environment", () => {
  it("asks the provider with the user's own tools, and counts the tokens sent", async () => {
    const bodies: Array<string> = []
    const models: Array<unknown> = []
    const listener: RequestListener = (request, response) => {
      let body = ""
      request.on("data", (chunk: Buffer) => (body += chunk.toString()))
      request.on("end", () => {
        bodies.push(body)
        models.push([(JSON.parse(body) as { model: string }).model, request.headers.authorization])
        const call = { id: "c1", type: "function", function: { name: "write_note", arguments: `{"text":"hi"}` } }
        response.setHeader("content-type", "application/json")
        response.end(
          bodies.length === 1
            ? completion({ tool_calls: [call] }, "tool_calls")
            : completion({ content: "Done \u001b[31m." }, "stop")
        )
      })
    }
    await serving(listener, (url) =>
      withBackend(ownBackend, async (path) => {
        const env = { OPENAI_BASE_URL: url, OPENAI_MODEL: "my-model", OPENAI_API_KEY: "sk-test" }
        const { code, stderr, stdout } = await toolguard(["run", path], { env })
        assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
        assert.notInclude(stdout, "The bare loop")
        assert.notInclude(stdout, "\u001b")
        assert.deepStrictEqual(models, [
          ["my-model", "Bearer sk-test"],
          ["my-model", "Bearer sk-test"]
        ])
        const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base")
        const sent = bodies.reduce((sum, body) => sum + countTokens(body), 0)
        assert.include(stdout.replaceAll(",", ""), `  input tokens${String(sent).padStart(25)}\n`)
      })
    )
  })

  it("asks Anthropic with the user's own tools, and returns results in its protocol", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* AnthropicServer.serve(
        [
          AnthropicServer.message({ calls: [{ id: "toolu_1", name: "write_note", input: { text: "hi" } }] }),
          AnthropicServer.message({ text: "Done." })
        ],
        { apiKey: "sk-test" }
      )
      const env = { ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_MODEL: "my-model", ANTHROPIC_API_KEY: "sk-test" }
      const { code, stderr, stdout } = yield* Effect.promise(() =>
        withBackend(ownBackend, (path) => toolguard(["run", path], { env }))
      )
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
      assert.include(stdout, "my-model at ")
      assert.deepStrictEqual(
        requests.map(({ body, refused }) => [refused, body.model]),
        [
          [undefined, "my-model"],
          [undefined, "my-model"]
        ]
      )
    }).pipe(Effect.scoped, Effect.runPromise))

  it("asks OpenAI's Responses API with the user's own tools", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* ResponsesServer.serve(
        [
          ResponsesServer.response({
            thinking: "A note.",
            calls: [{ id: "call_1", name: "write_note", arguments: '{"text":"hi"}' }]
          }),
          ResponsesServer.response({ text: "Done." })
        ],
        { apiKey: "sk-test" }
      )
      const env = {
        OPENAI_API: "responses",
        OPENAI_BASE_URL: baseUrl,
        OPENAI_MODEL: "my-model",
        OPENAI_API_KEY: "sk-test"
      }
      const { code, stderr, stdout } = yield* Effect.promise(() =>
        withBackend(ownBackend, (path) => toolguard(["run", path], { env }))
      )
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
      assert.include(stdout, "my-model at ")
      assert.deepStrictEqual(
        requests.map(({ body, refused }) => [refused, body.model]),
        [
          [undefined, "my-model"],
          [undefined, "my-model"]
        ]
      )
    }).pipe(Effect.scoped, Effect.runPromise))

  it("reports a provider that cannot be reached, and what to do", async () => {
    const closed = await serving(
      (_, response) => response.end(),
      (url) => Promise.resolve(url)
    )
    const { code, stderr } = await toolguard(["run", "--json"], { env: { OPENAI_BASE_URL: closed } })
    assert.strictEqual(code, 1)
    assert.match(
      stderr,
      /toolguard: The request to the model .* failed: ECONNREFUSED\nCheck that the server is running\. /
    )
    assert.notInclude(stderr, "\n    at ")
  })

  it("exits cleanly on Ctrl-C while the provider hangs", () =>
    serving(
      () => {},
      async (url) => {
        const { code, stderr } = await toolguard(["run"], {
          env: { OPENAI_BASE_URL: url },
          interruptAt: "The bare loop"
        })
        assert.deepStrictEqual({ code, stderr }, { code: 130, stderr: "\nInterrupted.\n" })
      }
    ))
})

describe("toolguard run --save and --resume", () => {
  const orders = ["run", "--no-bare", "--model", "stubborn"]

  it("12.2, 13.8 a saved run resumes from its checkpoint, says at which round, and repeats no call", async () => {
    const folder = mkdtempSync(join(root, "test/.saved-"))
    try {
      const database = join(folder, "stores.db")
      const first = await toolguard([...orders, "--save", "job", "-d", database, "--max-rounds", "2"])
      assert.include(first.stdout, "LimitReached: The limit of rounds was reached.\n")
      assert.include(first.stdout, "The run is saved: resume it with --resume job\n")
      const { code, stderr, stdout } = await toolguard([
        "run",
        "--model",
        "stubborn",
        "--resume",
        "job",
        "-d",
        database
      ])
      assert.deepStrictEqual([code, stderr], [0, ""])
      const shown = stdout.split("\n").filter((line) => /^ +\d+ {2}|Resumed/u.test(line))
      assert.deepStrictEqual(
        shown.map((line) => line.trim().slice(0, 17)),
        ["Resumed from chec", "3  search_orders ", "4  search_orders ", "5  search_orders "]
      )
      assert.include(stdout, "Resumed from checkpoint at round 2: 2 finished calls are not made again.\n")
      assert.include(stdout, "All 47 orders were read")
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("13.8 contradictory flags, an unknown run and a missing database are reported in one sentence each", async () => {
    const folder = mkdtempSync(join(root, "test/.saved-"))
    try {
      const database = join(folder, "stores.db")
      const ended = async (...args: ReadonlyArray<string>) => {
        const { code, stderr } = await toolguard([...orders, ...args])
        return [code, stderr.trim().split("\n")[0]]
      }
      assert.deepStrictEqual(await ended("--save", "a", "--resume", "a"), [
        2,
        "toolguard: --save and --resume cannot be combined."
      ])
      assert.deepStrictEqual(await ended("--resume", "a", "--prompt", "Go."), [
        2,
        "toolguard: --prompt does not apply to --resume."
      ])
      assert.deepStrictEqual(await ended("--resume", "a"), [2, "toolguard: No database is named."])
      assert.deepStrictEqual(await ended("--resume", "a", "-d", database), [
        1,
        "toolguard: There is no run a that can be resumed."
      ])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
