/**
 * The turn of the running asynchronous function, so that tools that a framework calls find the turn in which the
 * framework was started.
 */
import type { Turn } from "#domain/turn/Turn"
import { AsyncLocalStorage } from "node:async_hooks"

const storage = new AsyncLocalStorage<Turn>()

/** Returns the turn of the running function; undefined outside a turn. */
export const current = (): Turn | undefined => storage.getStore()

/** Runs a function within a turn. */
export const run = <A>(turn: Turn, f: () => A): A => storage.run(turn, f)
