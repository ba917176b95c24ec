/** `toolguard mcp proxy`: any MCP server behind the guard, for any client. */
import type { HttpClient } from "effect/http/HttpClient"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type * as Scope from "effect/Scope"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Proxy from "#kit/proxy/Proxy"
import type * as Lock from "effect-toolguard/internal/mcp/remote/Lock"
import type * as Names from "effect-toolguard/internal/mcp/remote/Names"
import type { RemotePolicy } from "effect-toolguard/internal/mcp/remote/RemoteTool"
import * as Watch from "effect-toolguard/internal/mcp/remote/Watch"
import * as Http from "effect-toolguard/internal/mcp/wire/Http"
import type { McpError } from "effect-toolguard/internal/mcp/wire/McpError"
import * as OwnStdio from "effect-toolguard/internal/mcp/wire/OwnStdio"
import * as Stdio from "effect-toolguard/internal/mcp/wire/Stdio"
import type { Transport } from "effect-toolguard/internal/mcp/wire/Transport"
import { isPublicUrl } from "effect-toolguard/internal/layers/inbox/PublicUrl"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { randomUUID } from "node:crypto"
import { database } from "#kit/cli/console/Flags"
import { misuse, type Problem, problem } from "#kit/cli/console/Problem"
import { fit, plain } from "#kit/cli/console/Screen"
import * as Config from "./Config.ts"
import * as Guarding from "./Guarding.ts"
import * as Listen from "./Listen.ts"
import * as LockFile from "./LockFile.ts"

const list = (name: string, description: string) =>
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
  command: Argument.String("command").pipe(
    Argument.withDescription("After --: the command that starts the server, with its arguments"),
    Argument.variadic()
  ),
  url: text("url", "<url>", "The server's address (streamable HTTP), instead of a command"),
  header: Flag.String("header").pipe(
    Flag.withMetavar("<name: value>"),
    Flag.withDescription("Sent with every request to --url; may be given more than once"),
    Flag.atLeast(0)
  ),
  allow: list("allow", "Only these tools, by commas; * and ? stand for characters. Default: all"),
  deny: list("deny", "None of these tools, whatever is allowed"),
  advise: off("advise", "Record what breaks the server's schemas, and let it pass"),
  confirm: Flag.Literals("confirm", ["hinted", "unknown", "none"]).pipe(
    Flag.withDescription(
      "Calls that a person confirms: of tools that call themselves destructive (hinted), also of those that say nothing (unknown), none. Default: hinted"
    ),
    Flag.withDefault("hinted")
  ),
  timeout: Flag.String("timeout").pipe(
    Flag.withSchema(Config.Span),
    Flag.withMetavar("<span>"),
    Flag.withDescription(`Longest time of a call, the waits of people left out. Default: "50 seconds"`),
    Flag.withDefault("50 seconds")
  ),
  limit: Flag.Int("limit").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 10_240, maximum: 10_000_000 }))),
    Flag.withMetavar("<bytes>"),
    Flag.withDescription(
      "Largest result that is given whole; a larger one becomes a preview with a link. Default: 10240"
    ),
    Flag.withDefault(10_240)
  ),
  silence: Flag.String("silence").pipe(
    Flag.withSchema(Config.Span),
    Flag.withMetavar("<span>"),
    Flag.withDescription(`Without a call for so long, budgets begin anew. Default: "10 minutes"`),
    Flag.withDefault("10 minutes")
  ),
  lock: text("lock", "<file>", "What the tools promised: written on the first run, then changed tools are refused"),
  accept: off("accept", "Write the --lock anew, with the tools as they are"),
  config: text("config", "<file>", "JSON: { allow, deny, tools: { NAME: { access, timeout, … } } }"),
  log: text("log", "<file>", "Add a record of each call to a .jsonl file, for toolguard replay"),
  database,
  listen: Flag.Int("listen").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))),
    Flag.withMetavar("<port>"),
    Flag.withDescription(
      "Serve clients over HTTP on 127.0.0.1 instead of standard input and output; 0 takes a free port"
    ),
    Flag.optional
  ),
  allowOrigin: list(
    "allow-origin",
    "With --listen: origins of pages that may speak to it, by commas. Default: this machine's"
  ),
  publicUrl: Flag.String("public-url").pipe(
    Flag.withMetavar("<url>"),
    Flag.withDescription("Where people reach the inbox of the --database. Default: http://127.0.0.1:8788"),
    Flag.withDefault("http://127.0.0.1:8788")
  )
}

type Given = Command.Command.Config.Infer<typeof flags>

/** The headers as they were written, `name: value`. */
const headersOf = (given: ReadonlyArray<string>): Effect.Effect<Readonly<Record<string, string>>, Problem> =>
  Effect.map(
    Effect.forEach(given, (each) => {
      const [, name, value] = /^([\w!#$%&'*+.^`|~-]+)\s*:\s*(\S.*)$/u.exec(each) ?? []
      return name === undefined || value === undefined
        ? Effect.fail(misuse(`--header ${plain(fit(each, 20))} is no header.`, `Write it as "name: value".`))
        : Effect.succeed([name.toLowerCase(), value] as const)
    }),
    Object.fromEntries
  )

interface Connection {
  readonly connect: Effect.Effect<Transport, McpError, ChildProcessSpawner | HttpClient | Scope.Scope>
}

/** The way to the server. */
const serverOf = (given: Given): Effect.Effect<Connection, Problem> =>
  Effect.gen(function* () {
    const [command, ...args] = given.command
    const howTo = "Write toolguard mcp proxy -- COMMAND ARGS…, or toolguard mcp proxy --url URL."
    if (Option.isSome(given.url)) {
      const url = given.url.value
      if (command !== undefined) return yield* misuse("Both a command and --url are given.", howTo)
      if (!URL.canParse(url) || !/^https?:$/u.test(new URL(url).protocol))
        return yield* misuse(`--url ${plain(url)} is no address of the web.`, howTo)
      return { connect: Http.make({ url, headers: yield* headersOf(given.header) }) }
    }
    if (given.header.length > 0) return yield* misuse("--header is for --url.", "Leave it out.")
    if (command === undefined) return yield* misuse("No server is named.", howTo)
    return { connect: Stdio.make({ command, args, noise: (text) => void process.stderr.write(text) }) }
  })

const say = (text: string): void => void process.stderr.write(`toolguard: ${text}\n`)

const noticed = (lock: Option.Option<string>) => (tool: string, what: Watch.Unaccepted) =>
  say(
    `${plain(Watch.refusal(tool, what).detail)}${Option.isSome(lock) ? ` To accept it: --lock ${lock.value} --accept` : ""}`
  )

/** What is decided for all tools, under what the file says of some. */
const policiesOf = (given: Given, config: Config.Config): Readonly<Record<string, RemotePolicy>> => ({
  ...config.tools,
  "*": {
    timeout: given.timeout as Duration.Input,
    ...(given.advise ? { enforce: "advise" as const } : {}),
    ...config.tools?.["*"]
  }
})

const selectionOf = (given: Given, config: Config.Config): Names.Selection => {
  const allow = [...(config.allow ?? []), ...given.allow]
  return { ...(allow.length === 0 ? {} : { allow }), deny: [...(config.deny ?? []), ...given.deny] }
}

const optionsOf = (given: Given): Effect.Effect<Proxy.ProxyOptions, Problem> =>
  Effect.gen(function* () {
    const config = Option.isSome(given.config) ? yield* Config.read(given.config.value) : {}
    const { lock: file } = given
    if (given.accept && Option.isNone(file)) return yield* misuse("--accept is for --lock.", "Name the lock's file.")
    const lock = Option.isSome(file) && !given.accept ? yield* LockFile.read(file.value) : undefined
    if (!isPublicUrl(given.publicUrl))
      return yield* misuse(
        `--public-url ${plain(given.publicUrl)} is no address of the web.`,
        "Write it as https://host/path."
      )
    return {
      ...selectionOf(given, config),
      conversation: randomUUID(),
      policies: policiesOf(given, config),
      confirm: given.confirm,
      resultBytes: given.limit,
      helloMillis: Duration.toMillis(Duration.fromInputUnsafe(given.timeout as Duration.Input)),
      silenceMillis: Duration.toMillis(Duration.fromInputUnsafe(given.silence as Duration.Input)),
      lock,
      noticed: noticed(file),
      ...(Option.isSome(file) && lock === undefined ? { keep: keeping(file.value) } : {}),
      broken: telling()
    }
  })

/** Broken messages that are told one by one. */
const mostTold = 20

const telling = (): Proxy.ProxyOptions["broken"] => {
  let told = 0
  return (side, error) => {
    told += 1
    if (told <= mostTold) say(`The ${side} broke the protocol. ${plain(error.message)}`)
    if (told === mostTold) say("Further broken messages are not told.")
  }
}

const keeping = (file: string) => (lock: Lock.Lock) =>
  Effect.runFork(
    Effect.match(LockFile.write(file, lock), {
      onFailure: ({ message }) => say(message),
      onSuccess: () => say(`${file} holds what ${lock.size} tools promise.`)
    })
  )

/** What each session is told. What the first one accepts as the lock holds for those after it. */
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

/** How a session ended. A client that leaves ends it well. */
const ended = (error: McpError): Effect.Effect<void, Problem> =>
  error.reason === "gone" && error.message.startsWith("The client")
    ? Effect.void
    : Effect.fail(problem(plain(error.message), "Start the server by itself, and see what it says."))

export const proxy = Command.make(
  "proxy",
  flags,
  Effect.fnUntraced(function* (given) {
    const options = yield* optionsOf(given)
    const { connect } = yield* serverOf(given)
    const session = perSession(options)
    const serving = Option.isSome(given.listen)
      ? Listen.serve({
          port: given.listen.value,
          origins: given.allowOrigin,
          run: (end, conversation) => Effect.flatMap(connect, (server) => Proxy.run(end, server, session(conversation)))
        })
      : Effect.gen(function* () {
          return yield* Proxy.run(yield* OwnStdio.make, yield* connect, options)
        }).pipe(Effect.catchTag("McpError", ended))
    return yield* serving.pipe(Effect.scoped, Effect.provide(Layer.merge(Guarding.layer(given), FetchHttpClient.layer)))
  })
).pipe(
  Command.withShortDescription("Put an MCP server behind the guard, for any client"),
  Command.withDescription(`Puts an MCP server behind the guard, for any client: the client starts this command instead of the
  server's own. The server is a command after --, or an address (--url).

  Calls of tools pass the guard: arguments and results are checked by the server's own
  schemas, equal calls that lead nowhere are stopped, time is limited, secrets are taken
  out, large results become a preview with a link, and failures an envelope that says what
  to do next. A tool that changes after it was accepted is refused. All else (prompts,
  resources, sampling, elicitation, logging …) passes as it is.

  A tool is as risky as its server says; one that says nothing counts as destructive.
  Who confirms a call: the user of the client, if the client can ask (elicitation); with
  --database the people of its inbox (toolguard approvals serve); else nobody, and the
  call is refused.

  With --listen each client has its own connection to the server. TOOLGUARD_MCP_TOKEN then holds
  the bearer token that clients must send; without it every program of this machine may call.

  Exit codes: 0 the client has left; 1 the server has, or something cannot be used; 2 the
  command was written wrongly.`),
  Command.withExamples([
    {
      command: "toolguard mcp proxy -- npx -y @modelcontextprotocol/server-filesystem .",
      description: "What to write into a client's list of servers"
    },
    {
      command: 'toolguard mcp proxy --lock tools.lock.json --deny "write_*,move_*" --log calls.jsonl -- my-server',
      description: "Some of its tools, as they are now, with a record of each call"
    },
    { command: "toolguard mcp proxy --url https://example.com/mcp", description: "A server at an address" }
  ])
)
