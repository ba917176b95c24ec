/**
 * Phrases of transient faults: connections, timeouts, overload.
 *
 * A phrase matches only a report of a fault: `timed out`, `timeout of 30 s exceeded`, `try again later`. Names
 * (`timeout.txt`, `retry_after`, `connection string`) and negations (`do not retry`) do not match.
 */
import { type Phrase, phrase } from "./Phrase.ts"
import { diagnose } from "#domain/classification/codes/Diagnosis"

export const transientFaults: ReadonlyArray<Phrase> = [
  phrase("transient:connect-timeout", diagnose("timeout"), [
    /\bconnect(?:ion)? timeout(?: error|:| exceeded|=)/,
    /\bconnection to [^\n]{1,120} timed out\b/,
    /\btls handshake timeout\b/,
    /\bconnect(?:ion)? (?:attempt )?timed out\b/,
    /\bproxy connection timed out\b/
  ]),
  phrase("transient:refused", diagnose("connection_failed"), [
    /\bconnection (?:was |is |has been )?refused\b/,
    /\bfailed to (?:establish a new connection|connect to)\b/,
    /\bcould(?:n't| not) connect to\b/,
    /\bunable to (?:connect to|reach)\b/,
    /\bcannot connect to (?:host|server|the server)\b/,
    /\bconnect call failed\b/,
    /\bno route to host\b/,
    /\b(?:network|host|server|service|api) is unreachable\b/,
    /\bactively refused\b/,
    /\bno (?:servers?|nodes?|brokers?) (?:is |are )?available\b/,
    /\ball connection attempts failed\b/
  ]),
  phrase("transient:cut", diagnose("body_cut"), [
    /\bincompleteread\b/,
    /\bbytes remaining to read\b/,
    /\bresponse ended prematurely\b/,
    /\bpeer closed connection without sending complete\b/,
    /\bincomplete (?:chunked )?(?:read|body|response)\b/,
    /\bcontent[- ]length mismatch\b/,
    /\bstream (?:was |has been )?(?:closed|ended|terminated|disconnected|interrupted|cut)\b(?: (?:before|unexpectedly|prematurely|early)|$)/,
    /\bpremature close\b/,
    /\bunexpected eof\b/
  ]),
  phrase("transient:lost", diagnose("connection_lost"), [
    /\bconnection (?:was |is |has been |got |forcibly )?(?:reset|closed|lost|aborted|dropped|terminated|broken|interrupted)\b/,
    /\bconnection (?:error|broken|failed|issues?|problems?)\b/,
    /\bsocket hang up\b/,
    /\bsocket (?:was |is |has been )?(?:closed|disconnected)\b/,
    /\bother side closed\b/,
    /\bremote end closed\b/,
    /\bserver disconnected\b/,
    /\bserver (?:has )?closed (?:the )?(?:idle )?connection\b/,
    /\bempty reply from server\b/,
    /\bnetwork (?:error|failure|connection lost|changed)\b/,
    /\bforcibly closed by the remote\b/,
    /\bgoaway\b/,
    /\bstream error: /,
    /\binternal_error; received from peer\b/,
    /\bclosed by (?:the )?(?:remote|peer|server)\b/,
    /\brecv failure\b/,
    /\bsend failure\b/,
    /\bconnection (?:to [^\n]{1,60} )?(?:was )?lost\b/,
    /\buse of closed network connection\b/,
    /\bdisconnect\/reset before headers\b/,
    /^terminated$/,
    /: eof$/,
    /\btypeerror: terminated\b/
  ]),
  phrase("transient:timeout", diagnose("timeout"), [
    /\btimed[- ]?out\b/,
    /\b(?:is|are|was|were|keeps?) timing out\b/,
    /\bdeadline exceeded\b/,
    /\b(?:request|read|write|operation|gateway|socket|query|response|execution|navigation|statement|idle|server|upstream|network|header|headers|body|wait|api|command|call|tool|page)[- ]time(?:out|-out)\b(?= (?:error|exceeded|expired|after|of|while|waiting|reached|occurred|has)|[.!:]|$)/,
    /\btimeout (?:error|exceeded|expired|reached|occurred|was reached|after|waiting|while)\b/,
    /\btimeout (?:of )?\d{1,9} ?(?:ms|s|sec|seconds|milliseconds|minutes)\b/,
    /\bexceeded (?:the |its )?(?:\w{2,20} )?timeout\b/,
    /\btook too long\b/,
    // limits of an action are stated in minutes or days: `failed to cancel the order after 30 minutes`
    /\bfailed to [^.,:;\n]{1,80} after \d[\d.,]{0,12} ?(?:ms|msec|milliseconds?|s|secs?|seconds?)\b/,
    /\bdid(?:n't| not) respond (?:with)?in\b/,
    /\bno response (?:with)?in \d/,
    /\bi\/o timeout\b/,
    /^(?:[\w.]{0,40}error: )?timeout[.!]?$/,
    /\bthe operation was aborted\b/,
    /\brequest (?:was )?aborted\b/
  ]),
  phrase("transient:fetch", diagnose("connection_lost"), [
    /\bfetch failed\b/,
    /^(?:typeerror: )?failed to fetch\.?$/,
    /^(?:typeerror: )?load failed$/,
    /\bwhen attempting to fetch resource\b/
  ]),
  phrase("transient:busy", diagnose("unavailable"), [
    /\b(?:service|server|system|model|site|resource|host|api|endpoint|backend|upstream|website)\b[^.\n]{0,30}\b(?:is|are|was|were) (?:(?:currently |temporarily |still |too )?(?:unavailable|overloaded|busy)|over capacity|at capacity|experiencing|down for maintenance|currently loading|under maintenance|starting up)\b/,
    /\btemporar(?:y|ily) (?:unavailable|failure|error|overloaded|out of service|server error)\b/,
    /\bservice unavailable\b/,
    /\b(?:is|are|was|were|be|currently|temporarily) overloaded\b/,
    /^(?:error: )?overloaded[.!]?$/,
    /\boverloaded with\b/,
    /\b(?:server|service|system) (?:too )?busy$/,
    /\b(?:high|heavy|peak) (?:demand|load|traffic)\b/,
    /\bno (?:healthy upstream|capacity|instances? available)\b/,
    /\binsufficient capacity\b/,
    /\bserver is busy\b/,
    /\bcurrently unreachable\b/,
    /\b(?:api|server|host|service) is (?:unreachable|not reachable|not responding)\b/,
    /\bbad gateway\b/,
    /\bgateway time-?out\b/,
    /\binternal server error\b/,
    /\binternal (?:service )?error (?:encountered|occurred)\b/,
    /\bupstream (?:connect error|error|request failed)\b/,
    /\bprovider returned error\b/,
    /\bunexpected error (?:occurred )?(?:on|in) (?:the |our )?(?:server|side)\b/,
    /\bunder maintenance\b/,
    /\bscheduled maintenance\b/
  ]),
  // A current outage, not an outage that is denied or over.
  phrase("transient:outage", diagnose("unavailable"), [
    /(?<!\b(?:no|not|without|never)(?: an?| the| any)? )\b(?:temporary|transient|brief|short) (?:\w{2,16} )?outage\b(?! (?:histor|report|log|page|window|polic|last|was|is over|has ended|on \w|in \w))/,
    /^(?:error: )?(?:an? |the |there is an? )?(?:\w{2,16} ){0,2}(?:service|system|network|server|platform|partial|major|provider|upstream|regional) outage(?: in progress| detected| occurred)?[.!]?$/,
    /\b(?:due to|because of|caused by|experiencing|during) (?:an? |the )?(?:\w{2,16} ){0,3}outage\b/,
    /(?<!\b(?:no|not|without|never)(?: an?| the| any)? )\b(?:upstream|backend|downstream|dependency|origin)(?: (?:service|server|api|host|system))? (?:(?:temporarily|currently) )?(?:unavailable|unreachable)\b/
  ]),
  phrase("transient:lock", diagnose("lock_conflict"), [
    /\bis (?:being )?(?:used|locked|edited|modified) by another (?:process|user|operation|transaction|session)\b/,
    /\banother (?:operation|process|transaction|update|request|instance)[^.\n]{0,40}\b(?:in progress|is (?:already )?running|is using|holds?)\b/,
    /\bresource (?:is )?(?:busy|locked)\b/,
    /\bconcurrent (?:update|modification|write)s? (?:detected|conflict|error|exception|failed)\b/,
    /\b(?:due to|by) (?:a )?concurrent (?:update|modification|write|transaction)\b/,
    /\bconflict occurred while saving\b/
  ]),
  // A source returned no data and gave no reason.
  phrase("transient:source", diagnose("temporary_failure"), [
    /^(?:error: )?(?:failed|unable) to (?:retrieve|fetch|download|obtain) (?:[\w-]{1,24} ){1,5}(?:data|information|info|results?|prices?|quotes?|news|list|content|articles?|response|details|rates?|feed)[.!]?$/
  ]),
  // The message of a Python exception group names none of its exceptions. In clients, the usual cause is a failed
  // connection.
  phrase("transient:group", diagnose("temporary_failure"), [/\btaskgroup \(\d{1,3} sub-exceptions?\)/]),
  phrase("transient:again", diagnose("temporary_failure"), [
    /(?<!not )(?<!n't )(?<!\bnever )(?<!\bno )(?<!\bto )(?<!\bwithout )\b(?:try|retry|repeat)(?: (?:again|your request|the request|this request|the operation|this|it))? (?:later|shortly|soon|momentarily|in (?:a|some) (?:few )?\w{3,10}|in \d{1,6}(?:\.\d{1,12})? ?\w{1,12}|after (?:a|some|\d{1,6})\b)/,
    /\bwait (?:a|some|\d{1,6})[ \w]{0,20} (?:before|and) (?:trying|retrying|try)/,
    /\bplease wait (?:a|before|and|\d)/,
    /\byou can retry your request\b/,
    /\bplease retry\b(?! with| or )/,
    /\bis transient\b/,
    /\btransient (?:error|failure|fault)\b/
  ])
]
