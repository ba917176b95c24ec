/**
 * Roles of words in a message about a failure: who or what it concerns (a credential, a limit, a value of the caller),
 * what was wrong with it (denied, exceeded, absent) and what is allowed (`expectation`).
 *
 * Vocabularies map the words of a language to roles, and rules map the roles of a clause to a diagnosis (`Clause`), so
 * that the rules are the same for every language.
 */

/** Roles that rules read. Each is one bit of a clause. */
const names = [
  // subjects
  "credential",
  "right",
  "quota",
  "period",
  "rate",
  "plan",
  "memory",
  "storage",
  "slot",
  "limit",
  "link",
  "service",
  "lock",
  "software",
  "configuration",
  "answer",
  "input",
  // predicates
  "denied",
  "throttled",
  "exceeded",
  "exhausted",
  "timeout",
  "broken",
  "down",
  "again",
  "taken",
  "state",
  "unsupported",
  "needed",
  "invalid",
  "absent",
  // what is allowed
  "expectation",
  // the failure of something, without saying how
  "failed",
  "negation",
  "comparison",
  "defect",
  "operation",
  "uninstalled",
  "duration",
  "environment",
  "unavailable",
  "cut",
  "unconnected",
  // what is unavailable for a short time only
  "temporary"
] as const

/** A role that rules read. */
export type Role = (typeof names)[number]

/**
 * Words that report a fault only if they are negated (`not found`, `could not connect`) or next to a word for failure
 * (`conversion failed`), and the role that they then have.
 */
export const negated = {
  found: "absent",
  valid: "invalid",
  parsed: "invalid",
  permitted: "denied",
  supplied: "needed",
  supported: "unsupported",
  enough: "exhausted",
  allocated: "exhausted",
  connected: "unconnected",
  answered: "timeout",
  ready: "down",
  active: "state",
  unique: "taken",
  installed: "uninstalled",
  available: "unavailable",
  configured: "configuration",
  acquired: "lock",
  authenticated: "credential"
} as const satisfies Readonly<Record<string, Role>>

/** A word that reports a fault only if it is negated. */
export type Negated = keyof typeof negated

/**
 * The words of a language by role. Terms are separated by commas. A term matches whole words; an asterisk at its end
 * also matches words that begin with it. In scripts without spaces a term matches anywhere.
 */
export type Vocabulary = { readonly [name in Role | Negated]?: string }

/** A set of roles: one bit for each role, in two numbers, because there are more than 32 roles. */
export interface Roles {
  readonly low: number
  readonly high: number
}

/** Returns the set of the given roles. */
export const rolesOf = (roles: ReadonlyArray<Role>): Roles => {
  let low = 0
  let high = 0
  for (const role of roles) {
    const index = names.indexOf(role)
    if (index < 31) low |= 1 << index
    else high |= 1 << (index - 31)
  }
  return { low, high }
}

/** True if a set contains all of the roles. */
export const hasAll = (set: Roles, roles: Roles): boolean =>
  (set.low & roles.low) === roles.low && (set.high & roles.high) === roles.high

/** True if a set contains any of the roles. */
export const hasAny = (set: Roles, roles: Roles): boolean =>
  (set.low & roles.low) !== 0 || (set.high & roles.high) !== 0

/** Returns the union of two sets. */
export const union = (one: Roles, other: Roles): Roles => ({ low: one.low | other.low, high: one.high | other.high })
