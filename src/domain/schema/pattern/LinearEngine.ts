/**
 * The engine that runs foreign patterns in linear time: the package `re2js`, an optional peer.
 *
 * The package is loaded at the first foreign pattern, synchronously, because tools are compiled synchronously.
 */

/** A pattern that the engine has compiled. */
export interface CompiledPattern {
  readonly test: (text: string) => boolean
  /** Counts the known states of the automaton; `undefined` if the engine does not report them. */
  readonly states: () => number | undefined
}

/** Compiles a pattern in the syntax of RE2, or throws. */
export type Engine = (pattern: string) => CompiledPattern

/** The part of `re2js` that is used. */
interface Re2 {
  readonly RE2JS: {
    readonly compile: (pattern: string) => {
      readonly test: (text: string) => boolean
      readonly re2Input?: { readonly lazyDFA?: { readonly stateCount?: number } | null }
    }
  }
}

const packageName = "re2js"

/** Why no pattern runs if the package is not installed, as a clause. */
export const missing = `foreign patterns run only with the package ${packageName}, which is not installed`

let loaded: { readonly engine: Engine | undefined } | undefined

let isReported = false

/** Returns the engine; `undefined` if the package is not installed. */
export const load = (): Engine | undefined => {
  loaded ??= { engine: find() }
  return loaded.engine
}

/**
 * Returns true once per process, if a pattern needed the engine and the package is not installed. The caller then
 * reports `missing`.
 */
export const isMissingUnreported = (): boolean => {
  if (isReported || loaded === undefined || loaded.engine !== undefined) return false
  isReported = true
  return true
}

const find = (): Engine | undefined => {
  try {
    const { createRequire } = globalThis.process.getBuiltinModule("node:module")
    // The types of the package are not imported, because programs without this optional package do not have them.
    const { RE2JS } = createRequire(import.meta.url)(packageName) as Re2
    return (pattern) => {
      const compiled = RE2JS.compile(pattern)
      return {
        test: (text) => compiled.test(text),
        states: () => (compiled.re2Input === undefined ? undefined : (compiled.re2Input.lazyDFA?.stateCount ?? 0))
      }
    }
  } catch {
    return undefined
  }
}
