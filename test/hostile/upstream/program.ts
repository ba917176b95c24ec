/**
 * The backend under attack, in a process of its own: calls guarded tools on hostile upstreams, and tells what came.
 *
 * `node --expose-gc --max-old-space-size=256 program.ts CLIENT PORT TOOLS NAME…` prints one `Told` a behaviour, as JSON
 * lines, and a `Finished` at the end. TOOLS are names with commas between; they are called at once. A tool alone is
 * weighed call by call: what one leaves behind is collected before the next.
 *
 * Memory is what the operating system counts (`VmHWM`), so that a peak between two looks is seen too. Where it tells
 * nothing, or the peak cannot be reset, it is the highest since the start.
 */
import { Effect, Exit, ManagedRuntime } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import * as Failure from "#domain/failure/Failure"
import { Guard } from "#src/guard/Guard"
import type { AnyTool } from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { layerOf, type Tools, toolsFor } from "./tools.ts"

/** How one call ended: for the program that made it, and for the model. */
export interface Ending {
  /** `ok`, or class, code and side effect. */
  readonly typed: string
  readonly model: string
  /** What the model reads. */
  readonly text: string
  readonly attempts: number
  /** How the next call of the same tool, of a healthy upstream, ended. */
  readonly after: string
}

export interface Told {
  readonly name: string
  readonly calls: Readonly<Record<string, Ending>>
  /** MiB above idle at the highest point. */
  readonly peak: number
}

export interface Finished {
  readonly finished: true
  readonly rejections: ReadonlyArray<string>
  /** What reached the global prototypes. */
  readonly polluted: ReadonlyArray<string>
}

const [, , client = "fetch", port = "0", only = "", ...names] = process.argv

/** A port on which nobody listens. */
const freePort = await new Promise<number>((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 1))
  })
})
const elsewhere: Readonly<Record<string, string>> = {
  refused: `http://127.0.0.1:${freePort}/`,
  unknown_host: "http://no-such-host.invalid/",
  bad_port: "http://127.0.0.1:99999/"
}
const runtime = ManagedRuntime.make(layerOf(client, (name) => elsewhere[name] ?? `http://127.0.0.1:${port}/do/${name}`))

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
    // Not allowed everywhere.
  }
}
const collectGarbage = async (): Promise<void> => {
  for (let i = 0; i < 2; i++) {
    await new Promise((resolve) => setTimeout(resolve, 2))
    globalThis.gc?.()
  }
}

const brief = ({ _tag, code, sideEffect }: Failure.Failure): string => `${_tag} ${code} ${sideEffect}`

const tagOf = (errorClass: string): string =>
  errorClass.replace(/(?:^|_)([a-z])/gu, (_, letter: string) => letter.toUpperCase())

/** The same of an envelope. A side effect that is left out is none, where that is a matter of course. */
const briefOf = (text: string, access: string): string => {
  const { error, status } = JSON.parse(text)
  if (status === "success") return "ok"
  const isLeftOut = access === "read" || error.error_class === "tool_arg_error"
  return `${tagOf(error.error_class)} ${error.code} ${error.side_effect ?? (isLeftOut ? "none" : "missing")}`
}

const boxOf = Toolbox.make as (...tools: ReadonlyArray<AnyTool>) => Toolbox.Toolbox<AnyTool>

/** Calls a tool as a program does and as a model does, and then once more, of a healthy upstream. */
const endingOf = (tool: AnyTool, name: string): Effect.Effect<Ending, never, Tools | Guard> =>
  Effect.gen(function* () {
    const call = (args: object) => tool.call(args) as Effect.Effect<unknown, Failure.Failure, Tools | Guard>
    const exit = yield* Effect.exit(call({ name }))
    const typed = Exit.match(exit, {
      onSuccess: () => "ok",
      onFailure: ({ reasons: [reason] }) =>
        reason?._tag === "Fail" && Failure.isFailure(reason.error) ? brief(reason.error) : `untyped ${String(reason)}`
    })
    if (!only.includes(",")) yield* Effect.promise(collectGarbage)
    const request = { name: tool.toolName, arguments: JSON.stringify({ name }), callId: "call" }
    const { attempts, text } = yield* Guard.turn(boxOf(tool).answer(request)) as Effect.Effect<
      { readonly text: string; readonly attempts: number },
      never,
      Tools | Guard
    >
    const after = yield* Effect.match(call({ name: tool.toolName === "list_orders" ? "few_rows" : "fine" }), {
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

const attack = (name: string): Promise<Readonly<Record<string, Ending>>> => {
  const tools = toolsFor(name)
  const endings = Object.fromEntries(
    only.split(",").flatMap((one) => (tools[one] === undefined ? [] : [[one, endingOf(tools[one], name)]]))
  )
  return runtime.runPromise(Effect.all(endings, { concurrency: "unbounded" }).pipe(Effect.provide(Guard.layerMemory)))
}

const print = (value: Told | Finished): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

await attack("fine")
await collectGarbage()
const idle = memoryOf("VmRSS")
const tell = async (name: string): Promise<void> => {
  const calls = await attack(name)
  print({ name, calls, peak: Math.round(memoryOf("VmHWM") - idle) })
}
const waits = (name: string): boolean => /^(hang|drip)/.test(name)
resetPeak()
await Promise.all(names.filter(waits).map(tell))
for (const name of names) {
  if (waits(name)) continue
  await collectGarbage()
  resetPeak()
  await tell(name)
}
print({ finished: true, rejections, polluted: ["isAdmin", "prototype"].filter((key) => key in {}) })
await runtime.dispose()
process.exit(0)
