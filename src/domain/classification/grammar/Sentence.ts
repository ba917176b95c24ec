/**
 * Rules over the roles of a clause. The first rule that a clause of the message satisfies decides, so rules of subjects
 * (a credential, a quota) come before rules of predicates alone.
 */
import { diagnose, type Diagnosis } from "#domain/classification/codes/Diagnosis"
import type { FailureCode } from "#domain/failure/FailureCode"
import { clausesOf } from "./Clause.ts"
import { hasAll, hasAny, type Role, type Roles, rolesOf, union } from "./Role.ts"

interface Sentence {
  readonly name: string
  readonly diagnosis: Diagnosis
  readonly all: Roles
  readonly any: Roles | undefined
  readonly none: Roles
}

/** Defines a rule: a clause with `all` of the roles, with `any` of the roles, and with `none` of the roles. */
const sentence = (
  name: string,
  code: FailureCode,
  all: ReadonlyArray<Role>,
  { any, none = [] }: { readonly any?: ReadonlyArray<Role>; readonly none?: ReadonlyArray<Role> } = {}
): Sentence => ({
  name,
  diagnosis: diagnose(code),
  all: rolesOf(all),
  any: any === undefined ? undefined : rolesOf(any),
  none: rolesOf(none)
})

/** All rules, in the order in which they are tried. */
export const sentences: ReadonlyArray<Sentence> = [
  // limits
  sentence("limit:period", "quota_exceeded", ["period", "limit"], { any: ["exceeded", "exhausted"] }),
  sentence("limit:rate-per-period", "quota_exceeded", ["rate", "exceeded", "period"]),
  sentence("limit:throttled", "rate_limited", ["throttled"], { none: ["period", "negation"] }),
  sentence("limit:quota-per-time", "rate_limited", ["quota", "duration"], { any: ["exceeded", "exhausted"] }),
  sentence("limit:quota-rate", "rate_limited", ["quota", "rate"], { any: ["exceeded", "exhausted"], none: ["period"] }),
  sentence("limit:rate", "rate_limited", ["rate"], {
    any: ["exceeded", "exhausted"],
    none: ["period", "quota", "comparison"]
  }),
  sentence("limit:quota", "quota_exceeded", ["quota"], {
    any: ["exceeded", "exhausted", "comparison"],
    none: ["expectation"]
  }),
  sentence("limit:plan", "quota_exceeded", ["plan"], { any: ["exceeded", "limit"] }),
  sentence("resource:memory", "out_of_memory", ["memory"], {
    any: ["exceeded", "exhausted", "needed"],
    none: ["expectation"]
  }),
  sentence("resource:storage", "disk_full", ["storage", "exhausted"]),
  sentence("resource:storage-limit", "disk_full", ["storage", "exceeded"], { none: ["input", "comparison"] }),

  // the answer is wrong, not the call
  sentence("answer:invalid", "invalid_result", ["answer"], {
    any: ["invalid", "needed", "expectation"],
    none: ["denied", "credential"]
  }),

  // locks come before rights: `cannot access the file, which is used by another process`
  sentence("transient:lock", "lock_conflict", ["lock"], { none: ["invalid", "expectation", "denied", "plan"] }),

  // refusals
  sentence("argument:credential", "invalid_request", ["credential", "comparison"]),
  sentence("refusal:authentication", "unauthorized", ["credential"], {
    any: ["denied", "invalid", "needed", "state", "absent", "failed", "negation", "timeout", "expectation"]
  }),
  sentence("refusal:rights", "unauthorized", ["right"], {
    any: ["denied", "exhausted", "needed", "negation", "absent", "failed", "expectation"]
  }),
  sentence("refusal:plan", "unauthorized", ["plan"], { any: ["needed", "state", "denied", "negation", "expectation"] }),
  sentence("refusal:not-installed", "missing_software", ["uninstalled"]),
  sentence("refusal:software", "missing_software", ["software"], { any: ["absent", "needed"] }),

  // time and connections
  sentence("transient:timeout", "timeout", ["timeout"], { none: ["invalid", "expectation", "needed", "absent"] }),
  sentence("transient:duration", "timeout", ["duration"], { any: ["exceeded", "failed", "absent"] }),
  sentence("transient:cut", "body_cut", ["cut"], { none: ["invalid"] }),
  sentence("transient:refused", "connection_failed", ["unconnected"], { none: ["absent", "invalid", "needed"] }),
  sentence("transient:connection", "connection_lost", ["link"], {
    any: ["broken", "failed", "negation"],
    none: [
      "invalid",
      "input",
      "absent",
      "denied",
      "needed",
      "configuration",
      "unsupported",
      "credential",
      "right",
      "slot"
    ]
  }),
  sentence("transient:service", "connection_lost", ["service", "broken"]),
  sentence("transient:broken", "connection_lost", ["broken"], { none: ["input", "invalid", "absent", "comparison"] }),

  // defects
  sentence("defect", "tool_crashed", ["defect"]),

  // values
  sentence("existing", "conflicting_value", ["taken"]),
  sentence("argument:bound", "invalid_request", ["comparison"]),
  sentence("resource:slots", "too_many_open", ["slot"], { any: ["exceeded", "exhausted", "limit"], none: ["input"] }),
  sentence("resource:limit", "limit_exceeded", ["limit", "exceeded"], { none: ["input", "credential"] }),
  sentence("argument:limit", "invalid_request", ["limit", "exceeded"], { none: ["credential"] }),
  sentence("refusal:configuration", "misconfigured", ["configuration"], {
    any: ["absent", "needed", "invalid", "negation", "failed", "state"]
  }),
  sentence("refusal:environment", "unsupported", ["environment"], {
    any: ["needed", "unsupported", "invalid", "expectation", "absent", "negation"],
    none: ["input"]
  }),
  sentence("argument:denied", "invalid_request", ["denied", "input"], { none: ["right"] }),
  sentence("refusal:denied", "refused", ["denied"]),
  sentence("refusal:unsupported", "unsupported", ["unsupported", "operation"]),
  sentence("argument:unsupported", "invalid_request", ["unsupported"]),
  sentence("argument:invalid", "invalid_request", ["invalid"]),
  sentence("argument:needed", "invalid_request", ["needed"]),
  sentence("argument:expected", "invalid_request", ["expectation", "input"]),
  sentence("missing:reference", "unknown_reference", ["absent"]),
  sentence("state", "wrong_state", ["state"]),
  sentence("transient:down", "unavailable", ["down"]),
  sentence("refusal:unavailable", "unsupported", ["unavailable", "operation"], { none: ["temporary"] }),
  sentence("transient:unavailable", "unavailable", ["unavailable"], { any: ["service", "again"] }),
  sentence("state:unavailable", "wrong_state", ["unavailable"], { none: ["temporary"] }),
  sentence("transient:again", "temporary_failure", ["again"], { none: ["negation", "input", "operation"] }),
  sentence("argument:exceeded", "invalid_request", ["exceeded"], { none: ["credential"] }),
  sentence("state:exhausted", "wrong_state", ["exhausted"]),
  sentence("argument:expectation", "invalid_request", ["expectation"])
]

/** A rule that a message satisfies. */
export interface Reading {
  readonly name: string
  readonly diagnosis: Diagnosis
}

/**
 * Returns the first rule that a part of a sentence satisfies, or else a whole sentence. The text must be in lower case.
 * Skips rules that `accepts` rejects.
 */
export const read = (text: string, accepts: (reading: Reading) => boolean = () => true): Reading | undefined => {
  const clauses = clausesOf(text)
  return firstOf(clauses.parts, accepts) ?? firstOf(clauses.sentences, accepts)
}

const firstOf = (clauses: ReadonlyArray<Roles>, accepts: (reading: Reading) => boolean): Reading | undefined => {
  const present = clauses.reduce(union, nothing)
  return sentences.find(
    (rule) =>
      hasAll(present, rule.all) &&
      clauses.some(
        (clause) =>
          hasAll(clause, rule.all) && (rule.any === undefined || hasAny(clause, rule.any)) && !hasAny(clause, rule.none)
      ) &&
      accepts(rule)
  )
}

const nothing = rolesOf([])
