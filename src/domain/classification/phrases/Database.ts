/** Messages of PostgreSQL, MySQL, SQLite, Redis, MongoDB, Kafka and their drivers that carry no code. */
import { type Phrase, phrase } from "./Phrase.ts"
import { diagnose, unknownHost, weak } from "#domain/classification/codes/Diagnosis"

export const database: ReadonlyArray<Phrase> = [
  phrase("sql:slots", diagnose("too_many_open"), [
    /\btoo many (?:clients|connections)\b/,
    /\bconnection slots are reserved\b/,
    /\bmax(?:imum)?(?: number of)? (?:client )?(?:connections|clients) (?:reached|exceeded)\b/,
    /\bqueuepool limit\b/,
    /\b(?:connection )?pool (?:is )?(?:exhausted|full)\b/
  ]),
  phrase("sql:lock", diagnose("lock_conflict"), [
    /\bdeadlock (?:detected|found)\b/,
    /\bcould not serialize access\b/,
    /\bserialization failure\b/,
    /\bcould not obtain lock\b/,
    /\block (?:wait )?timeout (?:exceeded|expired|reached|while)\b/,
    /\bdue to lock timeout\b/,
    /\bdeadlocked\b/,
    /\bdeadlock victim\b/,
    /\bdatabase(?: table| schema)? is locked\b/,
    /\bwrite ?conflict\b/,
    /\btry restarting transaction\b/,
    /\brestart transaction\b/,
    /\boptimistic lock\w*\b[^.\n]{0,40}fail/,
    /\b(?:could not|couldn't|cannot|can't|failed to|unable to|error|timeout|timed out) (?:while )?(?:acquir\w{1,4}|obtain\w{0,3}|get\w{0,4})(?: \w{1,12}){0,3} lock\b/
  ]),
  phrase("sql:statement-timeout", diagnose("timeout"), [
    /\bcanceling statement due to (?:statement timeout|user request)\b/,
    /\bquery execution was interrupted\b/,
    /\bmaximum statement execution time exceeded\b/,
    /\boperation exceeded time limit\b/
  ]),
  // The client waited for the brokers in vain. A topic that does not exist has the same message.
  phrase("kafka:metadata", diagnose("timeout"), [
    /\bfailed to update metadata after \d{1,9} ?ms\b/,
    /\bnot present in metadata after \d{1,9} ?ms\b/,
    /\btopic metadata (?:is |was )?not (?:yet )?available\b/,
    /\bmetadata for topic [^\n]{1,250} (?:is |was )?not (?:yet )?available\b/,
    /\bexpiring \d{1,9} record\(s\) for [^\n]{1,250} ms has passed\b/
  ]),
  phrase("sql:not-ready", diagnose("connection_failed"), [
    /\bdatabase (?:system )?is (?:currently )?(?:starting up|shutting down|in recovery mode|not yet accepting)\b/
  ]),
  phrase("sql:connection", diagnose("connection_lost"), [
    /\bserver closed the connection\b/,
    /\bterminating connection due to\b/,
    /\blost connection to (?:mysql|server|the database)\b/,
    /\bserver has gone away\b/,
    /\bssl connection has been closed unexpectedly\b/,
    /\bconnection (?:is |has been |was |already )?(?:terminated|closed) unexpectedly\b/,
    /\bconnection to server was lost\b/
  ]),
  phrase("sql:host", unknownHost, [/\bcould not translate host name\b/, /\bunknown (?:mysql )?server host\b/]),
  phrase("sql:auth", diagnose("unauthorized"), [
    /\bpassword authentication failed\b/,
    /\bno pg_hba\.conf entry\b/,
    /\baccess denied for user\b/,
    /\bnot permitted to log in\b/,
    /\bmust be (?:owner of|superuser)\b/,
    /\bpermission denied (?:for|to) (?:table|relation|schema|database|sequence|function|column|view|language|create|set|alter)\b/,
    /\bpeer authentication failed\b/,
    /\brow-level security policy\b/
  ]),
  phrase("sql:unique", diagnose("conflicting_value"), [
    /\bduplicate key value\b/,
    /\bunique constraint\b/,
    /\bduplicate entry\b/,
    /\bduplicate key error\b/,
    /\bforeign key constraint\b/,
    /\bexclusion constraint\b/,
    /\bother objects depend on it\b/
  ]),
  phrase("sql:constraint", diagnose("invalid_request"), [
    /\b(?:check|not[- ]null) constraint\b/,
    /\bviolates \w{2,20}[- ]?\w{0,20} constraint\b/,
    /\bnull value in column\b/,
    /\bcolumn '[^'\n]{1,80}' cannot be null\b/
  ]),
  phrase("sql:missing", diagnose("unknown_reference"), [
    /\bno such (?:table|column|function|index|trigger|view|savepoint|collation sequence|module|database)\b/,
    /\b(?:relation|table|column|schema|database|role|function|operator|type|sequence|view|index|cursor|trigger|constraint|collection)\b [^\n]{1,200} do(?:es)? ?n(?:o|')t exist\b/,
    /\bunknown (?:column|table|database|collation|character set|system variable)\b/,
    /\bmissing from-clause entry\b/
  ]),
  phrase("sql:exists", diagnose("conflicting_value"), [
    /\b(?:table|index|view|trigger|relation|database|schema|role|column|type|constraint) [^\n]{1,200} already exists\b/
  ]),
  phrase("sql:syntax", diagnose("invalid_request"), [
    /\bsyntax error at or near\b/,
    /\bsyntax error at end of input\b/,
    /\berror in your sql syntax\b/,
    /\bnear "[^"\n]{0,80}": syntax error\b/,
    /\bunrecognized token: /,
    /\bincomplete input$/,
    /\byou can only execute one statement at a time\b/,
    /\bcolumn reference "[^"\n]{1,80}" is ambiguous\b/,
    /\bambiguous column name\b/,
    /\bmust appear in the group by\b/,
    /\bmisuse of aggregate\b/,
    /\bbindings supplied\b/,
    /\bvalues for \d+ columns\b/,
    /\bcolumns but \d+ values\b/,
    /\bwrong number of arguments to function\b/,
    /\baggregate functions are not allowed\b/,
    /\bmore than one row returned by a subquery\b/,
    /\bdatatype mismatch\b/,
    /\boperator does not exist\b/,
    /\bcannot (?:modify|insert into|update|delete from) [^\n]{1,80}\bview\b/,
    /\bcolumn count doesn't match\b/,
    /\bsame number of (?:result )?columns\b/,
    /\bsub-?(?:select|query) (?:returns|must return|has too many)\b/,
    /\bmissing datatype\b/,
    /\bcannot store \w{3,10} value in\b/
  ]),
  phrase("sql:value", diagnose("invalid_request"), [
    /\binvalid input (?:syntax|value) for\b/,
    /\bvalue too long for type\b/,
    /\bout of range for type\b/,
    /\bfield value out of range\b/,
    /\bnumeric field overflow\b/,
    /\binteger out of range\b/,
    /\bdata too long for column\b/,
    /\bout of range value for column\b/,
    /\bincorrect (?:integer|decimal|date|datetime|string|double) value\b/,
    /\binvalid byte sequence for encoding\b/,
    /\bmalformed (?:json|array literal|record literal)\b/,
    /\bcannot be cast (?:automatically )?to type\b/,
    /\bis of type [\w ]{2,30} but expression is of type\b/,
    /\berror binding parameter\b/
  ]),
  phrase("sql:too-big", diagnose("arguments_too_large"), [
    /\bstring or blob too big\b/,
    /\btoo many sql variables\b/,
    /\bexpression tree is too large\b/,
    /\brow size too large\b/,
    /\bmax_allowed_packet\b/,
    /\bbson ?obj(?:ect)?(?: size)?[^.\n]{0,30}(?:too large|larger than)\b/
  ]),
  phrase("sql:read-only", diagnose("wrong_state"), [
    /\bread-?only (?:transaction|database|replica|mode|sql transaction)\b/,
    /\bread only replica\b/,
    /\bcurrent transaction is aborted\b/,
    /\bnot master\b/,
    /\bno transaction is active\b/,
    /\bwithin a transaction\b/
  ]),
  phrase("sql:full", diagnose("disk_full"), [
    /\bor disk is full\b/,
    /\bcould not extend file\b/,
    /\btable '[^'\n]{1,80}' is full\b/,
    /\bcould not write (?:to file|block)\b[^\n]{0,200}\bno space\b/
  ]),
  phrase("sql:memory", diagnose("out_of_memory"), [
    /\boom command not allowed\b/,
    /\bout of shared memory\b/,
    /\bout of sort memory\b/
  ]),
  phrase("sql:limit", diagnose("limit_exceeded"), [
    /\bexceeds temp_file_limit\b/,
    /\bstack depth limit exceeded\b/,
    /\bparser stack overflow\b/,
    /\bconfiguration limit exceeded\b/
  ]),
  phrase("sql:file", diagnose("misconfigured"), [
    /\bunable to open database file\b/,
    /\bfile is not a database\b/,
    /\bdatabase disk image is malformed\b/,
    /\bunsupported file format\b$/
  ]),
  phrase("sql:extension", diagnose("missing_software"), [
    /\bextension "[^"\n]{1,80}" is not available\b/,
    /\bcould not open extension control file\b/,
    /\bcould not access file "\$libdir\b/
  ]),
  phrase("redis:type", diagnose("invalid_request"), [
    /^(?:\(error\) )?(?:wrongtype |crossslot |busykey |execabort |err (?:wrong number of arguments|unknown (?:sub)?command|syntax error|value is not|invalid |index out of range|no such key|bit |min or max))/
  ]),
  phrase("redis:auth", diagnose("unauthorized"), [
    /^(?:\(error\) )?(?:noauth |wrongpass |noperm |err (?:invalid password|auth ))/
  ]),
  phrase("redis:transient", diagnose("unavailable"), [
    /^(?:\(error\) )?(?:loading |tryagain |masterdown |clusterdown |busy redis |moved \d|ask \d|noreplicas )/
  ]),
  phrase("redis:state", diagnose("wrong_state"), [
    /^(?:\(error\) )?(?:readonly |misconf |unkillable |notbusy |noscript )/
  ]),
  phrase("mongo:duplicate", diagnose("conflicting_value"), [/\be11000 duplicate key\b/]),
  phrase("sql:socket", diagnose("connection_failed"), [
    /\bconnection to server (?:on|at) [^\n]{1,200} failed: (?:no such file|connection refused)/,
    /\bcan't connect to (?:local |mysql )?server\b/,
    /\bcould not connect to (?:redis|server|the server|database)\b/
  ]),
  // The other errors of Redis concern the command or its arguments.
  phrase("redis:error", weak(diagnose("invalid_request")), [/^(?:\(error\) )?err [a-z0-9']/])
]
