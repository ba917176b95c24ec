/** `toolguard mcp proxy`: puts an MCP server behind the guard. */
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Proxy from "#kit/proxy/Proxy"
import type * as Lock from "effect-toolguard/internal/mcp/remote/Lock"
import type * as Names from "effect-toolguard/internal/mcp/remote/Names"
import type { RemotePolicy } from "effect-toolguard/internal/tool/RemotePolicy"
import * as Watch from "effect-toolguard/internal/mcp/remote/Watch"
import type { McpError } from "effect-toolguard/internal/mcp/wire/McpError"
import * as OwnStdio from "effect-toolguard/internal/mcp/wire/OwnStdio"
import { isPublicUrl } from "effect-toolguard/internal/layers/inbox/PublicUrl"
import { unguessableId } from "effect-toolguard/services/Unguessable"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { counted } from "#kit/text/Numbers"
import { draining, grace } from "#kit/cli/console/Grace"
import { database } from "#kit/cli/console/Flags"
import { misuse, type Problem, problem } from "#kit/cli/console/Problem"
import { plain } from "#kit/cli/console/Screen"
import * as ServerBounds from "#kit/cli/console/ServerBounds"
import * as Config from "./Config.ts"
import * as HttpListener from "./HttpListener.ts"
import * as LockFile from "./LockFile.ts"
import * as ProxyGuard from "./ProxyGuard.ts"
import * as ServerConnection from "./ServerConnection.ts"

const names = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("<names>"),
    Flag.withDescription(description),
    Flag.withDefault(""),
    Flag.map((text) => text.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()])))
  )

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

const off = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(`${description}. Default: false`), Flag.withDefault(false))

const flags = {
  ...ServerConnection.flags,
  ...ServerBounds.flags,
  grace,
  allow: names("allow", "Only these tools, separated by commas; * and ? are wildcards. Default: all"),
  deny: names("deny", "Tools to leave out; overrides --allow"),
  advise: off("advise", "Record violations of the server's schemas, but do not refuse calls"),
  confirm: Flag.Literals("confirm", ["hinted", "unknown", "none"]).pipe(
    Flag.withDescription(
      "Calls that a person must confirm: hinted (the tool has a destructive hint), unknown (and tools without hints) or none. Default: hinted"
    ),
    Flag.withDefault("hinted")
  ),
  timeout: Flag.String("timeout").pipe(
    Flag.withSchema(Config.DurationText),
    Flag.withMetavar("<duration>"),
    Flag.withDescription(`Timeout of a call, without waits for people. Default: "50 seconds"`),
    Flag.withDefault("50 seconds")
  ),
  limit: Flag.Int("limit").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 10_240, maximum: 10_000_000 }))),
    Flag.withMetavar("<bytes>"),
    Flag.withDescription("Largest complete result; larger ones become a preview. Default: 10240"),
    Flag.withDefault(10_240)
  ),
  silence: Flag.String("silence").pipe(
    Flag.withSchema(Config.DurationText),
    Flag.withMetavar("<duration>"),
    Flag.withDescription(`Time without a call after which budgets are reset. Default: "10 minutes"`),
    Flag.withDefault("10 minutes")
  ),
  lock: text("lock", "<file>", "Lock: written on the first run; changed tools are then refused"),
  accept: off("accept", "Rewrite the --lock with the current tools"),
  config: text("config", "<file>", "JSON: { allow, deny, tools: { NAME: { access, timeout, … } } }"),
  log: text("log", "<file>", "Append a record of each call to a .jsonl file, for toolguard replay"),
  database,
  listen: Flag.Int("listen").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))),
    Flag.withMetavar("<port>"),
    Flag.withDescription(
      "Serve clients over HTTP on 127.0.0.1 instead of standard input and output; 0 chooses a free port"
    ),
    Flag.optional
  ),
  allowOrigin: names(
    "allow-origin",
    "With --listen: full origins of web pages that may call it, separated by commas. Default: none"
  ),
  allowHost: names(
    "allow-host",
    "With --listen: additional host names to accept, for example of a reverse proxy, separated by commas. Default: none"
  ),
  buffer: Flag.Int("buffer").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 10_000, maximum: 1_000_000_000 }))),
    Flag.withMetavar("<characters>"),
    Flag.withDescription("With --listen: characters kept for a client that reads slowly. Default: 16000000"),
    Flag.withDefault(16_000_000)
  ),
  maxCalls: Flag.Int("max-calls").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100_000 }))),
    Flag.withMetavar("<number>"),
    Flag.withDescription("Calls of a session that may be in progress at once; further ones fail. Default: 1000"),
    Flag.withDefault(1_000)
  ),
  maxSessions: Flag.Int("max-sessions").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))),
    Flag.withMetavar("<number>"),
    Flag.withDescription(
      "With --listen: sessions; beyond it, the oldest unused or else least recently used one ends. Default: 100"
    ),
    Flag.withDefault(100)
  ),
  publicUrl: Flag.String("public-url").pipe(
    Flag.withMetavar("<url>"),
    Flag.withDescription("Public address of the inbox. Default: http://127.0.0.1:8788"),
    Flag.withDefault("http://127.0.0.1:8788")
  )
}

type Options = Command.Command.Config.Infer<typeof flags>

const log = (text: string): void => void process.stderr.write(`toolguard: ${text}\n`)

const onRefusalReason = (lock: Option.Option<string>) => (tool: string, what: Watch.RefusalReason) =>
  log(
    `${plain(Watch.refusal(tool, what).detail)}${Option.isSome(lock) ? ` To accept it: --lock ${lock.value} --accept` : ""}`
  )

/** Merges the policies of the configuration with the policies of the flags, which are the defaults for all tools. */
const policiesOf = (options: Options, config: Config.Config): Readonly<Record<string, RemotePolicy>> => ({
  ...config.tools,
  "*": {
    ...(options.advise ? { enforce: "advise" as const } : {}),
    ...config.tools?.["*"]
  }
})

const selectionOf = (options: Options, config: Config.Config): Names.Selection => {
  const allow = [...(config.allow ?? []), ...options.allow]
  return { ...(allow.length === 0 ? {} : { allow }), deny: [...(config.deny ?? []), ...options.deny] }
}

const optionsOf = (options: Options): Effect.Effect<Proxy.ProxyOptions, Problem> =>
  Effect.gen(function* () {
    const config = Option.isSome(options.config) ? yield* Config.read(options.config.value) : {}
    const { lock: file } = options
    if (options.accept && Option.isNone(file))
      return yield* misuse("--accept needs --lock.", "Name the lock file with --lock.")
    const lock = Option.isSome(file) && !options.accept ? yield* LockFile.read(file.value) : undefined
    if (!isPublicUrl(options.publicUrl))
      return yield* misuse(
        `--public-url ${plain(options.publicUrl)} is not an http(s) URL.`,
        "Write it as https://host/path."
      )
    const millis = (text: string) => Duration.toMillis(Duration.fromInputUnsafe(text as Duration.Input)) // checked by the flag
    return {
      ...selectionOf(options, config),
      conversation: yield* unguessableId,
      policies: policiesOf(options, config),
      confirm: options.confirm,
      resultBytes: options.limit,
      timeoutMillis: millis(options.timeout),
      silenceMillis: millis(options.silence),
      maxCalls: options.maxCalls,
      lock,
      noticed: onRefusalReason(file),
      omitted: (sentence) => log(plain(sentence)),
      ...(Option.isSome(file) && lock === undefined ? { keep: saveLock(file.value) } : {}),
      broken: protocolErrors()
    }
  })

/** The maximum number of protocol errors that are logged. */
const maxLogged = 20

const protocolErrors = (): Proxy.ProxyOptions["broken"] => {
  let logged = 0
  return (side, error) => {
    logged += 1
    if (logged <= maxLogged) log(`The ${side} violated the protocol. ${plain(error.message)}`)
    if (logged === maxLogged) log("Further protocol errors are not logged.")
  }
}

const saveLock = (file: string) => (lock: Lock.Lock) =>
  Effect.runFork(
    Effect.match(LockFile.write(file, lock), {
      onFailure: ({ message }) => log(message),
      onSuccess: () => log(`${file} written: ${counted(lock.size, "tool")}.`)
    })
  )

/**
 * Returns a function that creates the options of each session. The lock that the first session writes applies to later
 * sessions.
 */
const perSession = ({ keep, ...options }: Proxy.ProxyOptions) => {
  let { lock } = options
  const keepOnce = (first: Lock.Lock) => {
    if (lock !== undefined) return
    lock = first
    keep?.(first)
  }
  return (conversation: string): Proxy.ProxyOptions => ({
    ...options,
    conversation,
    lock,
    ...(keep === undefined || lock !== undefined ? {} : { keep: keepOnce })
  })
}

/** Succeeds if the client has disconnected; fails if the session ended otherwise. */
const onEnd = (error: McpError): Effect.Effect<void, Problem> =>
  error.reason === "gone" && error.message.startsWith("The client")
    ? Effect.void
    : Effect.fail(problem(plain(error.message), "Run the server alone to see its output."))

export const proxy = Command.make(
  "proxy",
  flags,
  Effect.fnUntraced(function* (options) {
    const proxyOptions = yield* optionsOf(options)
    const { connect, warnings } = yield* ServerConnection.serverOf(options)
    warnings.forEach(log)
    const session = perSession(proxyOptions)
    const serving = Option.isSome(options.listen)
      ? HttpListener.serve({
          bounds: options,
          port: options.listen.value,
          origins: options.allowOrigin,
          hosts: options.allowHost,
          buffer: options.buffer,
          maxSessions: options.maxSessions,
          onSlow: () => log("A client reads its stream too slowly: messages of the server are left out (--buffer)."),
          run: (end, conversation) => Effect.flatMap(connect, (server) => Proxy.run(end, server, session(conversation)))
        })
      : Effect.gen(function* () {
          return yield* Proxy.run(yield* OwnStdio.make, yield* connect, proxyOptions)
        }).pipe(Effect.catchTag("McpError", onEnd))
    return yield* serving.pipe(
      Effect.scoped,
      Effect.provide(Layer.merge(ProxyGuard.layer(options), FetchHttpClient.layer))
    )
  }, draining)
).pipe(
  Command.withShortDescription("Put an MCP server behind the guard, for any client"),
  Command.withDescription(`Puts an MCP server behind the guard, for any client: the client starts this command instead of the
  server. The server is a command after --, or an address (--url).

  Tool calls pass through the guard: arguments and results are checked with the server's schemas,
  repeated calls without progress are stopped, time is limited, secrets are redacted, large
  results become a preview with a link, and failures become an envelope with the next step.
  A tool that has changed since it was accepted is refused. Everything else (prompts,
  resources, sampling, elicitation, logging …) passes unchanged.

  The server's annotations say how risky a tool is; without them it counts as destructive.
  Calls are confirmed by the user of the client, if the client supports elicitation, or with
  --database by approvers in its inbox (toolguard approvals serve). If no person can be
  reached, the call is refused.

  The server's process gets PATH, HOME, USER, SHELL, TERM, LANG, TMPDIR and the variables that --env
  names. Secrets for --url come from a variable (--header-env, --url-env) or a file (--header-file).

  With --listen each client has a separate connection to the server. Clients must send the bearer
  token in TOOLGUARD_MCP_TOKEN; if it is not set, every program on this machine may call the tools.
  Other hosts and web pages are refused, except with --allow-host and --allow-origin.

  On SIGTERM or SIGINT, new calls are refused (shutting_down), and requests in progress have 30
  seconds (--grace) to finish; then the server is stopped. A second signal ends the process at once.

  Exit codes: 0 the client has disconnected; 1 the server has disconnected, or a file, port or
  server cannot be used; 2 the command line is invalid; 130 the command was stopped by a signal.`),
  Command.withExamples([
    {
      command: "toolguard mcp proxy -- npx -y @modelcontextprotocol/server-filesystem .",
      description: "The command for the configuration of a client"
    },
    {
      command: 'toolguard mcp proxy --lock tools.lock.json --deny "write_*,move_*" --log calls.jsonl -- my-server',
      description: "Offer some of its tools, locked to their current definitions, and record each call"
    },
    {
      command: "toolguard mcp proxy --url https://example.com/mcp --header-env authorization=MY_BEARER",
      description: 'Use a server at an address; MY_BEARER contains "Bearer …"'
    }
  ])
)
