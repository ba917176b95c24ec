/**
 * Checks the rule for randomness, as a function from a source to violations: ids, tokens and secrets come from
 * `services/Unguessable.ts`. Effect's `Random`, which a program may seed, decides only jitter and samples.
 */
import { parsed } from "./parseCache.ts"

/** The only file that may read the platform's cryptographic source. */
const source = "services/Unguessable.ts"

/** The files that draw jitter, or a share of the calls, from `Random`. */
const jitter: ReadonlySet<string> = new Set([
  "layers/CircuitsMemory.ts",
  "layers/CircuitsRedis.ts",
  "layers/ModelPolicy.ts",
  "src/domain/tool/RetryPolicy.ts",
  "src/pipeline/answer/RetryWait.ts",
  "src/pipeline/stages/budget.ts"
])

/** Other sources of randomness. `Random.withSeed` draws nothing. */
const platform =
  /\bMath\.random\b|\b(?:randomUUID|randomBytes|randomInt|randomFill|getRandomValues)(?:Sync|Unsafe)?\b|\beffect\/crypto\/SecureRandom\b/gu
const drawn = /\bRandom\.(?!withSeed\b)\w+/gu

/** Returns the violations in a source, one sentence each. */
export const randomnessViolations = (path: string, text: string): ReadonlyArray<string> => {
  if (path === source) return []
  const code = parsed(path, text).comments.reduce(
    (code, { end, start }) => code.slice(0, start) + " ".repeat(end - start) + code.slice(end),
    text
  )
  const found = [...code.matchAll(platform), ...(jitter.has(path) ? [] : code.matchAll(drawn))]
  return found.map(([use]) => `${path} uses ${use}: ids, tokens and secrets come from ${source}`)
}
