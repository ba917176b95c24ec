/**
 * The backend under attack, in a separate process: calls guarded tools with hostile upstreams and reports the outcomes.
 *
 * `node --expose-gc --max-old-space-size=256 program.ts CLIENT PORT TOOLS NAME…` prints one `BehaviourReport` per
 * behaviour as JSON lines, and a `FinishedReport` at the end. TOOLS are comma-separated names, called concurrently. If there is
 * only one tool, garbage is collected between its calls, so that each call is measured alone. With `HOSTILE_TABLE=1` it is
 * collected between behaviours.
 *
 * Memory is the peak that the operating system counts (`VmHWM`). If the system does not report it or it cannot be reset,
 * memory is the highest value since the start.
 */
import { Effect, Exit, ManagedRuntime } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import * as Failure from "#domain/failure/Failure"
import { Guard } from "#src/guard/Guard"
import type { AnyTool } from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { layerOf, type Tools, toolsFor } from "./tools.ts"

/** The outcome of one call, for a program and for a model. */
export interface CallOutcome {
  /** The typed outcome: `ok`, or class, code and side effect. */
  readonly typed: string
  /** The outcome in the envelope, in the format of `typed`. */
  readonly model: string
  /** The envelope. */
  readonly text: string
  readonly attempts: number
  /** The outcome of the next call of the same tool with a healthy upstream. */
  readonly after: string
}

export interface BehaviourReport {
  readonly name: string
  readonly calls: Readonly<Record<string, CallOutcome>>
  /** Peak memory above idle, in MiB. */
  readonly peak: number
}

export interface FinishedReport {
  readonly finished: true
  readonly rejections: ReadonlyArray<string>
  /** Keys that were added to the global prototypes. */
  readonly polluted: ReadonlyArray<string>
}

const [, , client = "fetch", port = "0", toolNames = "", ...names] = process.argv

/** A closed port. */
const freePort = await new Promise<number>((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 1))
  })
})
/** The port of a server that accepts connections and sends nothing. */
const silentPort = await new Promise<number>((resolve) => {
  const server = createServer((socket) => socket.on("error", () => {})).listen(0, "127.0.0.1", () => {
    const address = server.address()
    resolve(typeof address === "object" && address !== null ? address.port : 1)
  })
})
const otherUrls: Readonly<Record<string, string>> = {
  refused: `http://127.0.0.1:${freePort}/`,
  unknown_host: "http://no-such-host.invalid/",
  bad_port: "http://127.0.0.1:99999/",
  hang_in_tls: `https://127.0.0.1:${silentPort}/`,
  tls_to_http: `https://127.0.0.1:${port}/`
}
const runtime = ManagedRuntime.make(layerOf(client, (name) => otherUrls[name] ?? `http://127.0.0.1:${port}/do/${name}`))

const rejections: Array<string> = []
process.on("unhandledRejection", (reason) => rejections.push(String(reason)))
process.on("uncaughtException", (error) => rejections.push(String(error.stack)))

const memoryOf = (field: "VmHWM" | "VmRSS"): number => {
  try {
    const kilobytes = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync("/proc/self/status", "utf8"))?.[1]
    return Number(kilobytes) / 1024
  } catch {
    return process.resourceUsage().maxRSS / 1024
  }
}
const resetPeak = (): void => {
  try {
    writeFileSync("/proc/self/clear_refs", "5")
  } catch {
    // Not every system allows it.
  }
}
const isAlone = !toolNames.includes(",")
const collectGarbage = async (): Promise<void> => {
  for (let i = 0; i < 2; i++) {
    await new Promise((resolve) => setTimeout(resolve, 2))
    globalThis.gc?.()
  }
}

const brief = ({ _tag, code, sideEffect }: Failure.Failure): string => `${_tag} ${code} ${sideEffect}`

const tagOf = (errorClass: string): string =>
  errorClass.replace(/(?:^|_)([a-z])/gu, (_, letter: string) => letter.toUpperCase())

/** Describes an envelope as `brief` does. Envelopes of reads and of rejected arguments omit a side effect of none. */
const briefOf = (text: string, access: string): string => {
  const { error, status } = JSON.parse(text)
  if (status === "success") return "ok"
  const isLeftOut = access === "read" || error.error_class === "tool_arg_error"
  return `${tagOf(error.error_class)} ${error.code} ${error.side_effect ?? (isLeftOut ? "none" : "missing")}`
}

/** The tools are not known statically: the cast widens them to `AnyTool`. */
const boxOf = Toolbox.make as (...tools: ReadonlyArray<AnyTool>) => Toolbox.Toolbox<AnyTool>

/** Calls a tool as a program and as a model, and then again with a healthy upstream. */
const outcomesOf = (tool: AnyTool, name: string): Effect.Effect<CallOutcome, never, Tools | Guard> =>
  Effect.gen(function* () {
    const call = (called: AnyTool, args: object) =>
      called.call(args) as Effect.Effect<unknown, Failure.Failure, Tools | Guard>
    const exit = yield* Effect.exit(call(tool, { name }))
    const typed = Exit.match(exit, {
      onSuccess: () => "ok",
      onFailure: ({ reasons: [reason] }) =>
        reason?._tag === "Fail" && Failure.isFailure(reason.error) ? brief(reason.error) : `untyped ${String(reason)}`
    })
    if (isAlone) yield* Effect.promise(collectGarbage)
    const request = { name: tool.toolName, arguments: JSON.stringify({ name }), callId: "call" }
    const { attempts, text } = yield* Guard.turn(boxOf(tool).answer(request)) as Effect.Effect<
      { readonly text: string; readonly attempts: number },
      never,
      Tools | Guard
    >
    const healthy = tool.toolName === "list_orders" ? "few_rows" : "fine"
    // with the time limits of a healthy upstream
    const after = yield* Effect.match(call(toolsFor(healthy)[tool.toolName] ?? tool, { name: healthy }), {
      onSuccess: () => "ok",
      onFailure: brief
    })
    return {
      typed,
      model: briefOf(text, tool.access),
      text,
      attempts,
      after
    }
  })

const attack = (name: string): Promise<Readonly<Record<string, CallOutcome>>> => {
  const tools = toolsFor(name)
  const outcomes = Object.fromEntries(
    toolNames.split(",").flatMap((tool) => (tools[tool] === undefined ? [] : [[tool, outcomesOf(tools[tool], name)]]))
  )
  return runtime.runPromise(Effect.all(outcomes, { concurrency: "unbounded" }).pipe(Effect.provide(Guard.layerMemory)))
}

const print = (value: BehaviourReport | FinishedReport): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

await attack("fine")
await collectGarbage()
const idle = memoryOf("VmRSS")
const report = async (name: string): Promise<void> => {
  const calls = await attack(name)
  print({ name, calls, peak: Math.round(memoryOf("VmHWM") - idle) })
}
/** Returns true for a behaviour that makes its calls wait, for an answer or before a retry, and sends little. */
const waits = (name: string): boolean =>
  /^(hang|drip|rate_limited|unavailable|reset|refused|unknown_host|empty$|length_absurd)/.test(name)
resetPeak()
await Promise.all(names.filter(waits).map(report))
for (const name of names) {
  if (waits(name)) continue
  if (isAlone || process.env["HOSTILE_TABLE"] === "1") await collectGarbage()
  resetPeak()
  await report(name)
}
print({ finished: true, rejections, polluted: ["isAdmin", "prototype"].filter((key) => key in {}) })
await runtime.dispose()
process.exit(0)
