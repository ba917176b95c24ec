/**
 * Messages of validators (JSON Schema libraries, ajv, zod, pydantic, Effect Schema), and general sentences about wrong
 * arguments.
 */
import { type Phrase, phrase } from "./Phrase.ts"
import { diagnose } from "#domain/classification/codes/Diagnosis"

/** Messages that only validators print. */
export const validators: ReadonlyArray<Phrase> = [
  phrase("validator:output", diagnose("invalid_result"), [
    /\boutput validation error\b/,
    /\b(?:invalid|unexpected) (?:structured |tool )?(?:output|result)(?: from| of)? (?:the )?(?:tool|server|schema)\b/,
    /\boutputschema\b/,
    /\b(?:tool|server|handler|function) returned (?:an? )?(?:invalid|malformed|unexpected) (?:output|result|response|value|data)\b/,
    /\b(?:unexpected|invalid|malformed|unparseable|bad) (?:json )?(?:response|reply|answer) (?:format|body|shape|structure|type|schema|from|received)\b/,
    /\b(?:returned|received|sent|responded with) (?:an? )?(?:invalid|malformed|unexpected|non-)[ ]?json\b/,
    /\bresponse (?:is|was|did) not (?:valid|match|json)\b/,
    /\bresponse validation\b/,
    // the resolver of a GraphQL server broke the server's own schema
    /\bcannot return null for non-nullable\b/
  ]),
  phrase("validator:retry", diagnose("invalid_arguments"), [
    /\b(?:fix|correct|mend|resolve) (?:the|these|those|your|all) (?:\w{1,12} )?(?:errors?|arguments?|parameters?|input|issues?|problems?)(?: above)?,? and (?:try|call|retry|resubmit|send|submit)\b/
  ]),
  phrase("validator:json", diagnose("invalid_json"), [
    /\b(?:extra data|expecting (?:property name|',' delimiter|':' delimiter|value)|unterminated string starting at|invalid control character at|invalid \\\\?u?\w{0,3} ?escape)[^\n]{0,60}: line \d+ column \d+/,
    /\b(?:arguments?|parameters?|input|body)\b[^.\n]{0,40}\b(?:must be|is not|in|not) (?:in |a )?(?:valid )?json\b/,
    /\bjson (?:decode|parsing|syntax) error in (?:the )?(?:arguments|request)\b/
  ]),
  phrase("validator:pydantic", diagnose("invalid_arguments"), [
    /\b\d{1,4} validation errors? for \b/,
    /\binput should be \b/,
    /\bfield required\b/,
    /\[type=\w{3,40}, input_value=/,
    /\bextra inputs are not permitted\b/,
    /\bextra fields not permitted\b/,
    /\bvalue is not a valid \w/,
    /\bnone is not an allowed value\b/,
    /\b(?:string|value|list|tuple|dict|set) should (?:have|match|be)\b/,
    /\bensure this (?:value|field) (?:has|is)\b/
  ]),
  phrase("validator:json-schema", diagnose("invalid_arguments"), [
    /\binput validation error\b/,
    /\bis a required property\b/,
    /\bis a dependency of\b/,
    /\bis not of type\b/,
    /\bis not one of \[/,
    /\bis not valid under any of the given schemas\b/,
    /\badditional properties are not allowed\b/,
    /\bunevaluated properties are not\b/,
    /\bis (?:less|greater) than (?:or equal to )?the (?:minimum|maximum)\b/,
    /\bis not a multiple of\b/,
    /\bhas non-unique elements\b/,
    /\bdoes not have enough properties\b/,
    /\bdoes not match '[^'\n]{1,200}'/,
    /\bis not a '[\w-]{3,20}'/,
    /\bshould be non-empty\b/,
    /\bexpected at (?:most|least) \d/,
    /\bfalse schema does not allow\b/,
    /\bextraneous key\b/,
    /\bis not permitted\b[^.\n]{0,20}\bproperty\b/
  ]),
  phrase("validator:ajv", diagnose("invalid_arguments"), [
    /\bmust have required propert(?:y|ies)\b/,
    /\bmust not have (?:additional|unevaluated|fewer|more)\b/,
    /\bmust match (?:pattern|format|exactly one schema|a schema|"then")\b/,
    /\bmust be equal to (?:one of the allowed values|constant)\b/,
    /\bshould (?:not )?have (?:required|additional) propert(?:y|ies)\b/,
    /\b(?:must|should) be (?:>=|<=|>|<|multiple of) ?-?\d/
  ]),
  phrase("validator:zod", diagnose("invalid_arguments"), [
    /\binvalid input: expected\b/,
    /\bexpected \w{3,20}, received\b/,
    /\binvalid enum value\b/,
    /\bunrecognized key(?:s|\(s\))\b/,
    /\binvalid option: expected one of\b/,
    /\binvalid discriminator\b/,
    /\binvalid literal value\b/,
    /\btoo (?:big|small): expected\b/,
    /\binvalid_type\b/,
    /\bmust contain at (?:least|most) \d+ (?:character|element|item)/,
    /\binvalid (?:email|uuid|ur[li]|datetime|cuid|ip)(?: address)?\b/
  ]),
  phrase("validator:effect", diagnose("invalid_arguments"), [
    /\bexpected [^\n]{1,80}, got [^\n]{1,80}\n? +at \[/,
    /\bmissing key\n? +at \[/,
    /\bunexpected key with value\b/
  ]),
  phrase("validator:graphql", diagnose("invalid_arguments"), [
    /\bcannot query field\b/,
    /\bfield ["'`x]{1,3}[^\n]{0,80} must (?:not )?have a selection\b/,
    /\bvariable ["'`]?\$\w{1,60}["'`]? (?:of|is|got)\b/
  ]),
  phrase("validator:arguments", diagnose("invalid_arguments"), [
    /\binvalid (?:tool )?(?:arguments?|parameters?|params|request parameters|request body|input parameters?)\b/,
    /\bvalidation (?:error|failed|failure)\b/,
    /\bfailed validation\b/,
    /\bmissing (?:the )?(?:required|mandatory)\b/,
    /\brequired (?:parameter|argument|field|property|input|key|option)s? (?:'|"|`)?[\w.-]{0,40}(?:'|"|`)? ?(?:is|are|was|were|not|missing|:)/,
    /\b(?:parameter|argument|field|property|key)s? (?:'|"|`)?[\w.[\]-]{1,60}(?:'|"|`)? (?:is|are) (?:required|missing|mandatory|invalid|not (?:allowed|permitted|valid|supported|a valid))/,
    /\b(?:unknown|unexpected|unrecognized|unsupported|extra|additional|duplicate) (?:parameter|argument|field|property|properties|keyword|key|option|attribute|query parameter)s?\b/,
    /\bmalformed (?:input|request|json|body|syntax)\b/,
    /(?:^|: )(?:required|missing)[.;]?$/
  ])
]

/** General sentences, matched after the more specific rows of refusals and states. */
export const sentences: ReadonlyArray<Phrase> = [
  phrase("argument:must", diagnose("invalid_request"), [
    /\b(?:must|should|has to|have to|needs? to) (?:not |both |all |only |always |also |each )?(?:be|have|contain|match|start|end|include|specify|provide|supply|consist|begin|point|use|equal|exist|come|add up)\b/,
    /\b(?:can ?not|can't|may not) have\b/,
    /\bcan only be used (?:in|with|when|for|on|inside)\b/
  ]),
  phrase("argument:required", diagnose("invalid_request"), [
    /\b(?:is|are|was) (?:required|mandatory|missing)\b/,
    /\bmissing ['"`]?[a-z]{1,24}(?:_[a-z]{1,24}){1,4}\b/,
    /\bmissing (?:the )?(?:\w{1,20} )?(?:parameter|argument|field|property|value|key|input|name|id|url|path|body|query|header|column|attribute|option)s?\b/,
    /\b(?:no|without)(?: \w{1,20})? (?:was |were )?(?:provided|specified|given|supplied|selected)\b/,
    /\bnot (?:provided|specified|supplied)\b/,
    /\bplease (?:provide|specify|enter|supply|pass|select|choose|check|correct|ensure|make sure|include|use|give)\b/,
    /\byou (?:must|need to|have to|should) (?:provide|specify|supply|pass|include|use|give|set|select)\b/,
    /\brequires (?:an? |at least |exactly |\d|\w+ [<>]=? )/
  ]),
  phrase("argument:invalid", diagnose("invalid_request"), [
    /\b(?:in|il)valid\b/,
    /\bis not (?:a |an )?(?:valid|legal|acceptable|proper|correct|well[- ]formed|parseable|number|integer|string|date|boolean|list|directory|file|url)\b/,
    /\bmalformed\b/,
    /\billegal [a-z]/,
    /\bincorrect\b/,
    /\bill-formed\b/,
    /\bnot well-formed\b/,
    /\b(?:could not|couldn't|cannot|can't|unable to|failed to) (?:be )?(?:parsed?|decode|convert(?:ed)?|interpret|understand|deserialize|coerce|evaluate|read (?:the )?(?:date|value|number))\b/,
    /\bparse error\b/,
    /\b(?:input|parameter|argument)s? error\b/,
    /\bsyntax error\b/,
    /\bunterminated\b/,
    /\bnothing to repeat\b/,
    /\bnon-hexadecimal\b/,
    /\bunbalanced\b/,
    /\bunexpected (?:token|character|end|value|identifier|symbol|keyword|type|eof|indent)\b/,
    /\bwrong (?:type|format|value|number|argument|parameter)\b/,
    /\bbad (?:request|argument|value|format|input|parameter|escape|character)\b/,
    /\bincorrect padding\b/,
    /\bunknown encoding\b/
  ]),
  phrase("argument:range", diagnose("invalid_request"), [
    /\bout[- ]of[- ](?:range|bounds)\b/,
    /\bbeyond (?:the )?end\b/,
    /\b(?:exceeds?|exceeded|above|over|below|under) (?:the )?(?:maximum|minimum|max|min|limit|allowed|permitted|range|length)\b/,
    /\btoo (?:long|short|large|small|big|many|few|high|low|old|far|early|late)\b/,
    /\b(?:can ?not|can't|may not|must not|should not|mustn't) be (?:empty|null|none|blank|zero|negative|positive|before|after|earlier|later|older|newer|in the (?:past|future)|greater|less|larger|smaller|longer|shorter|more|the same|equal|both|parsed|used together|combined)\b/,
    /\b(?:at least|at most|no more than|no fewer than|no less than|up to|fewer than|more than) \d/,
    /\bbetween -?\d+(?:\.\d+)? and -?\d/,
    /\b(?:minimum|maximum) (?:\w{1,20} )?is -?\d/,
    /\boverflow\b/,
    /\bdivision by zero\b/,
    /\bdivide by zero\b/,
    /\b(?:an? )?empty (?:sequence|list|string|iterable|set|array)\b/
  ]),
  phrase("argument:expected", diagnose("invalid_request"), [
    /\bexpected\b[^\n]{1,80}\b(?:but )?(?:got|received|found|was|actual)\b/,
    /\b(?:but|instead) (?:got|received|found|paid)\b/,
    /\b(?:does not|doesn't|do not|don't|did not|didn't) (?:match|add up|equal|correspond|conform|satisfy|agree|fit|comply|sum|line up|appear|contain|start|end|follow)\b/,
    /\bmismatch(?:ed)?\b/,
    /\bdiffers? from\b/,
    /\bnot (?:unique|equal|consistent|compatible)\b/,
    /\bambiguous\b/,
    /\bmultiple (?:occurrences|matches|results match)\b/,
    /\bfound \d+ (?:occurrences|matches|times)\b/,
    /\bno (?:changes?|replacements?|edits?) (?:made|were|was|needed|applied|to)\b/,
    /\bmutually exclusive\b/,
    /\bone of the following\b/,
    /\b(?:allowed|valid|supported|available|accepted|possible) (?:values?|options?|types?|formats?|choices|levels|commands?|actions?)(?: are| is|:)/,
    /\bexpected one of\b/,
    /\bis not an accepted\b/,
    /\bcalled with (?:an? )?(?:non-|invalid|wrong)/
  ]),
  phrase("argument:unsupported", diagnose("invalid_request"), [
    /\bunsupported (?:\w{1,20} )?(?:value|format|file|type|mime|media|extension|language|currency|country|unit|encoding|model|version|operator|locale|symbol|content|image|charset|scheme|method|mode|interval|timezone|region)s?\b/,
    /\b(?:format|file type|type|extension|language|currency|value|mime type|symbol|interval|method|algorithm|protocol|digest|cipher|codec|encoding)\b[^.\n]{0,40} (?:is |are )?not supported\b/,
    /\bmodel (?:is )?not support(?:ed)?\b/,
    /\bonly (?:[\w/.,-]{1,20} ){0,6}(?:is|are) (?:supported|allowed|accepted|valid)\b/,
    /\bonly (?:supports?|accepts?|allows?)\b/
  ])
]
