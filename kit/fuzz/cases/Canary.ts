/**
 * Defines canaries, which are texts that must not reach a model, and the marks that represent canaries in a case.
 *
 * - `@token@` and `@key@` have the shape of secrets. Neither results nor failures may contain these canaries.
 * - `@path@` is a path of the host. Failures must not contain this canary.
 * - `@hidden@` looks like an ordinary word. This canary is placed where no model may read it: in causes, stacks,
 *   headers and the messages of defects.
 *
 * The canaries are assembled at run time, so that secret scanners find no secret in a source file or a printed test.
 */

/** Returns letters and digits that look random, but are the same in every process. */
const characters = (count: number): string => {
  const alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
  let state = 20_260_131
  return Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647
    return alphabet[state % alphabet.length]
  }).join("")
}

const random = characters(80)

const planted: Readonly<Record<string, string>> = {
  "@token@": `ghp_${random.slice(0, 36)}`,
  "@key@": `sk-${random.slice(36, 76)}`,
  "@path@": "/home/canary/service/src/orders.ts",
  "@hidden@": `canary${random.slice(40, 60)}`
}

/** Replaces the marks in a text with their canaries. */
export const expand = (text: string): string =>
  text.includes("@") ? text.replace(/@(?:token|key|path|hidden)@/gu, (mark) => planted[mark] ?? mark) : text

/** The number of consecutive characters of a secret that count as a leak. */
const leakLength = 12

/** The parts to search for: the start and the end of each secret, because a text may be truncated inside one. */
const parts: ReadonlyArray<readonly [mark: string, part: string]> = Object.entries(planted).flatMap(([mark, text]) =>
  mark === "@path@"
    ? [[mark, "/home/canary"] as const]
    : [
        [mark, text.slice(-leakLength)] as const,
        [mark, text.slice(text.length > 30 ? 6 : 0).slice(0, leakLength)] as const
      ]
)

/** Returns the mark of a canary that a text contains. In the text of a failure (`isFailure`), paths are leaks too. */
export const leak = (text: string, isFailure: boolean): string | undefined =>
  parts.find(([mark, part]) => (isFailure || mark !== "@path@") && text.includes(part))?.[0]

/** Describes the canary of a mark. */
export const nameOf = (mark: string): string =>
  ({
    "@token@": "a secret",
    "@key@": "a secret",
    "@path@": "a path of the host",
    "@hidden@": "text from a cause, stack or header"
  })[mark] ?? mark
