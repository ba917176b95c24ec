/**
 * Phrases of limits: context length, quota, request rate.
 *
 * They are matched before codes and statuses, because providers and gateways send them with 400, 401, 402, 403, 404,
 * 413, 429 or 500. A limit per second or minute is transient; a quota is not.
 */
import { type Phrase, phrase } from "./Phrase.ts"
import { diagnose } from "#domain/classification/codes/Diagnosis"

const tooLong = diagnose("context_limit")
const quota = diagnose("quota_exceeded")
const rate = diagnose("rate_limited")

/** Matches every text that a row below matches. The rows are skipped for an error that does not match it. */
export const limitStem =
  /exceed|reach|token|input|exhaust|deplet|quota|credit|limit|too |per[- ]?(?:min|sec|day)|used up|r[au]n out|billing|arrears|payment|throttl|slow|ratelimit|toomany|maximum|available (?:context|prompt|input|seq)|supported (?:context|prompt|input|seq)|reduce|traffic|automated/

/** Limits whose words have other meanings in other sentences. They are matched before the grammar. */
export const firstLimits: ReadonlyArray<Phrase> = [
  phrase("limit:rate-with-quota-word", rate, [/\bquota\b[^\n]{0,400}\bretry in \d{1,2}(?:\.\d{1,12})?s\b/]),
  // A request that alone exceeds the limit per minute never succeeds.
  phrase("limit:request-over-rate", tooLong, [/\brequest too large for\b[^\n]{0,120}\bper (?:min|minute)\b/]),
  phrase("limit:calls", diagnose("limit_exceeded"), [
    /\bexceeded (?:the )?max(?:imum)?(?: number of)? (?:tool )?(?:retries|calls|attempts|steps|iterations|turns)\b/,
    /\b(?:tool |function )?(?:calls?|uses?|steps?|iterations?|rounds?|retries) limit(?: \(?(?:of )?\d{1,9}\)?)? (?:was |has been |is |already )?(?:reached|exceeded|hit)\b/
  ])
]

export const limits: ReadonlyArray<Phrase> = [
  phrase("limit:rate-per-minute", rate, [
    /\b(?:exceeded|exceeds|exceeding|reached|hit)\b[^.\n]{0,80}(?:\bper[- ](?:second|minute|min)\b|\b(?:rpm|tpm|qps)\b)/,
    /\b(?:per[- ](?:second|minute|min)|rpm|tpm|qps)\b[^.\n]{0,60}(?:exceed|reached)/,
    /perminute/
  ]),
  phrase("limit:quota-per-day", quota, [
    /\b(?:exceed|reach|exhaust)\w*[^.\n]{0,80}\bper[- ](?:day|month|week)\b/,
    /\bper[- ](?:day|month|week)\b[^.\n]{0,60}(?:exceed|reached|exhausted)/,
    /\blimit (?:is|of) \d[\d,]* (?:\w{3,12} )?per[- ](?:day|week|month)\b/,
    /\b(?:daily|monthly)\b[^.\n]{0,30}\b(?:over|exceeds?) (?:the )?limit\b/,
    /perday/
  ]),
  phrase("limit:quota", quota, [
    /\b(?:exceed|exhaust|deplet|reach|used up|run out|ran out)\w*(?: of)?[^.\n]{0,50}\b(?:quotas?|credits?|(?:spend|spending|billing|usage)(?: hard)? (?:limit|cap)s?|(?:monthly|daily|weekly|yearly|annual)(?: [\w-]{1,16}){0,3} (?:limit|allowance|allocation))\b/
  ]),
  phrase("limit:quota-left", quota, [
    /(?<!\bdisk )\b(?:quotas?|credit balance|credits|usage limits?|budget|(?:monthly|daily|weekly)(?: [\w-]{1,16}){0,2} limit)\b[^.\n]{0,30}\b(?:exceeded|exhausted|reached|used up|too low|depleted|insufficient)\b/
  ]),
  phrase("limit:credit", quota, [
    /\binsufficient[_ ](?:quota|credits?)\b/,
    /\b(?:not enough|no more|out of) credits?\b/,
    /\bno credits? (?:left|remaining)\b/,
    /\brequires? (?:more|at least)[^.\n]{0,20} credits\b/,
    /^payment required$/,
    /\bbilling (?:is not|not) (?:active|enabled)\b/,
    /\bbilling has not been enabled\b/,
    /\baccount (?:is )?in arrears\b/,
    /^(?:error: )?(?:(?:out of|no|not enough|insufficient|over)(?: the)? )?token budget(?: (?:left|remaining))?[.!]?$/,
    /\b(?:out of|over|not enough|insufficient) (?:the |its |your )?token budget\b/
  ]),
  phrase("limit:rate", rate, [
    /\brate[- ]?limit(?:s|ed|ing)?\b[^.\n]{0,40}\b(?:exceeded|reached|hit|exceeds)\b/,
    /\b(?:exceeded|exceeds|exceeding|reached|hit|over)\b[^.\n]{0,50}\brate[- ]?limits?\b/,
    /\b(?:been|being|are|is|was|were|get|got) rate[- ]?limited\b/,
    /^rate[- ]?limit(?:ed)?\b[.!]?$/,
    /\brate[- ]?limit(?: per \w{3,6})? error\b/,
    /\bratelimit(?:ed)?\b/
  ]),
  phrase("limit:too-many-requests", rate, [
    /\btoo ?many(?: concurrent| parallel| api)? (?:requests|calls|queries|connections per)\b/,
    /toomanyrequests/,
    /\btoo many tokens, please wait\b/
  ]),
  phrase("limit:too-fast", rate, [
    /\b(?:requests?|messages?|calls?)\b[^.\n]{0,20} too (?:quickly|frequently|fast|often)\b/,
    /\b(?:request|call|api) (?:rate|frequency) (?:is )?(?:too high|exceeded)\b/,
    /\bplease slow down\b/,
    /\breduce your request rate\b/,
    /\b(?:was|were|been|being|request) throttled\b/,
    /\brate exceeded\b/,
    /\bconcurren(?:cy|t \w{2,20}) limit (?:exceeded|reached)\b/,
    /\b(?:unusual|automated) (?:traffic|queries|activity)\b[^.\n]{0,60}\b(?:slow|wait|later)\b/
  ]),
  phrase("limit:context", tooLong, [
    /\b(?:maximum|max|available|supported) (?:context|prompt|input|sequence) (?:length|size|window|tokens?)\b/,
    /\bcontext[_ -](?:length|window|size|limit)\b[^.\n]{0,60}(?:exceed|too (?:long|large|small)|reached|overflow)/,
    /\bexceed\w*[^.\n]{0,50}\bcontext[_ -](?:length|window|size|limit)\b/
  ]),
  phrase("limit:prompt", tooLong, [
    /\b(?:prompt|conversation|context) (?:is |was )?too (?:long|large)\b/,
    /\binput is too long for\b/,
    /\binput (?:is )?too long\b/,
    /\bconversation (?:is|has become) too long\b/
  ]),
  phrase("limit:tokens", tooLong, [
    /\b(?:input|prompt|request(?:ed)?|total|messages?|estimated)\b[^.\n]{0,30}\btokens?\b[^.\n]{0,40}(?:exceed|(?:greater|larger|more|longer) than|too (?:long|many|large))/,
    /\bexceed\w*[^.\n]{0,40}\b(?:maximum|max|limit|number)\b[^.\n]{0,30}\btokens?\b(?! per)/,
    /\btoo many (?:input |prompt )?tokens\b/,
    /\btokens? > [\d,]{3,12}\b/,
    // The limit of a model, not the number of access tokens that an account may create.
    /(?<!\b(?:access|refresh|auth|bearer|session|security|personal|api|id|device|push|csrf|oauth|invite|deploy)[- ])\btokens? limit (?:of [\d,]{1,12} (?:tokens )?)?(?:(?:was|is|has been) )?(?:exceeded|reached|hit|exhausted)\b(?![^.\n]{0,30} per[- ])/,
    /\b(?:exceed(?:s|ed|ing)?|over|above|hit|reached|beyond) (?:the |its |your |a )?(?:\w{1,20}(?:'s)? ){0,2}(?<!\b(?:access|refresh|auth|bearer|session|security|personal|api|id|device|push|csrf|oauth|invite|deploy) )tokens? limit\b(?! per)/,
    /\bmax(?:imum)?[ _]tokens (?:limit )?(?:was |is |has been )?(?:exceeded|reached)\b/,
    /^(?:error: )?token limit[.!]?$/
  ]),
  phrase("limit:input-length", tooLong, [
    /\binput (?:length|characters?|tokens?|token count)\b[^.\n]{0,40}(?:limit|exceed|should be|must be|maximum)/
  ]),
  phrase("limit:reduce-input", tooLong, [
    /\breduce (?:the |your )?(?:(?:length|size|number|amount) of )?(?:the |your )?(?:prompt|messages?|input|tokens?|context)\b/
  ])
]
