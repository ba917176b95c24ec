/** A module of guarded tools that prints when it is loaded, and fails in a thread as the environment says. */
import { isMainThread } from "node:worker_threads"
import { box } from "./replayTools.ts"

process.stdout.write("the module was loaded\n")
if (!isMainThread && process.env["THREADS"] === "exit") process.exit(3)
if (!isMainThread && process.env["THREADS"] === "throw") throw new Error("there is no database")

export const tools = box
