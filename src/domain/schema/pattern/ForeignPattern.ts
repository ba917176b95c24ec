/**
 * Runs foreign patterns: those of MCP servers, of OpenAPI documents, of locks and of recorded logs.
 *
 * A pattern is translated to RE2 and runs in linear time. `RegExp` never runs it, because a few characters can make
 * `RegExp` take years.
 *
 * **Gotchas**
 *
 * `test` returns `undefined` if a text is too long to be read in 100 ms, or if the allowance is spent. The longest text
 * has a million characters divided by the size of the pattern: for `^[a-z]+$`, whose size is 9, 111,111 characters.
 */
import * as Result from "effect/Result"
import * as Allowance from "./Allowance.ts"
import * as LinearEngine from "./LinearEngine.ts"
import { translate } from "./Translation.ts"

/** A compiled foreign pattern. */
export interface ForeignPattern {
  /** True if a text matches; `undefined` if that is undecided. */
  readonly test: (text: string) => boolean | undefined
  /** The length of the longest text that is read, in UTF-16 units. */
  readonly longest: number
}

/** The maximum number of instructions times characters of one test. It takes 60 to 90 ms. */
const maxSteps = 1_000_000

const known = new Map<string, boolean>()

/** True if the engine knows a Unicode property. */
const knowsProperty = (engine: LinearEngine.Engine, name: string): boolean => {
  const found = known.get(name) ?? compiles(engine, `\\p{${name}}`)
  known.set(name, found)
  return found
}

const compiles = (engine: LinearEngine.Engine, text: string): boolean => {
  try {
    engine(text)
    return true
  } catch {
    return false
  }
}

/**
 * Compiles a pattern that `RegExp` accepts with the flag `u`. Fails with the reason, as a clause, if the pattern cannot
 * run.
 */
export const make = (
  pattern: string,
  allowance: Allowance.Allowance = Allowance.make()
): Result.Result<ForeignPattern, string> => {
  const engine = LinearEngine.load()
  if (engine === undefined) return Result.fail(LinearEngine.missing)
  return Result.flatMap(translate(pattern), ({ properties, size, text }) => {
    const unknown = [...properties].find((name) => !knowsProperty(engine, name))
    if (unknown !== undefined) {
      return Result.fail(`the pattern has the Unicode property ${unknown}, which is not supported`)
    }
    const longest = Math.floor(maxSteps / size)
    // Compiling takes far longer than translating, and many tools of a server are never called.
    let compiled: LinearEngine.CompiledPattern | undefined
    let isRefused = false
    const test = (candidate: string): boolean | undefined => {
      if (isRefused || candidate.length > longest || !allowance.isLeft()) return undefined
      try {
        compiled ??= engine(text)
      } catch {
        isRefused = true
        return undefined
      }
      const before = compiled.states()
      const isMatch = compiled.test(candidate)
      allowance.spend(candidate.length, costOfStates(before, compiled.states(), candidate.length, size))
      return isMatch
    }
    return Result.succeed({ test, longest })
  })
}

/**
 * Returns the cost of the states that a text needed. The automaton forgets its states when they take too much memory, so
 * many new states, or fewer states than before, are counted as one new state for each character.
 */
const costOfStates = (before: number | undefined, after: number | undefined, length: number, size: number): number => {
  const added = before === undefined || after === undefined ? length : after - before
  return (added >= 0 && added <= length / 10 ? added : length) * size
}
