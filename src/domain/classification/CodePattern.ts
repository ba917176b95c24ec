/**
 * Diagnoses codes that no table lists, by common patterns: `no_such_…`, `…_not_found`, `invalid_…`, `…_required`,
 * `…AlreadyExists`. These patterns are tried after all tables of codes, and before the general phrases, because the
 * words of a code are more reliable than those of a message.
 */
import { snake } from "#domain/classification/codes/Provider"
import { diagnose, type Diagnosis, weak } from "#domain/classification/codes/Diagnosis"

const forms: ReadonlyArray<readonly [form: RegExp, diagnosis: Diagnosis]> = [
  [
    /(?:^|_)rate_?limit(?:ed|s)?(?:_exceeded|_reached|_error|$)|too_many_requests|(?:^|_)throttl(?:ed|ing)/,
    diagnose("rate_limited")
  ],
  [
    /(?:^|_)(?:daily|monthly)_(?:\w{1,24}_)?(?:over_|exceeds?_|out_of_)?limit|(?:^|_)over_(?:query_|daily_)?(?:limit|quota)|(?:quota|credits?|balance)_(?:exceeded|exhausted|depleted|reached)|^(?:insufficient|exceeded|not_enough)_(?:quota|credits?)/,
    diagnose("quota_exceeded")
  ],
  [
    /(?:context|prompt|input|token)_(?:length|window|limit|size)_?(?:exceeded|too_long|too_large)/,
    diagnose("context_limit")
  ],
  [/(?:^|_)out_of_memory/, diagnose("out_of_memory")],
  [/(?:^|_)(?:disk|storage)_full$/, diagnose("disk_full")],
  [
    /(?:^|_)(?:deadlock|lock_(?:timeout|conflict|wait|not_available)|serialization_failure|optimistic_lock)/,
    diagnose("lock_conflict")
  ],
  [/(?:^|_)(?:timeout|timed_out|deadline_exceeded)(?:_error|_exception)?$/, diagnose("timeout")],
  [/(?:^|_)connection_refused/, diagnose("connection_failed")],
  [/(?:^|_)connection_(?:reset|closed|lost|aborted|error|terminated)/, diagnose("connection_lost")],
  [/(?:^|_)(?:service|server|temporarily|upstream|backend)_(?:unavailable|overloaded|busy)/, diagnose("unavailable")],
  [
    /(?:^|_)(?:unauthori[sz]ed|unauthenticated|forbidden|access_denied|permission_denied|not_authori[sz]ed|not_permitted|authentication_(?:failed|required|error)|no_access|insufficient_(?:permissions?|privileges?|scopes?|rights))(?:_|$)/,
    diagnose("unauthorized")
  ],
  [
    /(?:^|_)(?:requires?_(?:human_|manual_)?(?:approval|review)|(?:approval|human_review|manual_review)_(?:required|needed|pending))$/,
    diagnose("unauthorized")
  ],
  [
    /(?:token|session|key|credentials?|password|signature|certificate)_(?:expired|revoked|invalid|missing)$|^(?:expired|invalid|missing|bad|wrong)_(?:(?:api_|user_|access_)?key|token|session|credentials?|password|signature|auth)/,
    diagnose("unauthorized")
  ],
  [
    /(?:^|_)already_(?:exists?|taken|used|registered|in_use)(?:_|$)|(?:^|_)duplicate(?:d)?(?:_|$)|_in_use$/,
    diagnose("conflicting_value")
  ],
  [
    /(?:^|_)not_found(?:_|$)|^no_such_|(?:^|_)does_?n[o']?t_exists?(?:_|$)|^unknown_|_missing_or_deleted$|_unknown$/,
    diagnose("unknown_reference")
  ],
  [/(?:^|_)(?:not_implemented|not_supported|unsupported|unimplemented)(?:_|$)/, diagnose("unsupported")],
  [
    /^already_|_already_(?:[a-z]+ed|[a-z]+n)$|_(?:closed|locked|suspended|disabled|archived|expired|cancell?ed|inactive|not_active|not_eligible|not_available|not_allowed)$|^(?:insufficient|not_enough)_/,
    diagnose("wrong_state")
  ],
  [
    /^(?:invalid|missing|malformed|bad|illegal|wrong|unexpected|incorrect|empty|required)_|_(?:invalid|required|missing|malformed|too_long|too_short|too_large|too_small|out_of_range|mismatch|not_valid)$|(?:^|_)validation(?:_|$)|^required$/,
    weak(diagnose("invalid_request"))
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
