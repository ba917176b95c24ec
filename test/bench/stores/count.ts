/**
 * Counts the statements that this process sends: those of `node:sqlite`, and on sockets the Execute and Query messages of
 * PostgreSQL and the scripts of Redis.
 */
import { Socket } from "node:net"
import { DatabaseSync, StatementSync } from "node:sqlite"

let statements = 0

/** Counts the Execute ("E") and Query ("Q") messages of a frame: a type, then a length that includes itself. */
const messagesOf = (frame: Buffer): number => {
  let count = 0
  for (let at = 0; at + 5 <= frame.length; at += 1 + frame.readUInt32BE(at + 1)) {
    if (frame[at] === 0x45 || frame[at] === 0x51) count++
  }
  return count
}

const counted = <Name extends string, Args extends Array<unknown>, A>(
  prototype: Readonly<Record<Name, (...args: Args) => A>>,
  name: Name,
  countOf: (args: Args, self: unknown) => number
): (() => void) => {
  const original = prototype[name]
  Object.assign(prototype, {
    [name](this: unknown, ...args: Args): A {
      statements += countOf(args, this)
      return original.apply(this, args)
    }
  })
  return () => void Object.assign(prototype, { [name]: original })
}

const sent = ([chunk]: ReadonlyArray<unknown>, self: unknown): number => {
  const port = self instanceof Socket ? self.remotePort : undefined
  if (port === portOf("TOOLGUARD_POSTGRES_URL", "5432"))
    return chunk instanceof Uint8Array ? messagesOf(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)) : 0
  return port === portOf("TOOLGUARD_REDIS_URL", "6379") ? (String(chunk).match(/EVAL(?:SHA)?\r\n/g) ?? []).length : 0
}

const portOf = (variable: string, otherwise: string): number => {
  const url = process.env[variable]
  return url === undefined ? 0 : Number(new URL(url).port || otherwise)
}

/** Returns how many statements `run` sends. */
export const statementsOf = async (run: () => Promise<unknown>): Promise<number> => {
  const restore = [
    ...(["all", "get", "run", "iterate"] as const).map((name) =>
      counted(StatementSync.prototype as never, name, () => 1)
    ),
    counted(DatabaseSync.prototype as never, "exec", () => 1),
    counted(Socket.prototype as never, "write", sent)
  ]
  statements = 0
  await run()
  for (const undo of restore) undo()
  return statements
}
