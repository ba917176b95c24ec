/**
 * Diagnoses codes that no table lists, by common patterns: `no_such_…`, `…_not_found`, `invalid_…`, `…_required`,
 * `…AlreadyExists`. These patterns are tried after all tables of codes, and before the general phrases, because the
 * words of a code are more reliable than those of a message.
 */
import { snake } from "#domain/classification/codes/Provider"
import { none, unknown, type Diagnosis, weak } from "#domain/classification/codes/Diagnosis"

const forms: ReadonlyArray<readonly [form: RegExp, diagnosis: Diagnosis]> = [
  [
    /(?:^|_)rate_?limit(?:ed|s)?(?:_exceeded|_reached|_error|$)|too_many_requests|(?:^|_)throttl(?:ed|ing)/,
    none("rate_limited")
  ],
  [
    /(?:^|_)(?:daily|monthly)_(?:\w{1,24}_)?(?:over_|exceeds?_|out_of_)?limit|(?:^|_)over_(?:query_|daily_)?(?:limit|quota)|(?:quota|credits?|balance)_(?:exceeded|exhausted|depleted|reached)|^(?:insufficient|exceeded|not_enough)_(?:quota|credits?)/,
    none("quota_exceeded")
  ],
  [
    /(?:context|prompt|input|token)_(?:length|window|limit|size)_?(?:exceeded|too_long|too_large)/,
    none("context_limit")
  ],
  [/(?:^|_)out_of_memory/, unknown("out_of_memory")],
  [/(?:^|_)(?:disk|storage)_full$/, unknown("disk_full")],
  [
    /(?:^|_)(?:deadlock|lock_(?:timeout|conflict|wait|not_available)|serialization_failure|optimistic_lock)/,
    none("lock_conflict")
  ],
  [/(?:^|_)(?:timeout|timed_out|deadline_exceeded)(?:_error|_exception)?$/, unknown("timeout")],
  [/(?:^|_)connection_refused/, none("connection_failed")],
  [/(?:^|_)connection_(?:reset|closed|lost|aborted|error|terminated)/, unknown("connection_lost")],
  [/(?:^|_)(?:service|server|temporarily|upstream|backend)_(?:unavailable|overloaded|busy)/, unknown("unavailable")],
  [
    /(?:^|_)(?:unauthori[sz]ed|unauthenticated|forbidden|access_denied|permission_denied|not_authori[sz]ed|not_permitted|authentication_(?:failed|required|error)|no_access|insufficient_(?:permissions?|privileges?|scopes?|rights))(?:_|$)/,
    none("unauthorized")
  ],
  [
    /(?:token|session|key|credentials?|password|signature|certificate)_(?:expired|revoked|invalid|missing)$|^(?:expired|invalid|missing|bad|wrong)_(?:(?:api_|user_|access_)?key|token|session|credentials?|password|signature|auth)/,
    none("unauthorized")
  ],
  [
    /(?:^|_)already_(?:exists?|taken|used|registered|in_use)(?:_|$)|(?:^|_)duplicate(?:d)?(?:_|$)|_in_use$/,
    none("conflicting_value")
  ],
  [
    /(?:^|_)not_found(?:_|$)|^no_such_|(?:^|_)does_?n[o']?t_exists?(?:_|$)|^unknown_|_missing_or_deleted$|_unknown$/,
    none("unknown_reference")
  ],
  [/(?:^|_)(?:not_implemented|not_supported|unsupported|unimplemented)(?:_|$)/, none("unsupported")],
  [
    /^already_|_already_(?:[a-z]+ed|[a-z]+n)$|_(?:closed|locked|suspended|disabled|archived|expired|cancell?ed|inactive|not_active|not_eligible|not_available|not_allowed)$|^(?:insufficient|not_enough)_/,
    none("wrong_state")
  ],
  [
    /^(?:invalid|missing|malformed|bad|illegal|wrong|unexpected|incorrect|empty|required)_|_(?:invalid|required|missing|malformed|too_long|too_short|too_large|too_small|out_of_range|mismatch|not_valid)$|(?:^|_)validation(?:_|$)|^required$/,
    weak(none("invalid_request"))
  ]
]

/** Returns the diagnosis of the first pattern that a code matches; `undefined` if it matches none. */
export const ofCodePattern = (code: string): Diagnosis | undefined => {
  if (code.length < 6 || code.length > 80 || !/^[A-Za-z][A-Za-z0-9_.:/ -]*$/.test(code)) return undefined
  const name = snake(code)
    .replaceAll(/[.:/ ]/g, "_")
    .replace(/_(?:error|exception|fault)$/, "")
  return forms.find(([form]) => form.test(name))?.[1]
}
