/** Recognises exception messages of the runtimes and libraries of JavaScript, Python, Go and Java. */
import { type Phrase, phrase } from "./Phrase.ts"
import { badUrl, diagnose, unknownHost, weak } from "#domain/classification/codes/Diagnosis"

export const script: ReadonlyArray<Phrase> = [
  // JavaScript engines report their own limits as a RangeError
  phrase("script:engine", diagnose("limit_exceeded"), [
    /\binvalid (?:array|string|typed array) length\b/,
    /\barray buffer allocation failed\b/,
    /\b(?:map|set|bigint) maximum size exceeded\b/,
    /\bmaximum bigint size exceeded\b/
  ]),
  phrase("script:signature", diagnose("invalid_arguments"), [
    /\bmissing \d{1,3} required (?:positional|keyword-only) arguments?\b/,
    /\bgot an unexpected keyword argument\b/,
    /\btakes (?:from )?\d{1,3}[^\n]{0,40} positional arguments? but \d/,
    /\bgot multiple values for (?:keyword )?argument\b/,
    /\b\d{1,2} arguments? required, but only \d{1,2} present\b/,
    /\bwrong number of arguments\b/
  ]),
  phrase("script:url", badUrl, [
    /\binvalid ur[li]\b/,
    /\bunknown url type\b/,
    /\bunknown scheme\b/,
    /\babout scheme is not supported\b/,
    /\bfrom a url that includes credentials\b/,
    /\bbad port\b/,
    /\bno scheme supplied\b/,
    /\bno host (?:supplied|specified|given)\b/,
    /\bfailed to parse url\b/,
    /\bonly (?:absolute|http\(s\)|https?) (?:urls|protocols)\b/,
    /\bunsupported protocol\b/,
    /\bprotocol "[^"\n]{0,40}"[^\n]{0,40} not supported\b/,
    /\bmissing protocol scheme\b/,
    /\bno connection adapters were found\b/,
    /\bmissing an 'https?:\/\/'/,
    /\brequest url is missing\b/,
    /\burl using bad\/illegal format\b/,
    /\buri malformed\b/,
    /\bmalformed ur[li]\b/,
    /\bfetch the data url\b/
  ]),
  // fetch rejected the request before it sent anything.
  phrase("script:request", diagnose("invalid_request"), [
    /\bis an invalid header (?:value|name)\b/,
    /\bget\/head method cannot have body\b/
  ]),
  phrase("script:redirects", diagnose("refused"), [
    /\bexceeded \d{1,4} redirects\b/,
    /\btoo many redirects\b/,
    /\bmaximum (?:\(\d{1,4}\) )?redirects? (?:followed|reached|exceeded)\b/,
    /\bredirect count exceeded\b/,
    /\bmaximum number of redirects\b/,
    /\bstopped after \d{1,3} redirects\b/,
    /\bredirect loop\b/
  ]),
  phrase("script:certificate", diagnose("misconfigured"), [
    /\bcertificate verify failed\b/,
    /\bcertificate (?:has expired|is not yet valid|is not trusted)\b/,
    /\bself[- ]signed certificate\b/,
    /\bunable to (?:verify the first|get local issuer|get issuer) certificate\b/,
    /\bssl certificate problem\b/,
    /\b(?:hostname|ip)(?:\/ip)? (?:does not|doesn't) match certificate\b/,
    /\bno alternative certificate subject\b/,
    /\bssl routines\b[^\n]{0,120}\b(?:wrong version|handshake failure|unsupported protocol|certificate|alert)\b/,
    /\bwrong version number\b/,
    /\bsslv3 alert\b/,
    /\btlsv1 (?:alert|unrecognized)\b/,
    /\bx509: /,
    /\bpkix path building failed\b/,
    /\bcertificate subject name\b/
  ]),
  phrase("script:memory", diagnose("out_of_memory"), [
    /\bout of memory\b/,
    /\boutofmemory\b/,
    /\bunable to allocate [\d.]{1,12} ?[kmgtp]i?b\b/,
    /\bcannot allocate [^\n]{0,40}memory\b/,
    /\bmemory exhausted\b/,
    /\ballowed memory size of\b/,
    /\barray buffer allocation failed\b/,
    /\ballocation failed\b/,
    /\bjava heap space\b/,
    /\bgc overhead limit\b/,
    /\bmemory limit (?:of [^\n]{1,20} )?(?:exceeded|reached)\b/,
    /\binsufficient memory\b/,
    /\bnot enough memory\b/,
    /\bran out of memory\b/
  ]),
  phrase("script:depth", diagnose("limit_exceeded"), [
    /\bmaximum (?:recursion depth|call stack size) exceeded\b/,
    /\bstack overflow\b/,
    /\bstack level too deep\b/,
    /\btoo much recursion\b/,
    /\brecursion limit\b/,
    /\bstack space\b[^\n]{0,20}\bexhausted\b/
  ]),
  phrase("script:configured-limit", diagnose("limit_exceeded"), [
    /\b(?:maximum|max)\b[^.\n]{0,40} limit\b[^.\n]{0,20}\b(?:reached|exceeded)\b/,
    /\b(?:has|have|been) reached (?:the|its|their|your) (?:maximum|limit)\b/,
    /\b(?:hard|soft|global) limit (?:reached|exceeded)\b/,
    /^(?:error: )?too many (?!arguments|values|items|parameters|characters|fields|columns|elements|entries|positional|options|operands|matches|results|redirects|lines|words|tokens|retries|attempts)[a-z]+[.!]?$/
  ]),
  phrase("script:size", diagnose("limit_exceeded"), [
    /\binvalid string length\b/,
    /\bcannot create a string longer than\b/,
    /\bmaximum (?:bigint|map|set) size exceeded\b/,
    /\b(?:map|set) maximum size exceeded\b/,
    /\bmaxbuffer length exceeded\b/,
    /\bis greater than \d{1,3} gib\b/,
    /\b(?:cpu|memory|process|execution|instance|resource) limit (?:exceeded|reached)\b/,
    /\bmaximum (?:number of )?(?:instances|processes|sessions|workers) (?:exceeded|reached)\b/
  ]),
  phrase("script:disk", diagnose("disk_full"), [
    /\b(?:disk|storage|volume|filesystem|partition) (?:is |was )?full\b/,
    /\bnot enough (?:free )?(?:disk )?space\b/,
    /\binsufficient (?:disk|storage) ?(?:space)?\b/,
    /\b(?:out of|no more|no free|no) (?:disk|storage) space\b/,
    /\bno (?:free |disk |storage )?space left on (?:the |this |any |your )?(?:\w{1,20} )?(?:device|dis[ck]|volume|drive|partition|file ?system|storage|server|host|node|mount|nas|ssd|cluster|bucket)s?\b/,
    /\bno (?:free |disk |storage )?space left in (?:the |this |your )?(?:\w{1,20} )?(?:file ?system|partition|volume|tablespace|storage(?: pool)?|bucket|cluster|swap|cache)\b/,
    /^(?![^\n]{0,200}\b(?:book|reserv|seat|parking|class|course|flight|room|event|guest|attend|wait ?list|enrol|regist|tour|ship|truck|warehouse|pallet|shelf))[^\n]{0,200}\bno (?:free )?space left(?: to write)?[.!]?$/,
    /\bstorage (?:limit|capacity) (?:exceeded|reached)\b/
  ]),
  phrase("script:json-html", diagnose("unexpected_content"), [
    /\bunexpected token '?<'?[^\n]{0,80}\bjson\b/,
    /\bunexpected token < in json\b/,
    /\binvalid character '<' looking for beginning\b/
  ]),
  phrase("script:json-cut", diagnose("truncated_response"), [
    /\bunexpected end of json\b/,
    /\bunterminated string in json\b/,
    /\bunexpected end of (?:data|stream) [^\n]{0,30}json\b/,
    /\beof while parsing\b/,
    /\bunexpected end-of-input\b/
  ]),
  phrase("script:json", diagnose("invalid_result_json"), [
    /\bis not valid json\b/,
    /\bin json at position\b/,
    /\b(?:after|before|in) [\w' -]{3,40} in json\b/,
    /\bjson[ .]?parse[ :]?error\b/,
    /\bexpecting value: line 1 column 1 \(char 0\)/,
    /\blooking for beginning of (?:value|object key string)\b/,
    /\bafter top-level value\b/,
    /\binvalid json (?:response|received|returned|output)\b/,
    /\bfailed to (?:parse|decode) (?:the )?(?:json|response|body)\b/
  ]),
  phrase("script:main", diagnose("unknown_reference"), [
    /\bcannot find module '[/.][^'\n]{1,200}'[^]{0,1500}\brequirestack: \[\]/,
    /\bcan't open file '[^'\n]{1,200}': \[errno 2\]/
  ]),
  phrase("script:module", diagnose("missing_software"), [
    /\bcannot find (?:module|package)\b/,
    /\bno module named\b/,
    /\bcan't locate \S{1,80}\.pm in @inc\b/,
    /\bcannot import name\b/,
    /\bmodule not found\b/,
    /\bcould not (?:find or load main class|load (?:dynamic library|library))\b/,
    /\bclass not found\b/,
    /\bno suitable (?:driver|shared library)\b/,
    /\bcannot load such file\b/
  ]),
  phrase("script:serialize", diagnose("tool_crashed"), [
    /\bis not json serializable\b/,
    /\bcircular (?:structure|reference)\b/,
    /\bhow to serialize\b/,
    /\bcould not be cloned\b/,
    /\bnot serializable\b/
  ]),
  phrase("script:crash", diagnose("tool_crashed"), [
    /\bcannot (?:read|set) propert(?:y|ies)\b/,
    /\bis not (?:a function|iterable|a constructor|subscriptable|callable)\b/,
    /\bobject is not \w{4,20}able\b/,
    /\bhas no attribute\b/,
    /\bobject has no\b/,
    /\bunsupported operand type\b/,
    /\bcan only concatenate\b/,
    /\bnot supported between instances\b/,
    /\blist index out of range\b/,
    /\b(?:referenced|accessed) before (?:assignment|initialization|being initialized)\b/,
    /\b(?:name )?'?[\w$]{1,60}'? is not defined$/,
    /\bnil pointer\b/,
    /\bnull pointer\b/,
    /\bindex out of range \[/,
    /^panic: /,
    /\bunhandled exception\b/,
    /\bobject reference not set\b/,
    /\bundefined method\b/,
    /\bassignment to constant\b/,
    /\bcannot destructure\b/,
    /\bmust be awaited\b/,
    /\bevent loop is closed\b/,
    /\bcan't be used in 'await'/,
    /\bbody (?:is unusable|has already been|already used)\b/,
    /\bclosed file\b/,
    /\bchanged size during iteration\b/,
    /\beof when reading a line\b/,
    /\bcodec can't (?:de|en)code\b/,
    /\bclosed database\b/,
    /\bobjects created in a thread\b/
  ]),
  phrase("script:go-value", diagnose("invalid_request"), [
    /\bcannot unmarshal [^\n]{1,80} into\b/,
    /\bstrconv\.\w{3,20}: /,
    /\bparsing time "/
  ]),
  phrase("script:go-rows", diagnose("unknown_reference"), [/\bno rows in result set\b/]),
  phrase("script:dial", diagnose("connection_failed"), [
    /\bdial (?:tcp|udp|unix)\b[^\n]{0,200}(?:i\/o timeout|server misbehaving|connection refused|no route to host|connect: )/,
    /\berror while dialing\b/,
    /\bfailed to connect to all addresses\b/,
    /\bserver misbehaving\b/
  ]),
  phrase("script:resolve", unknownHost, [
    /\bcould not resolve (?:host|proxy)\b/,
    /\bfailed to resolve\b/,
    /\bgetaddrinfo failed\b/,
    /\bname resolution\b/,
    /\bdns (?:lookup|resolution) failed\b/,
    /\bnxdomain\b/,
    /\bserver with the specified hostname could not be found\b/
  ]),
  phrase("script:exit", weak(diagnose("tool_failed")), [
    /\breturned non-zero exit status\b/,
    /\bexited with (?:code|status|exit code) \d/,
    /\bcommand failed\b/,
    /\bexit status \d\b/
  ])
]
