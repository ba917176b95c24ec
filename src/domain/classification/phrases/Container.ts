/** Messages of docker, kubectl, terraform, browser drivers and package managers. */
import { type Phrase, phrase } from "./Phrase.ts"
import { diagnose, weak } from "#domain/classification/codes/Diagnosis"

export const container: ReadonlyArray<Phrase> = [
  phrase("docker:daemon-rights", diagnose("unauthorized"), [
    /\bpermission denied while trying to connect to the docker\b/
  ]),
  phrase("docker:daemon", diagnose("misconfigured"), [
    /\bcannot connect to the docker daemon\b/,
    /\berror during connect: /
  ]),
  phrase("docker:rights", diagnose("unauthorized"), [
    /\bpull access denied\b/,
    /\brequested access to the resource is denied\b/,
    /\bno basic auth credentials\b/,
    /\bauthentication required: /,
    /\bunauthorized: (?:incorrect|authentication)/
  ]),
  phrase("docker:missing", diagnose("unknown_reference"), [
    /\bno such (?:container|image|volume|network|service|node|object|secret|config|plugin|file in)\b/,
    /\bmanifest (?:unknown|for [^\n]{1,200} not found)/,
    /\bnetwork [^\n]{1,80} not found\b/,
    /\bpath "[^"\n]{1,200}" not found\b/
  ]),
  phrase("docker:exists", diagnose("conflicting_value"), [
    /\bthe container name "[^"\n]{1,200}" is already in use\b/,
    /\bconflict: unable to (?:delete|remove)\b/
  ]),
  phrase("docker:usage", diagnose("invalid_request"), [
    /\binvalid reference format\b/,
    /\bis not a docker command\b/,
    /\bdockerfile parse error\b/,
    /\brequires (?:at least|at most|exactly) \d+ arguments?\b/,
    /\bfailed to (?:read|parse) dockerfile\b/,
    /\bunknown (?:shorthand )?flag\b/,
    /\binvalid (?:argument|mount config|volume specification|port specification|containerport|hostport|proto|restart policy)\b/
  ]),
  phrase("docker:state", diagnose("wrong_state"), [
    /\bport is already allocated\b/,
    /\bis not running$/,
    /\bcontainer [^\n]{1,100} is (?:not running|paused|restarting|already)\b/,
    /\byou cannot remove a running container\b/,
    /\bis (?:being )?used by\b[^\n]{0,40}container\b/,
    /\bvolume is in use\b/,
    /\bhas active endpoints\b/
  ]),
  phrase("kube:missing", diagnose("unknown_reference"), [
    /\berror from server \(notfound\)/,
    /\bdoesn't have a resource type\b/,
    /\bno (?:context|cluster|matches) (?:exists|for kind|named)\b/,
    /\bcontext "[^"\n]{1,100}" does not exist\b/,
    /\bno resources found\b/,
    /\bcontainer [^\n]{1,100} is not valid for pod\b/
  ]),
  phrase("kube:rights", diagnose("unauthorized"), [
    /\berror from server \((?:forbidden|unauthorized)\)/,
    /\byou must be logged in to the server\b/,
    /\bcannot (?:list|get|create|delete|patch|update|watch) resource\b/
  ]),
  phrase("kube:conflict", diagnose("conflicting_value"), [
    /\berror from server \(conflict\)/,
    /\bthe object has been modified\b/
  ]),
  phrase("kube:exists", diagnose("conflicting_value"), [/\berror from server \(alreadyexists\)/]),
  phrase("kube:invalid", diagnose("invalid_request"), [
    /\berror from server \((?:badrequest|invalid|methodnotallowed)\)/,
    /\berror (?:validating|parsing) [^\n]{1,200}: /,
    /\bmust specify one of -f\b/,
    /\bunable to recognize\b/,
    /\bno objects passed to\b/
  ]),
  phrase("kube:transient", diagnose("unavailable"), [
    /\berror from server \((?:timeout|internalerror|serviceunavailable|servertimeout|toomanyrequests)\)/,
    /\bunable to connect to the server: /,
    /\bthe connection to the server [^\n]{1,100} was refused\b/,
    /\bnet\/http: tls handshake timeout\b/
  ]),
  phrase("terraform", diagnose("invalid_request"), [
    /\berror: (?:unsupported (?:argument|block)|missing required argument|invalid (?:resource|reference|expression|value|attribute)|reference to undeclared|duplicate resource|unsuitable value)\b/
  ]),
  phrase("browser:missing", diagnose("missing_software"), [
    /\bexecutable doesn't exist\b/,
    /\bplaywright install\b/,
    /\bcould not find (?:chrome|chromium|browser|firefox)\b/,
    /\bfailed to launch (?:the )?browser\b/,
    /\bcannot find chrome\b/,
    /\bbrowser (?:\S{1,40} )?is not installed\b/,
    /\bwithout --no-sandbox\b/,
    /\bhost system is missing dependencies\b/,
    /\bmissing x server or \$display\b/
  ]),
  phrase("browser:closed", diagnose("tool_failed"), [
    /\btarget (?:page, context or browser has been )?closed\b/,
    /\bbrowser has (?:been closed|disconnected)\b/,
    /\bpage (?:has been closed|crashed)\b/,
    /\bexecution context was destroyed\b/,
    /\bsession closed\b/,
    /\bframe was detached\b/,
    /\bprotocol error \([\w.]{3,60}\)/
  ]),
  phrase("browser:strict", diagnose("invalid_request"), [
    /\bstrict mode violation\b/,
    /\bis not a valid selector\b/,
    /\bunknown engine "/,
    /\belement is not (?:an? <|attached|visible|enabled|editable)/,
    /\bno (?:element|node) (?:found|matching|with)\b/,
    /\bno option matching\b/,
    /\bcannot navigate to invalid url\b/
  ]),
  phrase("pip:missing", diagnose("unknown_reference"), [
    /\bno matching distribution found\b/,
    /\bcould not find a version that satisfies\b/,
    /\bno matching version found\b/,
    /\bunable to locate package\b/,
    /\bpackage '[^'\n]{1,80}' has no installation candidate\b/,
    /\bno such package\b/,
    /\bpackagesnotfounderror\b/,
    /\bcould not find crate\b/,
    /\bno matching package named\b/
  ]),
  phrase("npm:script", diagnose("unknown_reference"), [/\bmissing script: /]),
  phrase("npm:tree", diagnose("refused"), [
    /\bunable to resolve dependency tree\b/,
    /\bconflicting peer dependency\b/,
    /\bexternally-managed-environment\b/,
    /\bresolutionimpossible\b/,
    /\bunsupported engine\b/,
    /\brequires a different python\b/,
    /\bhash mismatch\b/
  ]),
  phrase("build:failed", weak(diagnose("tool_failed")), [
    /\bsubprocess-exited-with-error\b/,
    /\bfailed building wheel\b/,
    /\bcompilation terminated\b/,
    /^make(?:\[\d+\])?: \*\*\* \[/
  ]),
  phrase("build:compile", diagnose("invalid_request"), [
    /\berror ts\d{4,5}: /,
    /^error\[e\d{4}\]/,
    /\bundefined reference to\b/,
    /\berror: expected [^\n]{1,60} before\b/,
    /\bundeclared \((?:first use|identifier)/,
    /\bcannot find symbol\b/
  ])
]
