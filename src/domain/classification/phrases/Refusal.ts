/**
 * Phrases of refusals that other arguments alone cannot avoid: software, configuration, rights, endpoints, policy,
 * state.
 */
import { type Phrase, phrase } from "./Phrase.ts"
import { diagnose } from "#domain/classification/codes/Diagnosis"

/** Phrases of refusals whose words have other meanings in other sentences. They are matched before the grammar. */
export const refusals: ReadonlyArray<Phrase> = [
  // the name of a variable, without a word for settings: `SLACK_BOT_TOKEN is not set`
  phrase("refusal:variable", diagnose("misconfigured"), [
    /\b[a-z][a-z0-9]*(?:_[a-z0-9]+){1,5} (?:is|was|has) (?:not )(?:been )?(?:set|configured)\b/
  ]),
  phrase("refusal:permission", diagnose("permission_denied"), [
    /(?<!\b(?:no|not|without|never)(?: an?| the| any)? )\bpermissions? errors?\b(?! (?:handl|log|report|track|check|monitor|correct|recover|rate|count|page|(?:was|were) (?:fixed|resolved)))/
  ]),
  phrase("refusal:endpoint", diagnose("unsupported"), [
    /\b(?:endpoints?|routes?|api|api version|url path|http method)\b[^.\n]{0,120}\b(?:do(?:es)?(?: not|n't) exists?|not found|found that|is disabled|deprecated|has been removed|no longer|not allowed|retired|discontinued|shut down)\b/,
    /^cannot (?:get|post|put|patch|delete|head) \//,
    /\bno (?:such )?(?:route|endpoint|handler)s?\b/,
    /\bmethod (?:not allowed|is not (?:allowed|supported|implemented))\b/,
    /^(?:error: )?method not found\b/,
    /\bnot (?:yet )?implemented\b/,
    /\bunimplemented\b/
  ])
]

/** Other phrases of refusals. They are matched after the grammar, before the general sentences about arguments. */
export const generalRefusals: ReadonlyArray<Phrase> = [
  phrase("refusal:software", diagnose("missing_software"), [
    /\bis not installed\b/,
    /\bnot installed\b/,
    /\bplease install\b/,
    /\bneeds? to be installed\b/,
    /\bmust be installed\b/,
    /\bmissing (?:dependency|dependencies|optional dependency|library|package|module|binary|executable)\b/,
    /\b(?:executable|binary|program|interpreter|compiler|driver|chromedriver) [^\n]{0,60}\b(?:not found|does not exist|is missing|could not be found)\b/,
    /\bnot (?:found|available) (?:in|on) (?:your |the |system )?\$?path\b/,
    /\b(?:pip|npm|apt(?:-get)?|brew|conda|yarn) install \S/
  ]),
  phrase("refusal:configuration", diagnose("misconfigured"), [
    /\benvironment variables?\b[^.\n]{0,60}\b(?:not|required|missing|must|undefined|unset|empty)\b/,
    /\b(?:missing|set the|define the|required) [\w ]{0,30}environment variables?\b/,
    /\b(?:is|are|was|not|isn't|been) (?:not )?(?:properly |correctly )?configured\b/,
    /\bnot defined in (?:the |your )?config\w*\b/,
    /\bno [\w -]{1,30} configured\b/,
    /\b(?:missing|invalid|bad|incomplete|broken|no) (?:\w{1,20} )?config(?:uration)?\b/,
    /\bmisconfigur\w+\b/,
    /\bconfig(?:uration)?(?: file)? (?:error|is missing|not found|is invalid)\b/,
    /\b(?:invalid|malformed|bad) (?:connection|database) (?:string|url)\b/
  ]),
  phrase("refusal:key", diagnose("unauthorized"), [
    /\bapi[- _]?key\b[^.\n]{0,60}\b(?:required|missing|not|invalid|expired|disabled|revoked|incorrect|unauthorized|no)\b/,
    /\b(?:invalid|incorrect|missing|expired|wrong|no|bad|unknown|without an?|valid) (?:or \w{3,10} )?(?:x-)?api[- _]?key\b/,
    /\b(?:pass|set|provide|supply|add|include|send|configure|specify|enter)\b[^.\n]{0,40}\bapi[- _]?key\b/,
    /\b(?:invalid|missing|expired|unknown|wrong) (?:application|app|access|client|consumer|subscription|user)[- _]?keys?\b/,
    /\b(?:check|verify) your (?:\w{1,20} )?api[- _]?key\b/,
    /\bx-api-key\b/
  ]),
  phrase("refusal:credentials", diagnose("unauthorized"), [
    /\b(?:invalid|incorrect|wrong|bad|missing|expired|no|unable to locate|could not load|failed to load|insufficient) (?:\w{1,20} )?(?:credentials?|password|passphrase|access[- _]?token|auth(?:entication|orization)?[- _]?token|bearer[- _]?token|security token|refresh token|session token|id token|jwt|authori[sz]ation header|username or password|login|signature)\b/,
    /\b(?:access|auth|bearer|security|refresh|session|id|jwt|api|oauth|the)? ?(?:token|session|credentials?|signature|password|api key)(?: included in the request)? (?:is|has|was|are|have) (?:been )?(?:invalid|expired|revoked|missing|incorrect|not valid|wrong)\b/,
    /\btoken (?:expired|revoked)\b/,
    /\b(?:session|login)[^.\n]{0,20}\b(?:timed out|expired)\b/,
    /\bjwt (?:expired|malformed)\b/,
    /\b(?:username|user name|user|login|email) (?:and|or) password not accepted\b/
  ]),
  phrase("refusal:authentication", diagnose("unauthorized"), [
    /\bunauthori[sz]ed\b/,
    /\bunauthenticated\b/,
    /\bnot (?:authori[sz]ed|authenticated|logged in|signed in)\b/,
    /\bauthentication (?:is |was )?(?:required|failed|failure|error|needed|unsuccessful)\b/,
    /\brequires? (?:authentication|authorization|login|a login|sign[- ]?in|you to (?:log|sign) in)\b/,
    /\b(?:login|log-in|sign-?in) (?:is )?(?:required|failed)\b/,
    /\b(?:must|need to|have to|please|to continue,?) (?:be )?(?:log|sign)(?:ged|ed)?[ -]?in\b/,
    /\bauthorization (?:is |was )?(?:required|failed|denied)\b/,
    /\bcould not (?:authenticate|verify your)\b/
  ]),
  phrase("refusal:rights", diagnose("unauthorized"), [
    /\bforbidden\b/,
    /\baccess(?: is| was| to [^\n]{1,80})? (?:denied|restricted|refused|forbidden|blocked)\b/,
    /\b(?:permission|request|operation|access|privilege) (?:was |is )?denied\b/,
    /\b(?:permission|access|consent)s? (?:was |were |is |has been )?not (?:been )?(?:granted|given)\b/,
    /\b(?:do(?:es)? ?n(?:o|')t|lacks?|without|no|insufficient|missing|not enough|inadequate|required) (?:have |the |sufficient |enough |necessary |proper |required |appropriate |any |adequate |correct ){0,3}(?:permissions?|privileges?|access|rights|scopes?|authori[sz]ation|authority|role)\b(?! errors?\b)/,
    /\bnot (?:authori[sz]ed|allowed|permitted|entitled) to\b/,
    /\boutside (?:of )?(?:the )?(?:allowed|permitted) (?:\w{1,12} )?(?:director(?:y|ies)|paths?|folders?|workspace|root)\b/,
    /\b(?:can only be|only) (?:accessed|performed|done|used|called|executed|made) by\b/,
    /\bnot accessible by\b/,
    /\bprivate (?:repository|resource|channel|video|account)\b/
  ]),
  phrase("refusal:subscription", diagnose("unauthorized"), [
    /\b(?:not|aren't|isn't) subscribed\b/,
    /\b(?:requires?|need|upgrade|subscribe) [^.\n]{0,40}\b(?:subscription|plan|premium|pro account|paid)\b/,
    /\bfor your (?:current )?(?:subscription|plan|tier)\b/,
    /\b(?:on|in|by|with) your (?:current )?(?:subscription|plan|tier|pricing|region|country|account)\b/,
    /\byour (?:subscription|plan|account|organization|trial|license|ip(?: address)?)\b[^.\n]{0,40}\b(?:not|blocked|suspended|banned|disabled|doesn't|expired|deactivated|ended|inactive)\b/,
    /\b(?:account|user|license|subscription) (?:is |has been |was )?(?:suspended|disabled|blocked|banned|deactivated|terminated)\b/,
    /\bpremium (?:feature|content|only|users?|plan)\b/,
    /\blicen[sc]e (?:required|expired|is invalid|not found)\b/
  ]),
  phrase("refusal:blocked", diagnose("refused"), [
    /\b(?:has been|have been|is|was|are|were|been|got) (?:blocked|banned|blacklisted|prohibited|rejected by|denied by|moderated|flagged)\b/,
    /\bblocked (?:user|by|request|due)\b/,
    /\b(?:safety|content|usage|security|moderation) (?:system|policy|policies|filter|guidelines?)\b/,
    /\bpolicy violation\b/,
    /\bviolates? (?:our|the|content|usage)\b[^.\n]{0,30}\b(?:policy|policies|terms|guidelines)\b/,
    /\b(?:not allowed|disallow(?:s|ed)|forbid(?:s|den)|prohibit(?:s|ed)|blocked)\b[^\n]{0,60}\brobots\.txt\b/,
    /\brobots\.txt\b[^\n]{0,120}\b(?:not allowed|disallow(?:s|ed)?|forbid(?:s|den)|prohibit(?:s|ed)|block(?:s|ed))\b/,
    /\bcaptcha\b/,
    /\bterms of (?:service|use)\b/,
    /\b(?:is|are|was|were) not (?:allowed|permitted)\b(?! (?:to|value))/,
    /\bnot allowed (?:by|for|in|on|here|because)\b/,
    /\bcontent (?:was )?(?:filtered|blocked)\b/,
    /\b(?:do not|don't|never|must not|cannot|can't|cannot be|should not be|must not be) (?:attempt to |be |try to )?(?:retry|retried|try again|repeat(?:ed)?)\b/,
    /\bno retry\b/,
    /\bretr(?:y|ying)\b[^.\n]{0,30}\b(?:will not|won't|does not|doesn't|cannot) (?:help|work|succeed)\b/,
    /\bcopyright\b/,
    /\blegal reasons\b/
  ]),
  phrase("refusal:unsupported", diagnose("unsupported"), [
    /\b(?:is|are) not supported (?:with|by|on|in|for|when|here|yet)\b/,
    /\b(?:do|does)(?: not|n't) support (?!(?:value|format|level|effort)\b)/,
    /\bnot supported (?:with|by|on|in|for|when)\b/,
    /\bis unsupported\b/,
    /\bunsupported (?:operation|feature|platform|request|action|call)\b/,
    /\bfeature\b[^.\n]{0,60}\b(?:not available|not enabled|disabled|unavailable)\b/,
    /\b(?:is|are) disabled\b/,
    /\bnot available in (?:this|the) (?:version|environment|build|mode|edition)\b/,
    /\boperation (?:is )?not (?:supported|possible|available|allowed)\b/
  ])
]

/**
 * Phrases that report a state that forbids the call. They are matched after transient faults and before missing things.
 */
export const states: ReadonlyArray<Phrase> = [
  phrase("state:already", diagnose("wrong_state"), [
    /\balready (?:been )?(?!exist|taken|registered|used|in use|open)(?:[a-z]{3,16}(?:ed|en|id|ut|nt|ne|pt|ld)|active|inactive|open(?:ed)?|running|done|sent|in progress|up to date|at |a member|awaiting|on |off)\b/
  ]),
  phrase("state:must-be", diagnose("wrong_state"), [
    /\bmust (?:first )?(?:be|have been) (?:[a-z]{3,16}ed|active|open|closed|online|running|pending|shut down) (?:to|before|in order|first|for)\b/,
    /\bonly (?:[a-z]{3,16} ){1,3}can be [a-z]{3,16}ed\b/,
    /\bonly be [a-z]{3,16}ed (?:if|when|while|before|after|once|within)\b/
  ]),
  phrase("state:cannot", diagnose("wrong_state"), [
    /\b(?:can ?not|can't|could not|couldn't|unable to|not possible to|failed to) (?:be )?(?!convert|pars|read|find|found|locat|resolv|decod|load|open|coerc|interpret|understand)[a-z]{3,16}\b[^.\n]{0,80}\b(?:because|since|already|once|that ha(?:s|ve)|which (?:is|has)|in (?:its |the |this )?(?:current )?(?:state|status)|has (?:not )?been|have (?:not )?been|not yet|after it|while it|is not (?:active|open|running)|due to its)\b/,
    /\b(?:accounts?|users?|customers?|orders?|members?|guests?) (?:can ?not|can't|may not) [a-z]{3,16}\b/
  ]),
  phrase("state:no-longer", diagnose("wrong_state"), [
    /\bno longer (?:available|valid|active|exists?|supported|possible|accessible|open|in)\b/,
    /\b(?:has|have|had) (?:already |since )?(?:expired|exited|ended|finished|terminated|closed|been (?:closed|deleted|cancell?ed|archived|suspended|locked|disabled|deprecated|decommissioned|destroyed|used up|redeemed))\b/,
    /\bmay have (?:exited|ended|closed)\b/,
    /\bexpired on\b/
  ]),
  phrase("state:is-not", diagnose("wrong_state"), [
    /\b(?:is|are|was|were|isn't|aren't) (?:currently )?(?:not )?(?:currently )?(?:active|available|open|running|enabled|ready|connected|eligible|refundable|cancell?able|initiali[sz]ed|started|loaded|pending|writ(?:e)?able|mounted|paused|in progress|in (?:a |the )?(?:valid|correct|right|required|proper|wrong|invalid) (?:state|status))\b/,
    /\b(?:not|un) ?(?:available|eligible)\b/,
    /\b(?:is|are) (?:currently )?(?:closed|suspended|locked|archived|inactive|expired|frozen|deactivated|full|read-only|sold out|paused|offline|unavailable|empty)\b/,
    /\bno (?:active|open|running|current|valid) [a-z]/,
    /\bnot initiali[sz]ed\b/,
    /\bnot (?:yet )?(?:started|connected|loaded|ready)\b/,
    /\bno [a-z ]{1,30} (?:is )?(?:currently )?(?:loaded|open|selected|running|active)\b/,
    /\binvalid (?:state|status)\b/,
    /\b(?:invalid|illegal|wrong) state\b/,
    /\bwrong state\b/,
    /\bin progress\b/
  ]),
  phrase("state:not-enough", diagnose("wrong_state"), [
    /\bnot enough\b/,
    /\binsufficient (?!permissions?|privileges?|scope|rights|quota|credits?|memory|storage|disk|capacity)[a-z]/,
    /\bsold out\b/,
    /\bout of stock\b/,
    /\b(?:is|are) not enough\b/,
    /\bexceeds? (?:the |your )?(?:available )?(?:balance|stock|inventory|funds)\b/,
    /\b(?:declined|overdrawn)\b/,
    /\bno (?:more )?(?:seats?|rooms?|stock|inventory|availability|slots?|tickets?|space)\b/
  ])
]
