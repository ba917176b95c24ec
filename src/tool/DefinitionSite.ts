/** Finds the line of the source that defines a tool, for messages. */

/**
 * Records the stack. The returned function finds in it the file and line of the call of `define`, such as
 * `/app/tools.ts:12`; undefined if the runtime records no stacks.
 */
export const of = (define: (...args: ReadonlyArray<never>) => unknown): (() => string | undefined) => {
  const site: { readonly stack?: string } = {}
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 1
  // only V8 has the function in every version
  Error.captureStackTrace?.(site, define)
  Error.stackTraceLimit = limit
  return () => lineIn(site.stack ?? "")
}

/** Returns the file and line of the last frame of a stack. */
const lineIn = (stack: string): string | undefined => {
  const frame = stack.trimEnd().split("\n").at(-1) ?? ""
  return /(?:\(|at (?:async )?)(?:file:\/\/)?([^()]+?:\d+):\d+\)?$/u.exec(frame)?.[1]
}
